/* SPDX-License-Identifier: Apache-2.0 */
/* Compares one kernel of key wrap in one direction with its definition in SP 800-38F, whose
 * function W moves all semiblocks on in each step. */
#include "kernels.h"
#include "wrap/wrap.h"

enum { SEMI = 8, MAX = 1024, CANARY = 0x5a };

struct subject {
    const struct hr_algorithm *row;
    enum hr_op op;
    size_t index;
    const struct effort *effort;
    struct guarded in, out, keys;
    struct hr_wrap_key *key; /* ends at a guard page */
    uint8_t key_bytes[32], iv[SEMI];
    uint8_t message[MAX], wrapped[MAX + 2 * SEMI];
};

/* ---- the definition ---- */

/* model_w is W of section 6.1, algorithm 1, on num semiblocks; of two it is one block. */
static void model_w(const struct subject *s, uint8_t *c, size_t num)
{
    uint8_t block[2 * SEMI];
    for (uint64_t t = 1; t <= (num == 2 ? 1 : 6 * (num - 1)); t++) {
        memcpy(block, c, 2 * SEMI);
        model_block(block, block, s->row, HR_OP_ENCRYPT, s->key_bytes);
        memmove(c + SEMI, c + 2 * SEMI, (num - 2) * SEMI);
        memcpy(c, block, SEMI);
        memcpy(c + (num - 1) * SEMI, block + SEMI, SEMI);
        for (size_t i = 0; num > 2 && i < SEMI; i++)
            c[SEMI - 1 - i] ^= (uint8_t)(t >> 8 * i);
    }
}

static int pads(const struct subject *s)
{
    return s->row->mode == HR_MODE_KWP;
}

/* model wraps len bytes of `message` into s->wrapped, with this front and with padding of bytes
 * `fill`, and returns the length. */
static size_t model_with(struct subject *s, const uint8_t front[SEMI], size_t len, uint8_t fill)
{
    const size_t padded = (len + SEMI - 1) / SEMI * SEMI;
    memcpy(s->wrapped, front, SEMI);
    memset(s->wrapped + SEMI, fill, padded);
    memcpy(s->wrapped + SEMI, s->message, len);
    model_w(s, s->wrapped, padded / SEMI + 1);
    return padded + SEMI;
}

static void model_front(const struct subject *s, uint8_t front[SEMI], const uint8_t *iv, size_t len)
{
    static const uint8_t alternative[4] = { 0xa6, 0x59, 0x59, 0xa6 };
    memset(front, 0xa6, SEMI);
    if (pads(s))
        memcpy(front, alternative, sizeof alternative);
    if (iv)
        memcpy(front, iv, s->row->iv_len);
    for (size_t i = 0; pads(s) && i < 4; i++)
        front[4 + i] = (uint8_t)(len >> (24 - 8 * i));
}

static size_t model(struct subject *s, const uint8_t *iv, size_t len)
{
    uint8_t front[SEMI];
    model_front(s, front, iv, len);
    return model_with(s, front, len, 0);
}

/* ---- the checks ---- */

static int allowed(const struct subject *s, size_t len)
{
    return pads(s) ? len > 0 : len >= 2 * SEMI && len % SEMI == 0;
}

/* run makes the call of the subject's direction on a message of len bytes, whose wrapped form is in
 * s->wrapped.  `turn` puts the buffers before or behind guard pages, or in one place. */
static void run(struct subject *s, size_t len, size_t wrapped_len, const uint8_t *iv, size_t turn)
{
    const int wraps = s->op == HR_OP_WRAP;
    const size_t in_len = wraps ? len : wrapped_len, out_len = wraps ? wrapped_len : len,
                 room = wraps ? wrapped_len : wrapped_len - SEMI,
                 most = in_len > room ? in_len : room;
    uint8_t *in = turn & 1 ? s->in.end - in_len : s->in.start;
    uint8_t *out = turn & 2 ? s->out.end - room : s->out.start + turn;
    size_t got = 0;
    if (turn % 3 == 2)
        in = out = s->out.end - most;
    memcpy(in, wraps ? s->message : s->wrapped, in_len);
    must((wraps ? hr_wrap : hr_unwrap)(out, &got, in, in_len, s->key, iv), "length");
    if (got != out_len)
        complain("length %zu: %zu bytes instead of %zu", len, got, out_len);
    differs(out, wraps ? s->wrapped : s->message, out_len, "length (and turn)", len, turn);
    for (size_t i = out_len; i < room; i++)
        if (out[i])
            complain("length %zu: padding is given away", len);
}

