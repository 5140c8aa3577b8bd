/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers are those of the kernel, at each call: no state of them is in this process, so
 * that a forked child, a restored snapshot or a core file never repeats or reveals one. */
#include "random.h"
#include "../internal.h"
#include <errno.h>
#include <sys/random.h>

int system_random(void *out, size_t len)
{
    uint8_t *at = out, *const end = at + len;
    while (at < end) {
        const size_t left = (size_t)(end - at);
        /* Requests of up to 256 bytes are never cut short by a signal. */
        const ssize_t got = getrandom(at, left < 256 ? left : 256, 0);
        if (got < 0 && errno != EINTR) {
            wipe_bytes(out, len);
            return HR_ESYSTEM;
        }
        at += got > 0 ? got : 0;
    }
    CT_SECRET(out, len);
    return 0;
}
