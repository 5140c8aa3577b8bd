/* SPDX-License-Identifier: Apache-2.0 */
/* Compares one kernel of XTS in one direction with the mode's definition. */
#include "kernels_calls.h"
#include "xts.h"

enum { BLOCK = 16, MAX = 4096 + 256, EVERY = 1100 };

struct subject {
    const struct hr_algorithm *row;
    enum hr_op op;
    size_t index;
    const struct effort *effort;
    struct guarded in, out, keys, ivs;
    struct hr_xts_key *key; /* ends at a guard page, as does the IV */
    uint8_t key_bytes[64], *iv;
    uint8_t message[MAX], want[MAX];
};

static int direct(const void *subject, uint8_t *out, const uint8_t *in, size_t len)
{
    const struct subject *const s = subject;
    return direct_xts(s->row->alg, s->op)(out, in, len, s->key, s->iv);
}

static int generic(const void *subject, uint8_t *out, const uint8_t *in, size_t len)
{
    const struct subject *const s = subject;
    return (s->op == HR_OP_ENCRYPT ? hr_xts_encrypt : hr_xts_decrypt)(out, in, len, s->key, s->iv);
}

static void expect(struct subject *s, size_t len)
{
    model_xts(s->want, s->message, len, s->row, s->op, s->key_bytes, s->iv);
}

/* check_length puts the buffers, by `turn`, behind a guard page, before one, or in one place. */
static void check_length(struct subject *s, size_t len, size_t turn)
{
    uint8_t *const in = turn % 3 ? s->in.end - len : s->in.start, iv[BLOCK];
    uint8_t *const out = turn % 3 == 2 ? in : turn % 3 ? s->out.end - len : s->out.start;
    memcpy(in, s->message, len);
    memcpy(iv, s->iv, BLOCK);
    must((turn & 1 ? generic : direct)(s, out, in, len), "length");
    differs(out, s->want, len, "length (and turn)", len, turn);
    if (memcmp(iv, s->iv, BLOCK))
        complain("length %zu: the caller's IV changed", len);
}

static void check_refused_length(const struct subject *s, size_t len)
{
    uint8_t *const out = s->out.start;
    memset(out, 0x5a, BLOCK);
    if (direct(s, out, s->in.start, len) != HR_ELENGTH ||
        generic(s, out, s->in.start, len) != HR_ELENGTH)
        complain("length %zu is not refused", len);
    for (size_t i = 0; i < BLOCK; i++)
        if (out[i] != 0x5a)
            complain("refused length %zu writes at %zu", len, i);
}

static void check_lengths(struct subject *s)
{
    for (size_t len = 0; len < BLOCK; len++)
        check_refused_length(s, len);
    check_refused_length(s, (1 << 24) + 1);
    check_refused_length(s, SIZE_MAX);
    for (size_t len = BLOCK; len <= EVERY && len <= s->effort->max_len; len += s->effort->len_step)
        for (size_t turn = 0; turn < 6; turn++) {
            if (turn == 0)
                expect(s, len);
            check_length(s, len, turn);
        }
    for (size_t len = 4000; len <= MAX - 32 && s->effort->len_step == 1; len++) {
        expect(s, len);
        check_length(s, len, len);
    }
    for (size_t len = BLOCK; len <= s->effort->max_len; len += BLOCK) {
        expect(s, len);
        check_length(s, len, len / BLOCK);
    }
}

/* check_units checks that a run of data units gives each unit's result under its number, which
 * carries beyond 64 bits. */
static void check_units(struct subject *s, size_t unit_len, uint64_t first)
{
    const size_t num = 2048 / unit_len, len = num * unit_len;
    for (size_t i = 0; i < num; i++) {
        uint8_t iv[BLOCK] = { 0 };
        store_le64(iv, first + i);
        iv[8] = first + i < first;
        model_xts(s->want + i * unit_len, s->message + i * unit_len, unit_len, s->row, s->op,
                  s->key_bytes, iv);
    }
    uint8_t *const in = s->in.end - len, *const out = s->out.start;
    memcpy(in, s->message, len);
    int (*const units)(uint8_t *, const uint8_t *, size_t, size_t, const struct hr_xts_key *,
                       uint64_t) =
        s->op == HR_OP_ENCRYPT ? hr_xts_encrypt_units : hr_xts_decrypt_units;
    must(units(out, in, unit_len, num, s->key, first), "units");
    differs(out, s->want, len, "units", unit_len, (size_t)first);
    must(units(in, in, unit_len, num, s->key, first), "units");
    differs(in, s->want, len, "units in place", unit_len, (size_t)first);
    if (units(in + 1, in, unit_len, num - 1, s->key, first) != HR_EOVERLAP)
        complain("units of %zu bytes may overlap", unit_len);
}

/* check_pieces processes units in pieces of whole blocks, and one that may end in a part of a
 * block, with a key that is advanced after each. */
static void check_pieces(struct subject *s)
{
    for (size_t round = 0; round < s->effort->num_splits; round++) {
        const size_t len = BLOCK + random_below(MAX - BLOCK + 1);
        uint8_t *const in = s->in.end - len, *const out = round & 1 ? in : s->out.end - len;
        struct hr_xts_key key;
        memcpy(&key, s->key, hr_xts_key_size(s->row->alg));
        memcpy(in, s->message, len);
        expect(s, len);
        for (size_t at = 0, piece; at < len; at += piece) {
            const size_t most = (len - at) / BLOCK;
            const size_t num = random_below(1 + (unsigned)(round % 3 ? most : 2));
            piece = num && num < most ? num * BLOCK : len - at;
            must((s->op == HR_OP_ENCRYPT ? hr_xts_encrypt : hr_xts_decrypt)(out + at, in + at,
                                                                            piece, &key, s->iv),
                 "piece");
            must(hr_xts_key_advance(&key, s->iv, piece / BLOCK), "advance");
        }
        differs(out, s->want, len, "pieces", len, round);
    }
}