static void check_refused(const struct subject *s, size_t len)
{
    uint8_t *const out = s->out.start;
    size_t out_len = CANARY;
    memset(out, CANARY, SEMI);
    const int error =
        (s->op == HR_OP_WRAP ? hr_wrap : hr_unwrap)(out, &out_len, s->in.start, len, s->key, NULL);
    if (error != HR_ELENGTH || out_len != CANARY || out[0] != CANARY)
        complain("length %zu is not refused: %d", len, error);
}

static void check_lengths(struct subject *s)
{
    for (size_t len = 0; len <= MAX; len += len < 80 ? 1 : s->effort->len_step) {
        const size_t wrapped_len = allowed(s, len) ? model(s, NULL, len) : 0;
        if (hr_wrapped_len(s->row->alg, len) != wrapped_len)
            complain("%zu bytes become %zu", len, hr_wrapped_len(s->row->alg, len));
        if (s->op == HR_OP_WRAP && !wrapped_len)
            check_refused(s, len);
        if (s->op == HR_OP_UNWRAP && (len % SEMI || len < (pads(s) ? 2 : 3) * SEMI))
            check_refused(s, len);
        for (size_t turn = 0; wrapped_len && turn < (len < 80 ? 12 : 3); turn++)
            run(s, len, wrapped_len, NULL, turn);
        if (wrapped_len) {
            model(s, s->iv, len);
            run(s, len, wrapped_len, s->iv, len);
        }
    }
    static const size_t hostile[] = { SIZE_MAX, SIZE_MAX - 7, SIZE_MAX - 15, SIZE_MAX / 2 + 1 };
    for (size_t i = 0; i < COUNT_OF(hostile); i++)
        check_refused(s, hostile[i]);
    if (pads(s))
        check_refused(s, (size_t)UINT32_MAX + (s->op == HR_OP_WRAP ? 1 : 1 + 2 * SEMI));
}

/* refuse checks that what is in s->wrapped does not unwrap. */
static void refuse(const struct subject *s, size_t wrapped_len, const uint8_t *iv, const char *what,
                   size_t number)
{
    const size_t room = wrapped_len - SEMI;
    uint8_t *const out = s->out.end - room;
    size_t len = CANARY;
    memset(out, CANARY, room);
    const int error = hr_unwrap(out, &len, s->wrapped, wrapped_len, s->key, iv);
    if (error != HR_EMAC || len)
        complain("%s %zu: %d", what, number, error);
    if (!is_zero(out, room))
        complain("%s %zu: something is left in the output", what, number);
}

