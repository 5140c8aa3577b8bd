/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers are those of the kernel, at each call: no state of them is in this process, so
 * that a forked child, a restored snapshot or a core file never repeats or reveals one. */
#include "random.h"
#include "../bignum/mont_power.h"
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

/* A number that is not below m is drawn anew, which tells nothing of the next.  Half of them are,
 * or more. */
int system_random_below(uint64_t *z, const uint64_t *m, size_t num)
{
    enum { TRIES = 128 };
    const size_t bits = bn_bits(m, num), len = (bits + 63) / 64;
    memset(z, 0, num * sizeof *z);
    for (int i = 0; i < TRIES; i++) {
        const int error = system_random(z, len * sizeof *z);
        if (error)
            return error;
        z[len - 1] &= UINT64_MAX >> (64 * len - bits);
        uint64_t below = bn_less(z, m, num);
        CT_PUBLIC(&below, sizeof below);
        if (below)
            return 0;
    }
    memset(z, 0, num * sizeof *z);
    return HR_ESYSTEM;
}
