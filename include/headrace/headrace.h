/* SPDX-License-Identifier: Apache-2.0
 *
 * libheadrace: crypto kernels as pure functions of memory.
 *
 * Conventions, for every call below:
 *   NULL      a pointer may be NULL only where its length is 0 or the call says so.
 *   Lengths   are in bytes.  `out` comes first; x and x_len go together.
 *   Overlap   an output is exactly its input (in place) or does not touch it: else HR_EOVERLAP.
 *   Threads   keys are read-only after init and may be shared; a context is for one thread.
 *   Memory    the caller owns all of it; nothing is allocated, no pointer but a context's key
 *             is kept.  Contexts may be copied with memcpy before use by another thread.
 *   Wiping    a `final` leaves a context zero; wipe keys with hr_cipher_key_wipe, hr_hmac_key_wipe.
 *   Errors    0, or one negative HR_E...; outputs are then unspecified unless the call says so.
 */
#ifndef HEADRACE_HEADRACE_H
#define HEADRACE_HEADRACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HR_VERSION "0.1.0"

#if defined(__GNUC__)
#define HR_API __attribute__((visibility("default")))
#define HR_MUST_CHECK __attribute__((warn_unused_result))
#else
#define HR_API
#define HR_MUST_CHECK
#endif

/* The library's own version, HR_VERSION of its build. */
HR_API const char *hr_version(void);

/* ---- errors ---- */

enum hr_error {
    HR_OK = 0,
    HR_EINVAL = -1,    /* a NULL or impossible argument */
    HR_EALG = -2,      /* no such algorithm, or one of another class */
    HR_EKEYLEN = -3,   /* key length does not fit the algorithm */
    HR_EIVLEN = -4,    /* IV length does not fit the algorithm */
    HR_ELENGTH = -5,   /* data length not allowed: part of a block, too long */
    HR_EOVERLAP = -6,  /* buffers overlap other than in place */
    HR_ESTATE = -7,    /* call out of order, or context or key not initialised for it */
    HR_EBUFFER = -8,   /* output buffer too small */
    HR_EPADDING = -9,  /* decryption found bad padding; output wiped */
    HR_EFORMAT = -10,  /* imported bytes are not a valid state */
    HR_ECPU = -11,     /* no such kernel, or the CPU lacks what it needs */
    HR_EMAC = -12,     /* the MAC or tag is wrong */
    HR_ETAGLEN = -13,  /* tag length does not fit the algorithm */
    HR_EKEY = -14,     /* a key that the algorithm forbids: XTS with equal halves */
    HR_EPENDING = -15, /* the job is not finished */
    HR_EHANDLE = -16,  /* no such key on the accelerator, or not for this */
    HR_EGONE = -17,    /* the accelerator went away and did not come back in time */
    HR_EACCESS = -18,  /* the accelerator's policy forbids it */
    HR_ESYSTEM = -19,  /* the system refused: see errno */
};

/* One English clause for an HR_E... value, without a full stop. */
HR_API const char *hr_strerror(int error);

/* ---- algorithms ---- */

enum hr_class {
    HR_CLASS_DIGEST = 1, /* checksums too: short digests, not cryptographic */
    HR_CLASS_MAC = 2,    /* HMAC */
    HR_CLASS_CIPHER = 3,
    HR_CLASS_PKEY = 4,
    HR_CLASS_KDF = 5,
    HR_CLASS_AEAD = 6, /* aead.h: GCM, CCM */
    HR_CLASS_NMAC = 7, /* nmac.h: MACs with a nonce, or a key for one message */
    HR_CLASS_XTS = 8,  /* xts.h: ciphers of data units */
};
enum hr_flags {
    HR_CHECKSUM_ONLY = 1, /* finds accidents, no forger: CRC-32C and the like */
    HR_ALGID_NULL = 2,    /* its AlgorithmIdentifier carries NULL (RFC 3370 section 2.2) */
    HR_LENGTH_FIRST = 4,  /* lengths are told before the first byte (hr_aead_lengths) */
    HR_ONE_UPDATE = 8,    /* the text is one update */
    HR_WEAK = 16,         /* its keys can be found by trying: for old data only */
};
enum hr_mode {
    HR_MODE_NONE,
    HR_MODE_ECB,
    HR_MODE_CBC,
    HR_MODE_CFB128,
    HR_MODE_CTR,
    HR_MODE_GCM,
    HR_MODE_CCM,
    HR_MODE_XTS,
    HR_MODE_OFB,
    HR_MODE_F8,                     /* 3GPP TS 35.201's, of KASUMI */
    HR_MODE_CFB64 = HR_MODE_CFB128, /* whole blocks fed back: so many bits in a cipher of 64 */
};

