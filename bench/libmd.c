/* SPDX-License-Identifier: Apache-2.0 */
/* libmd OURS THEIRS [ROUNDS]: times Init, Update and Final of short messages with two libmd.so.0 in
 * one process, alternately, so that both run under the same conditions.  Prints medians and their
 * ratio, where more than 1 means that the first is faster. */
#include "median.h"
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CALLS = 500, MAX_ROUNDS = 5001, MAX_LEN = 1024 };

struct calls {
    void (*init)(void *ctx);
    void (*update)(void *ctx, const uint8_t *in, size_t len);
    void (*final)(uint8_t *out, void *ctx);
};

static const char *const names[] = { "MD5",    "SHA1",       "SHA224", "SHA256", "SHA384",
                                     "SHA512", "SHA512_256", "MD4",    "RMD160" };
static const size_t lengths[] = { 16, 64, MAX_LEN };

static void *symbol(void *library, const char *name, const char *suffix)
{
    char text[64];
    snprintf(text, sizeof text, "%s%s", name, suffix);
    return dlsym(library, text);
}

/* Returns 0 if the library does not have the digest. */
static int find(struct calls *calls, void *library, const char *name)
{
    *(void **)&calls->init = symbol(library, name, "Init");
    *(void **)&calls->update = symbol(library, name, "Update");
    *(void **)&calls->final = symbol(library, name, "Final");
    return calls->init && calls->update && calls->final;
}

static double nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static double time_one(const struct calls *calls, const uint8_t *in, size_t len)
{
    static uint64_t ctx[32];
    static uint8_t out[64];
    const double begin = nanoseconds();
    for (int i = 0; i < CALLS; i++) {
        calls->init(ctx);
        calls->update(ctx, in, len);
        calls->final(out, ctx);
    }
    return (nanoseconds() - begin) / CALLS;
}

static void compare(const char *name, struct calls both[2], size_t len, int rounds)
{
    static uint8_t in[MAX_LEN];
    static double ns[2][MAX_ROUNDS], ratio[MAX_ROUNDS];
    for (int i = 0; i < rounds; i++) {
        for (int which = 0; which < 2; which++)
            ns[which][i] = time_one(&both[which], in, len);
        ratio[i] = ns[1][i] / ns[0][i];
    }
    printf("%-10s %5zu B %8.1f ns %8.1f ns  x %.2f\n", name, len, median(ns[0], (size_t)rounds),
           median(ns[1], (size_t)rounds), median(ratio, (size_t)rounds));
}

int main(int argc, char **argv)
{
    void *libraries[2];
    const int rounds = argc > 3 ? atoi(argv[3]) : 301;
    if (argc < 3 || rounds < 1 || rounds > MAX_ROUNDS) {
        fprintf(stderr, "usage: libmd OURS THEIRS [ROUNDS]\n");
        return 2;
    }
    for (int i = 0; i < 2; i++) {
        libraries[i] = dlopen(argv[1 + i], RTLD_NOW | RTLD_LOCAL);
        if (!libraries[i]) {
            fprintf(stderr, "libmd: %s\n", dlerror());
            return 1;
        }
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct calls both[2];
        if (!find(&both[0], libraries[0], names[i]) || !find(&both[1], libraries[1], names[i])) {
            printf("%-10s not in both\n", names[i]);
            continue;
        }
        for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++)
            compare(names[i], both, lengths[l], rounds);
    }
    return 0;
}
