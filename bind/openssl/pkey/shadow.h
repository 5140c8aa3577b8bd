/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and contexts behind which another provider in the same library context has its own: RSA, DSA
 * and DH.  The other provider holds every key, and every context's parameters: it takes them,
 * answers for them, and refuses them with its own errors, which differ between OpenSSL's releases.
 * The library computes where it can.  What it does not do (other digests and paddings, keys of odd
 * shapes), and what it refuses, goes to the other provider, whose answer it then is. */
#ifndef HR_PROVIDER_PKEY_SHADOW_H
#define HR_PROVIDER_PKEY_SHADOW_H

#include "other.h"
#include <headrace/algorithms.h>

struct shadow_key;

/* struct shadow_kind is a type of keys.  A part of that name is in every public key, and in every
 * private one.  The structure has no pointer, which would be relocated when a process starts. */
struct shadow_kind {
    char type[4];
    param_name public_part, private_part;
    uint8_t cls;        /* enum hr_class, of its rows */
    uint8_t has_groups; /* p, g, and perhaps q */
};

/* struct shadow_ready begins the library's key, with the row that counts for it. */
struct shadow_ready {
    size_t size;   /* of the whole structure */
    unsigned row;  /* enum row_index */
    int is_usable; /* 0: the library does not take the key */
};

/* A shadow_maker makes the library's key of a key, by shadow_ready_make. */
typedef struct shadow_ready *shadow_maker(const struct shadow_key *key, int is_private);

struct shadow_key {
    struct pkey head;
    const struct shadow_kind *kind;
    shadow_maker *maker;
    EVP_PKEY *other;
    uint8_t has_group;
    _Atomic(void *) private, public; /* struct shadow_ready, made when they are first used */
    _Atomic(void *) loan;            /* of RSA: struct rsa_loan, or NULL */
};

/* ---- shadow_key.c, shadow_generate.c: functions of the key management ---- */

struct shadow_key *shadow_key_new(void *provctx, const struct shadow_kind *kind,
                                  shadow_maker *maker);
/* shadow_key_new_like makes a key of the same kind, which has no parts. */
struct shadow_key *shadow_key_new_like(const struct shadow_key *key);
/* shadow_key_hold makes `other` the key's, which is then its owner.  It returns 1, or 0 for NULL.
 */
int shadow_key_hold(struct shadow_key *key, EVP_PKEY *other);
/* shadow_key_changed looks anew at what the other provider's key has. */
void shadow_key_changed(struct shadow_key *key);
/* shadow_keymgmt has the functions that know no type: all but new, gen_init, and lists.
 * shadow_group_keymgmt has them for types with groups. */
any_function *shadow_keymgmt(int id);
any_function *shadow_group_keymgmt(int id);

/* shadow_generate_init begins to make keys like `empty`, a new key, which it takes. */
void *shadow_generate_init(struct shadow_key *empty, int selection, const OSSL_PARAM params[]);
int shadow_generate_set_params(void *genctx, const OSSL_PARAM params[]);
int shadow_generate_set_template(void *genctx, void *from);
void *shadow_generate(void *genctx, OSSL_CALLBACK *callback, void *arg);
void shadow_generate_cleanup(void *genctx);

/* ---- shadow_ready.c: the library's keys ---- */

/* shadow_private and shadow_public return the library's key, or NULL if it takes none of this kind.
 */
const struct shadow_ready *shadow_private(struct shadow_key *key);
const struct shadow_ready *shadow_public(struct shadow_key *key);
/* rsa_loan_drop takes a lent key back and frees its struct rsa_loan.  NULL is allowed. */
void rsa_loan_drop(void *loan);
/* shadow_drop wipes and frees a struct shadow_ready.  NULL is allowed. */
void shadow_drop(void *ready);
/* shadow_ready_make exports a selection of the key's parts to `take`, with memory of numbers_size
 * for them, and then lets `make` make the library's key of them, which has `size` bytes.  Both
 * return 1, or 0 if the library does not take the key. */
struct shadow_recipe {
    size_t size, numbers_size;
    int selection;
    OSSL_CALLBACK *take;
    int (*make)(struct shadow_ready *ready, const void *numbers, const struct shadow_key *key);
};
struct shadow_ready *shadow_ready_make(const struct shadow_key *key, const struct shadow_recipe *r);
/* shadow_take writes a part as a big-endian number with all bytes of `out`. */
int shadow_take(const OSSL_PARAM params[], const char *key, uint8_t *out, size_t out_len);
/* shadow_is_served tells whether keys of a modulus are served, and sets their row. */
int shadow_is_served(struct shadow_ready *ready, const struct shadow_key *key,
                     const uint8_t *modulus, size_t modulus_len);

/* ---- shadow_use.c: contexts of operations ---- */

enum shadow_operation {
    SHADOW_SIGN,
    SHADOW_VERIFY,
    SHADOW_RECOVER,
    SHADOW_ENCRYPT,
    SHADOW_DECRYPT,
    SHADOW_DERIVE,
};
/* The library gave the answer, or raised an error, or passes: then the other provider answers. */
enum shadow_answer { SHADOW_PASS = -1, SHADOW_FAILED = 0, SHADOW_DONE = 1 };

struct shadow_use;
/* A shadow_worker makes the output by the library, at most *out_len bytes, and sets *out_len.  If
 * it passes, *out_len does not matter. */
typedef enum shadow_answer shadow_worker(struct shadow_use *use, uint8_t *out, size_t *out_len,
                                         const uint8_t *in, size_t in_len);
