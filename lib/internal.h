/* SPDX-License-Identifier: Apache-2.0 */
/* What lib/ shares: the kernel tables and the descriptors behind the registry's rows. */
#ifndef HR_INTERNAL_H
#define HR_INTERNAL_H

#include <assert.h>
#include <headrace/headrace.h>
#include <stdalign.h>
#include <stdatomic.h>

#include "aes_key.h"
#include "bytes.h"
#include "cpu.h"
#include "secret.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
/* Code of a few cycles, which a start in the middle of a line would lengthen. */
#define ALIGNED __attribute__((aligned(64)))
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* A row of a kernel table; what it leaves out at its end is NULL.  The macros of other
 * architectures are empty, so that the files of algorithms hold no #ifdef.  `needs` is a union of
 * CPU(...) bits. */
#define KERNEL_ROW(name, needs, ...) { .info = { name, needs }, __VA_ARGS__ },
#if defined(__x86_64__)
#define KERNEL_X86(name, needs, ...) KERNEL_ROW(name, needs, __VA_ARGS__)
#else
#define KERNEL_X86(name, needs, ...)
#endif
#if defined(__aarch64__)
#define KERNEL_ARM64(name, needs, ...) KERNEL_ROW(name, needs, __VA_ARGS__)
#else
#define KERNEL_ARM64(name, needs, ...)
#endif
#if defined(__sparc__) && defined(__arch64__)
#define KERNEL_SPARC(name, needs, ...) KERNEL_ROW(name, needs, __VA_ARGS__)
#else
#define KERNEL_SPARC(name, needs, ...)
#endif
#if defined(HR_HAVE_SHA512NI)
#define KERNEL_X86_SHA512NI(name, needs, fn) KERNEL_X86(name, needs, fn)
#else
#define KERNEL_X86_SHA512NI(name, needs, fn)
#endif
#define KERNEL_C(...) KERNEL_ROW("c", 0, __VA_ARGS__)

/* Defines function(list): the first kernel of a list whose needs this CPU meets, remembered in
 * *list->chosen. */
#define DEFINE_CHOOSE(function, kernel_type, list_type)                                       \
    const kernel_type *function(const list_type *list)                                        \
    {                                                                                         \
        const kernel_type *kernel = atomic_load_explicit(list->chosen, memory_order_relaxed); \
        if (LIKELY(kernel))                                                                   \
            return kernel;                                                                    \
        const uint64_t have = hr_cpu_features();                                              \
        for (kernel = list->kernels; kernel->info.needs & ~have; kernel++)                    \
            ;                                                                                 \
        atomic_store_explicit(list->chosen, kernel, memory_order_relaxed);                    \
        return kernel;                                                                        \
    }

/* ---- digests ---- */

/* Folds num_blocks whole blocks into the chaining value `state`. */
typedef void digest_blocks_fn(void *state, const uint8_t *in, size_t num_blocks);

struct hmac_key;
/* A direct call of HMAC (lib/hmac.c): the message's whole blocks at `in`, and at `last` the padded
 * rest.  Chaining values stay in the form that the kernel wants. */
typedef void hmac_blocks_fn(uint8_t *out, const struct hmac_key *key, const uint8_t *in,
                            size_t num_blocks, const uint8_t *last, size_t num_last);
/* The same of a checksum, from value to value in registers: for direct calls. */
typedef uint32_t checksum_fn(uint32_t value, const uint8_t *in, size_t num_blocks);

struct digest_kernel {
    struct hr_kernel info;
    digest_blocks_fn *blocks;
    hmac_blocks_fn *hmac; /* NULL: `blocks` does as well */
    checksum_fn *value;   /* of checksums only */
};

/* One per row; `chosen` is a cache: NULL until choose() ran. */
struct digest_impl {
    const struct digest_kernel *kernels;
    size_t num_kernels;
    _Atomic(const struct digest_kernel *) *chosen;
    void (*direct)(uint8_t *out, const void *in, size_t in_len);
    const void *init; /* initial chaining value: state_len bytes, and zeros up to 8 words */
    uint16_t state_len, out_len;
    uint8_t block_len, word_len; /* words of 4 or 8 bytes; of a checksum, one word of 2 or 4 */
    uint8_t little_endian;       /* MD5's words, and its length field; else big-endian */
    uint8_t checksum;            /* no cryptographic digest; padded with zeros to a whole block */
};

/* A chaining value, as the row's word_len says. */
union digest_state {
    uint16_t w16[1];
    uint32_t w32[8];
    uint64_t w64[8];
};

/* The layout behind struct hr_digest_ctx; `impl` NULL means not initialised. */
struct digest_ctx {
    const struct digest_impl *impl;
    const struct digest_kernel *kernel;
    uint64_t total; /* bytes absorbed; total % block_len of them wait in buf */
    union digest_state state;
    uint8_t buf[HR_DIGEST_MAX_BLOCK];
};
static_assert(sizeof(struct digest_ctx) == sizeof(struct hr_digest_ctx), "public size");

#define HR_DIGEST(number, sym, ...) extern const struct digest_impl sym##_impl;
#define HR_CHECKSUM(number, sym, ...) extern const struct digest_impl sym##_impl;
#include <headrace/algorithms.def>

const struct digest_impl *digest_impl(hr_alg alg); /* NULL: no digest */
const struct digest_kernel *digest_choose(const struct digest_impl *impl);

/* ---- ciphers ---- */

enum { NUM_CIPHER_MODES = HR_MODE_F8 + 1 };
enum { UNIT_aes = 16, UNIT_camellia = 16, UNIT_des = 8, UNIT_kasumi = 8 };

