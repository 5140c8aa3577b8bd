/* SPDX-License-Identifier: Apache-2.0 */
#include "internal.h"
#include "vectors.h"

enum { MAX_TAG = HR_AEAD_MAX_TAG };

/* struct caller is one way of calling, on one kernel. `call` writes `tag` when it encrypts, and
 * compares it when it decrypts. */
struct caller {
    const struct vector *v;
    const struct hr_aead_key *key;
    const char *kernel, *how;
    int (*call)(const struct caller *c, enum hr_op op, uint8_t *out, const struct bytes *in,
                struct bytes tag);
    int streams; /* it keeps decrypted text even if the tag is wrong */
};

static size_t some_of(size_t len)
{
    const size_t n = 1 + random_below(random_below(4) ? 24 : 400);
    return n < len ? n : len;
}

static int direct(const struct caller *c, enum hr_op op, uint8_t *out, const struct bytes *in,
                  struct bytes tag)
{
    const struct vector *v = c->v;
    if (op == HR_OP_ENCRYPT)
        return direct_seal(v->row->alg)(out, tag.p, tag.len, in->p, in->len, v->aad.p, v->aad.len,
                                        c->key, v->iv.p, v->iv.len);
    return direct_open(v->row->alg)(out, tag.p, tag.len, in->p, in->len, v->aad.p, v->aad.len,
                                    c->key, v->iv.p, v->iv.len);
}

static int generic(const struct caller *c, enum hr_op op, uint8_t *out, const struct bytes *in,
                   struct bytes tag)
{
    const struct vector *v = c->v;
    if (op == HR_OP_ENCRYPT)
        return hr_aead_encrypt(out, tag.p, tag.len, in->p, in->len, v->aad.p, v->aad.len, c->key,
                               v->iv.p, v->iv.len);
    return hr_aead_decrypt(out, tag.p, tag.len, in->p, in->len, v->aad.p, v->aad.len, c->key,
                           v->iv.p, v->iv.len);
}

static int streamed(const struct caller *c, enum hr_op op, uint8_t *out, const struct bytes *in,
                    struct bytes tag)
{
    const struct vector *v = c->v;
    struct hr_aead_ctx ctx;
    int error = hr_aead_init(&ctx, c->key, op, v->iv.p, v->iv.len);
    if (!error)
        error = hr_aead_lengths(&ctx, v->aad.len, in->len, tag.len);
    for (size_t at = 0, n; !error && at < v->aad.len; at += n) {
        n = some_of(v->aad.len - at);
        error = hr_aead_aad(&ctx, v->aad.p + at, n);
    }
    for (size_t at = 0, n; !error && at < in->len; at += n) {
        n = some_of(in->len - at);
        error = hr_aead_update(&ctx, out + at, in->p + at, n);
    }
    if (!error)
        error = op == HR_OP_ENCRYPT ? hr_aead_final(&ctx, tag.p, tag.len)
                                    : hr_aead_verify(&ctx, tag.p, tag.len);
    if (!error && !is_zero(&ctx, hr_aead_size(v->row->alg)))
        complain("case %u: a context is left", v->number);
    return error;
}

static void wrong(const struct caller *c, const char *what, int error)
{
    complain("case %u: %s, %s %s: %s: %s", c->v->number, c->v->row->name, c->kernel, c->how, what,
             error ? hr_strerror(error) : "wrong bytes");
}

/* check_seal encrypts the case. The library makes no tag shorter than 4 bytes: then a whole tag is
 * made, and its first bytes are compared. */
static void check_seal(const struct caller *c, uint8_t *out)
{
    const struct vector *v = c->v;
    uint8_t tag[MAX_TAG] = { 0 };
    const int error = c->call(c, HR_OP_ENCRYPT, out, &v->in,
                              (struct bytes){ tag, v->tag.len < 4 ? sizeof tag : v->tag.len });
    if (error || memcmp(out, v->out.p, v->in.len) || memcmp(tag, v->tag.p, v->tag.len))
        wrong(c, "encrypt", error);
}