/* check_kernel checks that the kernel itself and the direct call keep the registers. */
static void check_kernel(struct subject *s)
{
    const struct xts_key *key = (const struct xts_key *)s->key;
    const struct xts_kernel *kernel = &xts_ops[s->op].kernels[s->index];
    if (key->crypt[s->op] != kernel->crypt)
        complain("the key has another kernel");
    for (size_t len = BLOCK; len <= 600; len += s->effort->len_step) {
        uint8_t *const in = s->in.end - len, *const out = s->out.end - len;
        void (*const calls[])(void) = { (void (*)(void))kernel->crypt,
                                        (void (*)(void))direct_xts(s->row->alg, s->op) };
        expect(s, len);
        memcpy(in, s->message, len);
        const uintptr_t args[6] = { (uintptr_t)out, (uintptr_t)in, len, (uintptr_t)key,
                                    (uintptr_t)s->iv };
        for (size_t i = 0; i < COUNT_OF(calls); i++) {
            memset(out, 0, len);
            const int changed = checked_call(calls[i], args);
            if (changed)
                complain("%zu bytes: %d registers not kept", len, changed);
            differs(out, s->want, len, "the kernel", len, i);
        }
    }
}

/* check_tweaks tries IVs of all zeros, of all ones and half of ones, and random ones. */
static void check_tweaks(struct subject *s)
{
    uint8_t before[BLOCK];
    memcpy(before, s->iv, BLOCK);
    for (size_t round = 0; round < s->effort->num_splits; round++) {
        const size_t len = BLOCK + random_below(1000);
        random_bytes(s->iv, BLOCK);
        if (round < 3)
            memset(s->iv, round == 0 ? 0 : 0xff, round == 2 ? 8 : BLOCK);
        expect(s, len);
        check_length(s, len, round);
    }
    memcpy(s->iv, before, BLOCK);
}

/* check_equal_halves checks that a key with equal halves decrypts but is refused for encryption. */
static void check_equal_halves(struct subject *s)
{
    const size_t half = s->row->key_len / 2, len = 5 * BLOCK + 3;
    uint8_t *const out = s->out.start;
    memcpy(s->key_bytes + half, s->key_bytes, half);
    must(xts_key_on_its_cpu(s->key, s->row->alg, s->op, s->index, s->key_bytes, 2 * half), "key");
    memset(out, 0x5a, len);
    expect(s, len);
    const int error = direct(s, out, s->message, len);
    if (error != (s->op == HR_OP_ENCRYPT ? HR_EKEY : 0) ||
        generic(s, out, s->message, len) != error)
        complain("equal halves: error %d", error);
    for (size_t i = 0; error && i < len; i++)
        if (out[i] != 0x5a)
            complain("a refused key writes at %zu", i);
    if (!error)
        differs(out, s->want, len, "equal halves", len, 0);
}

static void prepare(struct subject *s)
{
    static struct guarded in, out, keys, ivs;
    if (!in.start) {
        in = guarded_new(MAX);
        out = guarded_new(MAX);
        keys = guarded_new(sizeof *s->key);
        ivs = guarded_new(BLOCK);
    }
    s->in = in, s->out = out, s->keys = keys, s->ivs = ivs;
    s->iv = ivs.end - BLOCK;
    s->key = (void *)(keys.end - ((hr_xts_key_size(s->row->alg) + 15) & ~(size_t)15));
    random_bytes(s->key_bytes, sizeof s->key_bytes);
    random_bytes(s->iv, BLOCK);
    random_bytes(s->message, MAX);
    must(xts_key_on_its_cpu(s->key, s->row->alg, s->op, s->index, s->key_bytes, s->row->key_len),
         "key_init_kernel");
}

static const uint8_t *want(const void *subject, size_t len)
{
    static uint8_t out[MAX];
    const struct subject *const s = subject;
    model_xts(out, s->message, len, s->row, s->op, s->key_bytes, s->iv);
    return out;
}

int check_xts_kernel(const struct hr_algorithm *row, enum hr_op op, size_t index,
                     const struct effort *effort)
{
    static struct subject s;
    s = (struct subject){ .row = row, .op = op, .index = index, .effort = effort };
    const int before = complaints_so_far();
    prepare(&s);
    struct hr_xts_key made;
    memcpy(&made, s.key, hr_xts_key_size(row->alg));
    check_lengths(&s);
    const struct calls calls = { &s, direct, generic, want, 0, effort, s.message, s.in, s.out };
    check_alignments(&calls, 9 * BLOCK + 5);
    check_short(&calls, BLOCK, effort->len_step);
    check_overlap(&calls, 3 * BLOCK - 3);
    for (size_t unit_len = BLOCK; unit_len <= 1024; unit_len += unit_len < 40 ? 1 : unit_len)
        check_units(&s, unit_len, unit_len & 1 ? 0 - UINT64_C(2) : 1000);
    check_units(&s, 512, 0x00ffffffff);
    check_kernel(&s);
    check_tweaks(&s);
    check_pieces(&s);
    if (memcmp(&made, s.key, hr_xts_key_size(row->alg)))
        complain("the key has changed in use");
    check_equal_halves(&s);
    hr_xts_key_wipe(s.key);
    if (!is_zero(s.key, hr_xts_key_size(row->alg)))
        complain("a wiped key is not zero");
    return complaints_so_far() - before;
}
