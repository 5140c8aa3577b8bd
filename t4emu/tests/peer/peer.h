/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the programs of check-sparc, which are built for sparc64 with a cross-built
 * OpenSSL, without Headrace's library, and print TAP. */
#ifndef T4EMU_PEER_H
#define T4EMU_PEER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

static unsigned points, failures;

__attribute__((format(printf, 2, 3))) static inline void tap(int passed, const char *format, ...)
{
    __builtin_va_list arguments;
    __builtin_va_start(arguments, format);
    failures += !passed;
    printf("%sok %u - ", passed ? "" : "not ", ++points);
    vprintf(format, arguments);
    putchar('\n');
    __builtin_va_end(arguments);
}

static inline int tap_done(void)
{
    printf("1..%u\n", points);
    return failures != 0;
}

/* Pseudo-random words, the same in every run (xorshift, Marsaglia 2003). */
static inline uint64_t random_word(void)
{
    static uint64_t x = 88172645463325252;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return x;
}

static inline void random_bytes(uint8_t *p, size_t len)
{
    for (size_t i = 0; i < len; i++)
        p[i] = (uint8_t)(random_word() >> 32);
}

/* Allocates `len` bytes (whole pages) between two pages that cannot be accessed. */
static inline uint8_t *guarded_new(size_t len)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *p = mmap(NULL, len + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || mprotect(p + page, len, PROT_READ | PROT_WRITE) != 0)
        abort();
    return p + page;
}

#endif
