/* SPDX-License-Identifier: Apache-2.0 */
/* ChaCha20-Poly1305, RFC 8439 section 2.8.  Block 0 of the keystream is the key of the polynomial;
 * the text is encrypted from block 1 on.  AAD and ciphertext are absorbed in blocks of 16 bytes,
 * each padded with zeros, and last their lengths.
 *
 * One call of the cipher's kernel makes block 0 and the keystream of the text's first KiB: vectors
 * have room for that.  A longer text follows in pieces that stay in the first-level cache between
 * cipher and polynomial. */
#include "../aead.h"
#include "../poly1305/poly1305.h"
#include "../poly1305/poly1305_scalar.h"

/* STREAM blocks of keystream are made at a time where a text may end, BULK blocks of text are
 * encrypted at a time elsewhere. */
enum { STREAM = 16, BULK = 64, POLY_BLOCK = 16 };

/* 2^32 - 1 blocks: the counter of block 1 and later ones has 32 bits. */
#define MAX_LEN (CHACHA_BLOCK * UINT64_C(0xffffffff))

/* A message, or a part of one, while it is processed. */
struct work {
    alignas(16) uint32_t state[CHACHA_WORDS]; /* state[12] is the number of the text's next block */
    uint64_t h[3];
    chacha_xor_fn *chacha;
    enum hr_op op;
    alignas(64) uint8_t stream[(STREAM + 1) * CHACHA_BLOCK];
    const struct poly1305_key *poly; /* &own, or a context's */
    struct poly1305_key own;
};

/* ---- the parts ---- */

/* A row of the state is stored at once: kernels load it at once, and would wait for stores of
 * words. */
typedef uint32_t row __attribute__((vector_size(16), may_alias));

static void work_begin(struct work *w, const struct aead_key *key, const uint8_t nonce[12],
                       uint32_t number, enum hr_op op)
{
    static const uint32_t constants[4] = { 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574 };
    memcpy(w->state, constants, sizeof constants);
    memcpy(w->state + 4, key->chacha, sizeof key->chacha);
    *(row *)(w->state + 12) =
        (row){ number, load_le32(nonce), load_le32(nonce + 4), load_le32(nonce + 8) };
    w->chacha = key->kernel->chacha;
    w->op = op;
    w->poly = &w->own;
    w->own.kernel = poly1305_choose(&poly1305_impl);
    w->own.with_powers = 0;
}

/* Wipes what is secret in `w`, but for the keystream. */
static void work_end(struct work *w)
{
    WIPE(&w->state);
    WIPE(&w->h);
    WIPE(&w->own.r);
    if (w->own.with_powers)
        WIPE(&w->own.powers);
}

/* Makes w->stream of the next num blocks of keystream. */
static void make_stream(struct work *w, size_t num)
{
    memset(w->stream, 0, num * CHACHA_BLOCK);
    w->chacha(w->stream, w->stream, num, w->state);
    w->state[12] += (uint32_t)num;
}

static size_t num_blocks_of(size_t len)
{
    return len / CHACHA_BLOCK + (len % CHACHA_BLOCK != 0);
}

/* Computes powers of r if so many bytes will be absorbed in several parts that they are worth it.
 */
static void prepare_for(struct work *w, size_t len)
{
    const struct poly1305_kernel *kernel = w->own.kernel;
    if (kernel->setup && len / POLY_BLOCK > kernel->max_once &&
        len / POLY_BLOCK >= kernel->min_once)
        poly1305_make_powers(&w->own);
}

/* Absorbs whole blocks and, padded with zeros, the rest. */
static void absorb_padded(struct work *w, const uint8_t *in, size_t len)
{
    uint8_t last[POLY_BLOCK] = { 0 };
    const size_t part = len % POLY_BLOCK;
    poly1305_absorb(w->h, in, len / POLY_BLOCK, w->poly);
    if (!part)
        return;
    memcpy(last, in + (len - part), part);
    poly1305_absorb(w->h, last, 1, w->poly);
}

