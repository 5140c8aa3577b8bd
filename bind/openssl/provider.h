/* SPDX-License-Identifier: Apache-2.0 */
/* What the provider's files share.  No function of libcrypto is called: only core upcalls. */
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
    NUM_MACS = 4 /* GMAC, of all its rows; the two of Poly1305; KASUMI's */
};

/* One loaded instance: OpenSSL makes one for each library context that loads the module. */
struct provider {
    const OSSL_CORE_HANDLE *core;
    OSSL_FUNC_core_get_params_fn *get_params;
    OSSL_FUNC_core_get_libctx_fn *get_libctx;
    OSSL_FUNC_core_new_error_fn *new_error;
    OSSL_FUNC_core_set_error_debug_fn *set_error_debug;
    OSSL_FUNC_core_vset_error_fn *vset_error;
    OSSL_ALGORITHM digests[NUM_DIGESTS + 1];
    /* twice: handle.h; DES3-WRAP; the end */
    OSSL_ALGORITHM ciphers[2 * (NUM_CIPHERS + NUM_AEADS) + NUM_XTS + 2];
    OSSL_ALGORITHM macs[NUM_MACS + 2]; /* without GMAC where `libcrypto` was not found */
    OSSL_ALGORITHM kdfs[NUM_KDFS + 1]; /* empty where `libcrypto` was not found */
    struct libcrypto libcrypto;
    char name[96];
    int strict; /* no kernel whose time depends on data */
};

/* ---- error.c ---- */

/* Puts OpenSSL's own PROV_R_... reason on its error queue; returns 0, as a failed call does. */
int raise_reason(const struct provider *provider, uint32_t reason, const char *file, int line,
                 const char *function);
/* The same for an HR_E... value. */
int raise_error(const struct provider *provider, int error, const char *file, int line,
                const char *function);
#define RAISE(provider, reason) raise_reason(provider, reason, __FILE__, __LINE__, __func__)
#define RAISE_HR(provider, error) raise_error(provider, error, __FILE__, __LINE__, __func__)

/* ---- random.c ---- */

/* Bytes of the library context's random generator, or of the system.  1, or 0 where there are none.
 */
int random_bytes(const struct provider *provider, uint8_t *out, size_t out_len);
/* The same of its generator for what stays private. */
int random_secret(const struct provider *provider, uint8_t *out, size_t out_len);
/* Answers OSSL_CIPHER_PARAM_RANDOM_KEY for DES: one to three keys of 8 bytes, with odd parity. */
int param_random_des_key(OSSL_PARAM *p, const struct provider *provider, size_t key_len);

/* ---- digest.c, cipher.c, wrap.c, aead.c, xts.c, mac.c, kdf.c: the rows' dispatch tables, in the
 * order of algorithms.def
 * ---- */

#define FUNCTION(id, function)       \
    {                                \
        id, (void (*)(void))function \
    }

extern const OSSL_ALGORITHM digest_rows[NUM_DIGESTS];
extern const OSSL_ALGORITHM cipher_rows[NUM_CIPHERS];
extern const OSSL_ALGORITHM wrap_row; /* DES3-WRAP, no row of algorithms.def */
extern const OSSL_ALGORITHM aead_rows[NUM_AEADS];
extern const OSSL_ALGORITHM xts_rows[NUM_XTS];
extern const OSSL_ALGORITHM mac_rows[NUM_MACS];
extern const OSSL_ALGORITHM kdf_rows[NUM_KDFS];
/* kdf_pbkdf2.c, kdf_hkdf.c */
#define HR_KDF(number, sym, ...) extern const OSSL_DISPATCH sym##_functions[];
#include <headrace/algorithms.def>

/* ---- cipher_params.c: of any row of a cipher ---- */

/* Of DES or triple DES?  Then short messages, and encryption in chained modes, go through a kernel
 * whose time depends on data, as OpenSSL's own does, unless the provider is strict. */
int row_is_des(enum row_index index);

/* Bytes of a block of the cipher below a mode, streams included. */
static inline size_t cipher_unit(const struct hr_algorithm *row)
{
    return row->block_len > 1 ? row->block_len : row->iv_len;
}

int cipher_get_params(OSSL_PARAM params[], enum row_index index);
const OSSL_PARAM *cipher_gettable(void *provctx);

/* A row's entry points: newctx is not told its algorithm, so each row has its own.  `kind` is the
 * stem of the functions of contexts and parameters, `data` of those that take data; what more there
 * is follows. */
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

/* "Headrace (AES-NI, AVX-512; no VAES, no SHA-NI)" */
void provider_name(char *out, size_t out_size);
/* Says for a row's symbol whether it beats the default provider here: by `list` (symbols, separated
 * by spaces or commas; "all", "none") or, where that is NULL, by the table shipped for this CPU. */
int provider_wins(const char *symbol, const char *list);

#endif