/* HR_SHA256, HR_AES_128_CBC ...: the stable numbers of algorithms.def. */
typedef enum hr_alg {
    HR_ALG_NONE = 0,
#define HR_ROW(number, sym, SYM, ...) HR_##SYM = number,
#include <headrace/algorithms.def>
} hr_alg;

struct hr_algorithm {
    hr_alg alg;
    enum hr_class cls;
    enum hr_mode mode;         /* ciphers, AEADs */
    const char *name;          /* "AES-128-CBC" */
    const char *symbol;        /* "aes_128_cbc" */
    const char *openssl_names; /* colon-separated, the OID last where there is one */
    const char *pkcs11, *jce;
    uint16_t out_len;         /* digests, MACs: their length; AEADs: of a full tag */
    uint16_t block_len;       /* digests: input block; ciphers: 8 or 16, or 1 for stream modes */
    uint16_t key_len, iv_len; /* GCM, GMAC, CCM: the usual IV, other lengths do too */
    uint16_t flags;           /* enum hr_flags */
    hr_alg digest;            /* of an HMAC */
};

/* The row of `alg`, or NULL. */
HR_API const struct hr_algorithm *hr_algorithm(hr_alg alg);
/* The i-th row, in the order of algorithms.def, or NULL past the end. */
HR_API const struct hr_algorithm *hr_algorithm_at(size_t i);
/* The row with this name, symbol or one of its OpenSSL names, any case; or NULL. */
HR_API const struct hr_algorithm *hr_algorithm_by_name(const char *name);

/* ---- CPU ---- */

enum {
#define HR_CPU(bit, SYM, ARCH, name, words, needs) HR_CPU_BIT_##SYM = bit,
#include <headrace/cpu.def>
};
#define HR_CPU_BIT(SYM) (UINT64_C(1) << HR_CPU_BIT_##SYM)

struct hr_cpu_feature {
    uint64_t bit;
    const char *name;  /* as in HEADRACE_CPU */
    const char *words; /* for people */
};

/* Features that kernels are chosen by: the CPU's and system's, less what HEADRACE_CPU masks. */
HR_API uint64_t hr_cpu_features(void);
/* Features before the mask. */
HR_API uint64_t hr_cpu_detected(void);
/* The i-th feature that this architecture can have, or NULL past the end. */
HR_API const struct hr_cpu_feature *hr_cpu_feature_at(size_t i);

/* ---- kernels: what implements an algorithm here (for info, speed and tests) ---- */

enum hr_op {
    HR_OP_DIGEST = 0,
    HR_OP_ENCRYPT = 0,
    HR_OP_DECRYPT = 1,
    HR_OP_MAC = 0,
    HR_OP_ITERATE = 1, /* of an HMAC: the chain of calls in PBKDF2, in lanes */
    /* Many messages at once, a lane each (queue.h): of digests, CBC and CFB128 encryption; beside
     * the operations that hr_num_ops counts. */
    HR_OP_LANES = 2,
};

/* Operations of a row, 0 to n - 1 of enum hr_op: 0 where it is built on the kernels of other rows.
 * HR_EALG. */
HR_API int hr_num_ops(hr_alg alg);
/* "digest", "mac", "iterate", "encrypt", "decrypt" or "lanes"; "?" where there is no such. */
HR_API const char *hr_op_name(hr_alg alg, enum hr_op op);

struct hr_kernel {
    const char *name; /* "shani", "vaes512", "c" */
    uint64_t needs;   /* CPU features */
};
/* In `needs`, beside features: its time depends on keys and data.  Such a kernel is used where the
 * caller asks for it: hr_cipher_key_init_kernel, hr_cipher_key_init_vartime. */
