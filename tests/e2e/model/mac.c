/* SPDX-License-Identifier: Apache-2.0 */
/* The model of MACs. */
#include "model.h"

enum { MAX_DATA = 300, ROOM = 80 };
enum facts {
    KEYED = 1,   /* a key was given */
    PLACED = 2,  /* an IV was given */
    REKEYED = 4, /* a key was given, and no IV since */
    PARTIAL = 8, /* parameters were refused */
    ENDED = 16,  /* a final came, and no key since */
};

static EVP_MAC_CTX *ctx(const struct run *r)
{
    return r->ctx[r->side];
}

static int is_gmac(const struct run *r)
{
    return EVP_MAC_is_a(r->subject->alg[THEIR_SIDE], "GMAC");
}

static size_t mac_subjects(const struct loaded *both, struct subject out[], size_t most)
{
    static const char *const names[] = { "GMAC", "POLY1305" };
    size_t num = 0;
    for (; num < sizeof names / sizeof *names && num < most; num++) {
        snprintf(out[num].name, sizeof out->name, "%s", names[num]);
        for (int side = 0; side < 2; side++)
            MUST((out[num].alg[side] =
                      EVP_MAC_fetch(both->libctx, names[num], side == OUR_SIDE ? OURS : THEIRS)));
    }
    return num;
}

static void *mac_make(const struct subject *s, int side)
{
    EVP_MAC_CTX *made = EVP_MAC_CTX_new(s->alg[side]);
    MUST(made);
    return made;
}

static void mac_unmake(void *made)
{
    EVP_MAC_CTX_free(made);
}

/* ---- parameters ---- */

static const int key_lens[] = { 0, 16, 16, 24, 32, 32, 32, 33, -1 };
static const int iv_lens[] = { 0, 1, 12, 12, 12, 12, 16, 128, 129, -1 };
static const int sizes[] = { 0, 4, 12, 16, 17, -1 };
static const char *const ciphers[] = { "AES-128-GCM", "AES-128-GCM", "AES-192-GCM",
                                       "AES-256-GCM", "AES-256-GCM", "ARIA-128-GCM",
                                       "AES-128-CBC", "nonsense",    NULL };
static const char *const digests[] = { "SHA256", "nonsense", NULL };
static const char *const properties[] = { "", "provider=default", "x=nonsense", NULL };

static const struct kind kinds[] = {
    { OSSL_MAC_PARAM_CIPHER, OSSL_PARAM_UTF8_STRING, sizes, ciphers, 0 },
    { OSSL_MAC_PARAM_CIPHER, OSSL_PARAM_UTF8_STRING, sizes, ciphers, 0 },
    { OSSL_MAC_PARAM_KEY, OSSL_PARAM_OCTET_STRING, key_lens, NULL, 0 },
    { OSSL_MAC_PARAM_IV, OSSL_PARAM_OCTET_STRING, iv_lens, NULL, 0 },
    { OSSL_MAC_PARAM_IV, OSSL_PARAM_OCTET_STRING, iv_lens, NULL, 0 },
    { OSSL_MAC_PARAM_SIZE, OSSL_PARAM_UNSIGNED_INTEGER, sizes, NULL, 0 },
    { OSSL_MAC_PARAM_XOF, OSSL_PARAM_INTEGER, sizes, NULL, 0 },
    { OSSL_MAC_PARAM_DIGEST, OSSL_PARAM_UTF8_STRING, sizes, digests, 0 },
    { OSSL_MAC_PARAM_PROPERTIES, OSSL_PARAM_UTF8_STRING, sizes, properties, 0 },
    { NULL, 0, NULL, NULL, 0 },
};

static void learn(struct run *r, const OSSL_PARAM *list)
{
    if (OSSL_PARAM_locate_const(list, OSSL_MAC_PARAM_KEY))
        r->facts |= KEYED | REKEYED;
    if (OSSL_PARAM_locate_const(list, OSSL_MAC_PARAM_IV))
        r->facts = (r->facts | PLACED) & ~(unsigned)REKEYED;
}

/* ---- steps ---- */

static void do_init(struct run *r, struct result *out)
{
    struct random_params memory;
    unsigned char key[64];
    static const uint8_t lens[] = { 0, 16, 24, 32, 32, 32, 64 };
    const size_t len = lens[below(r, sizeof lens)];
    const int with_key = below(r, 3) > 0;
    const OSSL_PARAM *list = NULL;
    random_bytes(&r->random, key, sizeof key);
    if (with_key)
        note(r, " key of %zu bytes", len);
    if (below(r, 2)) {
        list = pick_params(r, &memory, kinds);
        learn(r, list);
    }
    out->ok = EVP_MAC_init(ctx(r), with_key ? key : NULL, with_key ? len : 0, list);
    if (with_key)
        r->facts &= ~(unsigned)ENDED;
    r->facts |= (with_key ? KEYED | REKEYED : 0u) | (out->ok ? 0u : PARTIAL);
}

