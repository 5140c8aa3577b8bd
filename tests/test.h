/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations for all test programs: TAP output, reproducible random bytes, memory between guard
 * pages. */
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

/* ---- TAP (testanything.org): one line for each result, then the plan ---- */

/* tap prints one result with its description. The result is "not ok" if `passed` is 0 or complain
 * was called since the last result; the texts of complain follow it. */
void tap(int passed, const char *format, ...) PRINTF(2, 3);
void tap_skip(const char *reason, const char *format, ...) PRINTF(2, 3);
/* tap_done prints "# N passed, N failed, N skipped" and the plan, and returns the exit status. */
int tap_done(void);
/* complain notes why the next result will be false, and returns 1.  The first few notes are
 * kept. */
int complain(const char *format, ...) PRINTF(1, 2);
int complaints_so_far(void);
/* complaints_suffice returns 1 if no further note would be kept: then the rest of this result's
 * checks can be left out. */
int complaints_suffice(void);

/* ---- random bytes: the same in every run ---- */

void random_bytes(void *p, size_t len);
uint32_t random_below(uint32_t n);

/* signs_slowly returns whether a signature takes so many hashes that only vectors are tried on it:
 * those of SLH-DSA but of its two fastest sets. */
static inline int signs_slowly(const struct hr_algorithm *row)
{
    return row->cls == HR_CLASS_SIGN && row->out_len > 5000 && row->out_len != 17088;
}

/* ---- memory between guard pages ---- */

struct guarded {
    uint8_t *start, *end; /* both page-aligned; access to the bytes before and behind traps */
};
struct guarded guarded_new(size_t len);
/* guards_may_be_read, set before guarded_new, permits reads beyond the ends, for an emulator that
 * itself reads too much; writes still trap. */
extern int guards_may_be_read;

/* cipher_unit returns the block length of a row's block cipher, 8 or 16, also for stream modes. */
static inline size_t cipher_unit(const struct hr_algorithm *row)
{
    return row->iv_len ? row->iv_len : row->block_len;
}

/* has_only_its_schedule is 1 for ciphers that have all code but their key schedule in common with
 * one of another size. */
int has_only_its_schedule(const struct hr_algorithm *row);
int is_zero(const void *p, size_t len);
void print_hex(const uint8_t *p, size_t len);

/* feature_names returns the names of the features in `set`, joined by ", ".  The text is valid
 * until the next call. */
const char *feature_names(uint64_t set);
/* cannot_run returns the reason why a kernel with these needs cannot run here, "CPU lacks X" or
 * "HEADRACE_CPU masks X", or NULL. */
const char *cannot_run(uint64_t needs);
/* all_needs returns `needs` and the features that they depend on: each feature whose masking drops
 * one of them. */
uint64_t all_needs(uint64_t needs);
/* last_kernel returns the index of the last kernel of an operation, which is portable C. */
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
typedef int direct_cmac_fn(uint8_t *out, const void *in, size_t in_len,
                           const struct hr_cmac_key *key);
typedef int direct_xts_fn(uint8_t *out, const uint8_t *in, size_t len, const struct hr_xts_key *key,
                          const uint8_t *iv);
direct_seal_fn *direct_seal(hr_alg alg);
direct_open_fn *direct_open(hr_alg alg);
direct_nmac_fn *direct_nmac(hr_alg alg);
direct_cmac_fn *direct_cmac(hr_alg alg);
direct_xts_fn *direct_xts(hr_alg alg, enum hr_op op);
const char *op_name(const struct hr_algorithm *row, enum hr_op op);

/* key_init_on_its_cpu and its siblings call hr_cipher_key_init_kernel and the like on a CPU with
 * just this kernel's needs, so that the key expansion does not use a better kernel. */
int key_init_on_its_cpu(struct hr_cipher_key *key, hr_alg alg, enum hr_op op, size_t i,
                        const uint8_t *bytes, size_t bytes_len);