/* FIPS 197 round keys in byte order: the same for every kernel, C included.  `dec` is the
 * equivalent inverse cipher's schedule (section 5.3.5), first round key used first; CFB and CTR
 * rows leave it unset.  Lies at a multiple of 16, which vector loads use. */
struct aes_key {
    uint8_t enc[15][16];
    uint8_t dec[15][16];
    uint32_t rounds; /* 10, 12, 14 */
};
static_assert(offsetof(struct aes_key, dec) == AES_KEY_DEC &&
                  offsetof(struct aes_key, rounds) == AES_KEY_ROUNDS,
              "what assembly reads");

/* Whole blocks; out is in or does not touch it.  `key` is the block cipher's own: a struct aes_key,
 * des_key ...  `next`, unless NULL, gets the IV that continues the message: the last ciphertext
 * block (CBC, CFB), the last of the keystream (OFB), the counter + num_blocks (CTR); it may be
 * `iv`.  ECB ignores both; F8's are the 24 bytes of kasumi_f8_start.  Returns 0, always: a direct
 * call ends in a jump to its kernel. */
typedef int cipher_blocks_fn(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                             const uint8_t *iv, uint8_t *next);

struct cipher_key;
/* A direct call of one block: the number of rounds is known, nobody wants the next IV, and the
 * parameters lie where they lay in the call that ends in a jump here.  len is 16. */
typedef int cipher_one_fn(uint8_t *out, const uint8_t *in, size_t len, const struct cipher_key *key,
                          const uint8_t iv[16]);

/* Makes `enc` of a key that was imported with `dec` only. */
typedef void aes_import_fn(struct aes_key *key);

struct cipher_kernel {
    struct hr_kernel info;
    cipher_blocks_fn *blocks;
    cipher_one_fn *const *one; /* for 10, 12, 14 rounds; NULL: `blocks` does as well */
    aes_import_fn *imported;   /* of decryption that uses `enc`; else NULL */
    /* A kernel that slices bits takes the same time for any number of blocks up to `lanes`.  With
     * fewer than `least` left a later one in the table is faster: with fewer lanes, or one that
     * slices none and has 0 here, which `speed` (0: 1) times as many blocks are for. */
    uint16_t lanes, least;
    uint8_t speed;
};

/* A mode's one direction: its kernels, best first, and the choice (NULL until choose() ran). */
struct cipher_op {
    const struct cipher_kernel *kernels;
    size_t num_kernels;
    _Atomic(const struct cipher_kernel *) *chosen;
};

/* Expands a key; `decrypt` says whether aes_key.dec is wanted. */
typedef void aes_expand_fn(struct aes_key *key, const uint8_t *bytes, size_t bytes_len,
                           int decrypt);

/* What the rows of a block cipher have in common. */
struct block_cipher {
    const struct cipher_op (*ops)[2]; /* [mode][enum hr_op] */
    /* Writes the schedule that kernels read; `decrypt`: that of the inverse cipher as well. */
    void (*expand)(void *key, const uint8_t *bytes, size_t bytes_len, int decrypt);
    uint8_t unit; /* bytes of a block */
};
extern const struct block_cipher aes_cipher, des_cipher;

/* Room for the schedule of any block cipher: Camellia's is the longest. */
enum { CIPHER_SCHEDULE_LEN = 584 };

/* The layout behind struct hr_cipher_key; alg 0 means not initialised. */
struct cipher_key {
    alignas(16) union {
        struct aes_key aes;
        uint8_t schedule[CIPHER_SCHEDULE_LEN];
    };
    uint32_t alg;
    cipher_one_fn *one[2]; /* by enum hr_op: the kernels chosen at init */
    cipher_blocks_fn *blocks[2];
    cipher_blocks_fn *few[2]; /* for fewer than `least` blocks */
    uint16_t least[2];        /* 0: `blocks` does not slice bits, or does for any number */
    uint16_t sliced[2];       /* the kernel of `blocks` in its table */
};
static_assert(sizeof(struct cipher_key) <= sizeof(struct hr_cipher_key), "public size");

/* The layout behind struct hr_cipher_ctx; key NULL means not initialised. */
struct cipher_ctx {
    const struct cipher_key *key;
    uint8_t iv[24];  /* CBC: last ciphertext; CTR: next counter; CFB: see hr_cipher_get_iv */
    uint8_t buf[16]; /* ECB, CBC: waiting input; CTR, OFB: keystream of the current block */
    uint8_t used;    /* ECB, CBC: bytes waiting; streams: bytes used of the current block */
    uint8_t op, mode, padding;
    uint16_t alg;
    uint8_t unit; /* the block cipher's */
};
static_assert(sizeof(struct cipher_ctx) == sizeof(struct hr_cipher_ctx), "public size");

extern const struct cipher_op aes_ops[NUM_CIPHER_MODES][2];
const struct block_cipher *block_cipher(hr_alg alg); /* of a row of ciphers or AEADs */
/* A row's one direction; of its mode and block cipher. */
const struct cipher_op *cipher_op(const struct hr_algorithm *row, enum hr_op op);
void aes_expand(struct aes_key *key, const uint8_t *bytes, size_t bytes_len, int decrypt);

/* False of one that was imported for decryption. */
int cipher_key_encrypts(const struct cipher_key *key);
const struct cipher_kernel *cipher_choose(const struct cipher_op *op);

/* True where two buffers touch other than by being the same. */
static inline int overlap(const void *out, const void *in, size_t len)
{
    uintptr_t distance = (uintptr_t)out - (uintptr_t)in;
    if (LIKELY(distance + len - 1 >= 2 * len - 1))
        return 0;
    return distance && len;
}

/* True where two buffers have a byte in common. */
static inline int touch(const void *a, size_t a_len, const void *b, size_t b_len)
{
    const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return a_len && b_len && (x - y < b_len || y - x < a_len);
}

#endif
