/* SPDX-License-Identifier: Apache-2.0 */
/* The preloaded library: it stands before libcrypto, answers the calls that are plain, and hands on
 * the rest.  A call is plain if, in the default library context, the default provider or Headrace's
 * own would serve the algorithm and no engine is registered for it.  A decision holds for one
 * `generation`; every call that may change the answer begins a new one. */
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
/* CALLER is the return address of an exported function, by which crypto_find knows the calling
 * object. */
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
enum hmac_layout { HMAC_UNKNOWN, HMAC_FITS, HMAC_OTHER };

/* struct crypto is one libcrypto of the process with the decisions about it.  It is never freed. */
struct crypto {
    void *fn[NUM_FUNCTIONS]; /* its functions; NULL: it does not have this one */
    struct {
        const EVP_MD *md; /* EVP_sha256() and so on, which belong to no provider */
        int type;
        enum row_index index;
    } digests[NUM_DIGESTS];
    _Atomic int usable; /* OpenSSL 3 or later, all functions in one object */
    _Atomic int asked;  /* its providers were asked, or something about them changed */
    _Atomic int aes;    /* enum aes_layout */
    _Atomic int hmac;   /* enum hmac_layout */
    _Atomic uint64_t verdicts[NUM_ROWS]; /* generation << 1 | plain */
    _Atomic(const OSSL_PROVIDER *) providers[NUM_ROWS];
};

/* REAL is libcrypto's own function of that name. */
#define REAL(crypto, name) ((__typeof__(&name))(crypto)->fn[F_##name])

extern _Atomic uint64_t generation;
extern _Atomic(struct crypto *) program_crypto;

/* struct aside is of one thread: `deciding` is set while it runs decide, other_context while its
 * default library context is not the program's.  Libcrypto answers its calls then. */
struct aside {
    int deciding, other_context;
};
extern __thread struct aside aside;

/* crypto_find returns the libcrypto, or another library with a function of this name, that the
 * caller would have reached without us; NULL if there is none. */
struct crypto *crypto_find(enum function function, const void *caller);
/* crypto_stop hands every call from now on to libcrypto. */
void crypto_stop(void);
/* digest_by_name returns the row of the digest that has this name in OpenSSL, in upper or lower
 * case, or NUM_ROWS. */
enum row_index digest_by_name(const char *name);
void names_init(void);
/* decide asks libcrypto whether a row is plain, and stores the verdict for this generation. */
int decide(struct crypto *crypto, enum row_index index);
/* plain_digest and plain_named return the row of a digest that is plain, or NUM_ROWS. */
enum row_index plain_digest(struct crypto *crypto, const EVP_MD *md);
enum row_index plain_named(struct crypto *crypto, const char *name);
/* hmac_rows has the row of the HMAC over each digest row; 0: there is none. */
extern const enum row_index hmac_rows[NUM_ROWS];

/* hmac_over returns the row of the HMAC over a digest, or NUM_ROWS if there is none. */
static inline enum row_index hmac_over(enum row_index digest)
{
    return digest != NUM_ROWS && hmac_rows[digest] ? hmac_rows[digest] : NUM_ROWS;
}
/* count counts a call that we answered. */
void count(enum row_index index, size_t bytes);
/* count_begin opens the statistics at the first call of a thread, and has the thread's counts
 * folded when it ends. */
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

/* plain_unasked is plain for functions that OpenSSL computes without asking a provider.  It must
 * not make OpenSSL load its configuration, which the program may still want to prevent: so it asks
 * no provider before `asked` is set. */
static inline int plain_unasked(struct crypto *crypto, enum row_index index)
{
    if (atomic_load_explicit(&crypto->asked, memory_order_acquire))
        return plain(crypto, index);
    return atomic_load_explicit(&crypto->usable, memory_order_acquire) && !aside.other_context;
}

#endif
