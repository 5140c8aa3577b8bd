/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations for all files of the provider.  The provider calls no function of libcrypto, only
 * the functions that OpenSSL passes to OSSL_provider_init. */
#ifndef HR_PROVIDER_H
#define HR_PROVIDER_H

#include "../common.h"
#include "libcrypto.h"
#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/prov_ssl.h>
#include <openssl/proverr.h>

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
    NUM_MACS = 4 /* GMAC, for all its rows; the two Poly1305 rows; KASUMI-F9 */
};

/* One instance of the provider; each library context that loads the module has its own. */
struct provider {
    const OSSL_CORE_HANDLE *core;
    OSSL_FUNC_core_get_params_fn *get_params;
    OSSL_FUNC_core_get_libctx_fn *get_libctx;
    OSSL_FUNC_core_new_error_fn *new_error;
    OSSL_FUNC_core_set_error_debug_fn *set_error_debug;
    OSSL_FUNC_core_vset_error_fn *vset_error;
    OSSL_ALGORITHM digests[NUM_DIGESTS + 1];
    /* each cipher and AEAD twice (the second for keys of the accelerator, handle.h), XTS,
     * DES3-WRAP, and the end */
    OSSL_ALGORITHM ciphers[2 * (NUM_CIPHERS + NUM_AEADS) + NUM_XTS + 2];
    OSSL_ALGORITHM macs[NUM_MACS + 2]; /* without GMAC if `libcrypto` was not found */
    OSSL_ALGORITHM kdfs[NUM_KDFS + 1]; /* empty if `libcrypto` was not found */
    struct libcrypto libcrypto;
    char name[96];
    int strict; /* use no kernel whose time depends on keys or data */
};

/* ---- error.c ---- */

/* error_raise_reason puts one of OpenSSL's PROV_R_... reasons on its error queue, and returns 0 as
 * a failed call does. */
int error_raise_reason(const struct provider *provider, uint32_t reason, const char *file, int line,
                       const char *function);
/* error_raise_text does the same with a text beside the reason, unless it is NULL. */
int error_raise_text(const struct provider *provider, uint32_t reason, const char *text,
                     const char *file, int line, const char *function);
/* error_raise does the same for an HR_E... value. */
int error_raise(const struct provider *provider, int error, const char *file, int line,
                const char *function);
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

/* ---- digest.c, cipher.c, wrap.c, aead.c, xts.c, mac.c, kdf.c: dispatch tables of the rows, in the
 * order of algorithms.def ---- */

#define FUNCTION(id, function)       \
    {                                \
        id, (void (*)(void))function \
    }

extern const OSSL_ALGORITHM digest_rows[NUM_DIGESTS];
extern const OSSL_ALGORITHM cipher_rows[NUM_CIPHERS];
extern const OSSL_ALGORITHM wrap_row; /* DES3-WRAP, which has no row in algorithms.def */
extern const OSSL_ALGORITHM aead_rows[NUM_AEADS];
extern const OSSL_ALGORITHM xts_rows[NUM_XTS];
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

/* CIPHER_ROW defines the functions of a row.  OpenSSL does not tell newctx which algorithm it is
 * called for, so that each row needs its own.  `kind` is the prefix of the functions for contexts
 * and parameters, `data` that of the functions that process data; further entries follow.
 * CIPHER_ROW_BUT_WHOLE leaves out the entry for a whole message. */
#define CIPHER_ROW_BUT_WHOLE(sym, kind, data, ...)                           \
    static void *sym##_newctx(void *provctx)                                 \
    {                                                                        \
        return kind##_newctx(provctx, INDEX_##sym);                          \
    }                                                                        \
    static int sym##_get_params(OSSL_PARAM params[])                         \
    {                                                                        \
        return cipher_get_params(params, INDEX_##sym);                       \
    }                                                                        \
    static const OSSL_DISPATCH sym##_functions[] = {                         \
        FUNCTION(OSSL_FUNC_CIPHER_NEWCTX, sym##_newctx),                     \
        FUNCTION(OSSL_FUNC_CIPHER_FREECTX, kind##_freectx),                  \
        FUNCTION(OSSL_FUNC_CIPHER_DUPCTX, kind##_dupctx),                    \
        FUNCTION(OSSL_FUNC_CIPHER_ENCRYPT_INIT, kind##_encrypt_init),        \
        FUNCTION(OSSL_FUNC_CIPHER_DECRYPT_INIT, kind##_decrypt_init),        \
        FUNCTION(OSSL_FUNC_CIPHER_UPDATE, data##_update),                    \
        FUNCTION(OSSL_FUNC_CIPHER_FINAL, data##_final),                      \
        FUNCTION(OSSL_FUNC_CIPHER_GETTABLE_PARAMS, cipher_gettable),         \
        FUNCTION(OSSL_FUNC_CIPHER_GET_PARAMS, sym##_get_params),             \
        FUNCTION(OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, kind##_gettable_ctx), \
        FUNCTION(OSSL_FUNC_CIPHER_GET_CTX_PARAMS, kind##_get_ctx_params),    \
        FUNCTION(OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, kind##_settable_ctx), \
        FUNCTION(OSSL_FUNC_CIPHER_SET_CTX_PARAMS, kind##_set_ctx_params),    \
        __VA_ARGS__{ 0, NULL },                                              \
    };
#define CIPHER_ROW(sym, kind, data, ...)                                                   \
    CIPHER_ROW_BUT_WHOLE(sym, kind, data, FUNCTION(OSSL_FUNC_CIPHER_CIPHER, data##_whole), \
                         __VA_ARGS__)

/* ---- name.c, win.c ---- */

/* name_of_provider writes a name such as "Headrace (AES-NI, AVX-512; no VAES, no SHA-NI)". */
void name_of_provider(char *out, size_t out_size);
/* win_of_provider tells whether a row, given by its symbol, is faster here than OpenSSL's default
 * provider: according to `list` (symbols separated by spaces or commas; "all", "none") or, if that
 * is NULL, to the table shipped for this CPU. */
int win_of_provider(const char *symbol, const char *list);

#endif
