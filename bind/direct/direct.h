/* SPDX-License-Identifier: Apache-2.0 */
/* The preloaded library: it stands before libcrypto, answers what is plain, and hands on the rest.
 *
 * A call is plain where the default library context has the default provider, or Headrace's own,
 * answer for the algorithm, without an engine; everything else is libcrypto's to do.  What was
 * decided holds for one `generation`, which every call that may change the answer ends. */
#ifndef HR_DIRECT_H
#define HR_DIRECT_H

#define OPENSSL_SUPPRESS_DEPRECATED
#include "../common.h"
#include <openssl/aes.h>
#include <openssl/conf.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/md5.h>
#include <openssl/provider.h>
#include <openssl/sha.h>
#include <stdatomic.h>

#define EXPORT __attribute__((visibility("default")))
/* Of an exported function: whose call it is. */
#define CALLER __builtin_return_address(0)

enum function {
#define ANSWER(name) F_##name,
#define CHANGE(result, failed, name, ...) F_##name,
#define HELPER(name) F_##name,
#include "functions.def"
    NUM_FUNCTIONS
};

enum {
    NUM_DIGESTS = 0
#define HR_DIGEST(...) +1
#include <headrace/algorithms.def>
};

enum aes_layout { AES_UNKNOWN, AES_BYTES, AES_WORDS, AES_OTHER };

/* One libcrypto of the process, and what was decided about it; never freed. */
struct crypto {
    void *fn[NUM_FUNCTIONS]; /* its own; NULL: it has none */
    struct {
        const EVP_MD *md; /* EVP_sha256() and so on, which belong to no provider */
        int type;
        enum row_index index;
    } digests[NUM_DIGESTS];
    _Atomic int usable; /* OpenSSL 3 or later, whole and in one piece */
    _Atomic int asked;  /* its providers were asked, or something about them changed */
    _Atomic int aes;    /* enum aes_layout */
    _Atomic uint64_t verdicts[NUM_ROWS]; /* generation << 1 | plain */
    _Atomic(const OSSL_PROVIDER *) providers[NUM_ROWS];
};

/* The function itself, of this libcrypto. */
#define REAL(crypto, name) ((__typeof__(&name))(crypto)->fn[F_##name])

extern _Atomic uint64_t generation;
extern _Atomic(struct crypto *) program_crypto;

/* Of this thread: it is deciding just now, or its default library context is another one. */
struct aside {
    int deciding, other_context;
};
extern __thread struct aside aside;

/* The libcrypto whose function a caller would have reached without us, or another library that has
 * a function of this name; NULL where there is none at all. */
struct crypto *crypto_find(enum function function, const void *caller);
/* From now on every call is libcrypto's. */
void crypto_stop(void);
/* The row of a name that programs know a digest by, any case; or NUM_ROWS. */
enum row_index digest_by_name(const char *name);
void names_init(void);
/* Asks libcrypto whether a row is plain. */
int decide(struct crypto *crypto, enum row_index index);
/* The row of a digest that is plain, or NUM_ROWS. */
enum row_index plain_digest(struct crypto *crypto, const EVP_MD *md);
enum row_index plain_named(struct crypto *crypto, const char *name);
/* The HMAC over each digest. */
extern const enum row_index hmac_rows[NUM_ROWS];
/* Counts a call that was answered. */
void count(enum row_index index, size_t bytes);
/* This thread is seen to serve: statistics are opened, and closed when it ends. */
void count_begin(void);

static inline struct crypto *crypto_of(enum function function, const void *caller)
{
    struct crypto *crypto = atomic_load_explicit(&program_crypto, memory_order_acquire);
    return LIKELY(crypto) ? crypto : crypto_find(function, caller);
}

static inline int plain(struct crypto *crypto, enum row_index index)
{
    const uint64_t now = atomic_load_explicit(&generation, memory_order_acquire);
    const uint64_t verdict = atomic_load_explicit(&crypto->verdicts[index], memory_order_acquire);
    if (UNLIKELY(aside.deciding | aside.other_context))
        return 0;
    return LIKELY(verdict == (now << 1 | 1)) || (verdict != now << 1 && decide(crypto, index));
}

/* Of functions that OpenSSL computes without asking a provider: they must not make it load its
 * configuration, which the program may yet forbid. */
static inline int plain_unasked(struct crypto *crypto, enum row_index index)
{
    if (atomic_load_explicit(&crypto->asked, memory_order_acquire))
        return plain(crypto, index);
    return atomic_load_explicit(&crypto->usable, memory_order_acquire) && !aside.other_context;
}

#endif