#define HR_KERNEL_VARTIME (UINT64_C(1) << 62)

/* The i-th kernel of an operation, best first, or HR_EINVAL past the end.  The first whose needs
 * hr_cpu_features() meets is the one that is used.  HR_EALG. */
HR_API int hr_kernel_at(struct hr_kernel *out, hr_alg alg, enum hr_op op, size_t i);
/* Index of the kernel in use for an operation, or a negative error: HR_EINVAL where HR_OP_LANES has
 * none on this CPU, and messages run one by one. */
HR_API int hr_kernel_chosen(hr_alg alg, enum hr_op op);

/* ---- digests: FIPS 180-4, RFC 1321 ---- */

#define HR_DIGEST_MAX_OUT 64
#define HR_DIGEST_MAX_BLOCK 128
/* Longest exported state: header 16, chaining value 64, buffered bytes 127. */
#define HR_DIGEST_MAX_EXPORT (16 + 64 + 127)

/* One message.  hr_digest_size(alg) bytes of memory aligned to 8 may stand in for it. */
struct hr_digest_ctx {
    uint64_t opaque[27];
};

/* void hr_sha256(out, in, in_len): the digest of a whole message; out has the row's out_len bytes.
 * `out` may lie anywhere, also inside `in`.  One such function per digest row. */
#define HR_DIGEST(number, sym, SYM, name, names, pkcs11, jce, out_len, block_len, flags) \
    HR_API void hr_##sym(uint8_t out[out_len], const void *in, size_t in_len);
#include <headrace/algorithms.def>

/* The same for any digest: writes the row's out_len bytes.  HR_EALG, HR_EINVAL, HR_ELENGTH. */
HR_API HR_MUST_CHECK int hr_digest(uint8_t *out, hr_alg alg, const void *in, size_t in_len);

/* void hr_crc32(out, in, in_len), hr_crc32c, hr_ipsum: a checksum is a digest too, its value
 * big-endian.  Of public data only: some kernels look bytes up in tables. */
#define HR_CHECKSUM(number, sym, SYM, name, out_len, block_len) \
    HR_API void hr_##sym(uint8_t out[out_len], const void *in, size_t in_len);
#include <headrace/algorithms.def>

/* The value of a message, in pieces of any size, from that of its beginning, 0 of none: CRC-32 of
 * ISO/IEC 3309 (zlib's crc32), CRC-32C of RFC 3720. */
HR_API uint32_t hr_crc32_update(uint32_t crc, const void *in, size_t in_len);
HR_API uint32_t hr_crc32c_update(uint32_t crc, const void *in, size_t in_len);
/* The same for the folded sum of RFC 1071, of big-endian words, which hr_ipsum complements; of the
 * pieces only the last may be of odd length. */
HR_API uint16_t hr_ipsum_update(uint16_t sum, const void *in, size_t in_len);

/* Bytes of a context for `alg`, 0 where it is no digest. */
HR_API size_t hr_digest_size(hr_alg alg);
/* Starts a message.  HR_EALG, HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_digest_init(struct hr_digest_ctx *ctx, hr_alg alg);
/* Starts a message on the i-th kernel of hr_kernel_at.  HR_ECPU. */
HR_API HR_MUST_CHECK int hr_digest_init_kernel(struct hr_digest_ctx *ctx, hr_alg alg, size_t i);
/* Absorbs in_len bytes.  HR_ESTATE before init or after final; HR_ELENGTH past 2^61 - 1 bytes. */
HR_API HR_MUST_CHECK int hr_digest_update(struct hr_digest_ctx *ctx, const void *in, size_t in_len);
/* Writes the row's out_len bytes and zeroes the context.  HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_digest_final(struct hr_digest_ctx *ctx, uint8_t *out);
/* Folds num_blocks whole blocks into a chaining value that the caller keeps, without padding: the
 * row's words in the machine's byte order, aligned to themselves: MD5 uint32_t[4], SHA-1 [5],
 * SHA-224 and SHA-256 [8], the others uint64_t[8].  HR_EALG (checksums too), HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_digest_compress(void *state, hr_alg alg, const void *in,
                                            size_t num_blocks);
/* Writes the state for hr_digest_import, here or elsewhere, and its length; the context goes on.
 * Format (version 1): "HRDS", version 1, 0, number (16 bits), bytes absorbed (64 bits), the
 * chaining value as its words, then absorbed mod block_len buffered bytes; all big-endian.
 * The bytes are as secret as the message.  HR_EBUFFER, HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_digest_export(const struct hr_digest_ctx *ctx, uint8_t *out,
                                          size_t out_size, size_t *out_len);
/* Continues an exported message on this machine's best kernel.  HR_EFORMAT, HR_EALG. */
HR_API HR_MUST_CHECK int hr_digest_import(struct hr_digest_ctx *ctx, const uint8_t *in,
                                          size_t in_len);

