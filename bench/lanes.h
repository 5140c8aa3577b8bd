/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between bench/lanes.c and its peers: messages of one length, as many as a row says.
 */
#ifndef BENCH_LANES_H
#define BENCH_LANES_H

#include <headrace/queue.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST = 512, LONGEST = 16384 };

struct bench_row {
    const char *name;
    hr_alg alg;
    int cipher, mac;
    size_t many; /* messages at once */
};

struct bench_cell {
    const struct bench_row *row;
    size_t len;
    const uint8_t *key; /* 32 bytes */
    uint8_t *in[MOST], *out[MOST], *tag[MOST];
};

/* A bench_run digests, authenticates or encrypts all messages once; a contender that is timed with
 * one message takes only the first. */
typedef void bench_run(const struct bench_cell *cell);

/* Each function prepares a peer for a cell and returns the function that runs it, or NULL if the
 * peer lacks the row. */
bench_run *openssl_cell(const struct bench_cell *cell);
bench_run *ipsecmb_cell(const struct bench_cell *cell);
bench_run *ipsecmb_one_cell(const struct bench_cell *cell);

#endif