typedef uint8_t vec16 __attribute__((vector_size(16), aligned(1), may_alias));

static void xor_bytes(uint8_t *out, const uint8_t *a, const uint8_t *b, size_t len)
{
    for (; len >= 16; len -= 16, out += 16, a += 16, b += 16)
        *(vec16 *)out = *(const vec16 *)a ^ *(const vec16 *)b;
    for (size_t i = 0; i < len; i++)
        out[i] = a[i] ^ b[i];
}

/* Encrypts or decrypts text with the keystream at `stream`, and absorbs the ciphertext, padded. */
static void text_with(struct work *w, uint8_t *out, const uint8_t *in, const uint8_t *stream,
                      size_t len)
{
    if (w->op == HR_OP_DECRYPT)
        absorb_padded(w, in, len);
    xor_bytes(out, in, stream, len);
    if (w->op == HR_OP_ENCRYPT)
        absorb_padded(w, out, len);
}

static void whole_blocks(struct work *w, uint8_t *out, const uint8_t *in, size_t num)
{
    if (w->op == HR_OP_DECRYPT)
        poly1305_absorb(w->h, in, num * (CHACHA_BLOCK / POLY_BLOCK), w->poly);
    w->chacha(out, in, num, w->state);
    w->state[12] += (uint32_t)num;
    if (w->op == HR_OP_ENCRYPT)
        poly1305_absorb(w->h, out, num * (CHACHA_BLOCK / POLY_BLOCK), w->poly);
}

/* Processes as many times STREAM blocks as the text has, and returns how many bytes that were. */
static size_t bulk(struct work *w, uint8_t *out, const uint8_t *in, size_t len)
{
    const size_t whole = len - len % (STREAM * CHACHA_BLOCK);
    for (size_t at = 0, n; at < whole; at += n) {
        n = whole - at < BULK * CHACHA_BLOCK ? whole - at : BULK * CHACHA_BLOCK;
        whole_blocks(w, out + at, in + at, n / CHACHA_BLOCK);
    }
    return whole;
}

static void finish(struct work *w, uint8_t tag[16], uint64_t aad_len, uint64_t len,
                   const uint8_t s[16])
{
    uint8_t lengths[16];
    store_le64(lengths, aad_len);
    store_le64(lengths + 8, len);
    poly1305_absorb(w->h, lengths, 1, w->poly);
    poly1305_add(tag, w->h, load_le64(s), load_le64(s + 8));
}

/* ---- whole messages ---- */

static uint64_t max_len(size_t iv_len)
{
    return iv_len == 12 ? MAX_LEN : 0;
}

static int good_tag_len(size_t tag_len)
{
    return tag_len >= 4 && tag_len <= 16;
}

static inline int check(const uint8_t *out, size_t tag_len, const uint8_t *in, size_t len,
                        size_t aad_len)
{
    if (UNLIKELY(!good_tag_len(tag_len)))
        return HR_ETAGLEN;
    if (UNLIKELY(len > MAX_LEN || aad_len > AEAD_MAX_AAD))
        return HR_ELENGTH;
    return UNLIKELY(overlap(out, in, len)) ? HR_EOVERLAP : 0;
}

