/* SPDX-License-Identifier: Apache-2.0 */
/* Every cipher kernel but f8's with its input and its output at every address modulo 8 before a
 * page that traps and behind one, in all pairs, and the IVs likewise: it may read the aligned
 * doublewords that hold input, and no other; it writes the bytes of out and of next, and no other.
 * places [--complete] [--quick] [--readable-guards] [KERNEL [ROW]]: all pairs for more blocks than
 * 5, too, instead of each place of the input with some place of the output; all pairs for up to 2
 * blocks only, and no middle sizes of keys; reads beyond the ends of buffers pass; only kernels of
 * this name, only rows whose symbol begins so.
 *
 * Defects that were in other kernels for the same instructions, and would be found here: a
 * doubleword too many of aligned input was read if the output was unaligned, and a message of less
 * than a block was taken for a very long one. */
#include "places.h"
#include "aes/aes.h"

enum { BLOCK = HR_CIPHER_MAX_BLOCK, MOST = 32, FEW = 5, FEWER = 2 };

static uint8_t message[MOST * BLOCK];

/* struct turn is a key and an IV with their results. Two of them take turns, so that no register
 * still holds what the call needs. */
struct turn {
    struct hr_cipher_key key;
    uint8_t key_bytes[32], iv[BLOCK];
    uint8_t want[MOST * BLOCK], want_next[BLOCK]; /* for the number of blocks that is tried now */
};

struct subject {
    const struct hr_algorithm *row;
    enum hr_op op;
    cipher_blocks_fn *kernel;
    size_t unit; /* bytes of a block */
    struct turn turns[2];
};

enum next_iv { NO_NEXT, NEXT_ELSEWHERE, NEXT_IN_PLACE, NUM_NEXT };

struct call {
    unsigned in_place, out_place, iv_place, next_place; /* out_place NUM_PLACES: out is in */
    enum next_iv next_iv;
    size_t num_blocks;
    const struct turn *turn;
};

static void check_call(const struct subject *s, const struct call *c)
{
    const size_t unit = s->unit, len = c->num_blocks * unit;
    const int same = c->out_place == NUM_PLACES;
    uint8_t *in = place(in_page, len, c->in_place);
    uint8_t *out = same ? in : place(out_page, len, c->out_place);
    uint8_t *iv = place(iv_page, unit, c->iv_place);
    uint8_t *next = c->next_iv == NO_NEXT         ? NULL
                    : c->next_iv == NEXT_IN_PLACE ? iv
                                                  : place(next_page, unit, c->next_place);
    const struct turn *turn = c->turn;
    fill();
    memcpy(in, message, len);
    memcpy(iv, turn->iv, unit);
    const uintptr_t args[6] = {
        (uintptr_t)out, (uintptr_t)in,
        c->num_blocks,  (uintptr_t) & ((const struct cipher_key *)&turn->key)->aes,
        (uintptr_t)iv,  (uintptr_t)next
    };
    if (checked_call((void (*)(void))s->kernel, args))
        complain("registers not kept");
    if (memcmp(out, turn->want, len) || (!same && memcmp(in, message, len)))
        complain("wrong bytes");
    if (s->row->iv_len && next && memcmp(next, turn->want_next, unit))
        complain("wrong next");
    if (next != iv && memcmp(iv, turn->iv, unit))
        complain("the IV changed");
    spilled(in_page, in, len);
    spilled(iv_page, iv, unit);
    if (!same)
        spilled(out_page, out, len);
    if (c->next_iv == NEXT_ELSEWHERE && s->row->iv_len)
        spilled(next_page, next, unit);
    if (complaints_so_far())
        complain("%zu blocks, places %u, %u, %u, %u", c->num_blocks, c->in_place, c->out_place,
                 c->iv_place, c->next_place);
}

static void set_count(struct subject *s, size_t num_blocks)
{
    for (size_t i = 0; i < COUNT_OF(s->turns); i++) {
        struct turn *turn = &s->turns[i];
        memcpy(turn->want_next, turn->iv, s->unit);
        model_cipher(turn->want, message, num_blocks * s->unit, s->row, s->op, turn->key_bytes,
                     turn->want_next);
    }
}

