/* SPDX-License-Identifier: Apache-2.0 */
/* AEADs: modes, keys, contexts, and the prototypes of kernels of GCM and CCM. */
#ifndef HR_AEAD_H
#define HR_AEAD_H

#include "chacha/chacha.h"
#include "internal.h"

/* The number of 16-byte elements that a key has for powers of GCM's H, in the form that its kernel
 * chooses. */
enum { GCM_POWERS = 36 };

struct aead_key;

/* An aead_setup_fn computes key->powers from AES's round keys; H is the encrypted zero block.  CCM
 * needs none. */
typedef void aead_setup_fn(struct aead_key *key);
/* An aead_powers_fn computes key->powers from H, for any block cipher. */
typedef void aead_powers_fn(struct aead_key *key, const uint8_t h[16]);
/* An aead_hash_fn absorbs whole blocks: GCM's GHASH (SP 800-38D section 6.4), CCM's CBC-MAC.  `y`
 * is the hash so far, named as in the standards. */
typedef void aead_hash_fn(uint8_t y[16], const uint8_t *in, size_t num_blocks,
                          const struct aead_key *key);
/* An aead_blocks_fn encrypts or decrypts whole blocks with the counters that begin with `ctr`, sets
 * `ctr` to the next one, and absorbs what the mode authenticates: the ciphertext in GCM, the
 * plaintext in CCM.  GCM counts in the last 4 bytes, modulo 2^32, CCM in the last 8.  `out` is `in`
 * or does not touch it. */
typedef void aead_blocks_fn(uint8_t *out, const uint8_t *in, size_t num_blocks,
                            const struct aead_key *key, uint8_t ctr[16], uint8_t y[16]);
/* An aead_direct_fn processes a whole GCM message with an IV of 12 bytes.  It has the parameters of
 * the direct call, which ends in a jump to it, and checks them by gcm_check.  Decryption compares
 * the tag in constant time; if it is wrong, it zeroes `out` and returns HR_EMAC. */
typedef int aead_direct_fn(uint8_t *out, uint8_t *tag, size_t tag_len, const uint8_t *in,
                           size_t len, const uint8_t *aad, size_t aad_len,
                           const struct aead_key *key, const uint8_t *iv, size_t iv_len);

struct aead_kernel {
    struct hr_kernel info;
    aead_hash_fn *hash;
    aead_blocks_fn *blocks[2]; /* by enum hr_op */
    aead_setup_fn *setup;      /* NULL: a key needs no powers, or `powers` makes them */
    aead_direct_fn *direct[2]; /* NULL: direct calls use `hash` and `blocks` */
    /* Like `blocks`, for a counter that must stay secret because it is the hash of an IV; NULL:
     * `blocks` keeps counters secret too. */
    aead_blocks_fn *hashed[2];
    aead_powers_fn *powers; /* for kernels of any block cipher, instead of `setup` */
    chacha_xor_fn *chacha;  /* ChaCha20-Poly1305, which has no `hash` and no `blocks` */
};

struct aead_ctx;
/* What differs between the modes. */
struct aead_mode {
    /* Returns the length of the longest text under an IV of this length; 0: bad IV length. */
    uint64_t (*max_len)(size_t iv_len);
    int (*good_tag_len)(size_t tag_len);
    uint8_t least_tag; /* of hr_aead_verify_short */
    uint16_t ctx_size; /* of a context: struct aead_ctx, and what the mode has behind it */
    /* Expands the key's bytes; the members up to `mode` are set. */
    void (*setup)(struct aead_key *key, const struct block_cipher *cipher, const uint8_t *bytes,
                  size_t bytes_len);
    /* Starts a message in a context that is zero but for the members before `y`. */
    void (*start)(struct aead_ctx *ctx, const uint8_t *iv, size_t iv_len);
    /* Takes the lengths that are in the context; NULL: the mode need not know them. */
    void (*lengths)(struct aead_ctx *ctx);
    /* Absorbs the next part of the AAD. */
    void (*absorb)(struct aead_ctx *ctx, const uint8_t *in, size_t len);
    /* Absorbs what waits for the rest of a block of AAD; text follows. */
    void (*flush)(struct aead_ctx *ctx);
    /* Encrypts or decrypts the next part of the text, at least one byte. */
    void (*crypt)(struct aead_ctx *ctx, uint8_t *out, const uint8_t *in, size_t len);
    /* Computes the full tag. */
    void (*tag)(struct aead_ctx *ctx, uint8_t tag[16]);
};
extern const struct aead_mode gcm_mode, ccm_mode, chacha_poly1305_mode;

