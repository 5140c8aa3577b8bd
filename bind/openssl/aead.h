/* SPDX-License-Identifier: Apache-2.0 */
/* The provider side of an EVP_CIPHER_CTX of GCM or CCM.  What is refused, and when, is as in the
 * default provider: programs have its order of calls in them. */
#ifndef HR_PROVIDER_AEAD_H
#define HR_PROVIDER_AEAD_H

#include "../stats.h"
#include "provider.h"

enum {
    MAX_AEAD_IV = 128, /* GCM's, in the default provider */
    TLS_AAD_LEN = EVP_AEAD_TLS1_AAD_LEN,
    TLS_EXPLICIT_IV = EVP_GCM_TLS_EXPLICIT_IV_LEN,
};

/* GCM begins a message with its first AAD or text; CCM, which must know all lengths, with AAD or
 * text after these. */
enum iv_state { IV_NONE, IV_GIVEN, IV_IN_USE, IV_SPENT };

/* GCM: a message so far, as long as it may yet be a short one, which one direct call does in a
 * sixth of a stream's time.  Once that was called, `first` is what a stream would have to begin
 * with, should more text come. */
enum { SHORT_AAD = 32, SHORT_TEXT = 1024 };
enum short_state { SHORT_NOT, SHORT_WAITS, SHORT_DONE };

struct short_message {
    uint8_t state, op, aad_len;
    uint16_t len;
    uint8_t iv[12];
    uint8_t tag[HR_AEAD_MAX_TAG]; /* of encryption */
    uint8_t aad[SHORT_AAD], first[SHORT_TEXT];
};

struct aead {
    struct hr_aead_key key;
    struct hr_aead_ctx stream; /* while the IV is in use */
    const struct aead_mode *mode;
    const struct hr_algorithm *row;
    const struct provider *provider;
    struct served served;
    void *block; /* from malloc, somewhere before */
    size_t iv_len;
    size_t tag_len;  /* GCM: 0 where no tag is known; CCM: that of messages */
    size_t text_len; /* CCM, with len_set */
    size_t tls_pad;  /* what a record has behind its text */
    uint8_t op, key_set, iv_state;
    uint8_t tag_set, len_set;        /* CCM */
    uint8_t key_iv_len, key_tag_len; /* CCM: as they were when the key was set */
    uint8_t iv_counts;               /* GCM: the IV's last 8 bytes are a record counter */
    uint8_t iv_random;               /* GCM: made here */
    uint8_t tls;                     /* the next call is a record; `tls_aad` is its header */
    uint8_t tls_aad[TLS_AAD_LEN];
    struct short_message start; /* GCM, while the IV is in use */
    uint8_t tag[HR_AEAD_MAX_TAG];
    uint8_t iv[MAX_AEAD_IV];
};

/* What differs between GCM and CCM.  Each returns 1, or 0 with or without an error raised. */
struct aead_mode {
    size_t iv_len, tag_len; /* of a new context */
    int (*good_iv)(const struct aead *a, size_t iv_len);
    int (*set_iv_len)(struct aead *a, size_t iv_len);
    int (*set_tag)(struct aead *a, const OSSL_PARAM *p);
    int (*get_tag)(struct aead *a, OSSL_PARAM *p);
    int (*set_fixed)(struct aead *a, const uint8_t *fixed, size_t fixed_len);
};
extern const struct aead_mode gcm_mode, ccm_mode;

/* ---- gcm.c, ccm.c: entry points ---- */

OSSL_FUNC_cipher_update_fn GCM_update, CCM_update;
OSSL_FUNC_cipher_final_fn GCM_final, CCM_final;
OSSL_FUNC_cipher_cipher_fn GCM_whole, CCM_whole;

/* GCM: the next IV of a record counter, its last out_len bytes (0: all) to `out`; or the last bytes
 * of another's, for decryption.  1 or 0. */
int gcm_next_iv(struct aead *a, uint8_t *out, size_t out_len);
int gcm_set_counter(struct aead *a, const uint8_t *in, size_t in_len);

/* ---- aead.c: 1, or 0 with no error raised ---- */

int aead_aad(struct aead *a, const uint8_t *in, size_t len);
/* Output over its input: moved first, then in place.  OpenSSL promises nothing here, but what it
 * does for lower addresses programs rely upon. */
int aead_update(struct aead *a, uint8_t *out, const uint8_t *in, size_t len);
/* Takes the header of the next record. */
int aead_tls_begin(struct aead *a, const OSSL_PARAM *p, size_t tag_len);
/* A record of TLS 1.2 (RFC 5288, RFC 6655) in place: explicit IV, text, tag.  `iv` is the whole IV,
 * its last part that of the record. */
int aead_tls_record(struct aead *a, uint8_t *out, size_t *out_len, size_t in_len, const uint8_t *iv,
                    size_t tag_len);

/* ---- aead_params.c: 1, or 0 with an error raised ---- */

OSSL_FUNC_cipher_get_ctx_params_fn aead_get_ctx_params;
OSSL_FUNC_cipher_set_ctx_params_fn aead_set_ctx_params;
OSSL_FUNC_cipher_gettable_ctx_params_fn aead_gettable_ctx;
OSSL_FUNC_cipher_settable_ctx_params_fn aead_settable_ctx;

#endif
