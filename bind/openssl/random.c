/* SPDX-License-Identifier: Apache-2.0 */
/* IVs that programs leave to the cipher come from where the default provider takes them: the
 * generator of the library context, which a program may have replaced. */
#include "provider.h"
#include <errno.h>
#include <sys/random.h>

static int from_system(uint8_t *out, size_t out_len)
{
    while (out_len) {
        const ssize_t got = getrandom(out, out_len, 0);
        if (got < 0 && errno != EINTR)
            return 0;
        if (got > 0)
            out += got, out_len -= (size_t)got;
    }
    return 1;
}

int random_bytes(const struct provider *provider, uint8_t *out, size_t out_len)
{
    const struct libcrypto *ssl = &provider->libcrypto;
    if (ssl->RAND_bytes_ex)
        return ssl->RAND_bytes_ex(ssl->libctx, out, out_len, 0) > 0;
    return from_system(out, out_len);
}
