/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HR_VECTORS_H
#define HR_VECTORS_H

#include "../test.h"
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
    uint32_t flags;
    const struct hr_algorithm *mac; /* the MAC of a key derivation, else NULL */
    uint64_t iterations, size;      /* iterations of PBKDF2; length of an output that must be
                                     * refused */
    enum result result;
};

/* ---- vectors_lines.c ---- */

/* A case ends in one of these: VECTOR_WRONG is a complaint; of a skipped one vectors_skip has said
 * why. */
enum vector_end { VECTOR_RAN, VECTOR_SKIPPED, VECTOR_WRONG };
typedef enum vector_end case_fn(struct vector *v, const char *op);
/* vectors_read runs the cases of a file, "-" for stdin, or of a folder's .txt files; it returns 0
 * if one cannot be read. */
int vectors_read(const char *path, case_fn *run);
void vectors_skip(const char *reason);
void vectors_print_total(void);

/* Each of these functions runs a case on every usable kernel, and complains of wrong results. */
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
void run_wrap(const struct vector *v);

void run_xof(const struct vector *v);
void run_kmac(const struct vector *v);
void run_xof_monte(const struct vector *v);

void run_agree(const struct vector *v);
void run_agree_public(const struct vector *v);
void run_ladder(const struct vector *v);
void run_sign(const struct vector *v);
void run_sign_public(const struct vector *v);
void run_verify(const struct vector *v);
void run_kem_public(const struct vector *v);
void run_encapsulate(const struct vector *v);
void run_decapsulate(const struct vector *v);
void run_sign_der(const struct vector *v);
void run_verify_der(const struct vector *v);
void run_rsa_verify(const struct vector *v);
void run_dsa_verify(const struct vector *v);
void run_dh_agree(const struct vector *v);

void run_f8_bits(const struct vector *v);
void run_f9_bits(const struct vector *v);
void run_a53(const struct vector *v);
void run_gea3(const struct vector *v);
void run_repeat(const struct vector *v);

/* run_in_queue runs the case as jobs, if it can be one; `op` is the operation's word in the vector
 * file. */
void run_in_queue(const struct vector *v, const char *op);
/* run_job runs a case of a class that no function above is for: as a job on every kernel, and in a
 * queue. It returns 1, or 0 if the class has no operation of this name. */
int run_job(const struct vector *v, const char *word);

#endif
