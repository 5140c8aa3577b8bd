/* SPDX-License-Identifier: Apache-2.0 */
/* What the model of ciphers knows about a sequence. */
#ifndef HR_TEST_MODEL_CIPHER_H
#define HR_TEST_MODEL_CIPHER_H

#include "model.h"

enum facts {
    KEYED = 1 << 0,    /* a key was given */
    PLACED = 1 << 1,   /* an IV was given */
    RANDOM = 1 << 2,   /* an IV may be random */
    RECORDS = 1 << 3,  /* the header of a TLS record was given */
    TLS_CBC = 1 << 4,  /* parameters of CBC's TLS records were given */
    IN_PLACE = 1 << 5, /* the last update was in place */
    WAITING = 1 << 6,  /* bytes of a block wait */
    WAITED = 1 << 7,   /* they did before the last update */
    TURNED = 1 << 8,   /* the direction was changed, and no key given since */
    NUMBERED = 1 << 9, /* a position was given */
    REKEYED = 1 << 10, /* a key was given, and no IV since */
    GARBAGE = 1 << 11, /* REKEYED once */
    FAILED = 1 << 12,  /* a final failed, or a text of CCM */
    PARTIAL = 1 << 13, /* a list of parameters was refused */
    CARRIED = 1 << 14, /* an init came without IV, when bytes waited */
    TAGGED = 1 << 15,  /* a tag was given */
    ENDED = 1 << 16,   /* a final came */
    WRONG = 1 << 17,   /* a final of GCM failed */
};

extern const struct difference cipher_differences[];

static inline int mode(const struct run *r)
{
    return EVP_CIPHER_get_mode(r->subject->alg[THEIR_SIDE]);
}

static inline int is_aead(const struct run *r)
{
    return EVP_CIPHER_get_flags(r->subject->alg[THEIR_SIDE]) & EVP_CIPH_FLAG_AEAD_CIPHER;
}

/* is_poly: ChaCha20-Poly1305, the only AEAD whose mode has no number. */
static inline int is_poly(const struct run *r)
{
    return is_aead(r) && mode(r) == EVP_CIPH_STREAM_CIPHER;
}

static inline int is_block(const struct run *r)
{
    return EVP_CIPHER_get_block_size(r->subject->alg[THEIR_SIDE]) > 1;
}

static inline int wraps(const struct run *r)
{
    return mode(r) == EVP_CIPH_WRAP_MODE;
}

/* Whether the cipher is DES3-WRAP, which has no row. */
static inline int wraps_by_des(const struct run *r)
{
    return wraps(r) && !r->subject->row;
}

#endif