static void message(uint8_t *out, uint8_t tag[16], const uint8_t *in, size_t len,
                    const uint8_t *aad, size_t aad_len, const struct aead_key *key,
                    const uint8_t *iv, enum hr_op op)
{
    struct work w;
    const size_t first = len < STREAM * CHACHA_BLOCK ? len : STREAM * CHACHA_BLOCK;
    const size_t num = 1 + num_blocks_of(first);
    work_begin(&w, key, iv, 0, op);
    make_stream(&w, num);
    poly1305_setup(&w.own, w.stream, w.own.kernel);
    memset(w.h, 0, sizeof w.h);
    prepare_for(&w, len);
    if (aad_len)
        absorb_padded(&w, aad, aad_len);
    text_with(&w, out, in, w.stream + CHACHA_BLOCK, first);
    if (len > first) {
        uint8_t s[16];
        memcpy(s, w.stream + 16, 16);
        const size_t at = first + bulk(&w, out + first, in + first, len - first);
        if (len > at) {
            make_stream(&w, num_blocks_of(len - at));
            text_with(&w, out + at, in + at, w.stream, len - at);
        }
        finish(&w, tag, aad_len, len, s);
        WIPE(&s);
    } else {
        finish(&w, tag, aad_len, len, w.stream + 16);
    }
    wipe_bytes(w.stream, num * CHACHA_BLOCK);
    work_end(&w);
}

static int encrypt(uint8_t *out, uint8_t *tag, size_t tag_len, const uint8_t *in, size_t len,
                   const uint8_t *aad, size_t aad_len, const struct aead_key *key,
                   const uint8_t *iv, size_t iv_len)
{
    const int error = check(out, tag_len, in, len, aad_len);
    uint8_t full[16];
    if (UNLIKELY(error))
        return error;
    message(out, full, in, len, aad, aad_len, key, iv, HR_OP_ENCRYPT);
    memcpy(tag, full, tag_len);
    return 0;
}

static int decrypt(uint8_t *out, uint8_t *tag, size_t tag_len, const uint8_t *in, size_t len,
                   const uint8_t *aad, size_t aad_len, const struct aead_key *key,
                   const uint8_t *iv, size_t iv_len)
{
    int error = check(out, tag_len, in, len, aad_len);
    uint8_t full[16];
    if (UNLIKELY(error))
        return error;
    message(out, full, in, len, aad, aad_len, key, iv, HR_OP_DECRYPT);
    error = aead_compare(tag, full, tag_len);
    WIPE(&full); /* a forged message's right tag is secret */
    if (UNLIKELY(error) && len)
        memset(out, 0, len);
    return error;
}

/* ---- messages in pieces ---- */

/* From POWERS bytes of text on, a context has powers of r, for the polynomial of all later pieces.
 * They lie at a multiple of 64 behind the context, and belong to that only at the place where they
 * were made: a copy of a context makes its own. */
enum { POWERS = 1024 };
struct chacha_poly1305_ctx {
    struct aead_ctx ctx;
    const void *made_at;
    uint8_t room[sizeof(struct poly1305_key) + alignof(struct poly1305_key)];
};
static_assert(sizeof(struct chacha_poly1305_ctx) <= sizeof(struct hr_aead_ctx), "public size");

static struct poly1305_key *powers_of(struct aead_ctx *ctx)
{
    struct chacha_poly1305_ctx *const whole = (struct chacha_poly1305_ctx *)ctx;
    const size_t align = alignof(struct poly1305_key);
    return (void *)(whole->room + (-(uintptr_t)whole->room & (align - 1)));
}

/* Returns the key of the polynomial for `len` more bytes of text. */
static const struct poly1305_key *poly_for(struct aead_ctx *ctx, struct work *w, size_t len)
{
    struct chacha_poly1305_ctx *const whole = (struct chacha_poly1305_ctx *)ctx;
    struct poly1305_key *const key = powers_of(ctx);
    if (whole->made_at == ctx)
        return key;
    if (ctx->len + len < POWERS || len < CHACHA_BLOCK)
        return &w->own;
    memcpy(key->r, ctx->r, sizeof key->r);
    key->kernel = w->own.kernel;
    poly1305_make_powers(key);
    whole->made_at = ctx;
    return key;
}

static void setup(struct aead_key *key, const struct block_cipher *cipher, const uint8_t *bytes,
                  size_t bytes_len)
{
    for (int i = 0; i < CHACHA_KEY_WORDS; i++)
        key->chacha[i] = load_le32(bytes + 4 * i);
}

