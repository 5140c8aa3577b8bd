/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations for all of lib/: kernel tables, and the structs behind rows, keys and contexts. */
#ifndef HR_INTERNAL_H
#define HR_INTERNAL_H

#include <assert.h>
#include <headrace/headrace.h>
#include <stdalign.h>
#include <stdatomic.h>

#include "aes/aes_key.h"
#include "bytes.h"
#include "cpu.h"
#include "secret.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
/* ALIGNED makes a function begin at a cache line; for functions that take only a few cycles. */
#define ALIGNED __attribute__((aligned(64)))
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* An entry of a kernel table; members that it leaves out at its end are NULL.  The macros of other
 * architectures are empty, so that the files of algorithms need no #ifdef.  `needs` is a union of
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
#define KERNEL_X86_SHA512NI(name, needs, ...) KERNEL_X86(name, needs, __VA_ARGS__)
#else
#define KERNEL_X86_SHA512NI(name, needs, ...)
#endif
#if defined(HR_PROVEN)
#define KERNEL_PROVEN_X86(name, needs, ...) KERNEL_X86(name, needs, __VA_ARGS__)
#define KERNEL_PROVEN_ARM64(name, needs, ...) KERNEL_ARM64(name, needs, __VA_ARGS__)
#define KERNEL_PROVEN_C(...) KERNEL_C(__VA_ARGS__)
#else
#define KERNEL_PROVEN_X86(name, needs, ...)
#define KERNEL_PROVEN_ARM64(name, needs, ...)
#define KERNEL_PROVEN_C(...)
#endif
#define KERNEL_C(...) KERNEL_ROW("c", 0, __VA_ARGS__)

/* DEFINE_CHOOSE defines function(list), which returns the first kernel of a list whose needs this
 * CPU meets, and stores it in *list->chosen for the next call. */
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

/* A digest_blocks_fn folds num_blocks whole blocks into the chaining value `state`. */
typedef void digest_blocks_fn(void *state, const uint8_t *in, size_t num_blocks);

struct hmac_key;
/* A hmac_blocks_fn computes one whole HMAC (lib/hmac.c): `in` has the message's whole blocks,
 * `last` the padded rest.  It keeps chaining values in registers between the two hashes. */
typedef void hmac_blocks_fn(uint8_t *out, const struct hmac_key *key, const uint8_t *in,
                            size_t num_blocks, const uint8_t *last, size_t num_last);
/* A checksum_fn continues a checksum from `value` and returns the new one: for direct calls. */
typedef uint32_t checksum_fn(uint32_t value, const uint8_t *in, size_t num_blocks);

struct digest_kernel {
    struct hr_kernel info;
    digest_blocks_fn *blocks;
    hmac_blocks_fn *hmac; /* NULL: HMAC uses `blocks` */
    checksum_fn *value;   /* checksums only */
};

/* The properties of one digest row.  `chosen` is a cache: NULL until a kernel was chosen. */
struct digest_impl {
    const struct digest_kernel *kernels;
    size_t num_kernels;
    _Atomic(const struct digest_kernel *) *chosen;
    void (*direct)(uint8_t *out, const void *in, size_t in_len);
    const void *init; /* initial chaining value: state_len bytes, then zeros up to 8 words */
    uint16_t state_len, out_len;
    uint8_t block_len, word_len; /* word_len is 4 or 8; a checksum has one word of 2 or 4 bytes */
    uint8_t little_endian;       /* words and length field: MD5; else big-endian */
    uint8_t checksum; /* the row is a checksum: padded only with zeros to a whole block */
    uint8_t sponge;   /* the row is SHA-3: `blocks` takes a state of 25 words; `init` is NULL */
};

/* A chaining value; the row's word_len says which member is used. */
union digest_state {
    uint16_t w16[1];
    uint32_t w32[8];
    uint64_t w64[8];
};

/* The longest block of a digest with a chaining value, that is of all but SHA-3. */
enum { CHAIN_MAX_BLOCK = 128 };

/* The members of struct hr_digest_ctx; `impl` NULL means not initialised.  Of the `total` bytes
 * absorbed, the last total % block_len are in buf, or already in the sponge's state. */
struct digest_ctx {
    const struct digest_impl *impl;
    const struct digest_kernel *kernel;
    uint64_t total;
    union {
        struct {
            union digest_state state;
            uint8_t buf[CHAIN_MAX_BLOCK];
        };
        uint64_t sponge[25];
    };
};
static_assert(sizeof(struct digest_ctx) == sizeof(struct hr_digest_ctx), "public size");

const struct digest_impl *digest_impl(hr_alg alg);     /* NULL: no digest */
extern const struct digest_impl *const digest_impls[]; /* by DIGEST_<symbol> of digest_rows.h */
const struct digest_kernel *digest_choose(const struct digest_impl *impl);

/* ---- ciphers ---- */

enum { NUM_CIPHER_MODES = HR_MODE_F8 + 1 };
enum { UNIT_aes = 16, UNIT_camellia = 16, UNIT_des = 8, UNIT_kasumi = 8 };

/* FIPS 197 round keys in byte order, the same for every kernel, also in C.  `dec` has the round
 * keys of the equivalent inverse cipher (section 5.3.5) in the order of their use; CFB and CTR rows
 * leave it unset.  A key lies at a multiple of 16 for vector loads. */
struct aes_key {
    uint8_t enc[15][16];
    uint8_t dec[15][16];
    uint32_t rounds; /* 10, 12, 14 */
};
static_assert(offsetof(struct aes_key, dec) == AES_KEY_DEC &&
                  offsetof(struct aes_key, rounds) == AES_KEY_ROUNDS,
              "what assembly reads");

