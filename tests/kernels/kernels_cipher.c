/* SPDX-License-Identifier: Apache-2.0 */
/* Compares one cipher kernel with the mode's definition: direct, generic, streaming and block
 * calls. */
#include "kasumi/kasumi.h"
#include "kernels_calls.h"

enum { BLOCK = HR_CIPHER_MAX_BLOCK, MAX = 8192 + 256, NUM_WRAP_BLOCKS = 80 };

struct subject {
    const struct hr_algorithm *row;
    enum hr_op op;
    const struct cipher_kernel *kernel;
    size_t index, unit; /* unit: bytes of a block */
    const struct effort *effort;
    struct guarded in, out, keys; /* the key ends at its guard page */
    struct hr_cipher_key *key;
    uint8_t key_bytes[32], *iv;      /* iv: at the guard page, never changed */
    uint8_t message[MAX], want[MAX]; /* want: the model's output for message under iv */
};

static int is_stream(const struct subject *s)
{
    return s->row->block_len == 1;
}

static int direct(const void *subject, uint8_t *out, const uint8_t *in, size_t len)
{
    const struct subject *const s = subject;
    return direct_cipher(s->row->alg, s->op)(out, in, len, s->key, s->iv);
}

static int generic(const void *subject, uint8_t *out, const uint8_t *in, size_t len)
{
    const struct subject *const s = subject;
    return (s->op == HR_OP_ENCRYPT ? hr_cipher_encrypt : hr_cipher_decrypt)(out, in, len, s->key,
                                                                            s->iv, s->row->iv_len);
}

/* check_refused_length checks that a length which the mode does not permit leaves the output
 * unchanged. */
static void check_refused_length(const struct subject *s, size_t len)
{
    uint8_t *out = s->out.end - len;
    memset(out, 0x5a, len);
    if (direct(s, out, s->in.start, len) != HR_ELENGTH ||
        generic(s, out, s->in.start, len) != HR_ELENGTH)
        complain("length %zu is not refused", len);
    for (size_t i = 0; i < len; i++)
        if (out[i] != 0x5a)
            complain("refused length %zu writes at %zu", len, i);
}

/* enum placement says where the buffers of one call lie: with their end or their start at a guard
 * page, or both in one place. */
enum placement { ENDS_AT_PAGE, BEGINS_AT_PAGE, IN_PLACE, NUM_PLACEMENTS };

static void check_length(const struct subject *s, size_t len, enum placement placement)
{
    static const char *const names[] = { "direct, buffers end at a page",
                                         "generic, buffers begin at a page", "in place" };
    uint8_t iv[BLOCK];
    uint8_t *in = placement == ENDS_AT_PAGE ? s->in.end - len : s->in.start;
    uint8_t *out = placement == ENDS_AT_PAGE     ? s->out.end - len
                   : placement == BEGINS_AT_PAGE ? s->out.start
                                                 : in;
    memcpy(iv, s->iv, s->row->iv_len);
    memcpy(in, s->message, len);
    must((placement == BEGINS_AT_PAGE ? generic : direct)(s, out, in, len), names[placement]);
    differs(out, s->want, len, names[placement], len, 0);
    if (memcmp(iv, s->iv, s->row->iv_len))
        complain("length %zu: the caller's IV changed", len);
}

/* check_allowed_length tries short lengths in every placement, and a long one in one of them. */
static void check_allowed_length(const struct subject *s, size_t len)
{
    const size_t shorter = s->effort->len_step == 1 ? 32 * s->unit : 8 * s->unit;
    if (len > shorter && is_stream(s)) {
        check_length(s, len, len % NUM_PLACEMENTS);
        return;
    }
    for (enum placement p = 0; p < NUM_PLACEMENTS; p++)
        check_length(s, len, p);
}

static void check_lengths(const struct subject *s)
{
    for (size_t len = 0; len <= s->effort->max_len; len += s->effort->len_step)
        if (is_stream(s) || len % s->unit == 0)
            check_allowed_length(s, len);
        else
            check_refused_length(s, len);
    for (size_t len = 0; len <= s->effort->max_len && s->effort->len_step > 1; len += s->unit)
        check_allowed_length(s, len);
}

/* ---- streams ---- */

static struct hr_cipher_ctx *new_ctx(const struct subject *s, unsigned flags)
{
    struct hr_cipher_ctx *ctx =
        (void *)(s->keys.start + ((hr_cipher_size(s->row->alg) + 15) & ~(size_t)15));
    must(hr_cipher_init(ctx, s->key, s->op, s->iv, s->row->iv_len, flags), "init");
    return ctx;
}