/* check_buffers tries all pairs of places of in and out, or each place of in with one of out. The
 * number of blocks changes which pairs are tried, and the places of the IVs. */
static void check_buffers(struct subject *s, unsigned num_blocks, int all_pairs)
{
    set_count(s, num_blocks);
    for (unsigned i = 0; i < NUM_PLACES * (NUM_PLACES + 1); i++) {
        const unsigned in = i % NUM_PLACES, out = i / NUM_PLACES;
        if (complaints_suffice() || (!all_pairs && out != (in + num_blocks) % (NUM_PLACES + 1)))
            continue;
        const struct call c = { .in_place = in,
                                .out_place = out,
                                .iv_place = (in + out + 5 * num_blocks) % NUM_PLACES,
                                .next_place = (in + 3 * out + 7 * num_blocks) % NUM_PLACES,
                                .next_iv = (i + num_blocks) % NUM_NEXT,
                                .num_blocks = num_blocks,
                                .turn = &s->turns[(i + num_blocks) % COUNT_OF(s->turns)] };
        check_call(s, &c);
    }
}

/* check_ivs tries all pairs of places of iv and next, with aligned input and with unaligned
 * input. */
static void check_ivs(struct subject *s)
{
    set_count(s, 1);
    for (unsigned i = 0; i < 2 * NUM_PLACES * NUM_PLACES && !complaints_suffice(); i++) {
        const struct call c = { .in_place = i & 1,
                                .iv_place = i / 2 % NUM_PLACES,
                                .next_place = i / 2 / NUM_PLACES,
                                .next_iv = NEXT_ELSEWHERE,
                                .num_blocks = 1,
                                .turn = &s->turns[(i >> 1) % COUNT_OF(s->turns)] };
        check_call(s, &c);
    }
}

/* run tries all pairs of places for up to num_pairs blocks. */
static void run(const struct hr_algorithm *row, enum hr_op op, size_t i, unsigned num_pairs)
{
    const struct cipher_kernel *kernel = &cipher_op(row, op)->kernels[i];
    const char *reason = cannot_run(kernel->info.needs);
    struct subject s = { .row = row, .op = op, .kernel = kernel->blocks, .unit = cipher_unit(row) };
    if (row->mode == HR_MODE_F8)
        reason = "what it takes is no IV: kernels has it";
    if (reason) {
        tap_skip(reason, "%s %s %s", row->name, op_name(row, op), kernel->info.name);
        return;
    }
    for (size_t k = 0; k < COUNT_OF(s.turns); k++) {
        struct turn *turn = &s.turns[k];
        random_bytes(turn->key_bytes, sizeof turn->key_bytes);
        random_bytes(turn->iv, sizeof turn->iv);
        memset(turn->iv + s.unit / 2, 0xff, s.unit / 2); /* a counter carries */
        if (key_init_on_its_cpu(&turn->key, row->alg, op, i, turn->key_bytes, row->key_len))
            complain("no key");
    }
    for (unsigned n = 0; n <= MOST; n++)
        check_buffers(&s, n, n <= num_pairs);
    if (row->iv_len)
        check_ivs(&s);
    tap(!complaints_so_far(), "%s %s %s: every place", row->name, op_name(row, op),
        kernel->info.name);
}

/* ---- keys ---- */

/* check_import imports round keys of AES's equivalent inverse cipher, from which a kernel may have
 * to make its own. */
static void check_import(const struct hr_algorithm *row, const struct aes_key *from,
                         const uint8_t *key_bytes)
{
    struct hr_cipher_key key;
    uint8_t want[2 * BLOCK], got[2 * BLOCK], iv[BLOCK] = { 0 };
    model_cipher(want, message, sizeof want, row, HR_OP_DECRYPT, key_bytes, iv);
    if (hr_cipher_key_import(&key, row->alg, HR_OP_DECRYPT, from->dec[0],
                             (from->rounds + 1) * BLOCK) ||
        hr_cipher_decrypt(got, message, sizeof got, &key, NULL, 0))
        complain("a call fails");
    if (memcmp(got, want, sizeof want))
        complain("an imported key decrypts wrong");
}