/* Makes `w` continue the message of a context, whose text so far fills blocks. */
static void work_resume(struct work *w, const struct aead_ctx *ctx)
{
    work_begin(w, ctx->key, ctx->nonce, (uint32_t)(1 + ctx->len / CHACHA_BLOCK),
               (enum hr_op)ctx->op);
    memcpy(w->h, ctx->h, sizeof w->h);
    memcpy(w->own.r, ctx->r, sizeof w->own.r);
}

static void work_leave(struct work *w, struct aead_ctx *ctx)
{
    memcpy(ctx->h, w->h, sizeof w->h);
    work_end(w);
}

static void start(struct aead_ctx *ctx, const uint8_t *iv, size_t iv_len)
{
    struct work w;
    memcpy(ctx->nonce, iv, sizeof ctx->nonce);
    work_begin(&w, ctx->key, iv, 0, (enum hr_op)ctx->op);
    make_stream(&w, 1);
    poly1305_setup(&w.own, w.stream, w.own.kernel);
    memcpy(ctx->r, w.own.r, sizeof ctx->r);
    ((struct chacha_poly1305_ctx *)ctx)->made_at = NULL;
    memcpy(ctx->s, w.stream + 16, sizeof ctx->s);
    wipe_bytes(w.stream, CHACHA_BLOCK);
    work_end(&w);
}

/* Absorbs AAD.  Bytes that do not fill a block wait at the start of `block`. */
static void absorb(struct aead_ctx *ctx, const uint8_t *in, size_t len)
{
    struct work w;
    work_resume(&w, ctx);
    if (ctx->used) {
        const size_t room = (size_t)POLY_BLOCK - ctx->used, n = len < room ? len : room;
        memcpy(ctx->block + ctx->used, in, n);
        ctx->used = (uint8_t)(ctx->used + n);
        in += n, len -= n;
        if (ctx->used == POLY_BLOCK) {
            poly1305_absorb(w.h, ctx->block, 1, w.poly);
            ctx->used = 0;
        }
    }
    if (len) {
        poly1305_absorb(w.h, in, len / POLY_BLOCK, w.poly);
        ctx->used = (uint8_t)(len % POLY_BLOCK);
        memcpy(ctx->block, in + (len - ctx->used), ctx->used);
    }
    work_leave(&w, ctx);
}

/* Pads and absorbs the last, incomplete block of AAD or text, which has `used` bytes. */
static void pad(struct aead_ctx *ctx, const uint8_t *in, size_t used)
{
    struct work w;
    if (!used)
        return;
    work_resume(&w, ctx);
    absorb_padded(&w, in, used);
    work_leave(&w, ctx);
}

static void flush(struct aead_ctx *ctx)
{
    pad(ctx, ctx->block, ctx->used);
    ctx->used = 0;
}

/* Processes text from byte `at` of a block whose keystream is in `block`, not beyond its end. Bytes
 * of ciphertext take the place of the keystream that they used, until they fill 16 bytes and are
 * absorbed. */
static void rest_of_block(struct aead_ctx *ctx, struct work *w, size_t at, uint8_t *out,
                          const uint8_t *in, size_t len)
{
    const size_t before = at / POLY_BLOCK, full = (at + len) / POLY_BLOCK;
    for (size_t i = 0; i < len; i++) {
        const uint8_t byte = in[i];
        out[i] = byte ^ ctx->block[at + i];
        ctx->block[at + i] = ctx->op == HR_OP_ENCRYPT ? out[i] : byte;
    }
    poly1305_absorb(w->h, ctx->block + POLY_BLOCK * before, full - before, w->poly);
}

/* Encrypts or decrypts whole blocks at the end of a piece.  If that is one block, encryption leaves
 * it to the next piece to absorb it, beside the chain of instructions that is the next block of
 * keystream. */
