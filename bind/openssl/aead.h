/* SPDX-License-Identifier: Apache-2.0 */
/* The provider side of an EVP_CIPHER_CTX of an AEAD.  It refuses the same calls in the same
 * states as the default provider, since programs rely on the order of calls that works there. */
#ifndef HR_PROVIDER_AEAD_H
#define HR_PROVIDER_AEAD_H

#include "../stats.h"
#include "provider.h"

enum {
    MAX_AEAD_IV = 128, /* GCM's limit in the default provider */
    TLS_AAD_LEN = EVP_AEAD_TLS1_AAD_LEN,
    TLS_EXPLICIT_IV = EVP_GCM_TLS_EXPLICIT_IV_LEN,
};

/* enum iv_state: GCM's state is IV_IN_USE from the first AAD or text of a message on.  CCM has the
 * first two only. */
enum iv_state { IV_NONE, IV_GIVEN, IV_IN_USE, IV_SPENT };

/* enum ccm_stage is how far a message of CCM came.  At CCM_SPENT it had its text, or its key was
 * replaced: a new message begins with the length of its text. */
enum ccm_stage { CCM_NONE, CCM_LENGTH, CCM_AAD, CCM_SPENT };

/* struct short_message (GCM, ChaCha20-Poly1305) holds a message back as long as it may be a short
 * one, which a direct call computes in a sixth of a stream's time.  After that call the state is
 * SHORT_DONE, and `first` is the text with which a stream has to begin if more text comes. */
enum { SHORT_AAD = 32, SHORT_TEXT = 1024 };
enum short_state { SHORT_NOT, SHORT_WAITS, SHORT_DONE };

struct short_message {
    uint8_t state, op, aad_len;
    uint16_t len;
    uint8_t iv[12];
    uint8_t tag[HR_AEAD_MAX_TAG]; /* computed by encryption */
    uint8_t aad[SHORT_AAD], first[SHORT_TEXT];
};

struct aead {
    struct hr_aead_key key;
    struct hr_aead_ctx stream; /* while the IV is in use */
    const struct aead_mode *mode;
    const struct hr_algorithm *row;
    const struct provider *provider;
    struct served served;
    void *block; /* malloc's pointer, of which the struct is an aligned part */
    size_t iv_len;
    size_t tag_len;  /* 0 if no tag is known; CCM: of each message */
    size_t text_len; /* CCM: valid if len_set */
    size_t tls_pad;  /* length of a record's tag */
    uint8_t op, key_set, iv_state;
    uint8_t tag_set, len_set;        /* CCM */
    uint8_t key_iv_len, key_tag_len; /* CCM: iv_len and tag_len when the key was set */
    uint8_t iv_counts;               /* GCM: the IV's last 8 bytes are a record counter */
    uint8_t iv_random;               /* GCM: the IV was made by make_iv */
    uint8_t refused;                 /* not CCM: the tag of the message in `stream` was wrong */
    uint8_t stage;                   /* CCM: enum ccm_stage */
    uint8_t tls;                     /* the next call is a record; `tls_aad` is its header */
    uint8_t tls_aad[TLS_AAD_LEN];
    struct short_message start; /* not CCM: while the IV is in use */
    uint8_t tag[HR_AEAD_MAX_TAG];
    uint8_t iv[MAX_AEAD_IV];
};

/* struct aead_mode is the part that differs between the modes.  Each function returns 1, or 0
 * with or without an error raised. */
struct aead_mode {
    size_t iv_len, tag_len; /* of a new context */
    size_t tls_explicit;    /* length of the part of an IV that is in a record of TLS 1.2 */
    size_t most_tag;        /* answered if no tag is known */
    int (*good_iv)(const struct aead *a, size_t iv_len);
    /* changed is called after init has set a new IV, a new key or both. */
    void (*changed)(struct aead *a, int iv, int key);
    int (*set_iv_len)(struct aead *a, size_t iv_len);
    int (*set_tag)(struct aead *a, const OSSL_PARAM *p);
    int (*get_tag)(struct aead *a, OSSL_PARAM *p);
    int (*set_fixed)(struct aead *a, const uint8_t *fixed, size_t fixed_len);
};
extern const struct aead_mode gcm_evp, ccm_evp, chacha_evp;

/* ---- aead.c ---- */

/* aead_lacks_tag fails because no tag was given, with the reason that OpenSSL 4 gives. */
int aead_lacks_tag(const struct aead *a);

/* ---- gcm.c, ccm.c, chacha.c: entry points ---- */

OSSL_FUNC_cipher_update_fn GCM_update, CCM_update, CHACHA_update;
OSSL_FUNC_cipher_final_fn GCM_final, CCM_final, CHACHA_final;
OSSL_FUNC_cipher_cipher_fn GCM_whole, CCM_whole, CHACHA_whole;

/* gcm_has_iv tells whether an IV can be read: where OpenSSL 4 makes one when it is asked for, so
 * does this. */
int gcm_has_iv(struct aead *a);
/* gcm_asks_size tells whether a parameter without memory asks for the size of an IV or tag, as
 * OpenSSL 4 takes it. */
int gcm_asks_size(const struct aead *a);
/* gcm_next_iv (GCM) begins a message with the IV of the record counter, writes the IV's last
 * out_len bytes (all if that is 0) to `out` and increments the counter.  gcm_set_counter takes the
 * last bytes of the IV from another party's record, for decryption.  Both return 1 or 0. */
int gcm_next_iv(struct aead *a, uint8_t *out, size_t out_len);
int gcm_set_counter(struct aead *a, const uint8_t *in, size_t in_len);

/* ---- short.c: these return 1, or 0 with or without an error raised ---- */

int short_begin(struct aead *a);
/* short_unfold makes a stream of the message, which it is not afterwards. */
int short_unfold(struct aead *a);
int short_aad(struct aead *a, const uint8_t *in, size_t len);
int short_text(struct aead *a, uint8_t *out, const uint8_t *in, size_t len);
/* short_finish computes a->tag, or verifies it. */
int short_finish(struct aead *a);

/* ---- aead.c: these return 1, or 0 with no error raised ---- */

int aead_aad(struct aead *a, const uint8_t *in, size_t len);
/* aead_update also works where output and input overlap: it moves the text, then processes it in
 * place.  OpenSSL does not promise this, but programs rely on it for an output at lower
 * addresses. */
int aead_update(struct aead *a, uint8_t *out, const uint8_t *in, size_t len);
/* aead_tls_begin takes the header of the next record. */
int aead_tls_begin(struct aead *a, const OSSL_PARAM *p, size_t tag_len);
/* aead_tls_record processes a record of TLS 1.2 (RFC 5288, RFC 6655) in place: explicit IV, text,
 * tag.  `iv` is the whole IV, whose last part is the record's. */
int aead_tls_record(struct aead *a, uint8_t *out, size_t *out_len, size_t in_len, const uint8_t *iv,
                    size_t tag_len);

/* ---- aead_params.c: these return 1, or 0 with an error raised ---- */

OSSL_FUNC_cipher_get_ctx_params_fn aead_get_ctx_params;
OSSL_FUNC_cipher_set_ctx_params_fn aead_set_ctx_params;
OSSL_FUNC_cipher_gettable_ctx_params_fn aead_gettable_ctx;
OSSL_FUNC_cipher_settable_ctx_params_fn aead_settable_ctx;

#endif