/* feed passes message[0, len) to the stream in random pieces; with `in_place`, the piece lies at
 * the place of its output.  It returns the number of bytes written. */
static size_t feed(const struct subject *s, struct hr_cipher_ctx *ctx, uint8_t *out, size_t len,
                   uint32_t longest, int in_place)
{
    size_t done = 0;
    for (size_t at = 0, n; at < len; at += n) {
        n = random_below(longest + 1);
        n = n < len - at ? n : len - at;
        size_t wrote = 0;
        const uint8_t *in = in_place ? out + at : s->in.end - n;
        memcpy(in_place ? out + at : s->in.end - n, s->message + at, n);
        must(hr_cipher_update(ctx, out + done, n + s->unit - 1, &wrote, in, n), "update");
        if (wrote > n + s->unit - 1)
            complain("update wrote %zu of %zu bytes", wrote, n);
        done += wrote;
    }
    return done;
}

static void check_iv(const struct subject *s, const struct hr_cipher_ctx *ctx, size_t len)
{
    uint8_t iv[BLOCK], got[BLOCK], scratch[MAX];
    if (!s->row->iv_len || len % s->unit || s->row->mode == HR_MODE_F8)
        return;
    memcpy(iv, s->iv, s->unit);
    model_cipher(scratch, s->message, len, s->row, s->op, s->key_bytes, iv);
    must(hr_cipher_get_iv(ctx, got, s->row->iv_len), "get_iv");
    differs(got, iv, s->unit, "get_iv", len, 0);
}

static void check_split(const struct subject *s, size_t round)
{
    size_t len = random_below((uint32_t)s->effort->max_len / 2), wrote = 0;
    if (!is_stream(s) || round % 4 == 0)
        len &= ~(size_t)(s->unit - 1);
    struct hr_cipher_ctx *ctx = new_ctx(s, 0);
    uint8_t *out = s->out.end - len;
    size_t done = feed(s, ctx, out, len, 1 + random_below(round & 1 ? 24 : 700), round & 2);
    if (done != len)
        complain("stream of %zu bytes wrote %zu", len, done);
    differs(out, s->want, len, "random split (round, length)", round, len);
    check_iv(s, ctx, len);
    must(hr_cipher_final(ctx, out, 0, &wrote), "final");
    if (wrote || !is_zero(ctx, hr_cipher_size(s->row->alg)))
        complain("final writes, or leaves something in the context");
}

/* check_resume stops a stream anywhere, and continues it in a new context by get_iv, get_num and
 * set_num. */
static void check_resume(const struct subject *s)
{
    for (size_t split = 0; split < 5 * s->unit; split++) {
        const size_t len = 8 * s->unit, step = s->row->mode == HR_MODE_CFB128 ? 1 : s->unit;
        size_t wrote = 0, more = 0;
        uint8_t iv[BLOCK], *out = s->out.start;
        if (split % step)
            continue;
        struct hr_cipher_ctx *ctx = new_ctx(s, 0);
        must(hr_cipher_update(ctx, out, split, &wrote, s->message, split), "update");
        must(hr_cipher_get_iv(ctx, iv, s->row->iv_len), "get_iv");
        int num = hr_cipher_get_num(ctx);
        if (num != (int)(split % s->unit))
            complain("get_num says %d after %zu bytes", num, split);
        must(hr_cipher_init(ctx, s->key, s->op, iv, s->row->iv_len, 0), "init");
        must(hr_cipher_set_num(ctx, (unsigned)num), "set_num");
        must(hr_cipher_update(ctx, out + wrote, len, &more, s->message + split, len - split),
             "update");
        differs(out, s->want, len, "resumed (split)", split, wrote + more);
    }
}

/* check_padding encrypts and decrypts with PKCS#7 padding (RFC 5652 section 6.3): n bytes of value
 * n, 1 to 8 or 16. The text to decrypt is encrypted by the model. */
