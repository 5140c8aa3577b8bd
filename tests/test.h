/* SPDX-License-Identifier: Apache-2.0 */
/* What the test programs share: TAP output, reproducible random bytes, memory between guard pages.
 */
#ifndef HR_TEST_H
#define HR_TEST_H

#include <headrace/headrace.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])
#define PRINTF(text, args) __attribute__((format(printf, text, args)))

/* ---- TAP (testanything.org): one line a result, the plan last ---- */

/* One result: false where `complain` was called since the last one, which is printed. */
void tap(int passed, const char *format, ...) PRINTF(2, 3);
void tap_skip(const char *reason, const char *format, ...) PRINTF(2, 3);
/* Prints "# N passed, N failed, N skipped" and the plan; returns the exit status. */
int tap_done(void);
/* Notes why the next result will be false (the first few are kept); returns 1. */
int complain(const char *format, ...) PRINTF(1, 2);
int complaints_so_far(void);
/* No more would be printed: what is left of this result's checks can be left out. */
int complaints_suffice(void);

/* ---- random bytes: the same in every run ---- */

void random_bytes(void *p, size_t len);
uint32_t random_below(uint32_t n);

/* ---- memory whose neighbours cannot be touched ---- */

struct guarded {
    uint8_t *start, *end; /* page-aligned both; the bytes before and behind trap */
};
struct guarded guarded_new(size_t len);
/* Lets reads beyond the ends pass, for an emulator that makes them itself; writes still trap. */
extern int guards_may_be_read;

/* Bytes of a block of a cipher's row: 8 or 16, of streams too. */
static inline size_t cipher_unit(const struct hr_algorithm *row)
{
    return row->iv_len ? row->iv_len : row->block_len;
}

int is_zero(const void *p, size_t len);
void print_hex(const uint8_t *p, size_t len);

/* Names of the features in `set`, joined by ", "; the text lasts until the next call. */
const char *feature_names(uint64_t set);
/* Why a kernel with these needs cannot run here, or NULL: "CPU lacks X", "HEADRACE_CPU masks X". */
const char *cannot_run(uint64_t needs);
/* The index of the last kernel of an operation: portable C. */
size_t last_kernel(const struct hr_algorithm *row, enum hr_op op);

/* ---- rows of the registry with their typed direct calls ---- */

typedef void direct_digest_fn(uint8_t *out, const void *in, size_t in_len);
typedef int direct_cipher_fn(uint8_t *out, const uint8_t *in, size_t len,
                             const struct hr_cipher_key *key, const uint8_t *iv);
typedef int direct_mac_fn(uint8_t *out, const void *in, size_t in_len,
                          const struct hr_hmac_key *key);
direct_digest_fn *direct_digest(hr_alg alg);
direct_mac_fn *direct_mac(hr_alg alg);
direct_cipher_fn *direct_cipher(hr_alg alg, enum hr_op op);

typedef int direct_seal_fn(uint8_t *out, uint8_t *tag, size_t tag_len, const uint8_t *in,
                           size_t len, const uint8_t *aad, size_t aad_len,
                           const struct hr_aead_key *key, const uint8_t *iv, size_t iv_len);
typedef int direct_open_fn(uint8_t *out, const uint8_t *tag, size_t tag_len, const uint8_t *in,
                           size_t len, const uint8_t *aad, size_t aad_len,
                           const struct hr_aead_key *key, const uint8_t *iv, size_t iv_len);
typedef int direct_nmac_fn(uint8_t *out, const void *in, size_t in_len,
                           const struct hr_nmac_key *key, const uint8_t *iv, size_t iv_len);
typedef int direct_xts_fn(uint8_t *out, const uint8_t *in, size_t len, const struct hr_xts_key *key,
                          const uint8_t *iv);
direct_seal_fn *direct_seal(hr_alg alg);
direct_open_fn *direct_open(hr_alg alg);
direct_nmac_fn *direct_nmac(hr_alg alg);
direct_xts_fn *direct_xts(hr_alg alg, enum hr_op op);
const char *op_name(const struct hr_algorithm *row, enum hr_op op);

/* hr_cipher_key_init_kernel and its like on a CPU that has just this kernel's needs, so that the
 * key expansion is not a better one's either. */
int key_init_on_its_cpu(struct hr_cipher_key *key, hr_alg alg, enum hr_op op, size_t i,
                        const uint8_t *bytes, size_t bytes_len);
int aead_key_on_its_cpu(struct hr_aead_key *key, hr_alg alg, size_t i, const uint8_t *bytes,
                        size_t bytes_len);
int nmac_key_on_its_cpu(struct hr_nmac_key *key, hr_alg alg, size_t i, const uint8_t *bytes,
                        size_t bytes_len);
int xts_key_on_its_cpu(struct hr_xts_key *key, hr_alg alg, enum hr_op op, size_t i,
                       const uint8_t *bytes, size_t bytes_len);

/* ---- the modes of SP 800-38A by their definitions, over portable ECB ---- */

/* f9 of KASUMI, of whole bytes. */
void model_f9(uint8_t mac[4], const uint8_t *in, size_t len, const uint8_t key[16],
              const uint8_t iv[9]);
/* Any length for streams, whole blocks otherwise; `iv` becomes the value that continues the
 * message when len is whole blocks. */
void model_cipher(uint8_t *out, const uint8_t *in, size_t len, const struct hr_algorithm *row,
                  enum hr_op op, const uint8_t *key, uint8_t iv[16]);

/* ---- the modes of SP 800-38C, 38D and 38E and Poly1305 by their definitions ---- */

/* One block by the portable ECB row beside `row`: of the same cipher and key length. */
void model_block(uint8_t out[16], const uint8_t in[16], const struct hr_algorithm *row,
                 enum hr_op op, const uint8_t *key);
/* A message of GCM or CCM, encrypted: `out` and its tag, whose length is CCM's alone to know. */
struct model_message {
    const uint8_t *key, *iv, *aad, *in;
    size_t iv_len, aad_len, len, tag_len;
};
void model_aead(uint8_t *out, uint8_t tag[16], const struct hr_algorithm *row,
                const struct model_message *m);
/* Their pieces: GCM's hash or CCM's chain of whole blocks; keystream from a counter block on, whose
 * last ctr_len bytes count. */
void model_hash(uint8_t y[16], const uint8_t *in, size_t len, const struct hr_algorithm *row,
                const uint8_t *key);
void model_count(uint8_t *out, const uint8_t *in, size_t len, const struct hr_algorithm *row,
                 const uint8_t *key, uint8_t ctr[16], size_t ctr_len);
void model_xts(uint8_t *out, const uint8_t *in, size_t len, const struct hr_algorithm *row,
               enum hr_op op, const uint8_t *key, const uint8_t iv[16]);
/* h = (h + c_1) r^k + ... modulo 2^130 - 5, as three words; r is clamped. */
void model_poly1305_blocks(uint64_t h[3], const uint8_t *in, size_t len, const uint8_t r[16]);
void model_poly1305(uint8_t out[16], const uint8_t *in, size_t len, const uint8_t r[16],
                    const uint8_t s[16]);

/* Calls fn(args[0], ..., args[5]) and returns how many things it changed that it must keep:
 * callee-saved registers, stack pointer, direction flag, control words, clean upper halves. */
int checked_call(void (*fn)(void), const uintptr_t args[6]);
/* What checked_call looks at on this machine, in words. */
const char *checked_call_scope(void);

#endif