/* ---- HMAC: RFC 2104, FIPS 198-1, over every cryptographic digest ---- */

/* Longest exported state of a message: the inner digest's. */
#define HR_HMAC_MAX_EXPORT HR_DIGEST_MAX_EXPORT

/* A key for one row, with its two pads digested.  hr_hmac_key_size(alg) bytes aligned to 8 may
 * stand in. */
struct hr_hmac_key {
    uint64_t opaque[19];
};

/* One message under a key, which must outlive it.  hr_hmac_size(alg) bytes aligned to 8 may stand
 * in. */
struct hr_hmac_ctx {
    uint64_t opaque[28];
};

/* Takes a key of any length, 0 too, for `alg`; one longer than the digest's block is digested
 * first (RFC 2104 section 2).  HR_EALG, HR_EINVAL, HR_ELENGTH. */
HR_API HR_MUST_CHECK int hr_hmac_key_init(struct hr_hmac_key *key, hr_alg alg, const void *bytes,
                                          size_t bytes_len);
/* The same, for the i-th kernel of hr_kernel_at.  HR_ECPU. */
HR_API HR_MUST_CHECK int hr_hmac_key_init_kernel(struct hr_hmac_key *key, hr_alg alg, size_t i,
                                                 const void *bytes, size_t bytes_len);
/* Zeroes a key.  NULL is allowed. */
HR_API void hr_hmac_key_wipe(struct hr_hmac_key *key);
/* Bytes of a key, and of a message context, for `alg`; 0 where it is no HMAC. */
HR_API size_t hr_hmac_key_size(hr_alg alg);
HR_API size_t hr_hmac_size(hr_alg alg);

/* int hr_hmac_sha256(out, in, in_len, key): the MAC of a whole message; out has the row's out_len
 * bytes and may lie anywhere, also inside `in`.  One such function per MAC row.
 * HR_ESTATE (key of another row), HR_ELENGTH past 2^61 - 129 bytes.
 * NULL keys are the caller's error and not looked for. */
#define HR_MAC(number, sym, SYM, name, names, pkcs11, jce, digest, DIGEST)         \
    HR_API HR_MUST_CHECK int hr_##sym(uint8_t *out, const void *in, size_t in_len, \
                                      const struct hr_hmac_key *key);
#include <headrace/algorithms.def>

/* The same for any row: the key says which.  Also HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_hmac(uint8_t *out, const void *in, size_t in_len,
                                 const struct hr_hmac_key *key);
/* Compares the first mac_len bytes of the message's MAC with `mac`, in constant time: 0 or HR_EMAC.
 * mac_len is 1 to the row's out_len (else HR_ELENGTH): a short one is a truncated MAC (RFC 2104
 * section 5), and the caller says which length it accepts, never the sender.  HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_hmac_verify(const uint8_t *mac, size_t mac_len, const void *in,
                                        size_t in_len, const struct hr_hmac_key *key);

/* Starts a message.  HR_ESTATE (key not initialised), HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_hmac_init(struct hr_hmac_ctx *ctx, const struct hr_hmac_key *key);
/* Absorbs in_len bytes.  HR_ESTATE before init or after final; HR_ELENGTH as above. */
HR_API HR_MUST_CHECK int hr_hmac_update(struct hr_hmac_ctx *ctx, const void *in, size_t in_len);
/* Writes the row's out_len bytes and zeroes the context.  HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_hmac_final(struct hr_hmac_ctx *ctx, uint8_t *out);
/* Writes the message's state for hr_hmac_import; the context goes on.  The format is that of
 * hr_digest_export, with the number of the HMAC row: the inner digest's state, whose count of bytes
 * has the key's block in it.  The bytes are as secret as the key.  HR_EBUFFER, HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_hmac_export(const struct hr_hmac_ctx *ctx, uint8_t *out,
                                        size_t out_size, size_t *out_len);
/* Continues an exported message under the same key, on the key's kernel.  HR_EFORMAT; HR_EALG
 * (state of another row); HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_hmac_import(struct hr_hmac_ctx *ctx, const struct hr_hmac_key *key,
                                        const uint8_t *in, size_t in_len);

/* ---- ciphers: FIPS 197, SP 800-38A ---- */

