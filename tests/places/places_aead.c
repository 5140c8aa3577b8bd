/* SPDX-License-Identifier: Apache-2.0 */
/* What `places` does for ciphers, for the calls of every kernel of GCM, CCM, ChaCha20, XTS and
 * Poly1305: input and output at every address modulo 8 before a page that traps and behind one, in
 * all pairs; and then for whole messages, which have tags and end in parts of blocks
 * (places_messages.c). places_aead [--quick] [KERNEL [ROW]]: fewer places of whole messages; only
 * kernels of this name, only rows whose symbol begins so. */
#include "nmac.h"
#include "places.h"
#include "xts.h"
#include <headrace/algorithms.h>

enum { BLOCK = 16, MOST = 17 * BLOCK };

static uint8_t message[MOST], iv[BLOCK];

/* struct state is what a kernel continues from: counter and hash of an AEAD, or Poly1305's h. */
struct state {
    alignas(8) uint8_t ctr[BLOCK];
    uint8_t y[BLOCK];
    uint64_t h[3];
};

enum what { HASH, TEXT, UNIT, POLY, CHACHA };
struct subject {
    const struct hr_algorithm *row;
    enum what what;
    enum hr_op op;
    void (*fn)(void);
    const void *key; /* as fn takes it */
    uint8_t key_bytes[64];
    struct state first, want;
    uint8_t want_out[MOST];
};

/* ---- by definition ---- */

/* begin makes a new message and state for each call, so that no register still holds what the call
 * needs. */
static void begin(struct subject *s, size_t len)
{
    random_bytes(message, len);
    random_bytes(iv, sizeof iv);
    random_bytes(&s->first, sizeof s->first);
    s->first.h[2] %= 8;
    memset(s->first.ctr + 8, 0xff, 7); /* the counter wraps within some blocks */
    s->first.ctr[15] = (uint8_t)(0xff - random_below(5));
    s->want = s->first;
}

static void expect_text(struct subject *s, size_t len)
{
    const struct hr_algorithm *row = s->row;
    const int gcm = row->mode == HR_MODE_GCM;
    model_count(s->want_out, message, len, row, s->key_bytes, s->want.ctr, gcm ? 4 : 8);
    const int of_input = gcm == (s->op == HR_OP_DECRYPT);
    model_hash(s->want.y, of_input ? message : s->want_out, len, row, s->key_bytes);
}

static void expect(struct subject *s, size_t len)
{
    static const uint8_t nonce[12];
    if (s->what == HASH)
        model_hash(s->want.y, message, len, s->row, s->key_bytes);
    if (s->what == TEXT)
        expect_text(s, len);
    if (s->what == UNIT)
        model_xts(s->want_out, message, len, s->row, s->op, s->key_bytes, iv);
    if (s->what == POLY)
        model_poly1305_blocks(s->want.h, message, len, s->key_bytes);
    if (s->what == CHACHA)
        model_chacha(s->want_out, message, len, s->key_bytes, 0, nonce);
}

/* ---- calls ---- */

static uintptr_t address(const void *p)
{
    return (uintptr_t)p;
}

static int call(const struct subject *s, uint8_t *out, const uint8_t *in, size_t len,
                const uint8_t *iv_at, struct state *state)
{
    const uintptr_t key = address(s->key), n = len / BLOCK;
    const uintptr_t args[][6] = {
        [HASH] = { address(state->y), address(in), n, key },
        [TEXT] = { address(out), address(in), n, key, address(state->ctr), address(state->y) },
        [UNIT] = { address(out), address(in), len, key, address(iv_at) },
        [POLY] = { address(state->h), address(in), n, key },
        [CHACHA] = { address(out), address(in), len / CHACHA_BLOCK, key },
    };
    return checked_call(s->fn, args[s->what]);
}

static void check_call(struct subject *s, size_t len, unsigned in_place, unsigned out_place)
{
    static const uint8_t r[BLOCK];
    const int has_out = s->what == TEXT || s->what == UNIT || s->what == CHACHA;
    const int same = has_out && out_place == NUM_PLACES;
    begin(s, len);
    expect(s, len);
    fill();
    uint8_t *in = place(in_page, len, in_place);
    uint8_t *out = same ? in : place(out_page, len, out_place % NUM_PLACES);
    uint8_t *iv_at = place(iv_page, BLOCK, (in_place + out_place) % NUM_PLACES);
    memcpy(in, message, len);
    memcpy(iv_at, iv, BLOCK);
    struct state state = s->first;
    if (call(s, out, in, len, iv_at, &state))
        complain("registers not kept");
    if (s->what == POLY)
        model_poly1305_blocks(state.h, NULL, 0, r); /* reduces h: a kernel may leave any number that
                                                     * is congruent to it */
    if ((has_out && memcmp(out, s->want_out, len)) || (!same && memcmp(in, message, len)))
        complain("wrong bytes");
    if (memcmp(&state, &s->want, sizeof state) || memcmp(iv_at, iv, BLOCK))
        complain("wrong state");
    spilled(in_page, in, len);
    spilled(iv_page, iv_at, BLOCK);
    if (!same)
        spilled(out_page, out, has_out ? len : 0);
    if (complaints_so_far())
        complain("%zu bytes, places %u, %u", len, in_place, out_place);
}

