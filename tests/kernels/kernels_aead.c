/* SPDX-License-Identifier: Apache-2.0 */
/* Compares one kernel of an AEAD in one direction with the mode's definition: whole messages,
 * streams, and the kernel's own calls. */
#include "aead.h"
#include "kernels.h"

enum { BLOCK = 16, MAX = 4096 + 256, MAX_AAD = 1024 + 64, MAX_IV = 300, NUM_WRAP_BLOCKS = 80 };
enum { EVERY = 1100 }; /* each length up to 1100; of the longer ones, those around 4096 */

struct subject {
    const struct hr_algorithm *row;
    enum hr_op op;
    const struct aead_kernel *kernel;
    size_t index;
    const struct effort *effort;
    struct guarded in, out, aads, keys, small;
    struct hr_aead_key *key; /* ends at its guard page */
    uint8_t key_bytes[32];
    uint8_t message[MAX], aad[MAX_AAD], iv[MAX_IV];
    uint8_t sealed[MAX], tag[BLOCK]; /* the model's last result, by expect */
};

/* struct shape has the lengths of a message; its bytes are the first ones of the subject's
 * arrays. */
struct shape {
    size_t len, aad_len, iv_len, tag_len;
};

static const struct shape usual = { 0, 20, 12, 16 };

/* expect sets s->sealed and s->tag to the model's result for a message of this shape. */
static void expect(struct subject *s, const struct shape *m)
{
    model_aead(s->sealed, s->tag, s->row,
               &(struct model_message){ s->key_bytes, s->iv, s->aad, s->message, m->iv_len,
                                        m->aad_len, m->len, m->tag_len });
}

static const uint8_t *source(const struct subject *s)
{
    return s->op == HR_OP_ENCRYPT ? s->message : s->sealed;
}

static const uint8_t *want(const struct subject *s)
{
    return s->op == HR_OP_ENCRYPT ? s->sealed : s->message;
}

enum way { DIRECT, GENERIC };

/* call makes one call in the subject's direction; `tag` is its output, or the tag to verify. */
static int call(const struct subject *s, enum way way, uint8_t *out, uint8_t *tag,
                const uint8_t *in, const uint8_t *aad, const struct shape *m)
{
    if (s->op == HR_OP_ENCRYPT)
        return (way == DIRECT ? direct_seal(s->row->alg) : hr_aead_encrypt)(
            out, tag, m->tag_len, in, m->len, aad, m->aad_len, s->key, s->iv, m->iv_len);
    return (way == DIRECT ? direct_open(s->row->alg) : hr_aead_decrypt)(
        out, tag, m->tag_len, in, m->len, aad, m->aad_len, s->key, s->iv, m->iv_len);
}

/* check_at processes the model's message at these places, with the tag's end at a guard page. */
static void check_at(const struct subject *s, enum way way, uint8_t *out, uint8_t *in, uint8_t *aad,
                     const struct shape *m, const char *what, size_t a, size_t b)
{
    uint8_t *tag = s->small.end - m->tag_len;
    memcpy(in, source(s), m->len);
    memcpy(aad, s->aad, m->aad_len);
    memset(tag, 0, m->tag_len);
    if (s->op == HR_OP_DECRYPT)
        memcpy(tag, s->tag, m->tag_len);
    must(call(s, way, out, tag, in, aad, m), what);
    differs(out, want(s), m->len, what, a, b);
    differs(tag, s->tag, m->tag_len, "the tag", a, b);
}

/* check_shape puts text and AAD, by `turn`, behind a guard page, before one, or output and input in
 * one place. */
static void check_shape(struct subject *s, const struct shape *m, const char *what, size_t turn)
{
    uint8_t *const in = turn % 3 ? s->in.end - m->len : s->in.start;
    uint8_t *const out = turn % 3 == 2 ? in : turn % 3 ? s->out.end - m->len : s->out.start;
    uint8_t *const aad = turn & 1 ? s->aads.end - m->aad_len : s->aads.start;
    expect(s, m);
    check_at(s, turn & 1 ? GENERIC : DIRECT, out, in, aad, m, what, m->len, m->aad_len);
}