/* The kernels of a mode, best first, each for both operations; `chosen` is a cache. */
struct aead_impl {
    const struct aead_kernel *kernels;
    size_t num_kernels;
    _Atomic(const struct aead_kernel *) *chosen;
    const struct aead_mode *mode;
};
extern const struct aead_impl gcm_impl, ccm_impl;         /* AES */
extern const struct aead_impl gcm_any_impl, ccm_any_impl; /* any block cipher of 16 bytes */
extern const struct aead_impl chacha_poly1305_impl;
const struct aead_impl *aead_impl(const struct hr_algorithm *row);
const struct hr_algorithm *aead_row(hr_alg alg); /* NULL: alg is no AEAD */
const struct aead_kernel *aead_choose(const struct aead_impl *impl);

/* The members of struct hr_aead_key; alg 0 means not initialised.  Also the key of GMAC. */
struct aead_key {
    alignas(64) union {
        struct aes_key aes; /* `dec` is not used */
        uint8_t schedule[CIPHER_SCHEDULE_LEN];
        uint32_t chacha[CHACHA_KEY_WORDS];
    };
    uint32_t alg;
    const struct aead_kernel *kernel;
    const struct aead_mode *mode;
    cipher_blocks_fn *ecb;            /* for few blocks */
    const struct cipher_kernel *many; /* ECB for many blocks; used with ciphers other than AES */
    aead_direct_fn *direct[2];        /* by enum hr_op: for direct calls whose IV has 12 bytes */
    alignas(64) uint8_t powers[GCM_POWERS][16];
};
static_assert(sizeof(struct aead_key) <= sizeof(struct hr_aead_key), "public size");
static_assert(offsetof(struct aead_key, powers) == AEAD_KEY_POWERS, "what assembly reads");

/* The members of struct hr_aead_ctx; key NULL means not initialised. */
struct aead_ctx {
    const struct aead_key *key;
    uint64_t aad_len, len;     /* given so far */
    uint64_t aad_total, total; /* announced by hr_aead_lengths, or the most that the mode takes */
    uint8_t op, phase, tag_len;
    uint8_t used; /* bytes used of `part` and of `stream`; ChaCha20-Poly1305: AAD in `block` */
    uint8_t hashed_iv;
    uint8_t waits; /* ChaCha20-Poly1305: `block` has 64 bytes that are still to be absorbed */
    union {
        struct {                               /* GCM, CCM */
            alignas(8) uint8_t y[16], ctr[16]; /* the hash so far; the next counter block */
            uint8_t mask[16];   /* the encrypted first counter block, which masks the tag */
            uint8_t stream[16]; /* keystream of the current block */
            uint8_t part[16];   /* AAD or text that is still to be absorbed */
        };
        struct { /* ChaCha20-Poly1305 */
            uint64_t h[3], r[2];
            uint8_t s[16], nonce[12];
            uint8_t block[CHACHA_BLOCK]; /* of the text: ciphertext, then keystream */
        };
    };
};
static_assert(sizeof(struct aead_ctx) <= sizeof(struct hr_aead_ctx), "public size");

#define GCM_MAX_LEN ((UINT64_C(1) << 36) - 32) /* SP 800-38D section 5.2.1.1 */
#define AEAD_MAX_AAD ((UINT64_C(1) << 61) - 1)
/* Functions of direct calls that process a message by `hash` and `blocks`, with any IV, and
 * functions that return HR_ESTATE; by enum hr_op. */
extern __attribute__((visibility("hidden"))) aead_direct_fn *const aead_pieces[2],
    *const aead_refuse[2];
/* aead_compare returns 0 or HR_EMAC, in constant time. */
int aead_compare(const uint8_t *tag, const uint8_t full[16], size_t tag_len);

static inline int gcm_check(const uint8_t *out, size_t tag_len, const uint8_t *in, size_t len,
                            size_t aad_len)
{
    if (UNLIKELY(tag_len - 4 > 12))
        return HR_ETAGLEN;
    if (UNLIKELY(len > GCM_MAX_LEN || aad_len > AEAD_MAX_AAD))
        return HR_ELENGTH;
    return UNLIKELY(overlap(out, in, len)) ? HR_EOVERLAP : 0;
}

