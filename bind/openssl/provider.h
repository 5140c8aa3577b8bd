/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations for all files of the provider.  The provider calls no function of libcrypto, only
 * the functions that OpenSSL passes to OSSL_provider_init. */
#ifndef HR_PROVIDER_H
#define HR_PROVIDER_H

#include "../common.h"
#include "libcrypto.h"
#include "params.h"
#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/prov_ssl.h>
#include <openssl/proverr.h>
#include <stdatomic.h>

enum {
    NUM_DIGESTS = 0
#define HR_DIGEST(...) +1
#include <headrace/algorithms.def>
    ,
    NUM_CIPHERS = 0
#define HR_CIPHER(...) +1
#include <headrace/algorithms.def>
    ,
    NUM_KDFS = 0
#define HR_KDF(...) +1
#include <headrace/algorithms.def>
    ,
    NUM_AEADS = 0
#define HR_AEAD(...) +1
#include <headrace/algorithms.def>
    ,
    NUM_XTS = 0
#define HR_XTS(...) +1
#include <headrace/algorithms.def>
    ,
    NUM_WRAPS = 0
#define HR_WRAP(...) +1
#include <headrace/algorithms.def>
    ,
    NUM_MACS =
        5 /* GMAC, for all its rows; the two Poly1305 rows; KASUMI-F9; CMAC, for all its rows */
};

/* clang-format off */
/* enum part: what is made when it is first asked for.  Most processes that read openssl.cnf use no
 * algorithm, and pay for none. */
enum part {
    PART_DIGESTS, /* OSSL_ALGORITHM[], as the next three */
    PART_CIPHERS,
    PART_MACS,      /* without GMAC and CMAC if libcrypto's functions were not found */
    PART_KDFS,      /* empty if libcrypto's functions were not found */
    PART_KEYMGMTS,
    PART_SIGNATURES,
    PART_EXCHANGES,
    PART_KEMS,
    PART_ASYM_CIPHERS,
    PART_DECODERS,
    PART_STORES,
    PART_LIBCRYPTO, /* struct libcrypto */
    PART_LIBCRYPTO_PKEY,
    PART_EC_CURVES, /* a byte for each curve: whether it is served */
    PART_SIZES,     /* a byte for each row of a size of keys: what is served */
    PART_NAME,      /* text */
    /* lists of parameters: OSSL_PARAM[] */
    LIST_DIGEST, LIST_CIPHER, LIST_CIPHER_GOT, LIST_CIPHER_TAKEN, LIST_AEAD_GOT, LIST_AEAD_TAKEN,
    LIST_XTS_GOT, LIST_XTS_TAKEN, LIST_WRAP_GOT, LIST_WRAP_TAKEN, LIST_MAC, LIST_GMAC_TAKEN,
    LIST_POLY1305_TAKEN, LIST_POLY1305_AES_TAKEN, LIST_KASUMI_F9_TAKEN,
    LIST_CMAC_GOT, LIST_CMAC_TAKEN, LIST_HANDLE_CIPHER_GOT,
    LIST_HANDLE_CIPHER_TAKEN, LIST_HANDLE_AEAD_GOT, LIST_HANDLE_AEAD_TAKEN, LIST_HANDLE_MAC_GOT,
    LIST_HANDLE_MAC_TAKEN, LIST_HKDF_GOT, LIST_HKDF_TAKEN, LIST_PBKDF2_GOT, LIST_PBKDF2_TAKEN,
    LIST_EC_GOT, LIST_EC_TAKEN, LIST_EC_GENERATE, LIST_ECDSA_GOT, LIST_ECDSA_TAKEN, LIST_ECDH_GOT,
    LIST_ECDH_TAKEN, LIST_RSA_TAKEN,
    LIST_X25519_GOT, LIST_X25519_TAKEN, LIST_ED25519_GOT, LIST_ED25519_TAKEN, LIST_ECX_GENERATE,
    LIST_ED25519_CTX_GOT, LIST_ED25519_CTX_TAKEN, LIST_ED25519_VARIANT_TAKEN, LIST_MLKEM_GOT,
    LIST_MLKEM_TAKEN, LIST_MLKEM_CTX_TAKEN, LIST_LATTICE_GENERATE, LIST_MLDSA_GOT,
    LIST_MLDSA_CTX_GOT, LIST_MLDSA_CTX_TAKEN, LIST_HYBRID_GOT, LIST_HYBRID_TAKEN,
    LIST_HYBRID_GENERATE, LIST_SLHDSA_GOT, LIST_SLHDSA_CTX_TAKEN,
    LIST_SKEY_IMPORT, LIST_SKEY_GENERATE, LIST_PROVIDER,
    NUM_PARTS
};
/* clang-format on */

