/* SPDX-License-Identifier: Apache-2.0 */
/* ECDSA and ECDH beyond published vectors: nonces, what is refused, DER in wrong forms, mistakes of
 * the computer while it signs, and what private operations leave on the stack. */
#define _GNU_SOURCE
#include "ec/ec_key.h"
#include "pk/nonce.h"
#include "pk/sign.h"
#include "stack_test.h"
#include "test.h"
#include <headrace/algorithms.h>

static const struct {
    hr_alg sign, agree, hmac;
} rows[] = {
    { HR_ECDSA_P256, HR_ECDH_P256, HR_HMAC_SHA256 },
    { HR_ECDSA_P384, HR_ECDH_P384, HR_HMAC_SHA384 },
    { HR_ECDSA_P521, HR_ECDH_P521, HR_HMAC_SHA512 },
};
enum { MAX_SIG = 2 * EC_BYTES };

static const struct hr_sign_options deterministic = { .flags = HR_SIGN_DETERMINISTIC };
static struct hr_sign_key key, other;

static struct ec_key *part_of(struct hr_sign_key *sign_key)
{
    return (struct ec_key *)((struct sign_key *)sign_key)->part;
}

static const char *name_of(hr_alg alg)
{
    return hr_algorithm(alg)->name;
}

static size_t sign(uint8_t *sig, const void *in, size_t len, const struct hr_sign_options *options)
{
    size_t sig_len = MAX_SIG;
    const int error = hr_sign(sig, &sig_len, in, len, &key, options);
    if (error)
        complain("sign: %s", hr_strerror(error));
    return sig_len;
}

/* ---- nonces ---- */

static void test_nonces(hr_alg alg)
{
    uint8_t in[100], a[MAX_SIG], b[MAX_SIG], random[32];
    random_bytes(in, sizeof in);
    random_bytes(random, sizeof random);
    const struct hr_sign_options fixed = { .random = random };
    for (size_t len = 0; len <= sizeof in; len += 1 + len / 5) {
        if (hr_sign_key_generate(&key, alg, NULL))
            complain("generate");
        const size_t sig_len = sign(a, in, len, NULL);
        sign(b, in, len, NULL);
        if (!memcmp(a, b, sig_len / 2))
            complain("two signatures have one nonce");
        if (hr_verify(a, sig_len, in, len, &key, NULL) ||
            hr_verify(b, sig_len, in, len, &key, NULL))
            complain("a signature of %zu bytes is refused", len);
        sign(a, in, len, &fixed);
        sign(b, in, len, &fixed);
        if (memcmp(a, b, sig_len))
            complain("the caller's random bytes are not used");
        sign(b, in, len, &deterministic);
        if (!memcmp(a, b, sig_len / 2))
            complain("a deterministic signature has a random nonce");
        sign(a, in, len, &deterministic);
        if (memcmp(a, b, sig_len))
            complain("deterministic signatures differ");
        a[random_below((uint32_t)sig_len)] ^= (uint8_t)(1 << random_below(8));
        if (hr_verify(a, sig_len, in, len, &key, NULL) != HR_EMAC)
            complain("a changed signature is accepted");
    }
    tap(1, "%s: nonces are random, the caller's or deterministic", name_of(alg));
}

/* ---- keys and points ---- */

static void refuse_private(hr_alg alg, const uint8_t *bytes, size_t len, int wanted)
{
    if (hr_sign_key_init(&other, alg, bytes, len) != wanted)
        complain("a wrong private key of %zu bytes", len);
}

static void test_private(hr_alg sign_alg, hr_alg agree_alg)
{
    struct hr_agree_key agree_key;
    if (hr_sign_key_generate(&key, sign_alg, NULL))
        complain("generate");
    const struct ec_domain *const domain = part_of(&key)->ec.domain;
    const size_t len = domain->bytes;
    const uint64_t one[EC_LIMBS] = { 1 };
    uint64_t n[EC_LIMBS];
    uint8_t bytes[EC_BYTES + 1] = { 0 };
    refuse_private(sign_alg, bytes, len, HR_EKEY);
    bn_to_bytes(bytes, len, domain->n);
    refuse_private(sign_alg, bytes, len, HR_EKEY);
    if (hr_agree_key_init(&agree_key, agree_alg, bytes, len) != HR_EKEY)
        complain("n is a private key of ECDH");
    bn_add(n, domain->n, one, domain->num);
    bn_to_bytes(bytes, len, n);
    refuse_private(sign_alg, bytes, len, HR_EKEY);
    memset(bytes, 0xff, sizeof bytes);
    refuse_private(sign_alg, bytes, len, HR_EKEY);
    memset(bytes, 1, sizeof bytes);
    refuse_private(sign_alg, bytes, len - 1, HR_EKEYLEN);
    refuse_private(sign_alg, bytes, len + 1, HR_EKEYLEN);
    bn_sub(n, domain->n, one, domain->num);
    bn_to_bytes(bytes, len, n);
    refuse_private(sign_alg, bytes, len, 0);
    tap(1, "%s: private keys out of range are refused", name_of(sign_alg));
}

