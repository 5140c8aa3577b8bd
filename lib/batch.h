/* SPDX-License-Identifier: Apache-2.0 */
/* Many messages side by side: the kernels behind HR_OP_LANES.  A lane is a message's place in the
 * vectors; all lanes advance by the same number of blocks, and the scheduler (batch_run.h) refills
 * a lane as soon as its message ends.  A lane without a message works on bytes that nobody reads.
 */
#ifndef HR_BATCH_H
#define HR_BATCH_H

#include "internal.h"

enum { MAX_BATCH_LANES = 32 };

struct digest_lanes {
    alignas(64) union digest_state state[MAX_BATCH_LANES]; /* as single-message kernels have it */
    const uint8_t *in[MAX_BATCH_LANES];                    /* the next block of each; advanced */
};

/* Folds num_blocks blocks of every lane, one at least.  Lanes may read the same block. */
typedef void digest_lanes_fn(struct digest_lanes *l, size_t num_blocks);
digest_lanes_fn sha256_lanes_avx512, sha256_lanes_avx2;
digest_lanes_fn sha512_lanes_avx512, sha512_lanes_avx2;
digest_lanes_fn sha1_lanes_avx512, sha1_lanes_avx2;
digest_lanes_fn md5_lanes_avx512, md5_lanes_avx2;

/* Round key r of lane l is at keys[(r * lanes + l) * 16]; all lanes have the same number of
 * rounds. */
struct cipher_lanes {
    alignas(64) uint8_t keys[15 * MAX_BATCH_LANES * 16];
    alignas(64) uint8_t iv[MAX_BATCH_LANES * 16]; /* the last ciphertext block of each */
    const uint8_t *in[MAX_BATCH_LANES];           /* advanced */
    uint8_t *out[MAX_BATCH_LANES];                /* in or apart from it; advanced */
    uint32_t rounds;                              /* 10, 12, 14 */
};

/* Encrypts num_blocks blocks of every lane, one at least.  Lanes without a message all have the
 * same in and out. */
typedef void cipher_lanes_fn(struct cipher_lanes *l, size_t num_blocks);

/* Wide lanes are those of a kernel that slices: some hundred messages, of each of which a vector
 * holds a bit or a byte.  All that a message has lies at a stride, and the first `live` lanes have
 * one.  Where `fresh` is set, keys are not those of the call before: then the kernel makes of them
 * what it wants in `planes`, and clears it.  What it cannot keep in registers is there as well. */
enum { MAX_WIDE_LANES = 512, WIDE_PLANES = 912 * 64, WIDE_KEYS = 38 * 8 * 64 };

struct wide_lanes {
    const uint8_t **in; /* advanced */
    uint8_t **out;      /* in or apart from it; advanced */
    uint8_t *state;     /* chaining values of wide_form.state_len bytes */
    uint8_t *keys;      /* of wide_form.key_len bytes */
    uint64_t *planes;   /* WIDE_PLANES bytes at a multiple of 64 */
    uint32_t live;      /* 1 to the kernel's number of lanes */
    uint32_t rounds;    /* wide_form.rounds */
    uint32_t fresh;
};

/* Does num_blocks blocks of every live lane, one at least. */
typedef void wide_lanes_fn(struct wide_lanes *l, size_t num_blocks);

/* What wide lanes of a set hold. */
struct wide_form {
    /* Writes key_len bytes from a key object, or (unless NULL) from what hr_cipher_key_init would
     * make one of. */
    void (*key)(uint8_t *to, const void *object);
    void (*key_bytes)(uint8_t *to, const uint8_t *bytes, size_t bytes_len);
    uint16_t key_len;
    uint8_t state_len, unit; /* unit: bytes of a block */
    uint8_t rounds;
};

struct lanes_kernel {
    struct hr_kernel info;
    uint16_t lanes;
    uint8_t least; /* live lanes from which on it is faster than the single-message kernel */
    digest_lanes_fn *digest; /* one of the three */
    cipher_lanes_fn *cipher;
    uint64_t rival;      /* a CPU that has these runs single messages faster, so that: */
    uint8_t rival_least; /* is the least number there; 255: never */
    wide_lanes_fn *wide;
};

struct lanes_op {
    const struct lanes_kernel *kernels; /* best first; there is no portable one: may be none */
    size_t num_kernels;
    const struct digest_impl *digest; /* a row whose compression it is; NULL: ciphers */
    const struct wide_form *wide;     /* of kernels whose lanes are wide */
};

/* Rows of one set fill the lanes of one kernel together: those that share a compression, and a
 * mode's of one key length, or of one number of rounds. */
enum {
    NUM_DIGEST_SETS = 4,
    NUM_CIPHER_SETS = 6,
    WIDE_SETS = NUM_DIGEST_SETS + NUM_CIPHER_SETS, /* from here on */
    NUM_DES_SETS = 4,
    NUM_CAMELLIA_SETS = 4,
    NUM_WIDE_SETS = NUM_DES_SETS + NUM_CAMELLIA_SETS,
    NUM_SETS = WIDE_SETS + NUM_WIDE_SETS
};

unsigned lanes_set(hr_alg alg); /* NUM_SETS: the row has no lanes */
/* What the scheduler knows of a row. */
struct lanes_row {
    const struct digest_impl *impl; /* the digest, or that of an HMAC */
    uint16_t alg;
    uint8_t set; /* counted from 1; 0: the row has no lanes */
    uint8_t mac, out_len, unit;
};

/* By two bits of the number's upper byte and six of its lower one. */
#define LANES_PLACE(alg) (((alg) >> 2 & 0xc0) | ((alg)&0x3f))
extern const struct lanes_row lanes_rows[256];

static inline const struct lanes_row *lanes_row(unsigned alg)
{
    const struct lanes_row *row = &lanes_rows[LANES_PLACE(alg)];
    return row->alg == alg ? row : &lanes_rows[0];
}

const struct lanes_op *lanes_set_op(unsigned set); /* of a set below NUM_SETS */
const struct lanes_op *lanes_op(hr_alg alg);       /* NULL: the row has no lanes */
/* NULL: this CPU has none of them. */
const struct lanes_kernel *lanes_choose(const struct lanes_op *op);
/* From how many messages on this CPU takes less time for them in lanes. */
uint32_t lanes_least(const struct lanes_kernel *kernel);

extern const struct lanes_op digest_lanes_ops[NUM_DIGEST_SETS]; /* digest_lanes.c */
extern const struct lanes_op aes_lanes_ops[HR_MODE_CTR + 1];    /* encryption; aes_lanes.c */
extern const struct lanes_op des_lanes_ops[NUM_DES_SETS];       /* the same; des_lanes.c */
extern const struct lanes_op camellia_lanes_ops[NUM_CAMELLIA_SETS];

#endif