/* One instance of the provider; each library context that loads the module has its own. */
struct provider {
    const OSSL_CORE_HANDLE *core;
    OSSL_FUNC_core_get_params_fn *get_params;
    OSSL_FUNC_core_get_libctx_fn *get_libctx;
    OSSL_FUNC_core_new_error_fn *new_error;
    OSSL_FUNC_core_set_error_debug_fn *set_error_debug;
    OSSL_FUNC_core_vset_error_fn *vset_error;
    OSSL_FUNC_BIO_gets_fn *bio_gets;
    OSSL_FUNC_BIO_read_ex_fn *bio_read_ex;
    const char *wins;       /* win_of_provider's list in openssl.cnf, or NULL */
    const char *measured;   /* OpenSSL and CPU of which `wins` was measured, or NULL: not said */
    const char *extra;      /* words of pkey.def that openssl.cnf asks for, or NULL */
    const char *without;    /* symbols of rows that are not offered, in openssl.cnf, or NULL */
    _Atomic(void *) *parts; /* NUM_PARTS, each NULL until it is made */
    int strict;             /* use no kernel whose time depends on keys or data */
    int lends;              /* RSA keys of the program may be lent to the accelerator */
};

/* part_of returns a part of the provider, from malloc, and makes it by `make` if there is none.  It
 * returns NULL if there is no memory.  No lock is held meanwhile, since `make` may call the loader,
 * which has locks of its own: of two threads that make a part, one throws its own away. */
void *part_of(const struct provider *provider, enum part part,
              void *(*make)(const struct provider *provider));

/* param_once checks that no key is twice in a list that a program sets, except for `many`, which
 * may be NULL. OpenSSL 3 takes one of the two, OpenSSL 4 refuses the list.  It returns 1, or 0 with
 * an error raised. */
int param_once(const struct provider *provider, const OSSL_PARAM params[], const char *many);
/* param_list returns a list of parameters, or NULL if there is no memory.  It leaves out those that
 * came with a later OpenSSL. */
const OSSL_PARAM *param_list(const struct provider *provider, enum part part,
                             const struct param_spec specs[]);

/* libcrypto_of returns libcrypto's functions, or NULL if they were not found. */
const struct libcrypto *libcrypto_of(const struct provider *provider);

/* algorithms_of returns the algorithms that the provider offers for an operation, or NULL. */
const OSSL_ALGORITHM *algorithms_of(const struct provider *provider, int operation);

/* ---- error.c ---- */

/* error_raise_reason puts one of OpenSSL's PROV_R_... reasons on its error queue, and returns 0 as
 * a failed call does. */
int error_raise_reason(const struct provider *provider, uint32_t reason, const char *file, int line,
                       const char *function);
/* error_raise_text does the same with a text beside the reason, unless it is NULL. */
int error_raise_text(const struct provider *provider, uint32_t reason, const char *text,
                     const char *file, int line, const char *function);
/* error_raise_packed does the same for a reason of any of libcrypto's parts, from ERR_PACK. */
int error_raise_packed(const struct provider *provider, unsigned long packed, const char *file,
                       int line, const char *function);