int aead_key_on_its_cpu(struct hr_aead_key *key, hr_alg alg, size_t i, const uint8_t *bytes,
                        size_t bytes_len);
int nmac_key_on_its_cpu(struct hr_nmac_key *key, hr_alg alg, size_t i, const uint8_t *bytes,
                        size_t bytes_len);
int cmac_key_on_its_cpu(struct hr_cmac_key *key, hr_alg alg, size_t i, const uint8_t *bytes,
                        size_t bytes_len);
int xts_key_on_its_cpu(struct hr_xts_key *key, hr_alg alg, enum hr_op op, size_t i,
                       const uint8_t *bytes, size_t bytes_len);
int wrap_key_on_its_cpu(struct hr_wrap_key *key, hr_alg alg, enum hr_op op, size_t i,
                        const uint8_t *bytes, size_t bytes_len);

/* ---- the modes of SP 800-38A by their definitions, over portable ECB ---- */

/* model_f9 computes KASUMI's f9 of whole bytes. */
void model_f9(uint8_t mac[4], const uint8_t *in, size_t len, const uint8_t key[16],
              const uint8_t iv[9]);
/* model_cipher takes any length for stream modes, else whole blocks.  It sets `iv` to the value
 * that continues the message if len is whole blocks. */
void model_cipher(uint8_t *out, const uint8_t *in, size_t len, const struct hr_algorithm *row,
                  enum hr_op op, const uint8_t *key, uint8_t iv[16]);

/* ---- the modes of SP 800-38C, 38D and 38E and Poly1305 by their definitions ---- */

/* model_block computes one block with the portable ECB kernel for the cipher and key length of
 * `row`. */
void model_block(uint8_t out[16], const uint8_t in[16], const struct hr_algorithm *row,
                 enum hr_op op, const uint8_t *key);
/* struct model_message is a message of an AEAD.  model_aead encrypts it to `out` and `tag`; only
 * CCM's result depends on tag_len. */
struct model_message {
    const uint8_t *key, *iv, *aad, *in;
    size_t iv_len, aad_len, len, tag_len;
};
void model_aead(uint8_t *out, uint8_t tag[16], const struct hr_algorithm *row,
                const struct model_message *m);
/* model_chacha encrypts by the keystream that begins with this block. */
void model_chacha(uint8_t *out, const uint8_t *in, size_t len, const uint8_t key[32],
                  uint32_t number, const uint8_t nonce[12]);
void model_chacha_poly1305(uint8_t *out, uint8_t tag[16], const struct model_message *m);
/* model_hash is GCM's hash or CCM's CBC-MAC of whole blocks.  model_count encrypts from a counter
 * block on, whose last ctr_len bytes are the counter. */
void model_hash(uint8_t y[16], const uint8_t *in, size_t len, const struct hr_algorithm *row,
                const uint8_t *key);
void model_count(uint8_t *out, const uint8_t *in, size_t len, const struct hr_algorithm *row,
                 const uint8_t *key, uint8_t ctr[16], size_t ctr_len);
void model_xts(uint8_t *out, const uint8_t *in, size_t len, const struct hr_algorithm *row,
               enum hr_op op, const uint8_t *key, const uint8_t iv[16]);
/* model_poly1305_blocks sets h = (h + c_1) r^k + ... modulo 2^130 - 5, in three words; it clamps
 * r. */
void model_poly1305_blocks(uint64_t h[3], const uint8_t *in, size_t len, const uint8_t r[16]);
void model_poly1305(uint8_t out[16], const uint8_t *in, size_t len, const uint8_t r[16],
                    const uint8_t s[16]);

/* checked_call calls fn(args[0], ..., args[5]) and returns the number of things that the function
 * must keep but changed: callee-saved registers, stack pointer, direction flag, control words,
 * clean upper halves. */
int checked_call(void (*fn)(void), const uintptr_t args[6]);
/* checked_call_scope describes in words the things that checked_call checks on this machine. */
const char *checked_call_scope(void);

#endif