#define HR_CIPHER_MAX_IV 16
#define HR_CIPHER_MAX_BLOCK 16

enum hr_des_weakness {
    HR_DES_WEAK = 1,      /* a part is one of the four keys that are their own inverses */
    HR_DES_SEMI_WEAK = 2, /* a part is one of the twelve that another one undoes */
    HR_DES_ONE_KEY = 4,   /* neighbours are equal: no more than single DES */
    HR_DES_TWO_KEYS = 8,  /* the first and the last are equal: EDE3 is EDE2 */
};

/* An expanded key for one row.  hr_cipher_key_size(alg) bytes aligned to 16 may stand in. */
struct hr_cipher_key {
#if defined(__GNUC__)
    __attribute__((aligned(16)))
#endif
    uint8_t opaque[656];
};

/* One message under a key, which must outlive it.  hr_cipher_size(alg) bytes aligned to 8 may stand
 * in. */
struct hr_cipher_ctx {
    uint64_t opaque[7];
};

/* Expands key_len bytes for `alg`, all directions.  HR_EALG, HR_EKEYLEN, HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_cipher_key_init(struct hr_cipher_key *key, hr_alg alg,
                                            const uint8_t *bytes, size_t bytes_len);
/* The same for callers to whom speed is more than that nobody can learn a key from timings: where
 * too few blocks can be computed at once, kernels with HR_KERNEL_VARTIME may be used. */
HR_API HR_MUST_CHECK int hr_cipher_key_init_vartime(struct hr_cipher_key *key, hr_alg alg,
                                                    const uint8_t *bytes, size_t bytes_len);
/* The same, with the i-th kernel of hr_kernel_at for one operation, for any number of blocks.
 * HR_ECPU. */
HR_API HR_MUST_CHECK int hr_cipher_key_init_kernel(struct hr_cipher_key *key, hr_alg alg,
                                                   enum hr_op op, size_t i, const uint8_t *bytes,
                                                   size_t bytes_len);
/* Takes round keys that were expanded elsewhere, or are no expansion at all, for one operation:
 * 16 (rounds + 1) bytes in the order of FIPS 197 section 5.2; for HR_OP_DECRYPT in ECB and CBC
 * those of the equivalent inverse cipher (section 5.3.5), first used first.  The other operation is
 * then HR_ESTATE; CFB128 and CTR, which run the cipher forward, have both.  HR_EKEYLEN. */
HR_API HR_MUST_CHECK int hr_cipher_key_import(struct hr_cipher_key *key, hr_alg alg, enum hr_op op,
                                              const uint8_t *schedule, size_t schedule_len);
/* What a DES key of 8, 16 (EDE2) or 24 bytes (EDE3) lacks, as enum hr_des_weakness, 0 of a good
 * one; parity is ignored.  Such keys work all the same.  HR_EINVAL, HR_EKEYLEN. */
HR_API HR_MUST_CHECK int hr_des_key_weakness(const uint8_t *key, size_t key_len);
/* Zeroes a key.  NULL is allowed. */
HR_API void hr_cipher_key_wipe(struct hr_cipher_key *key);
HR_API size_t hr_cipher_key_size(hr_alg alg);

