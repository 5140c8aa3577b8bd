/* SPDX-License-Identifier: Apache-2.0 */
/* Many messages side by side: the kernels of HR_OP_LANES.  A lane is the place of one message in
 * vector registers.  All lanes advance by the same number of blocks, and the scheduler
 * (batch_run.h) gives a lane another message as soon as its message ends.  A lane without a message
 * computes a result that nobody uses. */
#ifndef HR_BATCH_H
#define HR_BATCH_H

#include "internal.h"

enum { MAX_BATCH_LANES = 32 };

/* Lane i's state is state[i], or from state[SPONGE_STATES * i] on if the digest is a sponge: that
 * has a state of 25 words, and at most SPONGE_LANES lanes. */
enum { SPONGE_STATES = 4, SPONGE_LANES = MAX_BATCH_LANES / SPONGE_STATES };
struct digest_lanes {
    alignas(
        64) union digest_state state[MAX_BATCH_LANES]; /* in the form of single-message kernels */
    const uint8_t *in[MAX_BATCH_LANES]; /* the next block of each; the kernel advances it */
    size_t block_len;                   /* of a sponge */
};

/* A digest_lanes_fn folds num_blocks >= 1 blocks of every lane.  Lanes may read the same block. */
typedef void digest_lanes_fn(struct digest_lanes *l, size_t num_blocks);
digest_lanes_fn sha256_lanes_avx512, sha256_lanes_avx2;
digest_lanes_fn sha512_lanes_avx512, sha512_lanes_avx2;
digest_lanes_fn sha1_lanes_avx512, sha1_lanes_avx2;
digest_lanes_fn md5_lanes_avx512, md5_lanes_avx2;
digest_lanes_fn sha3_lanes_avx512, sha3_lanes_avx2;

/* Round key r of lane l is at keys[(r * lanes + l) * 16].  All lanes have the same number of
 * rounds. */
struct cipher_lanes {
    alignas(64) uint8_t keys[15 * MAX_BATCH_LANES * 16];
    alignas(64) uint8_t iv[MAX_BATCH_LANES * 16]; /* the last ciphertext block of each */
    const uint8_t *in[MAX_BATCH_LANES];           /* the kernel advances it */
    uint8_t *out[MAX_BATCH_LANES];                /* is `in` or does not touch it; advanced too */
    uint32_t rounds;                              /* 10, 12, 14 */
};

/* A cipher_lanes_fn encrypts num_blocks >= 1 blocks of every lane.  Lanes without a message all
 * have the same in and out. */
typedef void cipher_lanes_fn(struct cipher_lanes *l, size_t num_blocks);

/* Wide lanes are the lanes of a bitsliced kernel: up to 512 messages, and a vector holds one bit,
 * or one byte, of each.  `state` and `keys` are arrays with one element for each lane; the first
 * `live` lanes have a message.  If `fresh` is set, keys changed since the last call: the kernel
 * then bitslices them into `planes` and clears `fresh`.  It also keeps there what does not fit
 * registers.
 */
enum { MAX_WIDE_LANES = 512, WIDE_PLANES = 912 * 64, WIDE_KEYS = 38 * 8 * 64 };

struct wide_lanes {
    const uint8_t **in; /* the kernel advances it */
    uint8_t **out;      /* is `in` or does not touch it; advanced too */
    uint8_t *state;     /* chaining values, wide_form.state_len bytes each */
    uint8_t *keys;      /* wide_form.key_len bytes each */
    uint64_t *planes;   /* WIDE_PLANES bytes at a multiple of 64 */
    uint32_t live;      /* 1 to the kernel's number of lanes */
    uint32_t rounds;    /* wide_form.rounds */
    uint32_t fresh;
};

/* A wide_lanes_fn processes num_blocks >= 1 blocks of every live lane. */
typedef void wide_lanes_fn(struct wide_lanes *l, size_t num_blocks);

