/* SPDX-License-Identifier: Apache-2.0
 *
 * libheadrace: crypto kernels as pure functions of memory.
 *
 * Conventions, for every call below.  A "row" is one algorithm: a line of algorithms.def.
 *   NULL      a pointer may be NULL only if its length is 0 or the call says so.
 *   Lengths   are in bytes.  `out` comes first; x_len is the length of x.
 *   Overlap   an output is exactly its input (in place) or does not touch it: else HR_EOVERLAP.
 *   Threads   keys are read-only after init and may be shared; a context is for one thread.
 *   Memory    the caller owns all of it; nothing is allocated, and the only pointer that is kept
 *             is a context's key.  A context may be copied with memcpy.
 *   Wiping    a `final` leaves a context zero; wipe keys with hr_cipher_key_wipe, hr_hmac_key_wipe.
 *   Errors    a call returns 0 or a negative HR_E...; after an error the outputs are unspecified
 *             unless the call says otherwise.  Comments list a call's errors at their end.
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

/* hr_version returns the version of the loaded library; HR_VERSION is that of this header. */
HR_API const char *hr_version(void);

/* ---- errors ---- */

enum hr_error {
    HR_OK = 0,
    HR_EINVAL = -1,   /* an argument is NULL, or has an impossible value */
    HR_EALG = -2,     /* the algorithm does not exist, or is of another class */
    HR_EKEYLEN = -3,  /* the key's length does not fit the algorithm */
    HR_EIVLEN = -4,   /* the IV's length does not fit the algorithm */
    HR_ELENGTH = -5,  /* the data ends within a block, or is too long */
    HR_EOVERLAP = -6, /* buffers overlap without being the same */
    HR_ESTATE = -7,  /* the call is out of order, or its key or context is not initialised for it */
    HR_EBUFFER = -8, /* the output buffer is too small */
    HR_EPADDING = -9,  /* decryption found bad padding, and wiped the output */
    HR_EFORMAT = -10,  /* the imported bytes are not a valid state */
    HR_ECPU = -11,     /* the kernel does not exist, or needs a feature that the CPU lacks */
    HR_EMAC = -12,     /* the MAC, tag or signature is wrong */
    HR_ETAGLEN = -13,  /* the tag's length does not fit the algorithm */
    HR_EKEY = -14,     /* the algorithm forbids this key: XTS with equal halves, no point */
    HR_EPENDING = -15, /* the job is not finished */
    HR_EHANDLE = -16,  /* the accelerator has no such key, or not for this use */
    HR_EGONE = -17,    /* the accelerator's service ended and did not come back in time */
    HR_EACCESS = -18,  /* the accelerator's policy forbids it */
    HR_ESYSTEM = -19,  /* a system call failed: see errno */
    HR_EFAULT = -20,   /* the computer made a mistake, which a check of the result found */
};

/* hr_strerror describes an HR_E... value in English, without a full stop. */
HR_API const char *hr_strerror(int error);

/* ---- algorithms ---- */

/* HR_CLASS_DIGEST, HR_CLASS_CIPHER ...: the rows of classes.def. */
enum hr_class {
#define HR_CLASS(number, SYM, ...) HR_CLASS_##SYM = number,
#include <headrace/classes.def>
    HR_CLASS_PKEY = 4, /* no algorithm has it */
};
enum hr_flags {
    HR_CHECKSUM_ONLY = 1, /* detects accidental changes only: CRC-32C and the like */
    HR_ALGID_NULL = 2,   /* its AlgorithmIdentifier has the parameter NULL (RFC 3370 section 2.2) */
    HR_LENGTH_FIRST = 4, /* lengths must be given before the first byte (hr_aead_lengths) */
    HR_KEYED = 32,       /* an XOF that takes a key: KMAC */
    HR_WEAK = 16,        /* its keys can be found by exhaustive search: for old data only */
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
    HR_MODE_F8,                     /* of KASUMI: 3GPP TS 35.201 */
    HR_MODE_POLY1305,               /* of ChaCha20: RFC 8439 */
    HR_MODE_KW,                     /* key wrap */
    HR_MODE_KWP,                    /* key wrap with padding */
    HR_MODE_CFB64 = HR_MODE_CFB128, /* with a cipher whose blocks have 64 bits */
};