/* int hr_aes_128_cbc_encrypt(out, in, len, key, iv), ..._decrypt: a whole message in one call;
 * out has len bytes.  No padding: ECB and CBC want whole blocks.  iv has iv_len bytes (NULL for
 * ECB) and is not changed; CTR takes the initial counter block, incremented as one 128-bit
 * big-endian number.  HR_ESTATE (key of another row), HR_ELENGTH, HR_EOVERLAP.
 * NULL keys or IVs are the caller's error and not looked for. */
#define HR_CIPHER(number, sym, SYM, name, names, pkcs11, jce, cipher, mode, key_len, iv_len) \
    HR_API HR_MUST_CHECK int hr_##sym##_encrypt(uint8_t *out, const uint8_t *in, size_t len, \
                                                const struct hr_cipher_key *key,             \
                                                const uint8_t *iv);                          \
    HR_API HR_MUST_CHECK int hr_##sym##_decrypt(uint8_t *out, const uint8_t *in, size_t len, \
                                                const struct hr_cipher_key *key,             \
                                                const uint8_t *iv);
#include <headrace/algorithms.def>

/* The same for any row: the key says which.  Also HR_EINVAL, HR_EIVLEN. */
HR_API HR_MUST_CHECK int hr_cipher_encrypt(uint8_t *out, const uint8_t *in, size_t len,
                                           const struct hr_cipher_key *key, const uint8_t *iv,
                                           size_t iv_len);
HR_API HR_MUST_CHECK int hr_cipher_decrypt(uint8_t *out, const uint8_t *in, size_t len,
                                           const struct hr_cipher_key *key, const uint8_t *iv,
                                           size_t iv_len);

enum hr_cipher_flags {
    HR_CIPHER_PADDING = 1, /* PKCS#7 (RFC 5652 section 6.3); ECB and CBC only, ignored elsewhere */
};

/* Bytes of a message context for `alg`, 0 where it is no cipher. */
HR_API size_t hr_cipher_size(hr_alg alg);
/* Starts a message.  HR_ESTATE (key not initialised), HR_EIVLEN, HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_cipher_init(struct hr_cipher_ctx *ctx, const struct hr_cipher_key *key,
                                        enum hr_op op, const uint8_t *iv, size_t iv_len,
                                        unsigned flags);
/* Any split of the message: writes the *out_len bytes that are ready.  ECB and CBC write whole
 * blocks, at most in_len + 15 bytes; streams write in_len.  With u bytes waiting in the context
 * (ECB, CBC), `out + u` is exactly `in` or the buffers do not touch.
 * HR_EBUFFER, HR_EOVERLAP (nothing was done then), HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_cipher_update(struct hr_cipher_ctx *ctx, uint8_t *out, size_t out_size,
                                          size_t *out_len, const uint8_t *in, size_t in_len);
/* Ends the message and zeroes the context (unless HR_EBUFFER).  Writes at most 16 bytes.
 * HR_ELENGTH: part of a block is left; HR_EPADDING: bad padding, found in constant time. */
HR_API HR_MUST_CHECK int hr_cipher_final(struct hr_cipher_ctx *ctx, uint8_t *out, size_t out_size,
                                         size_t *out_len);