static void check_padding(const struct subject *s, size_t len)
{
    const size_t padded = (len | (s->unit - 1)) + 1;
    uint8_t plain[MAX], sealed[MAX], iv[BLOCK] = { 0 };
    size_t wrote = 0, last = 0;
    memcpy(plain, s->message, len);
    memset(plain + len, (int)(padded - len), padded - len);
    memcpy(iv, s->iv, s->row->iv_len);
    model_cipher(sealed, plain, padded, s->row, HR_OP_ENCRYPT, s->key_bytes, iv);
    const int opening = s->op == HR_OP_DECRYPT;
    struct hr_cipher_ctx *ctx = new_ctx(s, HR_CIPHER_PADDING);
    uint8_t *out = s->out.end - padded;
    must(hr_cipher_update(ctx, out, padded, &wrote, opening ? sealed : plain,
                          opening ? padded : len),
         "update");
    must(hr_cipher_final(ctx, out + wrote, padded - wrote, &last), "final");
    if (wrote + last != (opening ? len : padded))
        complain("padding: %zu bytes became %zu", len, wrote + last);
    differs(out, opening ? plain : sealed, wrote + last, "padding", len, 0);
}

/* ---- overlap ---- */

/* check_stream_overlap: with u bytes waiting in the stream, a call works if out + u is in or if the
 * buffers do not overlap.  Any other call returns HR_EOVERLAP and does nothing, so that it can be
 * repeated elsewhere. */
static void check_stream_overlap(const struct subject *s, size_t waiting, size_t len)
{
    const size_t span = 5 * s->unit;
    const size_t step = s->effort->overlap_step;
    for (size_t out_at = (waiting + len) % step; out_at <= 2 * span; out_at += step) {
        uint8_t *in = s->in.start + span, *out = s->in.start + out_at, head[BLOCK];
        size_t first = 0, wrote = 0;
        memset(s->in.start, 0x77, 4 * span);
        memcpy(in, s->message + waiting, len);
        struct hr_cipher_ctx *ctx = new_ctx(s, 0);
        must(hr_cipher_update(ctx, head, s->unit, &first, s->message, waiting), "update");
        int error = hr_cipher_update(ctx, out, len + s->unit, &wrote, in, len);
        const size_t kept = is_stream(s) ? 0 : waiting;
        const size_t ready = is_stream(s) ? len : (waiting + len) & ~(size_t)(s->unit - 1);
        const int apart = !ready || out + ready <= in || in + len <= out;
        if (error != (apart || out + kept == in ? 0 : HR_EOVERLAP) || (error && wrote))
            complain("stream, %zu waiting, %zu bytes, out at %td: error %d", waiting, len, out - in,
                     error);
        if (error) {
            differs(in, s->message + waiting, len, "refused overlap changed the input", out_at, 0);
            out = s->out.start;
            must(hr_cipher_update(ctx, out, len + s->unit, &wrote, in, len), "update");
        }
        if (wrote != ready)
            complain("stream, %zu waiting, %zu bytes: wrote %zu", waiting, len, wrote);
        differs(out, s->want + first, wrote, "stream overlap (waiting, out)", waiting, out_at);
    }
}

/* ---- counters ---- */

/* check_wrap lets a counter pass 2^32, 2^64 and, for blocks of 16 bytes, 2^128 at every place of a
 * long run (SP 800-38A appendix B.1 with m the bits of a block). */
static void check_wrap(const struct subject *s)
{
    static const size_t carry_bytes[] = { 4, 8, 16 };
    uint8_t before[BLOCK], want[NUM_WRAP_BLOCKS * BLOCK], iv[BLOCK];
    const size_t len = NUM_WRAP_BLOCKS * s->unit, step = s->effort->len_step;
    memcpy(before, s->iv, s->unit);
    for (size_t c = 0; c < COUNT_OF(carry_bytes) && carry_bytes[c] <= s->unit; c++)
        for (size_t k = 0; k <= NUM_WRAP_BLOCKS; k += step) {
            memset(s->iv + s->unit - carry_bytes[c], 0xff, carry_bytes[c]);
            s->iv[s->unit - 1] = (uint8_t)(0xff - k);
            memcpy(iv, s->iv, s->unit);
            model_cipher(want, s->message, len, s->row, s->op, s->key_bytes, iv);
            must(direct(s, s->out.start, s->message, len), "direct");
            differs(s->out.start, want, len, "counter wrap (bytes, blocks before)", carry_bytes[c],
                    k);
            struct hr_cipher_ctx *ctx = new_ctx(s, 0);
            size_t done = feed(s, ctx, s->out.start, len, 300, 0);
            differs(s->out.start, want, done, "counter wrap, stream", carry_bytes[c], k);
            memcpy(s->iv, before, s->unit);
        }
}

/* ---- the kernel itself ---- */

/* check_blocks calls the kernel with up to as many blocks as the longest message has, or up to more
 * than twice the lanes of a bitsliced kernel. */
