/* SPDX-License-Identifier: Apache-2.0 */
/* What bench/kasumi.c runs: f8 of MANY messages of LEN bytes, each under a key of its own. */
#ifndef BENCH_KASUMI_H
#define BENCH_KASUMI_H

#include <headrace/kasumi.h>

enum { MANY = 512, LEN = 256 };

struct messages {
    struct hr_kasumi_f8_message list[MANY];
    uint8_t in[MANY][LEN], out[MANY][LEN], keys[MANY][16];
};

typedef void run_fn(struct messages *m, void *keys);
struct contender {
    const char *name;
    run_fn *run;
    void *keys;      /* prepared; only read */
    unsigned repeat; /* runs in a slice */
};

/* intel-ipsec-mb's, where it is linked: up to 4; returns how many. */
unsigned peer_contenders(struct contender *c, const struct messages *m);

#endif