/* check_key checks that every kernel's key expansion makes the same enc and dec: the kernels of one
 * CPU use what another's expansion made. */
static void check_key(const struct hr_algorithm *row)
{
    uint8_t bytes[32];
    random_bytes(bytes, sizeof bytes);
    for (unsigned i = 0; i < NUM_PLACES; i++)
        for (int decrypt = 0; decrypt < 2; decrypt++) {
            struct aes_key want, got;
            uint8_t *at = place(in_page, row->key_len, i);
            memset(&want, CANARY, sizeof want);
            memset(&got, CANARY, sizeof got);
            memcpy(at, bytes, row->key_len);
            aes_expand(&got, at, row->key_len, decrypt);
            aes_expand_c(&want, at, row->key_len, decrypt);
            if (memcmp(&want, &got, sizeof want))
                complain("place %u, decrypt %d: another schedule than that in C", i, decrypt);
            if (decrypt)
                check_import(row, &want, bytes);
        }
    tap(!complaints_so_far(), "%s: the best key expansion, at every place", row->name);
}

/* ---- less than a block ---- */

static void check_short(const struct hr_algorithm *row, enum hr_op op)
{
    struct hr_cipher_key key;
    uint8_t want[BLOCK], iv[BLOCK] = { 0 }, bytes[32] = { 0 };
    if (hr_cipher_key_init(&key, row->alg, bytes, row->key_len))
        complain("no key");
    const int stream = row->block_len == 1;
    for (size_t len = 1; len < cipher_unit(row); len++)
        for (unsigned i = 0; i < NUM_PLACES; i++) {
            uint8_t *in = place(in_page, len, i), *out = place(out_page, len, i * 5 % NUM_PLACES);
            fill();
            memcpy(in, message, len);
            memset(iv, 0, sizeof iv);
            if (stream)
                model_cipher(want, message, len, row, op, bytes, iv);
            memset(iv, 0, sizeof iv);
            if (direct_cipher(row->alg, op)(out, in, len, &key, iv) != (stream ? 0 : HR_ELENGTH))
                complain("%zu bytes: a wrong answer", len);
            if (stream && memcmp(out, want, len))
                complain("%zu bytes: wrong bytes", len);
            spilled(out_page, out, stream ? len : 0);
        }
    tap(!complaints_so_far(), "%s %s: less than a block", row->name, op_name(row, op));
}

int main(int argc, char **argv)
{
    const char *only[2] = { NULL, "" };
    int complete = 0, quick = 0, num = 0;
    const struct hr_algorithm *row;
    struct hr_kernel kernel;
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--complete"))
            complete = 1;
        else if (!strcmp(argv[i], "--quick"))
            quick = 1;
        else if (!strcmp(argv[i], "--readable-guards"))
            guards_may_be_read = 1;
        else if (num < 2)
            only[num++] = argv[i];
    pages_new(MOST * BLOCK);
    random_bytes(message, sizeof message);
    for (size_t r = 0; (row = hr_algorithm_at(r)); r++) {
        if (row->cls != HR_CLASS_CIPHER || strncmp(only[1], row->symbol, strlen(only[1])) ||
            (quick && has_only_its_schedule(row)))
            continue;
        if (row->mode == HR_MODE_ECB && cipher_impl(row->alg) == &aes_cipher)
            check_key(row);
        for (enum hr_op op = 0; op <= HR_OP_DECRYPT; op++) {
            check_short(row, op);
            for (size_t i = 0; !hr_kernel_at(&kernel, row->alg, op, i); i++)
                if (!only[0] || !strcmp(only[0], kernel.name))
                    run(row, op, i, complete ? MOST : quick ? FEWER : FEW);
        }
    }
    return tap_done();
}