/* The number of an algorithm: HR_SHA256, HR_AES_128_CBC and so on, of <headrace/algorithms.h>. */
typedef uint32_t hr_alg;
enum { HR_ALG_NONE = 0 };

/* Its texts are arrays and not pointers, which would be relocated when a process starts. */
struct hr_algorithm {
    hr_alg alg;
    enum hr_class cls;
    enum hr_mode mode;        /* ciphers, AEADs */
    uint16_t out_len;         /* of a digest, a MAC, an AEAD's full tag, a signature, a secret */
    uint16_t block_len;       /* of a digest's input; of a cipher 8 or 16, or 1 in stream modes */
    uint16_t key_len, iv_len; /* GCM, GMAC, CCM also take IVs of other lengths */
    uint16_t flags;           /* enum hr_flags */
    uint16_t public_len;      /* of a public key; key_len is then that of the private key */
    hr_alg digest;            /* the digest of an HMAC */
    char name[32];            /* "AES-128-CBC" */
    char symbol[32];          /* "aes_128_cbc" */
    char openssl_names[80];   /* separated by colons; an OID comes last */
    char pkcs11[32], jce[32];
};

/* hr_algorithm returns the row of `alg`, or NULL. */
HR_API const struct hr_algorithm *hr_algorithm(hr_alg alg);
/* hr_algorithm_at returns the i-th row, in the order of algorithms.def, or NULL past the end. */
HR_API const struct hr_algorithm *hr_algorithm_at(size_t i);
/* hr_algorithm_by_name returns the row whose name, symbol or OpenSSL name this is, in upper or
 * lower case; or NULL. */
HR_API const struct hr_algorithm *hr_algorithm_by_name(const char *name);

/* Random bytes of which a private key of any row can be made. */
#define HR_KEY_RANDOM 96

/* ---- CPU ---- */

enum {
#define HR_CPU(bit, SYM, ARCH, name, words, needs) HR_CPU_BIT_##SYM = bit,
#include <headrace/cpu.def>
};
#define HR_CPU_BIT(SYM) (UINT64_C(1) << HR_CPU_BIT_##SYM)

struct hr_cpu_feature {
    uint64_t bit;
    char name[16];  /* its name in HEADRACE_CPU */
    char words[40]; /* its name for people */
};

/* hr_cpu_features returns the features by which kernels are chosen: those that the CPU and the
 * system have, without those that HEADRACE_CPU hides. */
HR_API uint64_t hr_cpu_features(void);
/* hr_cpu_detected returns the features without regard to HEADRACE_CPU. */
HR_API uint64_t hr_cpu_detected(void);
/* hr_cpu_feature_at returns the i-th feature of this architecture, or NULL past the end. */
HR_API const struct hr_cpu_feature *hr_cpu_feature_at(size_t i);

/* ---- kernels: the implementations of an algorithm (for info, speed and tests) ---- */

enum hr_op {
    HR_OP_DIGEST = 0,
    HR_OP_ENCRYPT = 0,
    HR_OP_DECRYPT = 1,
    HR_OP_WRAP = 0,
    HR_OP_UNWRAP = 1,
    HR_OP_MAC = 0,
    HR_OP_ITERATE = 1, /* of an HMAC: the iterations of PBKDF2, for several passwords at once */
    /* Many messages at once (queue.h), of digests and HMACs and of CBC, CFB128 and CFB64
     * encryption.  hr_num_ops does not count this operation. */
    HR_OP_LANES = 2,
    /* All operations of a row of public key (sign.h, agree.h, kem.h).  hr_num_ops does not count
     * it either. */
    HR_OP_PK = 3,
};

/* hr_num_ops returns the number n of a row's operations, which are 0 to n - 1 of enum hr_op; 0 for
 * key derivation, which is built on the kernels of HMAC.  HR_EALG. */
HR_API int hr_num_ops(hr_alg alg);
/* hr_op_name returns "digest", "mac", "iterate", "encrypt", "decrypt", "wrap", "unwrap", "lanes" or
 * "all", of public key; "?" if the row has no such operation. */
HR_API const char *hr_op_name(hr_alg alg, enum hr_op op);

