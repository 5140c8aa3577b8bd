/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between bench/kasumi.c and its contenders: f8 of MANY messages of LEN bytes, each
 * with a key of its own. */
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
    void *keys;      /* prepared keys; read-only */
    unsigned repeat; /* runs in a slice */
};

/* peer_contenders adds the contenders of intel-ipsec-mb, if it is linked, and returns how many. */
unsigned peer_contenders(struct contender *c, const struct messages *m);

/* table_contenders adds the two kernels of kasumi_tables.c, and returns 2.  It ends the program if
 * their output is not the library's. */
unsigned table_contenders(struct contender *c, struct messages *m);

#endif