static void check_lengths(struct subject *s)
{
    struct shape m = usual;
    for (m.len = 0; m.len <= s->effort->max_len && m.len <= EVERY; m.len += s->effort->len_step)
        for (size_t turn = 0; turn < 3; turn++) {
            m.aad_len = turn ? random_below(48) : 0;
            check_shape(s, &m, "length", turn + m.len);
        }
    for (m.len = 4000; m.len <= MAX - 32 && s->effort->len_step == 1; m.len++)
        check_shape(s, &m, "length", m.len);
    for (m.len = 0; m.len <= s->effort->max_len; m.len += BLOCK)
        check_shape(s, &m, "whole blocks", m.len / BLOCK);
}

static void check_aad_lengths(struct subject *s)
{
    struct shape m = usual;
    for (m.aad_len = 0; m.aad_len <= MAX_AAD; m.aad_len += s->effort->len_step) {
        m.len = m.aad_len % 3 ? random_below(70) : 0;
        check_shape(s, &m, "AAD", m.aad_len);
    }
}

static void check_ivs(struct subject *s)
{
    const int gcm = s->row->mode == HR_MODE_GCM;
    struct shape m = { 100, 20, gcm ? 1 : 7, 16 };
    if (s->row->mode == HR_MODE_POLY1305)
        return; /* takes IVs of one length */
    for (; m.iv_len <= (gcm ? MAX_IV : 13); m.iv_len += gcm ? s->effort->len_step : 1)
        for (m.len = 0; m.len <= 100; m.len += 50)
            check_shape(s, &m, "IV", m.iv_len);
}

static void check_alignments(struct subject *s)
{
    const struct shape m = { 9 * BLOCK + 5, 37, 12, 16 };
    expect(s, &m);
    for (size_t in = 0; in < s->effort->num_alignments; in++)
        for (size_t out = 0; out < s->effort->num_alignments; out++)
            check_at(s, DIRECT, s->out.start + out, s->in.start + in, s->aads.start + (in ^ out),
                     &m, "alignment (in, out)", in, out);
    for (size_t at = 0; at < s->effort->num_alignments; at++)
        check_at(s, DIRECT, s->in.start + at, s->in.start + at, s->aads.start, &m,
                 "alignment in place", at, 0);
}

static void check_short(struct subject *s)
{
    struct shape m = { 0, 13, 12, 16 };
    for (; m.len <= MAX_SHORT; m.len += s->effort->len_step) {
        expect(s, &m);
        for (size_t at = 0; at < NUM_SHORT_ALIGNMENTS; at += s->effort->short_step)
            check_at(s, DIRECT, s->out.end - m.len - at, s->in.end - m.len - at,
                     s->aads.end - m.aad_len - at, &m, "short (length, before the page)", m.len,
                     at);
    }
}

/* ---- tags ---- */

static void check_refused_tag(const struct subject *s, const struct shape *m)
{
    uint8_t tag[2 * BLOCK] = { 0 }, *out = s->out.start;
    memset(out, 0x5a, m->len);
    if (call(s, DIRECT, out, tag, s->message, s->aad, m) != HR_ETAGLEN ||
        call(s, GENERIC, out, tag, s->message, s->aad, m) != HR_ETAGLEN)
        complain("a tag of %zu bytes is not refused", m->tag_len);
    for (size_t i = 0; i < m->len; i++)
        if (out[i] != 0x5a)
            complain("a refused tag of %zu bytes writes at %zu", m->tag_len, i);
}