static void check_changed_bits(struct subject *s, size_t len)
{
    const size_t wrapped_len = model(s, NULL, len);
    for (size_t bit = 0; bit < 8 * wrapped_len; bit += s->effort->short_step) {
        s->wrapped[bit / 8] ^= (uint8_t)(1 << bit % 8);
        refuse(s, wrapped_len, NULL, "changed bit", bit);
        s->wrapped[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    refuse(s, wrapped_len, s->iv, "IV of the RFC for another", 0);
    for (size_t bit = 0; bit < 8u * s->row->iv_len; bit++) {
        uint8_t iv[SEMI];
        memcpy(iv, s->iv, sizeof iv);
        iv[bit / 8] ^= (uint8_t)(1 << bit % 8);
        refuse(s, model(s, iv, len), s->iv, "IV with another bit", bit);
    }
    refuse(s, model(s, s->iv, len), NULL, "another IV for that of the RFC", 0);
}

/* check_padding wraps keys with lengths and padding that RFC 5649 section 3 forbids. */
static void check_padding(struct subject *s, size_t num)
{
    const size_t padded = num * SEMI;
    uint8_t front[SEMI];
    for (size_t len = 0; len <= padded + 3 * SEMI; len++) {
        model_front(s, front, NULL, len);
        const size_t wrapped_len = model_with(s, front, padded, 0);
        if (len <= padded - SEMI || len > padded)
            refuse(s, wrapped_len, NULL, "length", len);
    }
    static const size_t wrong[] = { UINT32_MAX, 0x80000000, 0x01000000, 0x10000 };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        model_front(s, front, NULL, wrong[i] | padded);
        refuse(s, model_with(s, front, padded, 0), NULL, "length", wrong[i]);
    }
    for (size_t len = padded - SEMI + 1; len < padded; len++)
        for (size_t at = len; at < padded; at++) {
            memset(s->message + len, 0, padded - len);
            s->message[at] = (uint8_t)(1 << at % 8);
            model_front(s, front, NULL, len);
            refuse(s, model_with(s, front, padded, 0), NULL, "padding", at);
        }
}

/* check_registers calls the kernel itself and the public call. */
static void check_registers(struct subject *s)
{
    const struct wrap_key *key = (const struct wrap_key *)s->key;
    const struct wrap_kernel *kernel = &wrap_ops[s->op].kernels[s->index];
    if (key->kernel[s->op] != kernel)
        complain("the key has another kernel");
    for (size_t num = pads(s) ? 1 : 2; num <= 20; num++) {
        const int wraps = s->op == HR_OP_WRAP;
        const size_t len = num * SEMI, wrapped_len = model(s, NULL, len);
        const uint8_t *const in = wraps ? s->message : s->wrapped;
        uint8_t *const out = s->out.start, front[SEMI];
        size_t got;
        const uintptr_t args[6] = { (uintptr_t)out, (uintptr_t)&got,
                                    (uintptr_t)in,  wraps ? len : wrapped_len,
                                    (uintptr_t)key, 0 };
        int changed = checked_call((void (*)(void))(wraps ? hr_wrap : hr_unwrap), args);
        differs(out, wraps ? s->wrapped : s->message, got, "call", num, 0);
        if (kernel->chain && num > 1) {
            memcpy(out, s->wrapped, wrapped_len);
            if (wraps) {
                model_front(s, front, NULL, len);
                memcpy(out, front, SEMI);
                memcpy(out + SEMI, s->message, len);
            }
            const uintptr_t own[6] = { (uintptr_t)out, (uintptr_t)(out + SEMI), num,
                                       (uintptr_t)&key->aes };
            changed += checked_call((void (*)(void))kernel->chain, own);
            differs(out + SEMI, wraps ? s->wrapped + SEMI : s->message, len, "kernel", num, 0);
        }
        if (changed)
            complain("%zu semiblocks: %d registers not kept", num, changed);
    }
}

/* check_overlap checks that buffers that overlap without being the same are refused. */
static void check_overlap(struct subject *s)
{
    const size_t len = 4 * SEMI, wrapped_len = model(s, NULL, len), wraps = s->op == HR_OP_WRAP;
    const size_t in_len = wraps ? len : wrapped_len, room = wraps ? wrapped_len : len;
    uint8_t *const in = s->in.start + 2 * wrapped_len;
    for (size_t at = 0; at <= 4 * wrapped_len; at++) {
        uint8_t *const out = s->in.start + at;
        const int free = out == in || out + room <= in || out >= in + in_len;
        size_t got;
        memcpy(in, wraps ? s->message : s->wrapped, in_len);
        const int error = (wraps ? hr_wrap : hr_unwrap)(out, &got, in, in_len, s->key, NULL);
        if (error != (free ? 0 : HR_EOVERLAP))
            complain("output at %zu, input at %zu: %d", at, 2 * wrapped_len, error);
        if (!free && memcmp(in, wraps ? s->message : s->wrapped, in_len))
            complain("output at %zu is written though it overlaps", at);
    }
}

static void prepare(struct subject *s)
{
    static struct guarded in, out, keys;
    if (!in.start) {
        in = guarded_new(2 * MAX);
        out = guarded_new(2 * MAX);
        keys = guarded_new(sizeof *s->key);
    }
    s->in = in, s->out = out, s->keys = keys;
    s->key = (void *)(keys.end - ((hr_wrap_key_size(s->row->alg) + 15) & ~(size_t)15));
    random_bytes(s->key_bytes, sizeof s->key_bytes);
    random_bytes(s->iv, sizeof s->iv);
    random_bytes(s->message, MAX);
    must(wrap_key_on_its_cpu(s->key, s->row->alg, s->op, s->index, s->key_bytes, s->row->key_len),
         "key_init_kernel");
}

int check_wrap_kernel(const struct hr_algorithm *row, enum hr_op op, size_t index,
                      const struct effort *effort)
{
    static struct subject s;
    s = (struct subject){ .row = row, .op = op, .index = index, .effort = effort };
    const int before = complaints_so_far();
    prepare(&s);
    struct hr_wrap_key made;
    memcpy(&made, s.key, hr_wrap_key_size(row->alg));
    check_lengths(&s);
    for (size_t num = pads(&s) ? 1 : 2; num <= 4 && op == HR_OP_UNWRAP; num++) {
        check_changed_bits(&s, num * SEMI - (size_t)pads(&s) * num);
        if (pads(&s))
            check_padding(&s, num);
    }
    check_registers(&s);
    check_overlap(&s);
    if (memcmp(&made, s.key, hr_wrap_key_size(row->alg)))
        complain("the key has changed in use");
    hr_wrap_key_wipe(s.key);
    if (!is_zero(s.key, hr_wrap_key_size(row->alg)))
        complain("a wiped key is not zero");
    return complaints_so_far() - before;
}