static void refuse_public(hr_alg sign_alg, hr_alg agree_alg, const uint8_t *bytes, size_t len,
                          int wanted, const char *what)
{
    if (hr_sign_key_init_public(&other, sign_alg, bytes, len) != wanted ||
        hr_agree_check(agree_alg, bytes, len) != wanted)
        complain("%s", what);
}

static void test_public(hr_alg sign_alg, hr_alg agree_alg)
{
    uint8_t point[EC_MAX_PUBLIC + 1], bad[EC_MAX_PUBLIC + 1], back[EC_MAX_PUBLIC];
    size_t len = sizeof point;
    if (hr_sign_key_generate(&key, sign_alg, NULL) || hr_sign_key_public(point, &len, &key))
        complain("generate");
    const struct ec_domain *const domain = part_of(&key)->ec.domain;
    const size_t bytes = domain->bytes;
    refuse_public(sign_alg, agree_alg, point, len, 0, "a right point is refused");
    refuse_public(sign_alg, agree_alg, point, len - 1, HR_EKEYLEN, "a short point");
    refuse_public(sign_alg, agree_alg, point, len + 1, HR_EKEYLEN, "a long point");
    refuse_public(sign_alg, agree_alg, (const uint8_t *)"", 1, HR_EKEYLEN, "infinity");
    memset(bad, 0, sizeof bad);
    bad[0] = 4;
    refuse_public(sign_alg, agree_alg, bad, len, HR_EKEY, "(0, 0)");
    for (int form = 0; form < 256; form++) {
        memcpy(bad, point, len);
        bad[0] = (uint8_t)form;
        if (form != 4)
            refuse_public(sign_alg, agree_alg, bad, len, HR_EKEY, "another form's byte");
        if (form != 2 && form != 3)
            refuse_public(sign_alg, agree_alg, bad, 1 + bytes, HR_EKEY, "the same, compressed");
    }
    memcpy(bad, point, len);
    bad[len - 1] ^= 1;
    refuse_public(sign_alg, agree_alg, bad, len, HR_EKEY, "a point beside the curve");
    memcpy(bad, point, len);
    bn_to_bytes(bad + 1, bytes, domain->p);
    refuse_public(sign_alg, agree_alg, bad, len, HR_EKEY, "x = p");
    memcpy(bad, point, 1 + bytes);
    bad[0] = 2 + (point[len - 1] & 1);
    if (hr_sign_key_init_public(&other, sign_alg, bad, 1 + bytes) ||
        hr_sign_key_public(back, &len, &other) || memcmp(back, point, len))
        complain("a compressed point");
    tap(1, "%s: public keys that are no points are refused", name_of(sign_alg));
}

/* test_pair makes keys of both parts: a public key that is another's only fails checks of
 * signatures, one that is no point is refused. */