/* do_begin sets all that a message needs. */
static void do_begin(struct run *r, struct result *out)
{
    unsigned char key[32], iv[12];
    char cipher[] = "AES-256-GCM";
    OSSL_PARAM list[] = { OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, cipher, 0),
                          OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_IV, iv, sizeof iv),
                          OSSL_PARAM_construct_end() };
    random_bytes(&r->random, key, sizeof key);
    random_bytes(&r->random, iv, sizeof iv);
    out->ok = EVP_MAC_init(ctx(r), key, sizeof key, is_gmac(r) ? list : NULL);
    r->facts = (r->facts | KEYED | PLACED) & ~(unsigned)(REKEYED | ENDED);
}

static void do_update(struct run *r, struct result *out)
{
    unsigned char in[MAX_DATA];
    const size_t len = below(r, 4) ? below(r, MAX_DATA) : 0;
    random_bytes(&r->random, in, len);
    note(r, " %zu bytes", len);
    out->ok = EVP_MAC_update(ctx(r), in, len);
}

static void do_final(struct run *r, struct result *out)
{
    static const uint8_t rooms[] = { 0, 15, 16, 16, 16, 16, 17, 64 };
    size_t len = 0;
    const size_t room = rooms[below(r, sizeof rooms)];
    if (!(r->before & KEYED) && below(r, 16)) /* OpenSSL's provider crashes */
        return;
    memset(out->out, 0xa5, ROOM);
    note(r, " room of %zu", room);
    out->ok = EVP_MAC_final(ctx(r), out->out, &len, room);
    memcpy(out->out + ROOM, &len, sizeof len);
    out->len = ROOM + sizeof len;
    r->facts |= ENDED;
}

static void do_set(struct run *r, struct result *out)
{
    struct random_params memory;
    const OSSL_PARAM *list = pick_params(r, &memory, kinds);
    learn(r, list);
    out->ok = EVP_MAC_CTX_set_params(ctx(r), list) > 0;
    r->facts |= out->ok ? 0u : PARTIAL;
}

static void do_size(struct run *r, struct result *out)
{
    const size_t size = EVP_MAC_CTX_get_mac_size(ctx(r));
    out->ok = 1;
    memcpy(out->out, &size, out->len = sizeof size);
}

static void do_copy(struct run *r, struct result *out)
{
    EVP_MAC_CTX *copy = EVP_MAC_CTX_dup(ctx(r));
    out->ok = copy || r->side == THEIR_SIDE; /* some of OpenSSL's cannot be copied */
    if (!copy)
        return;
    EVP_MAC_CTX_free(ctx(r));
    r->ctx[r->side] = copy;
}

static const struct step steps[] = {
    { "init", do_init, 3 },   { "begin", do_begin, 4 }, { "update", do_update, 8 },
    { "final", do_final, 4 }, { "set", do_set, 4 },     { "size", do_size, 1 },
    { "copy", do_copy, 1 },   { NULL, NULL, 0 },
};

static int refused(const struct result res[2])
{
    return res[THEIR_SIDE].ok > 0 && res[OUR_SIDE].ok <= 0;
}

static int partial(const struct run *r, const struct step *step, const struct result res[2])
{
    return (r->before & PARTIAL) != 0;
}

static int without_key(const struct run *r, const struct step *step, const struct result res[2])
{
    return !(r->before & KEYED) && refused(res);
}

static int rekeyed(const struct run *r, const struct step *step, const struct result res[2])
{
    return is_gmac(r) && r->facts & REKEYED;
}

static int after_end(const struct run *r, const struct step *step, const struct result res[2])
{
    return r->before & ENDED && refused(res);
}

/* no_bytes: to OpenSSL, an update of no bytes begins Poly1305's only message. */
static int no_bytes(const struct run *r, const struct step *step, const struct result res[2])
{
    return !is_gmac(r) && step->run == do_init && res[THEIR_SIDE].ok <= 0;
}

/* no_bytes_keyless: an update of no bytes without a key, which releases before 3.5.9 take. */
static int no_bytes_keyless(const struct run *r, const struct step *step,
                            const struct result res[2])
{
    return !is_gmac(r) && !(r->before & KEYED) && step->run == do_update && res[THEIR_SIDE].ok <= 0;
}

static const struct difference differences[] = {
    { "an update of no bytes comes without a key", no_bytes_keyless, 0 },
    { "a message goes on after its end, from a state that is none", after_end, 0 },
    { "an init without a key comes after an update of no bytes", no_bytes, 0 },
    { "parameters were refused, of which releases take other parts", partial, 0 },
    { "OpenSSL computes without a key", without_key, 0 },
    { "a key of GMAC was given without an IV", rekeyed, 0 },
    { NULL, NULL, 0 },
};

const struct model mac_model = {
    .name = "mac",
    .subjects = mac_subjects,
    .make = mac_make,
    .unmake = mac_unmake,
    .steps = steps,
    .differences = differences,
};