struct hr_kernel {
    const char *name; /* "shani", "vaes512", "c" */
    uint64_t needs;   /* CPU features */
};
/* HR_KERNEL_VARTIME in `needs` marks a kernel whose time depends on keys and data.  It is used only
 * if the caller asks for it: hr_cipher_key_init_kernel, hr_cipher_key_init_vartime. */
#define HR_KERNEL_VARTIME (UINT64_C(1) << 62)

/* hr_kernel_at gets the i-th kernel of an operation, best first; HR_EINVAL past the end.  The
 * kernel in use is the first whose needs hr_cpu_features() meets.  HR_EALG. */
HR_API int hr_kernel_at(struct hr_kernel *out, hr_alg alg, enum hr_op op, size_t i);
/* hr_kernel_chosen returns the index of the kernel in use, or a negative error: HR_EINVAL if this
 * CPU has no kernel for HR_OP_LANES, so that messages run one by one, or this build none for
 * HR_OP_PK. */
HR_API int hr_kernel_chosen(hr_alg alg, enum hr_op op);

/* ---- digests: FIPS 180-4, FIPS 202, RFC 1321 ---- */

#define HR_DIGEST_MAX_OUT 64
#define HR_DIGEST_MAX_BLOCK 144
/* Longest exported state, that of SHA-3: header 16, state 200. */
#define HR_DIGEST_MAX_EXPORT (16 + 200)

/* The state of one message.  hr_digest_size(alg) bytes aligned to 8 may be used instead. */
struct hr_digest_ctx {
    uint64_t opaque[28];
};

/* hr_digest digests a whole message, as hr_sha256 and the like of <headrace/algorithms.h> do, with
 * any digest; `out` may lie anywhere, also inside `in`.  HR_EALG, HR_EINVAL, HR_ELENGTH. */
HR_API HR_MUST_CHECK int hr_digest(uint8_t *out, hr_alg alg, const void *in, size_t in_len);

/* hr_crc32_update and hr_crc32c_update return the checksum of a message that is given in pieces of
 * any size: `crc` is that of the pieces before, 0 at first.  CRC-32 is that of ISO/IEC 3309 (zlib's
 * crc32), CRC-32C that of RFC 3720. */
HR_API uint32_t hr_crc32_update(uint32_t crc, const void *in, size_t in_len);
HR_API uint32_t hr_crc32c_update(uint32_t crc, const void *in, size_t in_len);
/* hr_ipsum_update does the same for the sum of big-endian words of RFC 1071, which hr_ipsum
 * complements.  Only the last piece may have an odd length. */
HR_API uint16_t hr_ipsum_update(uint16_t sum, const void *in, size_t in_len);

/* hr_digest_size returns the size of a context for `alg`, or 0 if that is no digest. */
HR_API size_t hr_digest_size(hr_alg alg);
/* hr_digest_init starts a message.  HR_EALG, HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_digest_init(struct hr_digest_ctx *ctx, hr_alg alg);
/* hr_digest_init_kernel starts a message with the i-th kernel of hr_kernel_at.  HR_ECPU. */
HR_API HR_MUST_CHECK int hr_digest_init_kernel(struct hr_digest_ctx *ctx, hr_alg alg, size_t i);
/* hr_digest_update absorbs in_len bytes.  HR_ESTATE outside a message; HR_ELENGTH past 2^61 - 1. */
HR_API HR_MUST_CHECK int hr_digest_update(struct hr_digest_ctx *ctx, const void *in, size_t in_len);
/* hr_digest_final writes the row's out_len bytes and zeroes the context.  HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_digest_final(struct hr_digest_ctx *ctx, uint8_t *out);
/* hr_digest_compress folds num_blocks whole blocks into a chaining value that the caller keeps.
 * The chaining value consists of words in the machine's byte order: uint32_t[4] for MD5, [5] for
 * SHA-1, [8] for SHA-224 and SHA-256, uint64_t[25] for SHA-3, uint64_t[8] for the others.  HR_EALG
 * (also for checksums), HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_digest_compress(void *state, hr_alg alg, const void *in,
                                            size_t num_blocks);
/* hr_digest_export writes the state, and its length, for hr_digest_import on this machine or
 * another; the context stays usable.  Format: "HRDS", the bytes 1 and 0, the row's number (16
 * bits), the number of absorbed bytes (64 bits), the chaining value as words, then the absorbed
 * bytes that do not fill a block, which SHA-3 has already added to its state; all big-endian.  The
 * state is as secret as the message.
 * HR_EBUFFER, HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_digest_export(const struct hr_digest_ctx *ctx, uint8_t *out,
                                          size_t out_size, size_t *out_len);
/* hr_digest_import continues an exported message, with the best kernel.  HR_EFORMAT, HR_EALG. */
HR_API HR_MUST_CHECK int hr_digest_import(struct hr_digest_ctx *ctx, const uint8_t *in,
                                          size_t in_len);