static void test_pair(hr_alg alg)
{
    static struct hr_sign_key stranger, pair;
    uint8_t bytes[EC_BYTES], point[EC_MAX_PUBLIC], others[EC_MAX_PUBLIC], sig[MAX_SIG];
    size_t len = sizeof bytes, point_len = sizeof point, others_len = sizeof others;
    const struct hr_sign_options same = { .flags = HR_SIGN_DETERMINISTIC, .digest = HR_SHA256 };
    if (hr_sign_key_generate(&key, alg, NULL) || hr_sign_key_private(bytes, &len, &key) ||
        hr_sign_key_public(point, &point_len, &key) || hr_sign_key_generate(&stranger, alg, NULL) ||
        hr_sign_key_public(others, &others_len, &stranger))
        complain("generate");
    size_t sig_len = sizeof sig;
    if (hr_sign_key_init_pair(&pair, alg, bytes, len, point, point_len) ||
        memcmp(&pair, &key, hr_sign_key_size(alg)))
        complain("a pair makes another key");
    if (hr_sign(sig, &sig_len, "digest", 6, &pair, &same) ||
        hr_verify(sig, sig_len, "digest", 6, &key, &same))
        complain("a pair does not sign");
    if (hr_sign_key_init_pair(&pair, alg, bytes, len, others, others_len) ||
        hr_sign(sig, &sig_len, "digest", 6, &pair, &same) != HR_EFAULT)
        complain("a stranger's public key passes the check");
    sig_len = sizeof sig;
    if (hr_sign(sig, &sig_len, "digest", 6, &pair, NULL) ||
        hr_verify(sig, sig_len, "digest", 6, &key, NULL))
        complain("with a stranger's public key nothing is signed");
    if (hr_sign_key_init_pair(&pair, alg, bytes, len, point, point_len - 1) != HR_EKEYLEN ||
        hr_sign_key_init_pair(&pair, alg, bytes, len - 1, point, point_len) != HR_EKEYLEN)
        complain("a short part");
    point[1] ^= 1;
    if (hr_sign_key_init_pair(&pair, alg, bytes, len, point, point_len) != HR_EKEY)
        complain("a point beside the curve");
    tap(1, "%s: keys of both parts", name_of(alg));
}

/* ---- signatures out of range ---- */

static void refuse_signature(uint8_t *sig, size_t half, const uint64_t *number, const char *what)
{
    const size_t bytes = part_of(&key)->ec.domain->bytes;
    uint8_t kept[EC_BYTES];
    memcpy(kept, sig + half * bytes, bytes);
    bn_to_bytes(sig + half * bytes, bytes, number);
    if (hr_verify(sig, 2 * bytes, "digest", 6, &key, NULL) != HR_EMAC)
        complain("%s is accepted", what);
    memcpy(sig + half * bytes, kept, bytes);
}

static void test_range(hr_alg alg)
{
    static const uint64_t zero[EC_LIMBS];
    uint8_t sig[MAX_SIG];
    uint64_t number[EC_LIMBS];
    if (hr_sign_key_generate(&key, alg, NULL))
        complain("generate");
    const struct ec_domain *const domain = part_of(&key)->ec.domain;
    const size_t sig_len = sign(sig, "digest", 6, NULL), bytes = domain->bytes;
    for (size_t half = 0; half < 2; half++) {
        refuse_signature(sig, half, zero, "0");
        refuse_signature(sig, half, domain->n, "n");
        bn_from_bytes(number, domain->num, sig + half * bytes, bytes);
        bn_add(number, number, domain->n, domain->num);
        refuse_signature(sig, half, number, "a number above n");
        memset(number, 0xff, sizeof number);
        refuse_signature(sig, half, number, "all ones");
    }
    if (hr_verify(sig, sig_len - 1, "digest", 6, &key, NULL) != HR_EMAC)
        complain("a short signature is accepted");
    /* (r, n - s) is a signature as well: FIPS 186-5 does not choose. */
    bn_from_bytes(number, domain->num, sig + bytes, bytes);
    bn_sub(number, domain->n, number, domain->num);
    bn_to_bytes(sig + bytes, bytes, number);
    if (hr_verify(sig, sig_len, "digest", 6, &key, NULL))
        complain("n - s is refused");
    tap(1, "%s: signatures out of range are refused", name_of(alg));
}

/* ---- DER ---- */

