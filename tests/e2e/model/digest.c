/* SPDX-License-Identifier: Apache-2.0 */
/* The model of digests. */
#include "model.h"

enum { MAX_DATA = 300, ROOM = 80 };
enum facts {
    DONE = 1,   /* a final came, and no init since */
    PARAMS = 2, /* parameters were given */
};

static EVP_MD_CTX *ctx(const struct run *r)
{
    return r->ctx[r->side];
}

static size_t digest_subjects(const struct loaded *both, struct subject out[], size_t most)
{
    const struct hr_algorithm *row;
    size_t num = 0;
    for (size_t i = 0; (row = hr_algorithm_at(i)) && num < most; i++) {
        if (row->cls != HR_CLASS_DIGEST || row->flags & HR_CHECKSUM_ONLY)
            continue;
        row_name(row, out[num].name);
        for (int side = 0; side < 2; side++)
            MUST((out[num].alg[side] =
                      EVP_MD_fetch(both->libctx, out[num].name, side == OUR_SIDE ? OURS : THEIRS)));
        out[num++].row = row;
    }
    return num;
}

static void *digest_make(const struct subject *s, int side)
{
    EVP_MD_CTX *made = EVP_MD_CTX_new();
    MUST(made && EVP_DigestInit_ex2(made, s->alg[side], NULL));
    return made;
}

static void digest_unmake(void *made)
{
    EVP_MD_CTX_free(made);
}

/* ---- parameters ---- */

static const int lens[] = { 0, 1, 8, 16, 20, 28, 32, 48, 64, -1 };
static const int secrets[] = { 0, 20, 48, -1 };
static const int pads[] = { 0, 1, 2, -1 };

static const struct kind kinds[] = {
    { OSSL_DIGEST_PARAM_XOFLEN, OSSL_PARAM_UNSIGNED_INTEGER, lens, NULL, 0 },
    { OSSL_DIGEST_PARAM_SIZE, OSSL_PARAM_UNSIGNED_INTEGER, lens, NULL, 0 },
    { OSSL_DIGEST_PARAM_PAD_TYPE, OSSL_PARAM_UNSIGNED_INTEGER, pads, NULL, 0 },
    { OSSL_DIGEST_PARAM_SSL3_MS, OSSL_PARAM_OCTET_STRING, secrets, NULL, 0 },
    { OSSL_DIGEST_PARAM_BLOCK_SIZE, OSSL_PARAM_UNSIGNED_INTEGER, lens, NULL, 0 },
    { NULL, 0, NULL, NULL, 0 },
};

/* ---- steps ---- */

static void do_init(struct run *r, struct result *out)
{
    struct random_params memory;
    const OSSL_PARAM *list = below(r, 3) ? NULL : pick_params(r, &memory, kinds);
    const EVP_MD *md = below(r, 2) ? r->subject->alg[r->side] : NULL;
    out->ok = EVP_DigestInit_ex2(ctx(r), md, list);
    r->facts = (r->facts & PARAMS) | (list ? PARAMS : 0u);
}

static void do_update(struct run *r, struct result *out)
{
    unsigned char in[MAX_DATA];
    const size_t len = below(r, 4) ? below(r, MAX_DATA) : 0;
    random_bytes(&r->random, in, len);
    note(r, " %zu bytes", len);
    out->ok = EVP_DigestUpdate(ctx(r), in, len);
}

static void do_final(struct run *r, struct result *out)
{
    unsigned len = 0;
    memset(out->out, 0xa5, ROOM);
    out->ok = EVP_DigestFinal_ex(ctx(r), out->out, &len);
    memcpy(out->out + ROOM, &len, sizeof len);
    out->len = ROOM + sizeof len;
    r->facts |= DONE;
}

static void do_xof(struct run *r, struct result *out)
{
    static const uint8_t sizes[] = { 0, 1, 16, 20, 32, 64 };
    memset(out->out, 0xa5, ROOM);
    out->ok = EVP_DigestFinalXOF(ctx(r), out->out, sizes[below(r, sizeof sizes)]);
    out->len = ROOM;
    r->facts |= DONE;
}

static void do_set(struct run *r, struct result *out)
{
    struct random_params memory;
    r->facts |= PARAMS;
    out->ok = EVP_MD_CTX_set_params(ctx(r), pick_params(r, &memory, kinds)) > 0;
}

static void do_ctrl(struct run *r, struct result *out)
{
    unsigned char secret[48];
    const int len = below(r, 2) ? 48 : (int)below(r, 49);
    random_bytes(&r->random, secret, sizeof secret);
    note(r, " %d", len);
    r->facts |= PARAMS;
    out->ok = EVP_MD_CTX_ctrl(ctx(r), EVP_CTRL_SSL3_MASTER_SECRET, len, secret) > 0;
}

static void do_size(struct run *r, struct result *out)
{
    const int sizes[] = { EVP_MD_CTX_get_size(ctx(r)), EVP_MD_CTX_get_block_size(ctx(r)) };
    out->ok = 1;
    memcpy(out->out, sizes, out->len = sizeof sizes);
}

static void do_copy(struct run *r, struct result *out)
{
    EVP_MD_CTX *copy = EVP_MD_CTX_new();
    MUST(copy);
    out->ok = EVP_MD_CTX_copy_ex(copy, ctx(r));
    EVP_MD_CTX_free(out->ok ? ctx(r) : copy);
    if (out->ok)
        r->ctx[r->side] = copy;
}

static void do_whole(struct run *r, struct result *out)
{
    unsigned char in[MAX_DATA];
    unsigned len = 0;
    const size_t in_len = below(r, MAX_DATA);
    random_bytes(&r->random, in, in_len);
    out->ok = EVP_Digest(in, in_len, out->out, &len, r->subject->alg[r->side], NULL);
    out->len = len;
}

static const struct step steps[] = {
    { "init", do_init, 4 }, { "update", do_update, 8 }, { "final", do_final, 3 },
    { "XOF", do_xof, 1 },   { "set", do_set, 3 },       { "ctrl", do_ctrl, 1 },
    { "size", do_size, 1 }, { "copy", do_copy, 2 },     { "whole", do_whole, 1 },
    { NULL, NULL, 0 },
};

static int refused(const struct result res[2])
{
    return res[THEIR_SIDE].ok > 0 && res[OUR_SIDE].ok <= 0;
}

static int after_end(const struct run *r, const struct step *step, const struct result res[2])
{
    return r->before & DONE && refused(res);
}

static int sha1_params(const struct run *r, const struct step *step, const struct result res[2])
{
    return !strcmp(r->subject->name, "SHA1") && (r->facts & PARAMS || step->run == do_xof);
}

/* no_xof: for a part of a SHA-3 digest that is asked for as an XOF's, OpenSSL 3.5 writes the whole
 * digest. */
static int no_xof(const struct run *r, const struct step *step, const struct result res[2])
{
    return !strncmp(r->subject->name, "SHA3-", 5) && step->run == do_xof && refused(res);
}

static const struct difference differences[] = {
    { "OpenSSL 3.5 takes SHA-3 for an XOF, and writes more than was asked for", no_xof, 0 },
    { "a message goes on after its end, from a state that is none", after_end, 0 },
    { "OpenSSL's SHA-1 takes any parameter, and the secrets of SSL 3.0", sha1_params, 0 },
    { NULL, NULL, 0 },
};

const struct model digest_model = {
    .name = "digest",
    .subjects = digest_subjects,
    .make = digest_make,
    .unmake = digest_unmake,
    .steps = steps,
    .differences = differences,
};
