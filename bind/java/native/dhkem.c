/* SPDX-License-Identifier: Apache-2.0 */
/* DHKEM (RFC 9180, section 4.1): a key agreement with a new key, and HKDF of its secret, the new
 * public key and the receiver's. */
#include "dhkem.h"
#include <headrace/algorithms.h>

/* The suites (table 2).  A secret is as long as the MAC. */
static const struct suite {
    hr_alg alg;
    uint8_t id[2];
    hr_alg hmac;
} suites[] = {
    { HR_ECDH_P256, { 0x00, 0x10 }, HR_HMAC_SHA256 },
    { HR_ECDH_P384, { 0x00, 0x11 }, HR_HMAC_SHA384 },
    { HR_ECDH_P521, { 0x00, 0x12 }, HR_HMAC_SHA512 },
    { HR_X25519, { 0x00, 0x20 }, HR_HMAC_SHA256 },
};

enum {
    MAX_PUBLIC = 133, /* of P-521 */
    MAX_AGREED = 66,
    MAX_MAC = 64,
    MAX_TEXT = 2 + 7 + 5 + 13 + 2 * MAX_PUBLIC,
};

static const struct suite *suite_of(hr_alg alg)
{
    for (size_t i = 0; i < COUNT(suites); i++)
        if (suites[i].alg == alg)
            return &suites[i];
    return NULL;
}

/* struct text is what HKDF takes, which grows by parts. */
struct text {
    uint8_t bytes[MAX_TEXT];
    size_t len;
};

static void add(struct text *t, const void *bytes, size_t len)
{
    memcpy(t->bytes + t->len, bytes, len);
    t->len += len;
}

/* add_label adds what LabeledExtract and LabeledExpand of section 4 have before their inputs. */
static void add_label(struct text *t, const struct suite *s, const char *label)
{
    add(t, "HPKE-v1", 7);
    add(t, "KEM", 3);
    add(t, s->id, sizeof s->id);
    add(t, label, strlen(label));
}

/* A secret that two parties agreed on, and the public keys that both know. */
struct agreed {
    const struct suite *suite;
    const uint8_t *sent, *receiver;
    size_t public_len;
    uint8_t secret[MAX_AGREED];
    size_t secret_len;
};

/* extract_and_expand writes the secret of the suite. */
static int extract_and_expand(uint8_t *out, size_t out_len, const struct agreed *a)
{
    struct text ikm = { .len = 0 }, info = { .len = 0 };
    uint8_t prk[MAX_MAC];
    add_label(&ikm, a->suite, "eae_prk");
    add(&ikm, a->secret, a->secret_len);
    int rv = hr_hkdf_extract(prk, a->suite->hmac, NULL, 0, ikm.bytes, ikm.len);
    if (!rv) {
        add(&info, (uint8_t[]){ 0, (uint8_t)out_len }, 2);
        add_label(&info, a->suite, "shared_secret");
        add(&info, a->sent, a->public_len);
        add(&info, a->receiver, a->public_len);
        rv = hr_hkdf_expand(out, out_len, a->suite->hmac, prk, out_len, info.bytes, info.len);
    }
    WIPE(&ikm);
    WIPE(&prk);
    return rv;
}

/* agree computes the secret of a private key and the other party's public key, and derives. */
static int agree(uint8_t *out, size_t out_len, struct agreed *a, const struct hr_agree_key *key,
                 const uint8_t *peer)
{
    a->secret_len = sizeof a->secret;
    int rv = hr_agree(a->secret, &a->secret_len, peer, a->public_len, key);
    if (!rv)
        rv = extract_and_expand(out, out_len, a);
    WIPE(&a->secret);
    return rv;
}

static size_t secret_len(const struct suite *s)
{
    return hr_algorithm(s->hmac)->out_len;
}

int dhkem_encapsulate(const struct pk *pk, const struct pk_options *options, uint8_t *out,
                      size_t *len, const uint8_t *in, size_t in_len)
{
    const struct suite *s = suite_of(pk->alg);
    size_t public_len = hr_algorithm(pk->alg)->public_len;
    if (!s || in_len != public_len)
        return HR_EKEYLEN;
    if (*len < public_len + secret_len(s))
        return HR_EBUFFER;
    *len = public_len + secret_len(s);
    struct agreed a = { .suite = s, .sent = out, .receiver = in, .public_len = public_len };
    const int rv = hr_agree_key_public(out, &public_len, pk_key(pk));
    return rv ? rv : agree(out + public_len, secret_len(s), &a, pk_key(pk), in);
}

int dhkem_decapsulate(const struct pk *pk, const struct pk_options *options, uint8_t *out,
                      size_t *len, const uint8_t *in, size_t in_len)
{
    const struct suite *s = suite_of(pk->alg);
    const size_t public_len = hr_algorithm(pk->alg)->public_len;
    if (!s || in_len != 2 * public_len)
        return HR_ELENGTH;
    if (*len < secret_len(s))
        return HR_EBUFFER;
    *len = secret_len(s);
    struct agreed a = {
        .suite = s, .sent = in, .receiver = in + public_len, .public_len = public_len
    };
    return agree(out, secret_len(s), &a, pk_key(pk), in);
}