/* check tries at least as many lengths as there are places of the output, and moves the output for
 * each, so that every pair of places of input and output is tried. */
static void check(struct subject *s)
{
    const size_t step = s->what == UNIT ? 5 : s->what == CHACHA ? CHACHA_BLOCK : BLOCK;
    unsigned turn = 0;
    for (size_t len = s->what == UNIT ? BLOCK : 0; len < MOST; len += step, turn++)
        for (unsigned in = 0; in < NUM_PLACES && !complaints_suffice(); in++)
            check_call(s, len, in, (in + turn) % (NUM_PLACES + 1));
}

/* ---- rows ---- */

/* run_chacha tries a state in place of a key; the whole messages of check_messages() have parts of
 * blocks. */
static void run_chacha(struct subject *s, const struct aead_kernel *kernel)
{
    uint32_t state[CHACHA_WORDS] = { 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574 };
    for (size_t i = 4; i < CHACHA_WORDS; i++)
        state[i] = i < 12 ? load_le32(s->key_bytes + 4 * (i - 4)) : 0;
    s->key = state;
    s->what = CHACHA;
    s->fn = (void (*)(void))kernel->chacha;
    check(s);
}

static void run_aead(struct subject *s, enum hr_op op, size_t i)
{
    struct hr_aead_key key;
    const struct aead_kernel *kernel = &aead_impl(s->row)->kernels[i];
    if (aead_key_on_its_cpu(&key, s->row->alg, i, s->key_bytes, s->row->key_len))
        complain("no key");
    s->key = &key;
    s->op = op;
    if (kernel->chacha) {
        run_chacha(s, kernel);
        return;
    }
    s->what = HASH;
    s->fn = (void (*)(void))kernel->hash;
    if (op == HR_OP_ENCRYPT)
        check(s);
    s->what = TEXT;
    s->fn = (void (*)(void))kernel->blocks[op];
    check(s);
}

static void run_xts(struct subject *s, enum hr_op op, size_t i)
{
    struct hr_xts_key key;
    if (xts_key_on_its_cpu(&key, s->row->alg, op, i, s->key_bytes, s->row->key_len))
        complain("no key");
    s->key = &key;
    s->op = op;
    s->what = UNIT;
    s->fn = (void (*)(void))xts_ops[op].kernels[i].crypt;
    check(s);
}

static void run_poly1305(struct subject *s, enum hr_op op, size_t i)
{
    struct hr_nmac_key key;
    struct poly1305_key *poly = &((struct nmac_key *)&key)->u.poly.poly;
    if (nmac_key_on_its_cpu(&key, s->row->alg, i, s->key_bytes, s->row->key_len))
        complain("no key");
    poly1305_make_powers(poly);           /* a key for one message has no powers yet */
    store_le64(s->key_bytes, poly->r[0]); /* clamped */
    store_le64(s->key_bytes + 8, poly->r[1]);
    s->key = poly;
    s->what = POLY;
    s->fn = (void (*)(void))poly->kernel->blocks;
    check(s);
}

/* run_no_kernel calls no kernel: those of GMAC and Poly1305-AES belong to other rows, and those of
 * f9 take any alignment. check_messages tests these rows. */
static void run_no_kernel(struct subject *s, enum hr_op op, size_t i) {}

/* runner returns the function that runs a row's kernel, or NULL if the row is not tested here. */
static void (*runner(const struct hr_algorithm *row))(struct subject *, enum hr_op, size_t)
{
    return row->cls == HR_CLASS_AEAD   ? run_aead
           : row->cls == HR_CLASS_XTS  ? run_xts
           : row->alg == HR_POLY1305   ? run_poly1305
           : row->cls == HR_CLASS_NMAC ? run_no_kernel
                                       : NULL;
}

static void run(const struct hr_algorithm *row, enum hr_op op, size_t i,
                const struct hr_kernel *kernel)
{
    const char *reason = cannot_run(kernel->needs);
    if (reason) {
        tap_skip(reason, "%s %s %s", row->name, op_name(row, op), kernel->name);
        return;
    }
    struct subject s = { .row = row };
    random_bytes(s.key_bytes, sizeof s.key_bytes);
    runner(row)(&s, op, i);
    check_messages(row, op, i);
    tap(!complaints_so_far(), "%s %s %s: every place", row->name, op_name(row, op), kernel->name);
}

/* places_aead [--quick] [KERNEL [ROW]] */
int main(int argc, char **argv)
{
    const struct hr_algorithm *row;
    struct hr_kernel kernel;
    if (argc > 1 && !strcmp(argv[1], "--quick")) {
        messages_quick = 1;
        argc--, argv++;
    }
    const char *name = argc > 1 ? argv[1] : NULL, *rows = argc > 2 ? argv[2] : "";
    pages_new(LONGEST_MESSAGE);
    for (size_t r = 0; (row = hr_algorithm_at(r)); r++)
        for (enum hr_op op = 0; runner(row) && (int)op < hr_num_ops(row->alg); op++)
            for (size_t i = 0; !hr_kernel_at(&kernel, row->alg, op, i); i++)
                if ((!name || !strcmp(name, kernel.name)) &&
                    !strncmp(rows, row->symbol, strlen(rows)))
                    run(row, op, i, &kernel);
    return tap_done();
}