static void check_blocks(const struct subject *s)
{
    const size_t lanes = s->kernel->lanes, usual = s->effort->max_len / s->unit;
    const size_t most = usual > 2 * lanes + 3 ? usual : 2 * lanes + 3;
    const struct cipher_key *key = (const struct cipher_key *)s->key;
    uint8_t before[BLOCK], iv[BLOCK], elsewhere[BLOCK];
    memcpy(before, s->iv, s->unit);
    memcpy(iv, before, s->unit);
    for (size_t n = 0; n <= most; n++) {
        uint8_t *in = n & 1 ? s->in.end - n * s->unit : s->in.start;
        uint8_t *out = n % 3 == 0 ? in : n & 2 ? s->out.end - n * s->unit : s->out.start;
        memcpy(in, s->message, n * s->unit);
        uint8_t *next = n & 4 ? s->iv : elsewhere; /* for the continuing IV */
        const uintptr_t args[6] = { (uintptr_t)out,       (uintptr_t)in,    n,
                                    (uintptr_t)&key->aes, (uintptr_t)s->iv, (uintptr_t)next };
        int changed = checked_call((void (*)(void))s->kernel->blocks, args);
        if (changed)
            complain("%zu blocks: %d registers not kept", n, changed);
        differs(out, s->want, n * s->unit, "blocks", n, 0);
        if (s->row->iv_len)
            differs(next, iv, s->unit, "IV after blocks", n, 0);
        memcpy(s->iv, before, s->unit);
        uint8_t scratch[BLOCK];
        model_cipher(scratch, s->message + n * s->unit, s->unit, s->row, s->op, s->key_bytes, iv);
    }
}

/* check_f8_blocks calls f8's kernel in two parts: it takes a state instead of an IV, and leaves the
 * state that continues the message. */
static void check_f8_blocks(const struct subject *s)
{
    const size_t most = s->effort->max_len / s->unit;
    const struct cipher_key *key = (const struct cipher_key *)s->key;
    uint8_t state[KASUMI_F8_IV];
    for (size_t n = 0; n <= most; n++) {
        const size_t parts[2] = { n / 3, n - n / 3 };
        uint8_t *in = s->in.end - n * s->unit, *out = n % 2 ? in : s->out.start;
        kasumi_f8_start(state, key->schedule, s->iv);
        memcpy(in, s->message, n * s->unit);
        for (int i = 0; i < 2; i++) {
            const uintptr_t args[6] = { (uintptr_t)out,   (uintptr_t)in,
                                        parts[i],         (uintptr_t)key->schedule,
                                        (uintptr_t)state, i ? 0 : (uintptr_t)state };
            const int changed = checked_call((void (*)(void))s->kernel->blocks, args);
            if (changed)
                complain("%zu blocks: %d registers not kept", parts[i], changed);
            in += parts[i] * s->unit;
            out += parts[i] * s->unit;
        }
        differs(out - n * s->unit, s->want, n * s->unit, "blocks of f8", n, 0);
    }
}

/* check_one checks that the direct call for one block uses this kernel's function, and that it
 * keeps the registers. */
static void check_one(const struct subject *s)
{
    const struct cipher_key *key = (const struct cipher_key *)s->key;
    const struct cipher_op *cop = cipher_op(s->row, s->op);
    uint8_t *in = s->in.end - s->unit, *out = s->out.end - s->unit;
    for (size_t i = 0; i < cop->num_kernels; i++) {
        cipher_one_fn *const *one = cop->kernels[i].one;
        if (one && (key->one[s->op] == one[s->row->key_len / 8 - 2]) != (i == s->index))
            complain("one block: the entry of %s", cop->kernels[i].info.name);
    }
    memcpy(in, s->message, s->unit);
    const uintptr_t args[6] = { (uintptr_t)out, (uintptr_t)in,    s->unit,
                                (uintptr_t)key, (uintptr_t)s->iv, 0 };
    int changed = checked_call((void (*)(void))key->one[s->op], args);
    if (changed)
        complain("one block: %d registers not kept", changed);
    differs(out, s->want, s->unit, "one block", s->unit, 0);
}

/* ---- the kernels that a key chooses, for many blocks and for few ---- */