static void test_der(void)
{
    static const struct {
        const char *what;
        uint8_t len, der[12];
    } wrong[] = {
        { "nothing", 0, { 0 } },
        { "a tag", 1, { 0x30 } },
        { "no numbers", 2, { 0x30, 0 } },
        { "one number", 5, { 0x30, 3, 2, 1, 1 } },
        { "a third number", 11, { 0x30, 9, 2, 1, 1, 2, 1, 1, 2, 1, 1 } },
        { "a byte after", 9, { 0x30, 6, 2, 1, 1, 2, 1, 1, 0 } },
        { "a byte inside", 9, { 0x30, 7, 2, 1, 1, 2, 1, 1, 0 } },
        { "too short", 7, { 0x30, 6, 2, 1, 1, 2, 1 } },
        { "a set", 8, { 0x31, 6, 2, 1, 1, 2, 1, 1 } },
        { "a string", 8, { 0x30, 6, 2, 1, 1, 4, 1, 1 } },
        { "a long length", 9, { 0x30, 0x81, 6, 2, 1, 1, 2, 1, 1 } },
        { "a longer length", 10, { 0x30, 0x82, 0, 6, 2, 1, 1, 2, 1, 1 } },
        { "no length", 10, { 0x30, 0x80, 2, 1, 1, 2, 1, 1, 0, 0 } },
        { "a number with a long length", 9, { 0x30, 7, 2, 0x81, 1, 1, 2, 1, 1 } },
        { "an empty number", 7, { 0x30, 5, 2, 0, 2, 1, 1 } },
        { "a negative number", 8, { 0x30, 6, 2, 1, 0x80, 2, 1, 1 } },
        { "a zero too many", 9, { 0x30, 7, 2, 2, 0, 1, 2, 1, 1 } },
        { "a large number", 10, { 0x30, 8, 2, 3, 1, 0, 0, 2, 1, 1 } },
    };
    uint8_t sig[MAX_SIG], back[MAX_SIG], der[MAX_SIG + 9];
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        if (hr_ecdsa_from_der(sig, 4, wrong[i].der, wrong[i].len) != HR_EFORMAT)
            complain("%s is read", wrong[i].what);
    for (size_t len = 2; len <= MAX_SIG; len += 2)
        for (int i = 0; i < 100; i++) {
            size_t der_len = sizeof der;
            random_bytes(sig, len);
            memset(sig, 0, random_below(4) ? 0 : random_below((uint32_t)len / 2 + 1));
            memset(sig + len / 2, 0, random_below(4) ? 0 : random_below((uint32_t)len / 2 + 1));
            if (hr_ecdsa_to_der(der, &der_len, sig, len) || der_len > len + 9 ||
                hr_ecdsa_from_der(back, len, der, der_len) || memcmp(back, sig, len))
                complain("%zu bytes there and back", len);
            size_t small = der_len - 1;
            if (hr_ecdsa_to_der(back, &small, sig, len) != HR_EBUFFER)
                complain("a buffer that is too small");
            if (!hr_ecdsa_from_der(back, len, der, der_len - 1))
                complain("DER without its end");
        }
    tap(1, "DER: there and back, and no other form");
}

/* ---- a computer that makes mistakes ---- */

static const struct ec_kernel *right;
static unsigned calls, mistake_at;

/* Changes a bit of the result of one call. */
static void maybe_mistake(uint64_t *z)
{
    if (++calls == mistake_at)
        z[0] ^= 4;
}
static void wrong_add_affine(uint64_t *sum, const uint64_t *p, const uint64_t *q)
{
    right->add_affine(sum, p, q);
    maybe_mistake(sum);
}
static void wrong_twice(uint64_t *out, const uint64_t *p)
{
    right->twice(out, p);
    maybe_mistake(out);
}
static void wrong_mul(uint64_t *z, const uint64_t *x, const uint64_t *y)
{
    right->mul(z, x, y);
    maybe_mistake(z);
}
static void wrong_mod_inverse(uint64_t num, uint64_t *z, const uint64_t *x, const uint64_t *m,
                              uint64_t *t)
{
    right->mod_inverse(num, z, x, m, t);
    maybe_mistake(z);
}

static void test_mistakes(hr_alg alg, unsigned often)
{
    static const uint8_t untouched[MAX_SIG];
    uint8_t wanted[MAX_SIG], sig[MAX_SIG];
    if (hr_sign_key_generate(&key, alg, NULL))
        complain("generate");
    const size_t sig_len = sign(wanted, "digest", 6, &deterministic);
    struct ec *const ec = &part_of(&key)->ec;
    right = ec->kernel;
    struct ec_kernel wrong = *right;
    wrong.add_affine = wrong_add_affine;
    wrong.twice = wrong_twice;
    wrong.mul = wrong_mul;
    wrong.mod_inverse = right->mod_inverse ? wrong_mod_inverse : NULL;
    ec->kernel = &wrong;
    mistake_at = calls = 0;
    sign(sig, "digest", 6, &deterministic);
    const unsigned all = calls;
    unsigned caught = 0;
    for (mistake_at = 1; mistake_at <= all; mistake_at += 1 + mistake_at / often) {
        size_t len = sizeof sig;
        calls = 0;
        memset(sig, 0, sizeof sig);
        const int error = hr_sign(sig, &len, "digest", 6, &key, &deterministic);
        caught += error == HR_EFAULT;
        if (error ? error != HR_EFAULT || memcmp(sig, untouched, sizeof sig)
                  : memcmp(sig, wanted, sig_len) != 0)
            complain("a mistake in step %u of %u leaves with a signature", mistake_at, all);
    }
    ec->kernel = right;
    tap(caught > 20, "%s: no mistake leaves with a deterministic signature", name_of(alg));
}