/* ---- HMAC: RFC 2104, FIPS 198-1, with every cryptographic digest ---- */

/* Longest exported state: that of the inner digest. */
#define HR_HMAC_MAX_EXPORT HR_DIGEST_MAX_EXPORT

/* A key for one row, prepared by digesting its two padded forms.  hr_hmac_key_size(alg) bytes
 * aligned to 8 may be used instead. */
struct hr_hmac_key {
    uint64_t opaque[19];
};

/* The state of one message.  The key must outlive it.  hr_hmac_size(alg) bytes aligned to 8 may be
 * used instead. */
struct hr_hmac_ctx {
    uint64_t opaque[29];
};

/* hr_hmac_key_init prepares a key of any length, also 0.  A key that is longer than the digest's
 * block is digested first (RFC 2104 section 2).  HR_EALG, HR_EINVAL, HR_ELENGTH. */
HR_API HR_MUST_CHECK int hr_hmac_key_init(struct hr_hmac_key *key, hr_alg alg, const void *bytes,
                                          size_t bytes_len);
/* hr_hmac_key_init_kernel does the same for the i-th kernel of hr_kernel_at.  HR_ECPU. */
HR_API HR_MUST_CHECK int hr_hmac_key_init_kernel(struct hr_hmac_key *key, hr_alg alg, size_t i,
                                                 const void *bytes, size_t bytes_len);
/* hr_hmac_key_wipe zeroes a key.  NULL is allowed. */
HR_API void hr_hmac_key_wipe(struct hr_hmac_key *key);
/* hr_hmac_key_size and hr_hmac_size return the sizes of a key and of a context for `alg`, or 0 if
 * that is no HMAC. */
HR_API size_t hr_hmac_key_size(hr_alg alg);
HR_API size_t hr_hmac_size(hr_alg alg);

/* hr_hmac computes the MAC of a whole message, as hr_hmac_sha256 and the like do, for the row of
 * the key.  Errors are theirs, and HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_hmac(uint8_t *out, const void *in, size_t in_len,
                                 const struct hr_hmac_key *key);
/* hr_hmac_once computes the MAC of one message by a key of key_len bytes, 0 and more.  For further
 * messages of the same key hr_hmac is faster.  Errors are those of hr_hmac_key_init and hr_hmac. */
HR_API HR_MUST_CHECK int hr_hmac_once(uint8_t *out, hr_alg alg, const void *in, size_t in_len,
                                      const void *key, size_t key_len);
/* hr_hmac_verify compares the first mac_len bytes of the message's MAC with `mac` in constant time
 * and returns 0 or HR_EMAC.  mac_len is 1 to the row's out_len, else HR_ELENGTH; less than out_len
 * is a truncated MAC (RFC 2104 section 5).  The receiver must decide on mac_len, never the sender.
 * HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_hmac_verify(const uint8_t *mac, size_t mac_len, const void *in,
                                        size_t in_len, const struct hr_hmac_key *key);

/* hr_hmac_init starts a message.  HR_ESTATE (key not initialised), HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_hmac_init(struct hr_hmac_ctx *ctx, const struct hr_hmac_key *key);
/* hr_hmac_update absorbs in_len bytes.  HR_ESTATE before init or after final; HR_ELENGTH. */
HR_API HR_MUST_CHECK int hr_hmac_update(struct hr_hmac_ctx *ctx, const void *in, size_t in_len);
/* hr_hmac_final writes the row's out_len bytes and zeroes the context.  HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_hmac_final(struct hr_hmac_ctx *ctx, uint8_t *out);
/* hr_hmac_export writes the message's state for hr_hmac_import; the context stays usable.  The
 * format is that of hr_digest_export with the number of the HMAC row.  It holds the state of the
 * inner digest, and its number of bytes includes the key's block.  The state is as secret as the
 * key.  HR_EBUFFER, HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_hmac_export(const struct hr_hmac_ctx *ctx, uint8_t *out,
                                        size_t out_size, size_t *out_len);
/* hr_hmac_import continues an exported message under the same key, with the key's kernel.
 * HR_EFORMAT; HR_EALG (state of another row); HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_hmac_import(struct hr_hmac_ctx *ctx, const struct hr_hmac_key *key,
                                        const uint8_t *in, size_t in_len);

/* ---- ciphers: FIPS 197, SP 800-38A ---- */