/* error_raise does the same for an HR_E... value. */
int error_raise(const struct provider *provider, int error, const char *file, int line,
                const char *function);
/* error_reason returns the PROV_R_... reason for an HR_E... value. */
uint32_t error_reason(int error);
#define RAISE(provider, reason) error_raise_reason(provider, reason, __FILE__, __LINE__, __func__)
#define RAISE_TEXT(provider, reason, text) \
    error_raise_text(provider, reason, text, __FILE__, __LINE__, __func__)
#define RAISE_HR(provider, error) error_raise(provider, error, __FILE__, __LINE__, __func__)

/* ---- random.c ---- */

/* random_bytes writes random bytes from the library context's generator, or from the system if
 * libcrypto's functions were not found.  It returns 1, or 0 on failure. */
int random_bytes(const struct provider *provider, uint8_t *out, size_t out_len);
/* random_secret does the same from the context's private generator, for keys. */
int random_secret(const struct provider *provider, uint8_t *out, size_t out_len);
/* random_des_key_param answers OSSL_CIPHER_PARAM_RANDOM_KEY for DES: one to three keys of 8 bytes,
 * with odd parity. */
int random_des_key_param(OSSL_PARAM *p, const struct provider *provider, size_t key_len);

/* ---- digest.c, cipher.c, aead.c, xts.c, keywrap.c: the functions of the rows of a class ---- */

typedef void any_function(void);
#define FUNCTION(id, function)       \
    {                                \
        id, (any_function *)function \
    }
/* OWN_FUNCTION is the entry of a function that each row has for itself. */
#define OWN_FUNCTION(id) \
    {                    \
        id, NULL         \
    }

/* struct functions makes the dispatch tables of rows: the table of each is `shared` with the row's
 * own functions put in.  Tables in the module would be relocated, page by page, at the start of
 * each process.  So each class has only one, and `own` is a switch. */
struct functions {
    const OSSL_DISPATCH *shared;
    any_function *(*own)(enum row_index index, int id);
};
extern const struct functions digest_functions, cipher_functions, gcm_functions, ccm_functions,
    chacha_functions, xts_functions, keywrap_functions;

/* ---- wrap.c, mac.c, kdf.c: whole entries ---- */

extern const OSSL_ALGORITHM wrap_row; /* DES3-WRAP, which has no row in algorithms.def */
extern const OSSL_ALGORITHM mac_rows[NUM_MACS];
extern const OSSL_ALGORITHM kdf_rows[NUM_KDFS];
/* kdf_pbkdf2.c, kdf_hkdf.c */
#define HR_KDF(number, sym, ...) extern const OSSL_DISPATCH sym##_functions[];
#include <headrace/algorithms.def>

/* ---- kdf.c ---- */

/* hmac_over returns the row of the HMAC over the digest that has this name in OpenSSL, or NULL. */
const struct hr_algorithm *hmac_over(const char *name, size_t name_len);

/* ---- cipher_params.c: for any cipher ---- */

/* cipher_row_is_des is true for DES and triple DES.  Unless the provider is strict, their short
 * messages, and encryption in chained modes, use a kernel whose time depends on data, as that of
 * OpenSSL's own code does. */
int cipher_row_is_des(enum row_index index);

/* cipher_unit returns the block length of the block cipher, also for stream modes. */
static inline size_t cipher_unit(const struct hr_algorithm *row)
{
    return row->block_len > 1 ? row->block_len : row->iv_len;
}

int cipher_get_params(OSSL_PARAM params[], enum row_index index);
const OSSL_PARAM *cipher_gettable(void *provctx);

/* CIPHER_ROW defines a row's own functions.  OpenSSL does not tell newctx which algorithm it is
 * called for, so that each row needs its own.  `kind` is the prefix of the functions for contexts
 * and parameters. */
