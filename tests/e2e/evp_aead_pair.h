/* SPDX-License-Identifier: Apache-2.0 */
/* A context of the default provider and one of ours, and the comparison of what they do. */
#ifndef HR_TEST_EVP_AEAD_PAIR_H
#define HR_TEST_EVP_AEAD_PAIR_H

#include "evp.h"

enum { MAX_DATA = 2500, MAX_IV = 128 };

struct pair {
    const struct hr_algorithm *row;
    EVP_CIPHER *cipher[2];
    EVP_CIPHER_CTX *ctx[2];
    unsigned char key[32], iv[MAX_IV];
    int enc;
    int tag_lost; /* the default provider's tag is overwritten, by a record or a refused tag */
    int has_iv;   /* GCM: one was set, or made */
    int texted;   /* text was taken under this IV */
    int failed;   /* text was refused */
    int begun;    /* text or AAD was given under this IV */
    int refused;  /* GCM: the tag of this message was wrong */
    int over;     /* a final call was made under this IV */
    uint64_t random;
};

struct result {
    int ok, len;
    unsigned long reason;
    unsigned char out[MAX_DATA + 32];
};

static inline size_t below(struct pair *p, size_t limit)
{
    return next_random(&p->random) % limit;
}

static inline int is_ccm(const struct pair *p)
{
    return p->row->mode == HR_MODE_CCM;
}

/* is_poly: ChaCha20-Poly1305.  The default provider begins a new message after a final call, with
 * the IV of the one before; release 4 refuses its text. */
static inline int is_poly(const struct pair *p)
{
    return p->row->mode == HR_MODE_POLY1305;
}

/* last_reason empties the queue and returns a provider's last reason: EVP's own vary by release. */
static inline unsigned long last_reason(void)
{
    unsigned long reason = 0, error;
    while ((error = ERR_get_error()))
        if (ERR_GET_LIB(error) == ERR_LIB_PROV)
            reason = ERR_GET_REASON(error);
    return reason;
}

static inline void compare(const struct pair *p, struct result r[2], const char *call)
{
    if (r[0].ok == r[1].ok && r[0].reason == r[1].reason &&
        (r[0].ok <= 0 || (r[0].len == r[1].len && !memcmp(r[0].out, r[1].out, (size_t)r[0].len))))
        return;
    printf("Bail out! %s: %s (%s): default %d (%d bytes, reason %lu), headrace %d (%d bytes, "
           "reason %lu)\n",
           p->row->name, call, p->enc ? "encrypt" : "decrypt", r[0].ok, r[0].len, r[0].reason,
           r[1].ok, r[1].len, r[1].reason);
    exit(1);
}

#endif