#define HR_CIPHER_MAX_IV 16
#define HR_CIPHER_MAX_BLOCK 16

enum hr_des_weakness {
    HR_DES_WEAK = 1,      /* an 8-byte part is a weak key: encryption is its own inverse */
    HR_DES_SEMI_WEAK = 2, /* a part is a semi-weak key: another key's encryption undoes it */
    HR_DES_ONE_KEY = 4,   /* adjacent parts are equal: no stronger than single DES */
    HR_DES_TWO_KEYS = 8,  /* the first and the last part are equal: EDE3 is EDE2 */
};

/* An expanded key for one row.  hr_cipher_key_size(alg) bytes aligned to 16 may be used instead. */
struct hr_cipher_key {
#if defined(__GNUC__)
    __attribute__((aligned(16)))
#endif
    uint8_t opaque[656];
};

/* The state of one message.  The key must outlive it.  hr_cipher_size(alg) bytes aligned to 8 may
 * be used instead. */
struct hr_cipher_ctx {
    uint64_t opaque[7];
};

/* hr_cipher_key_init expands a key, for both directions.  HR_EALG, HR_EKEYLEN, HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_cipher_key_init(struct hr_cipher_key *key, hr_alg alg,
                                            const uint8_t *bytes, size_t bytes_len);
/* hr_cipher_key_init_vartime does the same for callers who prefer speed to protection against
 * timing attacks: if too few blocks can be computed at once, kernels with HR_KERNEL_VARTIME may be
 * used. */
HR_API HR_MUST_CHECK int hr_cipher_key_init_vartime(struct hr_cipher_key *key, hr_alg alg,
                                                    const uint8_t *bytes, size_t bytes_len);
/* hr_cipher_key_init_kernel does the same with the i-th kernel of hr_kernel_at for one operation,
 * for any number of blocks.  HR_ECPU. */
HR_API HR_MUST_CHECK int hr_cipher_key_init_kernel(struct hr_cipher_key *key, hr_alg alg,
                                                   enum hr_op op, size_t i, const uint8_t *bytes,
                                                   size_t bytes_len);
/* hr_cipher_key_import makes a key for one operation of AES from round keys, which need not be the
 * expansion of any key: 16 (rounds + 1) bytes in the order of FIPS 197 section 5.2; for
 * HR_OP_DECRYPT in ECB and CBC the round keys of the equivalent inverse cipher (section 5.3.5), in
 * the order of their use.  Other operations then return HR_ESTATE, except that CFB128 and CTR,
 * which always use the forward cipher, can do both.  HR_EALG (not an AES cipher), HR_EINVAL,
 * HR_EKEYLEN. */
HR_API HR_MUST_CHECK int hr_cipher_key_import(struct hr_cipher_key *key, hr_alg alg, enum hr_op op,
                                              const uint8_t *schedule, size_t schedule_len);
/* hr_des_key_weakness returns the weaknesses of a DES key of 8, 16 (EDE2) or 24 bytes (EDE3) as
 * bits of enum hr_des_weakness, 0 if it has none.  It ignores parity bits.  No call refuses weak
 * keys.  HR_EINVAL, HR_EKEYLEN. */
HR_API HR_MUST_CHECK int hr_des_key_weakness(const uint8_t *key, size_t key_len);
/* hr_cipher_key_wipe zeroes a key.  NULL is allowed. */
HR_API void hr_cipher_key_wipe(struct hr_cipher_key *key);
HR_API size_t hr_cipher_key_size(hr_alg alg);