#define CIPHER_ROW(sym, kind)                          \
    static void *sym##_newctx(void *provctx)           \
    {                                                  \
        return kind##_newctx(provctx, INDEX_##sym);    \
    }                                                  \
    static int sym##_get_params(OSSL_PARAM params[])   \
    {                                                  \
        return cipher_get_params(params, INDEX_##sym); \
    }
/* CIPHER_OWN is a row's case in the function `own` of struct functions. */
#define CIPHER_OWN(sym)                                                     \
    case INDEX_##sym:                                                       \
        return id == OSSL_FUNC_CIPHER_NEWCTX ? (any_function *)sym##_newctx \
                                             : (any_function *)sym##_get_params;
/* CIPHER_FUNCTIONS is a table without its end; `data` is the prefix of the functions that process
 * data.  CIPHER_FUNCTIONS_BUT_WHOLE leaves out the entry for a whole message. */
#define CIPHER_FUNCTIONS_BUT_WHOLE(kind, data)                                                 \
    OWN_FUNCTION(OSSL_FUNC_CIPHER_NEWCTX), FUNCTION(OSSL_FUNC_CIPHER_FREECTX, kind##_freectx), \
        FUNCTION(OSSL_FUNC_CIPHER_DUPCTX, kind##_dupctx),                                      \
        FUNCTION(OSSL_FUNC_CIPHER_ENCRYPT_INIT, kind##_encrypt_init),                          \
        FUNCTION(OSSL_FUNC_CIPHER_DECRYPT_INIT, kind##_decrypt_init),                          \
        FUNCTION(OSSL_FUNC_CIPHER_UPDATE, data##_update),                                      \
        FUNCTION(OSSL_FUNC_CIPHER_FINAL, data##_final),                                        \
        FUNCTION(OSSL_FUNC_CIPHER_GETTABLE_PARAMS, cipher_gettable),                           \
        OWN_FUNCTION(OSSL_FUNC_CIPHER_GET_PARAMS),                                             \
        FUNCTION(OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, kind##_gettable_ctx),                   \
        FUNCTION(OSSL_FUNC_CIPHER_GET_CTX_PARAMS, kind##_get_ctx_params),                      \
        FUNCTION(OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, kind##_settable_ctx),                   \
        FUNCTION(OSSL_FUNC_CIPHER_SET_CTX_PARAMS, kind##_set_ctx_params),
#define CIPHER_FUNCTIONS(kind, data)       \
    CIPHER_FUNCTIONS_BUT_WHOLE(kind, data) \
    FUNCTION(OSSL_FUNC_CIPHER_CIPHER, data##_whole),

/* ---- name.c, win.c ---- */

/* name_of_provider writes a name such as "Headrace (AES-NI, AVX-512; no VAES, no SHA-NI)". */
void name_of_provider(char *out, size_t out_size);
/* win_of_provider tells whether a row, given by its symbol, is faster here than OpenSSL's default
 * provider: according to `list` (symbols separated by spaces or commas; "all", "none") or, if that
 * is NULL, to the table shipped for this CPU. */
int win_of_provider(const char *symbol, const char *list);
/* win_list is the list of a provider, or NULL if it has none or one that was measured with another
 * OpenSSL or on another CPU: a copied image, an upgrade, a migrated virtual machine. */
const char *win_list(const struct provider *provider);
enum win_map { WIN_SHIPPED, WIN_MEASURED, WIN_ELSEWHERE };
/* win_map tells which map is used; WIN_ELSEWHERE: the shipped one, since the list does not fit. */
enum win_map win_map(const struct provider *provider);
/* win_release returns OpenSSL's release as a number: 305 for 3.5; 0 if it is not known. */
unsigned win_release(const struct provider *provider);
/* is_openssl_4 tells whether the provider answers as OpenSSL 4 does where that differs from 3. */
static inline int is_openssl_4(const struct provider *provider)
{
    return win_release(provider) >= 400;
}
/* win_list_has tells whether such a list, or NULL, has the symbol. */
int win_list_has(const char *list, const char *symbol);

#endif