/* A cipher_blocks_fn encrypts or decrypts whole blocks; `out` is `in` or does not touch it.  `key`
 * is a struct aes_key, des_key and so on.  `next`, unless NULL, gets the IV that continues the
 * message: the last ciphertext block (CBC, CFB), the last keystream block (OFB), the counter plus
 * num_blocks (CTR); it may be `iv`.  ECB ignores both; for F8 both are the 24 bytes of
 * kasumi_f8_start.  Kernels always return 0, so that a direct call can end in a jump to one;
 * cipher_no_blocks returns HR_ESTATE. */
typedef int cipher_blocks_fn(uint8_t *out, const uint8_t *in, size_t num_blocks, const void *key,
                             const uint8_t *iv, uint8_t *next);

struct cipher_key;
/* A cipher_one_fn processes one block for a direct call, for one number of rounds and without a
 * next IV.  It has the parameters of the direct call, which therefore ends in a jump to it.  len is
 * the length of a block. */
typedef int cipher_one_fn(uint8_t *out, const uint8_t *in, size_t len, const struct cipher_key *key,
                          const uint8_t iv[16]);

/* An aes_import_fn computes `enc` of a key that was imported with `dec` only. */
typedef void aes_import_fn(struct aes_key *key);

struct cipher_kernel {
    struct hr_kernel info;
    cipher_blocks_fn *blocks;
    cipher_one_fn *const *one; /* for 10, 12, 14 rounds; NULL: direct calls use `blocks` */
    aes_import_fn *imported;   /* only for decryption that uses `enc` */
    /* A bitsliced kernel takes the same time for any number of blocks up to `lanes`.  For fewer
     * than `least` blocks, a later kernel in the table is faster: one with fewer lanes, or one that
     * is not bitsliced and has 0 here.  `speed` of the latter (0 means 1) is how many times as fast
     * as portable C it is; `least` grows by that factor. */
    uint16_t lanes, least;
    uint8_t speed;
};

/* The kernels of one direction of a mode, best first; `chosen` is a cache. */
struct cipher_op {
    const struct cipher_kernel *kernels;
    size_t num_kernels;
    _Atomic(const struct cipher_kernel *) *chosen;
};

/* An aes_expand_fn expands a key, and if `decrypt` is set also makes aes_key.dec. */
typedef void aes_expand_fn(struct aes_key *key, const uint8_t *bytes, size_t bytes_len,
                           int decrypt);

/* The properties that the rows of one block cipher share. */
struct block_cipher {
    const struct cipher_op (*ops)[2]; /* [mode][enum hr_op] */
    /* Writes the round keys that kernels read; if `decrypt` is set also those of decryption. */
    void (*expand)(void *key, const uint8_t *bytes, size_t bytes_len, int decrypt);
    uint8_t unit; /* length of a block in bytes */
};
extern const struct block_cipher aes_cipher, des_cipher;

/* Length of the longest expanded key of a block cipher, which is Camellia's. */
enum { CIPHER_SCHEDULE_LEN = 584 };

/* The members of struct hr_cipher_key; alg 0 means not initialised. */
struct cipher_key {
    alignas(16) union {
        struct aes_key aes;
        uint8_t schedule[CIPHER_SCHEDULE_LEN];
    };
    uint32_t alg;
    cipher_one_fn *one[2]; /* by enum hr_op: the kernels chosen at init */
    cipher_blocks_fn *blocks[2];
    cipher_blocks_fn *few[2]; /* kernels for fewer than `least` blocks */
    uint16_t least[2];        /* 0: `blocks` is used for any number of blocks */
    uint16_t sliced[2];       /* index of the kernel of `blocks` in its table */
};
static_assert(sizeof(struct cipher_key) <= sizeof(struct hr_cipher_key), "public size");

/* The members of struct hr_cipher_ctx; key NULL means not initialised. */
struct cipher_ctx {
    const struct cipher_key *key;
    uint8_t iv[24];  /* CBC: last ciphertext; CTR: next counter; CFB: see hr_cipher_get_iv */
    uint8_t buf[16]; /* ECB, CBC: waiting input; CTR, OFB, F8: the current block's keystream */
    uint8_t used;    /* ECB, CBC: bytes waiting; stream modes: bytes used of the current block */
    uint8_t op, mode, padding;
    uint16_t alg;
    uint8_t unit; /* length of a block in bytes */
};
static_assert(sizeof(struct cipher_ctx) == sizeof(struct hr_cipher_ctx), "public size");

extern const struct cipher_op aes_ops[NUM_CIPHER_MODES][2];
const struct block_cipher *cipher_impl(hr_alg alg); /* alg: a cipher, AEAD, CMAC */
/* cipher_op returns the kernels for one direction of a row. */
const struct cipher_op *cipher_op(const struct hr_algorithm *row, enum hr_op op);
void aes_expand(struct aes_key *key, const uint8_t *bytes, size_t bytes_len, int decrypt);

/* cipher_key_encrypts is false if the key was imported for decryption only. */
int cipher_key_encrypts(const struct cipher_key *key);
const struct cipher_kernel *cipher_choose(const struct cipher_op *op);

/* overlap is true if two buffers of the same length overlap without being the same. */
static inline int overlap(const void *out, const void *in, size_t len)
{
    uintptr_t distance = (uintptr_t)out - (uintptr_t)in;
    if (LIKELY(distance + len - 1 >= 2 * len - 1))
        return 0;
    return distance && len;
}

/* touch is true if two buffers have a byte in common. */
static inline int touch(const void *a, size_t a_len, const void *b, size_t b_len)
{
    const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return a_len && b_len && (x - y < b_len || y - x < a_len);
}

#endif
