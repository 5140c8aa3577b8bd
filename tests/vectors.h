/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HR_VECTORS_H
#define HR_VECTORS_H

#include "test.h"
#include <stddef.h>

struct bytes {
    uint8_t *p;
    size_t len;
};

enum result { MUST_WORK, MUST_FAIL, MAY_FAIL };

struct vector {
    const struct hr_algorithm *row;
    unsigned number; /* in its file, from 1 */
    struct bytes in, out, key, iv, next_iv, salt, info, aad, tag;
    int pad, chain;
    const struct hr_algorithm *mac; /* of a key derivation */
    uint64_t iterations, size;      /* of PBKDF2; of an output that must be refused */
    enum result result;
};

/* Each runs a case on every usable kernel and complains of what is wrong. */
void run_digest(const struct vector *v);
void run_digest_monte(const struct vector *v);
void run_mac(const struct vector *v);
void run_derive(const struct vector *v);
void run_extract(const struct vector *v);
void run_expand(const struct vector *v);
void run_encrypt(const struct vector *v);
void run_decrypt(const struct vector *v);
void run_both(const struct vector *v);
void run_monte_encrypt(const struct vector *v);
void run_monte_decrypt(const struct vector *v);
void run_aead(const struct vector *v);
void run_nmac(const struct vector *v);
void run_xts_encrypt(const struct vector *v);
void run_xts_decrypt(const struct vector *v);
void run_xts_both(const struct vector *v);

void run_f8_bits(const struct vector *v);
void run_f9_bits(const struct vector *v);
void run_a53(const struct vector *v);
void run_gea3(const struct vector *v);
void run_repeat(const struct vector *v);

/* The same case as a job, `op` as the line names it. */
void run_in_queue(const struct vector *v, const char *op);

#endif