/* aead_key_setup initialises a key without checking its arguments. */
void aead_key_setup(struct aead_key *key, const struct aead_impl *impl,
                    const struct block_cipher *cipher, hr_alg alg, const struct aead_kernel *kernel,
                    const uint8_t *bytes, size_t bytes_len);
/* aead_start starts a message under an IV that the mode takes. */
void aead_start(struct aead_ctx *ctx, const struct aead_key *key, enum hr_op op, const uint8_t *iv,
                size_t iv_len);
/* aead_in_pieces processes a whole message by the functions of its mode, and writes its full tag.
 */
void aead_in_pieces(uint8_t *out, uint8_t tag[16], size_t tag_len, const uint8_t *in, size_t len,
                    const uint8_t *aad, size_t aad_len, const struct aead_key *key,
                    const uint8_t *iv, size_t iv_len, enum hr_op op);

/* ---- aes/aead_blocks.c: what modes of a block cipher share ---- */

void aead_blocks_setup(struct aead_key *key, const struct block_cipher *cipher,
                       const uint8_t *bytes, size_t bytes_len);
void aead_blocks_absorb(struct aead_ctx *ctx, const uint8_t *in, size_t len);
void aead_blocks_flush(struct aead_ctx *ctx);
void aead_blocks_crypt(struct aead_ctx *ctx, uint8_t *out, const uint8_t *in, size_t len);

aead_setup_fn gcm_setup_c, gcm_setup_aesni, gcm_setup_vaes256, gcm_setup_vaes512;
aead_powers_fn gcm_powers_c, gcm_powers_aesni, gcm_powers_vaes256, gcm_powers_vaes512,
    gcm_powers_ce, gcm_powers_eor3;
aead_hash_fn gcm_hash_aesni, gcm_hash_vaes256, gcm_hash_vaes512;
aead_blocks_fn gcm_encrypt_aesni, gcm_decrypt_aesni, gcm_encrypt_vaes256, gcm_decrypt_vaes256,
    gcm_encrypt_vaes512, gcm_decrypt_vaes512, gcm_encrypt_hashed_vaes512,
    gcm_decrypt_hashed_vaes512;
aead_direct_fn gcm_encrypt_direct_aesni, gcm_decrypt_direct_aesni, gcm_encrypt_direct_vaes256,
    gcm_decrypt_direct_vaes256, gcm_encrypt_direct_vaes512, gcm_decrypt_direct_vaes512;
aead_hash_fn aes_ccm_hash_aesni, aes_ccm_hash_avx;
aead_blocks_fn aes_ccm_encrypt_aesni, aes_ccm_decrypt_aesni, aes_ccm_encrypt_avx,
    aes_ccm_decrypt_avx;
aead_hash_fn gcm_hash_c, ccm_hash_c;
aead_blocks_fn gcm_encrypt_c, gcm_decrypt_c, ccm_encrypt_c, ccm_decrypt_c;
aead_setup_fn gcm_setup_ssse3, gcm_setup_avx2, gcm_setup_neon;
aead_blocks_fn gcm_encrypt_ssse3, gcm_decrypt_ssse3, gcm_encrypt_avx2, gcm_decrypt_avx2,
    gcm_encrypt_neon, gcm_decrypt_neon;
aead_hash_fn aes_ccm_hash_ssse3, aes_ccm_hash_avx2, aes_ccm_hash_neon;
aead_blocks_fn aes_ccm_encrypt_ssse3, aes_ccm_decrypt_ssse3, aes_ccm_encrypt_avx2,
    aes_ccm_decrypt_avx2, aes_ccm_encrypt_neon, aes_ccm_decrypt_neon;
aead_setup_fn gcm_setup_t4;
aead_hash_fn gcm_hash_t4, ccm_hash_t4;
aead_blocks_fn gcm_encrypt_t4, gcm_decrypt_t4, ccm_encrypt_t4, ccm_decrypt_t4;

aead_setup_fn gcm_setup_ce, gcm_setup_eor3;
aead_hash_fn aes_ccm_hash_ce, gcm_hash_ce, gcm_hash_eor3;
aead_blocks_fn aes_ccm_encrypt_ce, aes_ccm_decrypt_ce;
aead_blocks_fn gcm_encrypt_ce, gcm_decrypt_ce, gcm_encrypt_eor3, gcm_decrypt_eor3;
aead_direct_fn gcm_encrypt_direct_ce, gcm_decrypt_direct_ce, gcm_encrypt_direct_eor3,
    gcm_decrypt_direct_eor3;

#endif