/* The form of keys and states of a set with wide lanes. */
struct wide_form {
    /* `key` writes key_len bytes from a key object; `key_bytes` (may be NULL) does so from the
     * bytes of a key. */
    void (*key)(uint8_t *to, const void *object);
    void (*key_bytes)(uint8_t *to, const uint8_t *bytes, size_t bytes_len);
    uint16_t key_len;
    uint8_t state_len, unit; /* unit: length of a block */
    uint8_t rounds;
};

struct lanes_kernel {
    struct hr_kernel info;
    uint16_t lanes;
    uint8_t least; /* number of live lanes from which on it is faster than messages one by one */
    digest_lanes_fn *digest; /* one of digest, cipher and wide is set */
    cipher_lanes_fn *cipher;
    uint64_t rival;      /* CPU features that make single messages faster; 0: none */
    uint8_t rival_least; /* used instead of `least` if the CPU has all of `rival`; 255: lanes are
                          * not used then */
    wide_lanes_fn *wide;
};

struct lanes_op {
    const struct lanes_kernel
        *kernels; /* best first; often there is no portable one, so that a CPU may have none */
    size_t num_kernels;
    const struct digest_impl *digest; /* a row with this compression function; NULL: ciphers */
    const struct wide_form *wide;     /* only for kernels with wide lanes */
};

/* A set is the rows whose messages can share the lanes of one kernel: digests and HMACs with the
 * same compression function, each SHA-3 digest, and the rows of a cipher mode with the same number
 * of rounds. */
enum {
    NUM_DIGEST_SETS = 8,
    NUM_CIPHER_SETS = 6,
    WIDE_SETS = NUM_DIGEST_SETS + NUM_CIPHER_SETS, /* from here on */
    NUM_DES_SETS = 4,
    NUM_CAMELLIA_SETS = 4,
    NUM_WIDE_SETS = NUM_DES_SETS + NUM_CAMELLIA_SETS,
    NUM_SETS = WIDE_SETS + NUM_WIDE_SETS
};

unsigned lanes_set(hr_alg alg); /* NUM_SETS if the row has no lanes */
/* The properties of a row that the scheduler needs. */
struct lanes_row {
    uint16_t alg;
    uint8_t set;    /* counted from 1; 0: the row has no lanes */
    uint8_t digest; /* the digest, or the digest of an HMAC, counted from 1; 0: a cipher */
    uint8_t mac, out_len, unit;
};

/* LANES_PLACE is the place of a row in batch_lanes_rows: two bits of the upper byte of its number,
 * and six of the lower one. */
#define LANES_PLACE(alg) (((alg) >> 2 & 0xc0) | ((alg)&0x3f))
extern const struct lanes_row batch_lanes_rows[256];

static inline const struct digest_impl *lanes_digest(const struct lanes_row *row)
{
    return digest_impls[row->digest - 1];
}

static inline const struct lanes_row *lanes_row(unsigned alg)
{
    const struct lanes_row *row = &batch_lanes_rows[LANES_PLACE(alg)];
    return row->alg == alg ? row : &batch_lanes_rows[0];
}

const struct lanes_op *batch_lanes_set_op(unsigned set); /* set < NUM_SETS */
const struct lanes_op *batch_lanes_op(hr_alg alg);       /* NULL: the row has no lanes */
/* batch_lanes_choose returns NULL if this CPU can run none of the kernels. */
const struct lanes_kernel *batch_lanes_choose(const struct lanes_op *op);
/* batch_lanes_least returns the number of messages from which on lanes are faster on this CPU. */
uint32_t batch_lanes_least(const struct lanes_kernel *kernel);

extern const struct lanes_op digest_lanes_ops[NUM_DIGEST_SETS]; /* digest_lanes.c */
extern const struct lanes_op aes_lanes_ops[HR_MODE_CTR + 1];    /* encryption; aes_lanes.c */
extern const struct lanes_op des_lanes_ops[NUM_DES_SETS];       /* encryption; des_lanes.c */
extern const struct lanes_op camellia_lanes_ops[NUM_CAMELLIA_SETS];

#endif