/* check_tag checks that each wrong bit of a tag is found, and that the output is zero then. */
static void check_tag(struct subject *s, const struct shape *m)
{
    uint8_t *const tag = s->small.end - m->tag_len, *out = s->out.end - m->len;
    check_shape(s, m, "tag", m->tag_len);
    for (size_t bit = 0; s->op == HR_OP_DECRYPT && bit < 8 * m->tag_len; bit++) {
        memcpy(tag, s->tag, m->tag_len);
        tag[bit / 8] ^= (uint8_t)(1 << bit % 8);
        memset(out, 0x5a, m->len);
        if (call(s, bit & 1 ? DIRECT : GENERIC, out, tag, s->sealed, s->aad, m) != HR_EMAC ||
            !is_zero(out, m->len))
            complain("bit %zu of a tag of %zu bytes may be wrong", bit, m->tag_len);
    }
}

static void check_tags(struct subject *s)
{
    const int even = s->row->mode == HR_MODE_CCM;
    struct shape m = { 83, 20, 12, 0 };
    for (; m.tag_len <= 17; m.tag_len++)
        if (m.tag_len < 4 || m.tag_len > 16 || (even && m.tag_len & 1))
            check_refused_tag(s, &m);
        else
            check_tag(s, &m);
}

/* ---- streams ---- */

static struct hr_aead_ctx *new_ctx(const struct subject *s, const struct shape *m)
{
    struct hr_aead_ctx *ctx = (void *)(s->small.start + 8);
    must(hr_aead_init(ctx, s->key, s->op, s->iv, m->iv_len), "init");
    must(hr_aead_lengths(ctx, m->aad_len, m->len, m->tag_len), "lengths");
    return ctx;
}

static size_t piece(size_t left, uint32_t longest)
{
    const size_t n = random_below(longest + 1);
    return n < left ? n : left;
}

static void feed(const struct subject *s, struct hr_aead_ctx *ctx, uint8_t *out,
                 const struct shape *m, uint32_t longest, int in_place)
{
    for (size_t at = 0, n; at < m->aad_len; at += n) {
        n = piece(m->aad_len - at, longest);
        memcpy(s->aads.end - n, s->aad + at, n);
        must(hr_aead_aad(ctx, s->aads.end - n, n), "aad");
    }
    for (size_t at = 0, n; at < m->len; at += n) {
        n = piece(m->len - at, longest);
        uint8_t *in = in_place ? out + at : s->in.end - n;
        memcpy(in, source(s) + at, n);
        must(hr_aead_update(ctx, out + at, in, n), "update");
    }
}

/* finish ends a stream in the regular way, and checks that the context is wiped. */
static void finish(const struct subject *s, struct hr_aead_ctx *ctx, const struct shape *m)
{
    uint8_t tag[BLOCK];
    memcpy(tag, s->tag, BLOCK);
    if (s->op == HR_OP_ENCRYPT) {
        must(hr_aead_final(ctx, tag, m->tag_len), "final");
        differs(tag, s->tag, m->tag_len, "streamed tag", m->len, m->aad_len);
    } else {
        must(hr_aead_verify(ctx, tag, m->tag_len), "verify");
    }
    if (!is_zero(ctx, hr_aead_size(s->row->alg)))
        complain("something is left in the context");
}

static void check_split(struct subject *s, size_t round)
{
    struct shape m = { random_below(round % 3 ? 600 : (uint32_t)s->effort->max_len),
                       round % 4 ? random_below(300) : 0, 12, 16 };
    uint8_t *out = s->out.end - m.len;
    if (round & 8 && s->row->mode != HR_MODE_POLY1305)
        m.iv_len = 9;
    expect(s, &m);
    struct hr_aead_ctx *ctx = new_ctx(s, &m);
    feed(s, ctx, out, &m, 1 + random_below(round & 1 ? 24 : 700), round & 2);
    differs(out, want(s), m.len, "random split (round, length)", round, m.len);
    finish(s, ctx, &m);
}

/* check_copy checks that a copy of a context continues independently, also with a copy of its
 * key. */