/* A shadow_verifier returns 1 if the library finds a signature good. */
typedef int shadow_verifier(struct shadow_use *use, const uint8_t *sig, size_t sig_len,
                            const uint8_t *in, size_t in_len);
/* A shadow_forgetter sets those parameters anew that a context does not keep when its next message
 * begins without a key.  It returns 1 or 0. */
typedef int shadow_forgetter(struct shadow_use *use);

struct shadow_use {
    const struct provider *provider;
    char *properties; /* of digests; NULL: none were asked for */
    struct shadow_key *key, *peer;
    EVP_PKEY_CTX *other; /* the other provider's context; NULL until the operation is set */
    struct served served;
    enum shadow_operation operation;
    shadow_worker *sign; /* sign, verify: of a context of signatures */
    shadow_verifier *verify;
    /* signatures of messages */
    shadow_forgetter *forget; /* NULL: all parameters stay */
    EVP_MD *md;
    EVP_MD_CTX *md_ctx;
    uint8_t is_running;   /* a message has begun: its digest cannot change */
    uint8_t keeps_digest; /* RSA: with OpenSSL 4, one that is set meanwhile is passed over, not
                             refused */
    uint8_t raises;       /* decryption by RSA: bad padding of PKCS#1 is an error */
    uint8_t pads;         /* DH: the secret has its leading zeros */
};

struct shadow_use *shadow_use_new(void *provctx, const char *properties);
struct shadow_use *shadow_signature_new(void *provctx, const char *properties, shadow_worker *sign,
                                        shadow_verifier *verify, shadow_forgetter *forget);
void shadow_use_free(void *ctx);
void *shadow_use_dup(void *ctx);
/* shadow_use_begin sets an operation with a key, or without one again.  It returns 1 or 0. */
int shadow_use_begin(struct shadow_use *use, struct shadow_key *key,
                     enum shadow_operation operation, const OSSL_PARAM params[]);
/* shadow_use_ask_new answers parameters as a new context of the same key and operation does. */
int shadow_use_ask_new(const struct shadow_use *use, OSSL_PARAM params[]);
/* shadow_use_run lets the library make an output, or, if it passes, the other provider. */
int shadow_use_run(void *ctx, uint8_t *out, size_t *out_len, size_t out_size, const uint8_t *in,
                   size_t in_len, shadow_worker *worker);
/* shadow_use_counts counts a call of a row that the library served, and returns SHADOW_DONE. */
enum shadow_answer shadow_use_counts(struct shadow_use *use, unsigned row, size_t bytes);
int shadow_use_get_params(void *ctx, OSSL_PARAM params[]);
int shadow_use_set_params(void *ctx, const OSSL_PARAM params[]);
/* shadow_use_digest finds the row of a digest by a name of OpenSSL's; HR_ALG_NONE for "".  It
 * returns 0 if the library has no such digest. */
int shadow_use_digest(hr_alg *alg, const char *name);
/* SHADOW_ASK is an entry of a list for shadow_use_get_params. */
#define SHADOW_ASK(key, TYPE, at)                              \
    {                                                          \
        key, OSSL_PARAM_##TYPE, &(at), sizeof(at), PARAM_NONE, \
    }

/* ---- shadow_message.c: signatures of digests and of messages ---- */

/* shadow_signature has the functions that know no type: all but newctx, recovery, and lists. */
any_function *shadow_signature(int id);

/* ---- lists of parameters: shadow_key.c ---- */

/* SHADOW_GROUP_PARTS are the parts of keys that have groups (FIPS 186-4). */
#define SHADOW_GROUP_PARTS                                                               \
    PARAM_BIGNUM(OSSL_PKEY_PARAM_FFC_P), PARAM_BIGNUM(OSSL_PKEY_PARAM_FFC_Q),            \
        PARAM_BIGNUM(OSSL_PKEY_PARAM_FFC_G), PARAM_BIGNUM(OSSL_PKEY_PARAM_FFC_COFACTOR), \
        PARAM_INT(OSSL_PKEY_PARAM_FFC_GINDEX), PARAM_INT(OSSL_PKEY_PARAM_FFC_PCOUNTER),  \
        PARAM_INT(OSSL_PKEY_PARAM_FFC_H), PARAM_OCTETS(OSSL_PKEY_PARAM_FFC_SEED),        \
        PARAM_BIGNUM(OSSL_PKEY_PARAM_PUB_KEY), PARAM_BIGNUM(OSSL_PKEY_PARAM_PRIV_KEY)

/* Each of these returns a list of the other provider's, which is part of its code. */
#define SHADOW_LISTS(X)                                   \
    X(key_gettable, KEYMGMT, gettable_params)             \
    X(key_settable, KEYMGMT, settable_params)             \
    X(generate_settable, KEYMGMT, gen_settable_params)    \
    X(signature_gettable, SIGNATURE, gettable_ctx_params) \
    X(signature_settable, SIGNATURE, settable_ctx_params) \
    X(cipher_gettable, ASYM_CIPHER, gettable_ctx_params)  \
    X(cipher_settable, ASYM_CIPHER, settable_ctx_params)  \
    X(exchange_gettable, KEYEXCH, gettable_ctx_params)    \
    X(exchange_settable, KEYEXCH, settable_ctx_params)
#define X(name, ...) const OSSL_PARAM *shadow_##name(void *provctx, const char *type);
SHADOW_LISTS(X)
#undef X

#endif