/* hr_cipher_encrypt and hr_cipher_decrypt process a whole message, as hr_aes_128_cbc_encrypt and
 * the like do, for the row of the key.  Errors are theirs, HR_EINVAL and HR_EIVLEN. */
HR_API HR_MUST_CHECK int hr_cipher_encrypt(uint8_t *out, const uint8_t *in, size_t len,
                                           const struct hr_cipher_key *key, const uint8_t *iv,
                                           size_t iv_len);
HR_API HR_MUST_CHECK int hr_cipher_decrypt(uint8_t *out, const uint8_t *in, size_t len,
                                           const struct hr_cipher_key *key, const uint8_t *iv,
                                           size_t iv_len);

enum hr_cipher_flags {
    HR_CIPHER_PADDING = 1, /* PKCS#7 (RFC 5652 section 6.3); ECB and CBC only, ignored elsewhere */
};

/* hr_cipher_size returns the size of a context for `alg`, or 0 if that is no cipher. */
HR_API size_t hr_cipher_size(hr_alg alg);
/* hr_cipher_init starts a message.  HR_ESTATE (key not initialised), HR_EIVLEN, HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_cipher_init(struct hr_cipher_ctx *ctx, const struct hr_cipher_key *key,
                                        enum hr_op op, const uint8_t *iv, size_t iv_len,
                                        unsigned flags);
/* hr_cipher_update takes the next part of the message, of any length, and writes the *out_len bytes
 * that are ready.  ECB and CBC write whole blocks, at most in_len + 15 bytes (in_len + 16 after
 * padding was turned off); stream modes write in_len.  If u bytes are waiting in the context (ECB,
 * CBC), `out + u` is exactly `in` or the buffers do not touch.  HR_EBUFFER, HR_EOVERLAP (nothing
 * was done then), HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_cipher_update(struct hr_cipher_ctx *ctx, uint8_t *out, size_t out_size,
                                          size_t *out_len, const uint8_t *in, size_t in_len);
/* hr_cipher_final ends the message, writes at most 16 bytes, and zeroes the context (unless it
 * returns HR_EBUFFER).  HR_ELENGTH: the message ended within a block; HR_EPADDING: bad padding,
 * found in constant time. */
HR_API HR_MUST_CHECK int hr_cipher_final(struct hr_cipher_ctx *ctx, uint8_t *out, size_t out_size,
                                         size_t *out_len);
/* hr_cipher_get_iv copies the IV that continues the message: the last whole ciphertext block (CBC,
 * CFB128), the last keystream block (OFB) or the next counter block (CTR).  Within a CFB128 block
 * its first hr_cipher_get_num bytes are ciphertext and the others keystream.  iv_len must be the
 * row's.  HR_EIVLEN, HR_ESTATE (also for KASUMI-F8). */
HR_API HR_MUST_CHECK int hr_cipher_get_iv(const struct hr_cipher_ctx *ctx, uint8_t *iv,
                                          size_t iv_len);
/* hr_cipher_get_num returns how many bytes of the current block are used (stream modes) or are
 * waiting (ECB, CBC): 0 to 16; or HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_cipher_get_num(const struct hr_cipher_ctx *ctx);
/* hr_cipher_set_num resumes CFB128 or OFB within a block, at byte num (below the block's length) of
 * an IV from hr_cipher_get_iv.  Other modes accept only 0; a stream then skips the rest of its
 * block.  HR_EINVAL, HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_cipher_set_num(struct hr_cipher_ctx *ctx, unsigned num);
/* hr_cipher_set_padding turns PKCS#7 padding on or off within a message; modes without padding
 * ignore it.  A block that decryption held back for its padding is written by a later update or by
 * final.  HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_cipher_set_padding(struct hr_cipher_ctx *ctx, int on);
/* hr_cipher_set_key makes a copied context use a copy of its key.  HR_ESTATE. */
HR_API HR_MUST_CHECK int hr_cipher_set_key(struct hr_cipher_ctx *ctx,
                                           const struct hr_cipher_key *key);