/* Copies the IV that continues the message: the last whole ciphertext block, or the next counter
 * block.
 * In the middle of a CFB128 block its first hr_cipher_get_num bytes are ciphertext, the rest
 * keystream.  iv_len must be the row's.  HR_EIVLEN, HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_cipher_get_iv(const struct hr_cipher_ctx *ctx, uint8_t *iv,
                                          size_t iv_len);
/* Bytes used of the current stream block, or bytes waiting (ECB, CBC): 0 to 16; or HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_cipher_get_num(const struct hr_cipher_ctx *ctx);
/* Resumes CFB128 or OFB inside a block, at byte num (below the block's length) of an IV from
 * hr_cipher_get_iv.  For other modes only 0 is accepted: a stream leaves out the rest of its block.
 * HR_EINVAL, HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_cipher_set_num(struct hr_cipher_ctx *ctx, unsigned num);
/* Turns PKCS#7 padding on or off in the middle of a message; ignored where no mode has it.  A block
 * that decryption held back for its padding comes out later, of final at the latest.  HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_cipher_set_padding(struct hr_cipher_ctx *ctx, int on);
/* Points a copied context at a copy of its key: same row.  HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_cipher_set_key(struct hr_cipher_ctx *ctx,
                                           const struct hr_cipher_key *key);

/* Pads a TLS 1.0-1.2 CBC record (RFC 5246 section 6.2.3.2) of *rec_len bytes in its buffer of
 * rec_size to whole blocks of block_len, 8 or 16, by the fewest bytes.  HR_EBUFFER, HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_tls_cbc_pad(uint8_t *rec, size_t rec_size, size_t *rec_len,
                                        size_t block_len);
/* Takes a decrypted TLS 1.0-1.2 CBC record (RFC 5246 section 6.2.3.2) apart in constant time:
 * `rec` has rec_len bytes: content, MAC, padding.  Sets *content_len and copies mac_len bytes of
 * MAC to `mac`; on bad padding mac is all zero and *content_len the longest possible, and
 * 0 is returned all the same, so that nothing tells but the MAC check.  With mac_len 0
 * (encrypt-then-MAC, RFC 7366: the MAC is checked by now) bad padding is HR_EPADDING.
 * HR_ELENGTH when rec_len is public nonsense: no whole block or shorter than mac_len + 1.
 * mac_len <= 64; block_len 8 or 16. */
HR_API HR_MUST_CHECK int hr_tls_cbc_unpad(uint8_t *mac, size_t mac_len, size_t *content_len,
                                          const uint8_t *rec, size_t rec_len, size_t block_len);

/* ---- key derivation: RFC 8018, RFC 5869; alg is an HMAC row ---- */

/* PBKDF2: derives out_len bytes from a password.  iterations >= 1; `out` touches neither password
 * nor salt.  HR_EALG, HR_EINVAL, HR_EOVERLAP, HR_ELENGTH: more than 2^32 - 1 MACs. */
HR_API HR_MUST_CHECK int hr_pbkdf2(uint8_t *out, size_t out_len, hr_alg alg, const void *password,
                                   size_t password_len, const void *salt, size_t salt_len,
                                   uint64_t iterations);

struct hr_pbkdf2_job {
    uint8_t *out;
    size_t out_len;
    const void *password;
    size_t password_len;
    const void *salt;
    size_t salt_len;
};
/* The same for many passwords at once, which takes far less time than one after the other.  No
 * job's `out` touches anything else of a job; of the job's own inputs that is looked for, of
 * others' it is not.  Errors as hr_pbkdf2's, for the first job that has one. */
HR_API HR_MUST_CHECK int hr_pbkdf2_many(const struct hr_pbkdf2_job *jobs, size_t num_jobs,
                                        hr_alg alg, uint64_t iterations);
/* The same on the i-th kernel of HR_OP_ITERATE, however many lanes there is work for.  HR_ECPU. */
HR_API HR_MUST_CHECK int hr_pbkdf2_many_kernel(const struct hr_pbkdf2_job *jobs, size_t num_jobs,
                                               hr_alg alg, size_t i, uint64_t iterations);

/* HKDF-Extract: writes the row's out_len bytes of pseudorandom key.  HR_EALG, HR_EINVAL,
 * HR_ELENGTH. */
HR_API HR_MUST_CHECK int hr_hkdf_extract(uint8_t *prk, hr_alg alg, const void *salt,
                                         size_t salt_len, const void *ikm, size_t ikm_len);
/* HKDF-Expand: at most 255 times the row's out_len, else HR_ELENGTH.  `out` does not touch info:
 * else HR_EOVERLAP.  HR_EALG, HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_hkdf_expand(uint8_t *out, size_t out_len, hr_alg alg, const void *prk,
                                        size_t prk_len, const void *info, size_t info_len);
/* Both, one after the other. */
HR_API HR_MUST_CHECK int hr_hkdf(uint8_t *out, size_t out_len, hr_alg alg, const void *salt,
                                 size_t salt_len, const void *ikm, size_t ikm_len, const void *info,
                                 size_t info_len);

#ifdef __cplusplus
}
#endif

#include <headrace/aead.h>
#include <headrace/nmac.h>
#include <headrace/xts.h>

#endif