static void check_chosen_len(const struct subject *s, size_t len, int with_iv)
{
    struct hr_cipher_ctx *ctx = new_ctx(s, 0);
    uint8_t *out = s->out.end - len, iv[BLOCK], got[BLOCK], scratch[MAX];
    size_t wrote;
    must(direct(s, out, s->message, len), "direct");
    differs(out, s->want, len, "chosen kernels", len, 0);
    if (!with_iv || !s->row->iv_len)
        return;
    must(hr_cipher_update(ctx, out, len, &wrote, s->message, len), "update");
    must(hr_cipher_get_iv(ctx, got, s->row->iv_len), "get_iv");
    memcpy(iv, s->iv, s->unit);
    model_cipher(scratch, s->message, len, s->row, s->op, s->key_bytes, iv);
    differs(got, iv, s->unit, "IV of chosen kernels", len, 0);
}

/* check_chosen tries lengths around multiples of the kernels' lanes, where blocks are left over. */
static void check_chosen(struct subject *s, int vartime)
{
    static const size_t multiples[] = { 0, 64, 128, 256, 512, 768, 1024 };
    const struct cipher_key *key = (const struct cipher_key *)s->key;
    must((vartime ? hr_cipher_key_init_vartime : hr_cipher_key_init)(s->key, s->row->alg,
                                                                     s->key_bytes, s->row->key_len),
         "key");
    const size_t least = key->least[s->op];
    for (size_t i = 0; i < (least ? COUNT_OF(multiples) : 1); i++)
        for (size_t few = 0; few <= least + 2; few++) {
            const size_t len = (multiples[i] + few) * s->unit;
            if (len <= MAX)
                check_chosen_len(s, len, few % 8 == 0);
            if (len && len <= MAX && is_stream(s))
                check_chosen_len(s, len - 3, 0);
        }
}

/* ---- all checks ---- */

static void prepare(struct subject *s)
{
    static struct guarded in, out, keys, ivs;
    if (!in.start) {
        in = guarded_new(MAX);
        out = guarded_new(MAX);
        keys = guarded_new(2048);
        ivs = guarded_new(BLOCK);
    }
    s->in = in;
    s->out = out;
    s->keys = keys;
    s->iv = ivs.end - s->unit;
    s->key = (void *)(keys.end - ((hr_cipher_key_size(s->row->alg) + 15) & ~(size_t)15));
    random_bytes(s->key_bytes, sizeof s->key_bytes);
    random_bytes(s->iv, s->unit);
    random_bytes(s->message, MAX);
    must(key_init_on_its_cpu(s->key, s->row->alg, s->op, s->index, s->key_bytes, s->row->key_len),
         "key_init_kernel");
    uint8_t iv[BLOCK];
    memcpy(iv, s->iv, s->unit);
    model_cipher(s->want, s->message, MAX, s->row, s->op, s->key_bytes, iv);
}

static const uint8_t *want(const void *subject, size_t len)
{
    return ((const struct subject *)subject)->want;
}

int check_cipher_kernel(const struct hr_algorithm *row, enum hr_op op, size_t index,
                        const struct effort *effort)
{
    static struct subject s;
    s = (struct subject){ .row = row, .op = op, .index = index, .effort = effort };
    s.kernel = &cipher_op(row, op)->kernels[index];
    s.unit = cipher_unit(row);
    const int before = complaints_so_far();
    prepare(&s);
    check_lengths(&s);
    const struct calls calls = { &s, direct, generic, want, 0, effort, s.message, s.in, s.out };
    check_alignments(&calls, 9 * s.unit + (is_stream(&s) ? 5 : 0));
    check_short(&calls, 0, is_stream(&s) ? effort->len_step : s.unit);
    for (size_t round = 0; round < effort->num_splits; round++)
        check_split(&s, round);
    if (row->mode != HR_MODE_F8) /* f8 cannot be resumed with an IV */
        check_resume(&s);
    for (size_t len = 0; len <= 4 * s.unit && !is_stream(&s); len++)
        check_padding(&s, len);
    check_overlap(&calls, 3 * s.unit);
    for (size_t waiting = 0; waiting < s.unit; waiting += 3)
        for (size_t len = 1; len <= 4 * s.unit; len += 7)
            check_stream_overlap(&s, waiting, len);
    if (row->mode == HR_MODE_CTR)
        check_wrap(&s);
    if (row->mode == HR_MODE_F8) {
        check_f8_blocks(&s);
    } else {
        check_blocks(&s);
        check_one(&s);
    }
    if (index == 0 && row->mode != HR_MODE_F8)
        for (int vartime = 0; vartime < 2; vartime++)
            check_chosen(&s, vartime);
    hr_cipher_key_wipe(s.key);
    if (!is_zero(s.key, hr_cipher_key_size(row->alg)))
        complain("a wiped key is not zero");
    return complaints_so_far() - before;
}
