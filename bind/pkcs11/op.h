/* SPDX-License-Identifier: Apache-2.0 */
/* An operation of a session, from C_...Init to its end, and the engines that compute it. */
#ifndef HR_P11_OP_H
#define HR_P11_OP_H

#include "../stats.h"
#include "module.h"
#include "object.h"

/* A session has at most one operation of each kind at a time. */
enum op_kind {
    OP_DIGEST,
    OP_ENCRYPT,
    OP_DECRYPT,
    OP_SIGN,
    OP_VERIFY,
    OP_SIGN_RECOVER,
    OP_VERIFY_RECOVER,
    OP_MESSAGE_ENCRYPT,
    OP_MESSAGE_DECRYPT,
    OP_MESSAGE_SIGN,
    OP_MESSAGE_VERIFY,
    OP_WRAP, /* these begin and end within one call */
    OP_UNWRAP,
    OP_DERIVE,
    OP_ENCAPSULATE,
    OP_DECAPSULATE,
    NUM_OPS
};

enum { MAX_SECRET = 16384 };

enum op_stage {
    OP_NONE,    /* no operation */
    OP_READY,   /* after C_...Init */
    OP_PIECES,  /* after an update */
    OP_MESSAGE, /* within a message of a message-based operation */
    OP_PENDING, /* until C_AsyncComplete hands out its result (async.h) */
};

struct op {
    struct session *session;
    const struct mechanism *mech;
    /* The key, which is not freed as long as this points to it.  It stays after the operation, so
     * that the next one with the same key has it at once. */
    struct object *_Atomic key;
    CK_OBJECT_HANDLE key_handle;
    const struct mechanism *form_mech; /* for which `form` was made, under this key */
    void *form;                        /* the key as the engine uses it; the key owns it */
    hr_alg alg;                        /* the row */
    uint8_t stage, kind;               /* enum op_stage, op_kind */
    uint8_t decrypts;                  /* decrypts or unwraps */
    uint8_t is_context;                /* the first context of `u` is begun */
    uint8_t always_auth;               /* C_Login(CKU_CONTEXT_SPECIFIC) is still to come */
    _Atomic uint8_t is_busy;           /* op_enter, op_leave */
    uint32_t out_len;                  /* of a MAC, a tag */
    uint32_t iv_len, aad_len;
    uint64_t data_len; /* of CCM; of CTR, what is left of the counter */
    uint64_t joined;   /* the bits of a second key of a derivation, or those that hide nothing */
    uint8_t iv[64];    /* IVs up to this length; GCM's longer ones are in `more` */
    /* Memory of the operation: a signature that came first, AAD, texts that wait.  It stays for the
     * next operation, without its contents. */
    uint8_t *more;
    size_t more_len, more_room;
    uint32_t sig_len;        /* bytes of the signature, at the beginning of `more`; 0: none came */
    struct pending *pending; /* in OP_PENDING */
    struct served served;
    union {
        struct hr_digest_ctx digest;
        struct hr_hmac_ctx hmac;
        struct hr_cipher_ctx cipher;
        struct hr_aead_ctx aead;
        struct hr_cmac_ctx cmac;
        struct hr_nmac_ctx nmac;
        struct { /* of signatures of a whole message (pk/message.c, accel/engine_pk.c) */
            uint8_t context[256];
            bool is_begun; /* one of these is */
            union {
                struct hr_digest_ctx digest;
                struct hr_xof_ctx xof;
            } hash;
        } message;
    } u;
};

/* The parameter of one message of a message-based operation. */
struct message {
    CK_BYTE *iv, *tag;
    CK_ULONG iv_len, fixed_bits, tag_len, data_len; /* data_len: UINT64_MAX but for CCM */
    CK_GENERATOR_FUNCTION generator;
};

typedef CK_RV engine_form_fn(const struct mechanism *mech, struct module *m,
                             const struct object *key, void **form, hr_alg *alg);
typedef CK_RV engine_verify_fn(struct op *op, const CK_BYTE *in, size_t len, const CK_BYTE *sig,
                               size_t sig_len);
typedef CK_RV engine_message_fn(struct op *op, const struct message *msg, const CK_BYTE *aad,
                                size_t aad_len, const CK_BYTE *in, size_t len, CK_BYTE *out);
typedef CK_RV engine_encapsulate_fn(struct op *op, CK_BYTE *ciphertext, size_t *ciphertext_len,
                                    uint8_t *secret, size_t *len);
typedef CK_RV engine_decapsulate_fn(struct op *op, const CK_BYTE *ciphertext, size_t ciphertext_len,
                                    uint8_t *secret, size_t *len);

/* The functions of an engine; those that it lacks are NULL.  `whole` processes a whole message, of
 * which `out_len` (in: the room) is already known to be enough by `size`.  After an error the
 * operation ends, but for CKR_BUFFER_TOO_SMALL. */