static void check_copy(struct subject *s)
{
    const struct shape m = { 3 * BLOCK + 5, 21, 12, 16 };
    struct hr_aead_key copied;
    struct hr_aead_ctx copy;
    uint8_t out[4 * BLOCK];
    memcpy(&copied, s->key, hr_aead_key_size(s->row->alg));
    expect(s, &m);
    for (size_t split = 0; split <= m.aad_len; split++) {
        struct hr_aead_ctx *ctx = new_ctx(s, &m);
        must(hr_aead_aad(ctx, s->aad, split), "aad");
        memcpy(&copy, ctx, hr_aead_size(s->row->alg));
        must(hr_aead_set_key(&copy, &copied), "set_key");
        must(hr_aead_aad(&copy, s->aad + split, m.aad_len - split), "aad");
        must(hr_aead_update(&copy, out, source(s), m.len), "update");
        differs(out, want(s), m.len, "a copied context", split, 0);
        finish(s, &copy, &m);
        must(hr_aead_aad(ctx, s->aad + split, m.aad_len - split), "aad");
        must(hr_aead_update(ctx, out, source(s), m.len), "update");
        finish(s, ctx, &m);
    }
}

/* ---- overlap ---- */

static void check_overlap(struct subject *s)
{
    const struct shape m = { 3 * BLOCK - 1, 20, 12, 16 };
    const size_t len = m.len;
    expect(s, &m);
    for (size_t out_at = 0; out_at <= 2 * len; out_at++) {
        uint8_t *base = s->in.start, *in = base + len, *out = base + out_at, before[3 * BLOCK];
        uint8_t tag[BLOCK];
        const int free = out_at == len || out_at == 0 || out_at == 2 * len;
        for (int way = DIRECT; way <= GENERIC + 1; way++) {
            memset(base, 0x77, 3 * len);
            memcpy(in, source(s), len);
            memcpy(before, out, len);
            memcpy(tag, s->tag, BLOCK);
            struct hr_aead_ctx *ctx = new_ctx(s, &m);
            must(hr_aead_aad(ctx, s->aad, m.aad_len), "aad");
            const int error = way > GENERIC ? hr_aead_update(ctx, out, in, len)
                                            : call(s, way, out, tag, in, s->aad, &m);
            if (error != (free ? 0 : HR_EOVERLAP))
                complain("overlap by %zu of %zu: error %d", out_at, len, error);
            differs(out, free ? want(s) : before, len, "overlap", out_at, 0);
            if (error && way > GENERIC) /* nothing was done, so the call can be repeated */
                must(hr_aead_update(ctx, s->out.start, in, len), "update");
        }
    }
}

/* ---- the kernel itself ---- */

static const struct aead_key *inner(const struct subject *s)
{
    return (const struct aead_key *)s->key;
}

static void check_hash(const struct subject *s)
{
    uint8_t first[BLOCK], y[BLOCK];
    random_bytes(first, BLOCK);
    for (size_t n = 0; n <= 80; n++) {
        uint8_t *const in = n & 1 ? s->in.end - n * BLOCK : s->in.start;
        uint8_t *const got = s->small.end - BLOCK;
        memcpy(in, s->message, n * BLOCK);
        memcpy(y, first, BLOCK);
        memcpy(got, first, BLOCK);
        model_hash(y, s->message, n * BLOCK, s->row, s->key_bytes);
        const uintptr_t args[6] = { (uintptr_t)got, (uintptr_t)in, n, (uintptr_t)s->key };
        const int changed = checked_call((void (*)(void))s->kernel->hash, args);
        if (changed)
            complain("hash of %zu blocks: %d registers not kept", n, changed);
        differs(got, y, BLOCK, "hash (blocks)", n, 0);
    }
}

/* check_blocks_from starts at a counter that wraps after `before_wrap` blocks: GCM's 32 bits, or
 * the lower half of CCM's 64. */