static void last_blocks(struct aead_ctx *ctx, struct work *w, uint8_t *out, const uint8_t *in,
                        size_t num)
{
    if (num > 1 || w->op == HR_OP_DECRYPT) {
        whole_blocks(w, out, in, num);
        return;
    }
    w->chacha(out, in, 1, w->state);
    memcpy(ctx->block, out, CHACHA_BLOCK);
    ctx->waits = 1;
}

/* Absorbs the block that a piece before has left. */
static void absorb_waiting(struct aead_ctx *ctx, struct work *w)
{
    if (ctx->waits)
        poly1305_absorb(w->h, ctx->block, CHACHA_BLOCK / POLY_BLOCK, w->poly);
    ctx->waits = 0;
}

/* Processes less than STREAM blocks from the start of a block on.  If the last one is not whole,
 * the kernel makes its keystream together with that of the others. */
static void end_of_piece(struct aead_ctx *ctx, struct work *w, uint8_t *out, const uint8_t *in,
                         size_t len)
{
    const size_t num = num_blocks_of(len), part = len % CHACHA_BLOCK, whole = len - part;
    if (!part) {
        last_blocks(ctx, w, out, in, num);
        return;
    }
    make_stream(w, num);
    if (whole)
        text_with(w, out, in, w->stream, whole);
    memcpy(ctx->block, w->stream + whole, CHACHA_BLOCK);
    rest_of_block(ctx, w, 0, out + whole, in + whole, part);
    wipe_bytes(w->stream, num * CHACHA_BLOCK);
}

static void crypt(struct aead_ctx *ctx, uint8_t *out, const uint8_t *in, size_t len)
{
    struct work w;
    const size_t used = ctx->len % CHACHA_BLOCK, room = used ? CHACHA_BLOCK - used : 0;
    const size_t head = len < room ? len : room;
    work_resume(&w, ctx);
    w.poly = poly_for(ctx, &w, len);
    absorb_waiting(ctx, &w);
    if (head) {
        rest_of_block(ctx, &w, used, out, in, head);
        w.state[12]++;
        out += head, in += head, len -= head;
    }
    const size_t many = bulk(&w, out, in, len);
    if (len > many)
        end_of_piece(ctx, &w, out + many, in + many, len - many);
    work_leave(&w, ctx);
}

static void tag(struct aead_ctx *ctx, uint8_t out[16])
{
    struct work w;
    const size_t used = ctx->len % CHACHA_BLOCK, part = used % POLY_BLOCK;
    flush(ctx);
    pad(ctx, ctx->block + (used - part), part);
    work_resume(&w, ctx);
    absorb_waiting(ctx, &w);
    finish(&w, out, ctx->aad_len, ctx->len, ctx->s);
    work_leave(&w, ctx);
}

const struct aead_mode chacha_poly1305_mode = {
    .max_len = max_len,
    .good_tag_len = good_tag_len,
    .least_tag = 1,
    .ctx_size = sizeof(struct chacha_poly1305_ctx),
    .setup = setup,
    .start = start,
    .absorb = absorb,
    .flush = flush,
    .crypt = crypt,
    .tag = tag,
};

/* The polynomial's kernel is chosen by the table of that. */
#define CHACHA(function) .direct = { encrypt, decrypt }, .chacha = function
/* clang-format off */
static const struct aead_kernel kernels[] = { /* best first; portable C last */
    KERNEL_X86("avx512", CPU(AVX512F), CHACHA(chacha_xor_avx512))
    KERNEL_X86("avx2", CPU(AVX2), CHACHA(chacha_xor_avx2))
    KERNEL_X86("ssse3", CPU(SSSE3), CHACHA(chacha_xor_ssse3))
    KERNEL_ARM64("neon", CPU(ARM_NEON), CHACHA(chacha_xor_neon))
    KERNEL_C(CHACHA(chacha_xor_c))
};
/* clang-format on */

static _Atomic(const struct aead_kernel *) chosen;
const struct aead_impl chacha_poly1305_impl = { kernels, COUNT(kernels), &chosen,
                                                &chacha_poly1305_mode };