struct prepared;
struct engine {
    /* init reads the mechanism's parameter into the operation. */
    CK_RV (*init)(struct op *op, const CK_MECHANISM *mechanism);
    /* init_messages does so for message-based operations.  message processes a whole message, of
     * which the text is as long as the ciphertext; NULL: the library does, and encrypts pieces. */
    CK_RV (*init_messages)(struct op *op, const CK_MECHANISM *mechanism);
    engine_message_fn *message;
    /* form makes the key's form for this mechanism, in memory of secret_new, or returns an error;
     * *alg is the row.  It is made once for a key, and used by any number of threads. */
    engine_form_fn *form;
    /* size returns how long the result of so many bytes is at most: of the whole message, of an
     * update, of the end (len 0). */
    size_t (*size)(const struct op *op, size_t len, enum op_stage stage);
    CK_RV (*whole)(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len);
    CK_RV (*update)(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len);
    CK_RV (*final)(struct op *op, CK_BYTE *out, size_t *out_len);
    /* prepare writes the job that does the same as `whole`, or with `in` NULL as `final`, but for
     * members that async.c has set.  CKR_FUNCTION_NOT_SUPPORTED: there is none, and nothing has
     * changed.  finish returns the result of such a job; NULL: error_of it. */
    CK_RV (*prepare)(struct op *op, const CK_BYTE *in, size_t len, struct prepared *to);
    CK_RV (*finish)(const struct op *op, struct prepared *done);
    /* verify compares a signature of the whole message, verify_final of the pieces before. */
    engine_verify_fn *verify;
    CK_RV (*verify_final)(struct op *op, const CK_BYTE *sig, size_t sig_len);
    /* derive computes a secret of the key: *len is how many bytes are wanted, 0: as many as there
     * are, or how many bytes `secret` has room for (MAX_SECRET), and becomes how many there are. */
    CK_RV (*derive)(struct op *op, const CK_MECHANISM *mechanism, uint8_t *secret, size_t *len);
    /* encapsulate and decapsulate do so with a ciphertext. */
    engine_encapsulate_fn *encapsulate;
    engine_decapsulate_fn *decapsulate;
};
extern const struct engine engine_digest, engine_hmac, engine_cmac, engine_gmac, engine_cipher,
    engine_aead, engine_xts, engine_hkdf, engine_keywrap;

/* op_enter says that an operation may use its key from now on, before it looks whether that is
 * still there; op_leave that it does not any more, before it looks again.  The stores are plain
 * ones: who destroys a key makes all threads pass a barrier, and then looks at them (object.c). */
static inline void op_enter(struct op *op)
{
    atomic_store_explicit(&op->is_busy, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
}
static inline void op_leave(struct op *op)
{
    atomic_store_explicit(&op->is_busy, 0, memory_order_release);
    atomic_signal_fence(memory_order_seq_cst);
}

/* op_begin is the first half of C_...Init: session, mechanism, key, policy, form, parameter. */
RV op_begin(CK_SESSION_HANDLE session, enum op_kind kind, const CK_MECHANISM *mechanism,
            CK_OBJECT_HANDLE key, uint64_t uses, CK_FLAGS flag);
/* op_get finds the operation of a session that is in one of two stages. */
RV op_get(struct op **op, CK_SESSION_HANDLE session, enum op_kind kind, enum op_stage a,
          enum op_stage b);
/* op_end ends an operation, and wipes what it has of the message; it returns rv. */
CK_RV op_end(struct op *op, CK_RV rv);
/* op_keep appends bytes to op->more. */
RV op_keep(struct op *op, const void *bytes, size_t len);
/* copy_short copies an IV or a tag: the usual lengths without a call, and so that a kernel that
 * loads them in these parts need not wait until they are in the cache. */
static inline void copy_short(uint8_t *out, const uint8_t *in, size_t len)
{
    if (LIKELY(len == 16)) {
        memcpy(out, in, 16);
    } else if (LIKELY(len == 12)) {
        memcpy(out, in, 8);
        memcpy(out + 8, in + 8, 4);
    } else {
        memcpy(out, in, len);
    }
}
/* is_other_length tells whether a text to encrypt is longer or shorter than CCM's parameter says.
 * Who wraps a key need not know its length. */
static inline bool is_other_length(const struct op *op, size_t len)
{
    return op->kind == OP_ENCRYPT && op->data_len != UINT64_MAX && op->data_len != len;
}
/* aead_takes tells whether an AEAD has such IVs and tags. */
bool aead_takes(const struct op *op, CK_ULONG iv_len, CK_ULONG tag_len);
/* op_free frees what an operation has, when its session ends. */
void op_free(struct module *m, struct op *op);
/* op_count counts a call with so many bytes in the statistics. */
static inline void op_count(struct op *op, size_t len)
{
    served_add(&op->served, len);
}

#endif