static void check_blocks_from(const struct subject *s, size_t n, uint32_t before_wrap)
{
    const int gcm = s->row->mode == HR_MODE_GCM;
    uint8_t ctr[BLOCK], y[BLOCK], expected[MAX], first[BLOCK];
    uint8_t *const next = s->small.start, *const got = s->small.end - BLOCK;
    uint8_t *const in = n & 1 ? s->in.end - n * BLOCK : s->in.start;
    uint8_t *const out = n % 3 == 0 ? in : n & 2 ? s->out.end - n * BLOCK : s->out.start;
    random_bytes(ctr, BLOCK);
    random_bytes(first, BLOCK);
    store_be32(ctr + 12, 0 - before_wrap);
    memcpy(next, ctr, BLOCK);
    memcpy(y, first, BLOCK);
    memcpy(got, first, BLOCK);
    memcpy(in, s->message, n * BLOCK);
    model_count(expected, s->message, n * BLOCK, s->row, s->key_bytes, ctr, gcm ? 4 : 8);
    model_hash(y, gcm == (s->op == HR_OP_ENCRYPT) ? expected : s->message, n * BLOCK, s->row,
               s->key_bytes);
    const uintptr_t args[6] = { (uintptr_t)out,    (uintptr_t)in,   n,
                                (uintptr_t)s->key, (uintptr_t)next, (uintptr_t)got };
    const int changed = checked_call((void (*)(void))s->kernel->blocks[s->op], args);
    if (changed)
        complain("%zu blocks: %d registers not kept", n, changed);
    differs(out, expected, n * BLOCK, "blocks (number, before the wrap)", n, before_wrap);
    differs(next, ctr, BLOCK, "counter after blocks", n, before_wrap);
    differs(got, y, BLOCK, "hash after blocks", n, before_wrap);
}

static void check_blocks(const struct subject *s)
{
    for (size_t n = 0; n <= s->effort->max_len / BLOCK; n++)
        check_blocks_from(s, n, 1u << 20);
    for (uint32_t k = 0; k <= NUM_WRAP_BLOCKS; k += (uint32_t)s->effort->len_step)
        check_blocks_from(s, NUM_WRAP_BLOCKS, k);
}

/* check_wrap lets the counter pass 2^32 in a stream, too, at every place of its pieces. */
static void check_wrap(struct subject *s)
{
    struct shape m = { NUM_WRAP_BLOCKS * BLOCK, 0, 12, 16 };
    uint8_t ctr[BLOCK];
    for (uint32_t k = 0; k < NUM_WRAP_BLOCKS; k += 7) {
        struct hr_aead_ctx *ctx = new_ctx(s, &m);
        struct aead_ctx *const internal = (struct aead_ctx *)ctx;
        store_be32(internal->ctr + 12, 0 - k);
        memcpy(ctr, internal->ctr, BLOCK);
        model_count(s->sealed, s->message, m.len, s->row, s->key_bytes, ctr, 4);
        feed(s, ctx, s->out.start, &m, 300, 0);
        differs(s->out.start, want(s), m.len, "counter wrap in a stream", k, 0);
    }
}

/* check_inside calls the functions of the kernel that belong to its mode. */
static void check_inside(struct subject *s)
{
    if (s->row->mode == HR_MODE_POLY1305) {
        check_chacha(s->kernel->chacha, s->in, s->out);
        return;
    }
    check_hash(s);
    check_blocks(s);
    if (s->row->mode == HR_MODE_GCM)
        check_wrap(s);
}

struct direct_args {
    aead_direct_fn *direct;
    uint8_t *out, *tag, *in, *aad;
    const struct shape *m;
    const struct subject *s;
    int error;
};

static void call_direct(struct direct_args *a)
{
    a->error = a->direct(a->out, a->tag, a->m->tag_len, a->in, a->m->len, a->aad, a->m->aad_len,
                         inner(a->s), a->s->iv, a->m->iv_len);
}