/* hr_tls_cbc_pad pads a TLS 1.0-1.2 CBC record (RFC 5246 section 6.2.3.2) of *rec_len bytes, in a
 * buffer of rec_size bytes, to whole blocks of block_len (8 or 16) bytes, with as few bytes as
 * possible.  HR_EBUFFER, HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_tls_cbc_pad(uint8_t *rec, size_t rec_size, size_t *rec_len,
                                        size_t block_len);
/* hr_tls_cbc_unpad splits a decrypted TLS 1.0-1.2 CBC record (RFC 5246 section 6.2.3.2) in constant
 * time: the rec_len bytes at `rec` are content, MAC and padding.  It sets *content_len and copies
 * mac_len bytes of MAC to `mac`.  If the padding is bad, `mac` becomes zero and *content_len as
 * long as possible, and 0 is returned all the same, so that only the MAC check fails.  With mac_len
 * 0 (encrypt-then-MAC, RFC 7366: the MAC has been checked already) bad padding is HR_EPADDING.
 * HR_ELENGTH if rec_len is not a number of whole blocks, is less than mac_len + 1, or is 2^24 or
 * more.  mac_len is at most 64, block_len 8 or 16, else HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_tls_cbc_unpad(uint8_t *mac, size_t mac_len, size_t *content_len,
                                          const uint8_t *rec, size_t rec_len, size_t block_len);

/* ---- key derivation: RFC 8018, RFC 5869; `alg` is an HMAC row ---- */

/* hr_pbkdf2 derives out_len bytes from a password.  iterations is at least 1; `out` touches neither
 * password nor salt.  HR_EALG, HR_EINVAL, HR_EOVERLAP, HR_ELENGTH: more than 2^32 - 1 MACs. */
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
/* hr_pbkdf2_many does the same for many passwords at once, which takes far less time than one after
 * the other.  No `out` may touch an input or output of any job; this is checked only within each
 * job.  It returns the error of the first job that has one, as hr_pbkdf2 would. */
HR_API HR_MUST_CHECK int hr_pbkdf2_many(const struct hr_pbkdf2_job *jobs, size_t num_jobs,
                                        hr_alg alg, uint64_t iterations);
/* hr_pbkdf2_many_kernel does the same with the i-th kernel of HR_OP_ITERATE, however few jobs there
 * are.  HR_ECPU. */
HR_API HR_MUST_CHECK int hr_pbkdf2_many_kernel(const struct hr_pbkdf2_job *jobs, size_t num_jobs,
                                               hr_alg alg, size_t i, uint64_t iterations);

/* hr_hkdf_extract (HKDF-Extract) writes a pseudorandom key of the row's out_len bytes.  HR_EALG,
 * HR_EINVAL, HR_ELENGTH. */
HR_API HR_MUST_CHECK int hr_hkdf_extract(uint8_t *prk, hr_alg alg, const void *salt,
                                         size_t salt_len, const void *ikm, size_t ikm_len);
/* hr_hkdf_expand (HKDF-Expand) writes at most 255 times the row's out_len bytes, else HR_ELENGTH.
 * `out` does not touch `info`, else HR_EOVERLAP.  HR_EALG, HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_hkdf_expand(uint8_t *out, size_t out_len, hr_alg alg, const void *prk,
                                        size_t prk_len, const void *info, size_t info_len);
/* hr_hkdf does both, one after the other. */
HR_API HR_MUST_CHECK int hr_hkdf(uint8_t *out, size_t out_len, hr_alg alg, const void *salt,
                                 size_t salt_len, const void *ikm, size_t ikm_len, const void *info,
                                 size_t info_len);

#ifdef __cplusplus
}
#endif

#include <headrace/aead.h>
#include <headrace/agree.h>
#include <headrace/cmac.h>
#include <headrace/kem.h>
#include <headrace/nmac.h>
#include <headrace/sign.h>
#include <headrace/wrap.h>
#include <headrace/xof.h>
#include <headrace/xts.h>

/* The algorithms' numbers and their direct calls.  A program that uses none of them, and is
 * compiled with HEADRACE_WITHOUT_ALGORITHMS, is not compiled again when an algorithm is added. */
#ifndef HEADRACE_WITHOUT_ALGORITHMS
#include <headrace/algorithms.h>
#endif

#endif