/* ---- what is left on the stack ---- */

static struct hr_agree_key agree_key;
/* A deterministic signature's verification would write over what signing leaves. */
static const uint8_t fresh[NONCE_FRESH] = { 1, 2, 3 };

static void *private_operations(void *sig)
{
    const struct hr_sign_options options = { .random = fresh };
    uint8_t point[EC_MAX_PUBLIC];
    size_t len = MAX_SIG;
    if (hr_sign(sig, &len, "digest", 6, &key, &options))
        complain("sign");
    len = sizeof point;
    if (hr_agree_key_public(point, &len, &agree_key) ||
        hr_agree(point, &len, point, len, &agree_key))
        complain("agree");
    return NULL;
}

/* struct pair is both parts of a key. */
struct pair {
    hr_alg alg;
    uint8_t private[EC_BYTES], public[EC_MAX_PUBLIC];
    size_t private_len, public_len;
};

/* make_pair takes both parts, as computing a public key would write over what is left. */
static void *make_pair(void *arg)
{
    static struct hr_sign_key made;
    const struct pair *const p = arg;
    if (hr_sign_key_init_pair(&made, p->alg, p->private, p->private_len, p->public, p->public_len))
        complain("pair");
    return NULL;
}

static void look_for_key(const struct ec_key *part)
{
    look_for(part->scalar, part->ec.domain->num, "the private key");
    look_for(part->scalar_form, part->ec.domain->num, "the private key in Montgomery's form");
}

static void test_pair_stack(hr_alg alg)
{
    struct pair p = { .alg = alg };
    p.private_len = sizeof p.private;
    p.public_len = sizeof p.public;
    if (hr_sign_key_private(p.private, &p.private_len, &key) ||
        hr_sign_key_public(p.public, &p.public_len, &key))
        complain("parts");
    on_stack(make_pair, &p);
    look_for_key(part_of(&key));
    tap(1, "%s: a new key leaves nothing on the stack", name_of(alg));
}

static void test_stack(hr_alg sign_alg, hr_alg agree_alg, hr_alg hmac)
{
    if (HAS_WINDOWS) {
        tap_skip("register windows", "%s: no secret is left on the stack", name_of(sign_alg));
        return;
    }
    uint8_t sig[MAX_SIG], bytes[EC_BYTES];
    size_t len = sizeof bytes;
    if (hr_sign_key_generate(&key, sign_alg, NULL) || hr_sign_key_private(bytes, &len, &key) ||
        hr_agree_key_init(&agree_key, agree_alg, bytes, len))
        complain("generate");
    on_stack(private_operations, sig);
    const struct ec_key *const part = part_of(&key);
    const size_t num = part->ec.domain->num;
    uint64_t digest[EC_LIMBS], nonce[EC_LIMBS], half[EC_LIMBS];
    struct nonces nonces;
    const struct nonce_order order = { part->ec.domain->n, num, part->ec.domain->bits };
    ec_leftmost(digest, (const uint8_t *)"digest", 6, part->ec.domain);
    if (nonces_start(&nonces, hmac, &order, part->scalar, digest, fresh) ||
        nonces_next(nonce, &nonces))
        complain("nonce");
    look_for_key(part);
    look_for(nonce, num, "the nonce");
    bn_sub(half, part->ec.domain->n, nonce, num);
    look_for(half, num, "the negated nonce");
    tap(1, "%s: no secret is left on the stack", name_of(sign_alg));
    test_pair_stack(sign_alg);
}

/* --quick injects fewer mistakes, into operations with the longest numbers none. */
int main(int argc, char **argv)
{
    const int quick = argc > 1 && !strcmp(argv[1], "--quick");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        test_nonces(rows[i].sign);
        test_private(rows[i].sign, rows[i].agree);
        test_public(rows[i].sign, rows[i].agree);
        test_pair(rows[i].sign);
        test_range(rows[i].sign);
        if (!quick || rows[i].sign != HR_ECDSA_P521)
            test_mistakes(rows[i].sign, quick ? 10 : 40);
        test_stack(rows[i].sign, rows[i].agree, rows[i].hmac);
    }
    test_der();
    return tap_done();
}