static void check_direct_at(const struct subject *s, struct direct_args *a)
{
    const struct shape *m = a->m;
    const uintptr_t args[6] = { (uintptr_t)a };
    memcpy(a->in, source(s), m->len);
    memcpy(a->aad, s->aad, m->aad_len);
    if (s->op == HR_OP_DECRYPT)
        memcpy(a->tag, s->tag, m->tag_len);
    const int changed = checked_call((void (*)(void))call_direct, args);
    if (changed)
        complain("direct, %zu bytes: %d registers not kept", m->len, changed);
    must(a->error, "direct entry");
    differs(a->out, want(s), m->len, "direct entry", m->len, m->aad_len);
    differs(a->tag, s->tag, m->tag_len, "direct entry, tag", m->len, m->aad_len);
    if (s->op == HR_OP_ENCRYPT)
        return;
    a->tag[random_below((uint32_t)m->tag_len)] ^= 0x80;
    call_direct(a);
    if (a->error != HR_EMAC || !is_zero(a->out, m->len))
        complain("direct, %zu bytes: a wrong tag passes, or leaves text", m->len);
}

/* check_direct calls the kernel's function for direct calls, if there is one. */
static void check_direct(struct subject *s)
{
    struct shape m = usual;
    struct direct_args a = { .direct = s->kernel->direct[s->op], .m = &m, .s = s };
    for (m.len = 0; a.direct && m.len <= 600; m.len += s->effort->len_step)
        for (m.aad_len = 0; m.aad_len <= 80; m.aad_len += m.aad_len < 32 ? 1 : 11) {
            m.tag_len = 16 - (m.len + m.aad_len) % 13;
            expect(s, &m);
            a.in = s->in.end - m.len, a.out = m.len & 1 ? a.in : s->out.end - m.len;
            a.aad = s->aads.end - m.aad_len, a.tag = s->small.end - m.tag_len;
            check_direct_at(s, &a);
        }
}

/* ---- all checks ---- */

static void prepare(struct subject *s)
{
    static struct guarded in, out, aads, keys, small;
    if (!in.start) {
        in = guarded_new(MAX);
        out = guarded_new(MAX);
        aads = guarded_new(MAX_AAD + 64);
        keys = guarded_new(sizeof *s->key);
        small = guarded_new(sizeof(struct hr_aead_ctx) + 64);
    }
    s->in = in, s->out = out, s->aads = aads, s->keys = keys, s->small = small;
    s->key = (void *)(keys.end - ((hr_aead_key_size(s->row->alg) + 63) & ~(size_t)63));
    random_bytes(s->key_bytes, sizeof s->key_bytes);
    random_bytes(s->message, MAX);
    random_bytes(s->aad, MAX_AAD);
    random_bytes(s->iv, MAX_IV);
    must(aead_key_on_its_cpu(s->key, s->row->alg, s->index, s->key_bytes, s->row->key_len),
         "key_init_kernel");
}

int check_aead_kernel(const struct hr_algorithm *row, enum hr_op op, size_t index,
                      const struct effort *effort)
{
    static struct subject s;
    s = (struct subject){ .row = row, .op = op, .index = index, .effort = effort };
    s.kernel = &aead_impl(row)->kernels[index];
    const int before = complaints_so_far();
    prepare(&s);
    struct hr_aead_key made;
    memcpy(&made, s.key, hr_aead_key_size(row->alg));
    if (inner(&s)->kernel != s.kernel)
        complain("the key has another kernel");
    check_lengths(&s);
    check_aad_lengths(&s);
    check_ivs(&s);
    check_alignments(&s);
    check_short(&s);
    check_tags(&s);
    for (size_t round = 0; round < effort->num_splits; round++)
        check_split(&s, round);
    check_copy(&s);
    check_overlap(&s);
    check_inside(&s);
    check_direct(&s);
    if (memcmp(&made, s.key, hr_aead_key_size(row->alg)))
        complain("the key has changed in use");
    hr_aead_key_wipe(s.key);
    if (!is_zero(s.key, hr_aead_key_size(row->alg)))
        complain("a wiped key is not zero");
    return complaints_so_far() - before;
}