static void check_open(const struct caller *c, uint8_t *out)
{
    const struct vector *v = c->v;
    const int error = c->call(c, HR_OP_DECRYPT, out, &v->out, v->tag);
    const int wanted = v->tag.len < 4 ? HR_ETAGLEN : 0;
    if (error != wanted || (!wanted && memcmp(out, v->in.p, v->in.len)))
        wrong(c, "decrypt", error);
}

/* check_forged decrypts a case with one wrong bit: it must be refused, and no text may be left
 * unless it was streamed. */
static void check_forged(const struct caller *c, uint8_t *out, const struct bytes *in,
                         struct bytes tag, const char *what)
{
    memset(out, 0x5a, in->len);
    const int error = c->call(c, HR_OP_DECRYPT, out, in, tag);
    if (error != HR_EMAC)
        wrong(c, what, error);
    if (!c->streams && !is_zero(out, in->len))
        complain("case %u: %s %s: %s leaves text", c->v->number, c->kernel, c->how, what);
}

static void flip(struct bytes bytes)
{
    bytes.p[random_below((uint32_t)bytes.len)] ^= (uint8_t)(1u << random_below(8));
}

static void check_forgeries(const struct caller *c, uint8_t *out)
{
    const struct vector *v = c->v;
    struct bytes copy = { malloc(v->out.len + 1), v->out.len };
    uint8_t tag[MAX_TAG];
    memcpy(tag, v->tag.p, v->tag.len);
    flip((struct bytes){ tag, v->tag.len });
    check_forged(c, out, &v->out, (struct bytes){ tag, v->tag.len }, "a forged tag");
    if (copy.len) {
        memcpy(copy.p, v->out.p, copy.len);
        flip(copy);
        check_forged(c, out, &copy, v->tag, "forged text");
    }
    free(copy.p);
}

/* check_failure runs a case that must fail: either its tag is wrong, or the length of its IV or tag
 * is refused; then encryption is refused too. */
static void check_failure(const struct caller *c, uint8_t *out)
{
    const struct vector *v = c->v;
    uint8_t tag[256];
    memset(out, 0x5a, v->out.len);
    const int error = c->call(c, HR_OP_DECRYPT, out, &v->out, v->tag);
    if (error != HR_EMAC && error != HR_EIVLEN && error != HR_ETAGLEN)
        wrong(c, "must fail", error);
    if (error == HR_EMAC) {
        if (!c->streams && !is_zero(out, v->out.len))
            wrong(c, "text of a forgery", 0);
        return;
    }
    if (v->tag.len <= sizeof tag &&
        c->call(c, HR_OP_ENCRYPT, out, &v->out, (struct bytes){ tag, v->tag.len }) != error)
        wrong(c, "encryption must fail too", error);
}

static void run_on(const struct vector *v, const struct hr_aead_key *key, const char *kernel)
{
    const struct caller callers[] = { { v, key, kernel, "direct", direct, 0 },
                                      { v, key, kernel, "generic", generic, 0 },
                                      { v, key, kernel, "streamed", streamed, 1 } };
    uint8_t *out = malloc(v->out.len + 1);
    for (size_t i = 0; i < COUNT_OF(callers); i++) {
        const struct caller *c = &callers[i];
        if (v->result == MUST_FAIL) {
            check_failure(c, out);
            continue;
        }
        check_seal(c, out);
        check_open(c, out);
        if (v->tag.len >= 4)
            check_forgeries(c, out);
    }
    free(out);
}

void run_aead(const struct vector *v)
{
    const uint64_t have = hr_cpu_features();
    struct hr_kernel kernel;
    struct hr_aead_key key;
    if (v->result == MAY_FAIL ||
        (v->result == MUST_WORK &&
         (v->in.len != v->out.len || !v->tag.len || v->tag.len > MAX_TAG))) {
        complain("case %u: text or tag of another length, or no result", v->number);
        return;
    }
    for (size_t i = 0; hr_kernel_at(&kernel, v->row->alg, HR_OP_ENCRYPT, i) == 0; i++) {
        if (kernel.needs & ~have)
            continue;
        if (aead_key_on_its_cpu(&key, v->row->alg, i, v->key.p, v->key.len))
            complain("case %u: the key is refused", v->number);
        else
            run_on(v, &key, kernel.name);
        hr_aead_key_wipe(&key);
    }
}
