/* SPDX-License-Identifier: Apache-2.0 */
/* KASUMI: compares the netlists of S7 and S9 with the tables of TS 35.202 section 4.5 for every
 * input, which is a proof, and the calls for many messages with the calls for one, on every
 * kernel. */
#include "internal.h"
#include "kasumi/kasumi_lanes.h"
#include "kasumi/kasumi_tables.h"
#include "test.h"
#include <headrace/algorithms.h>
#include <headrace/kasumi.h>

typedef uint64_t V;
#define INLINE static inline
#define TARGET
#define XOR2(a, b) ((a) ^ (b))
#define XOR3(a, b, c) ((a) ^ (b) ^ (c))
#define MUL(a, b) ((a) & (b))
#define ADDMUL(c, a, b) ((c) ^ ((a) & (b)))
#include "kasumi/kasumi_sboxes.h"

/* planes_of writes the inputs first to first + 63 as planes: word b has bit b of each input. */
static void planes_of(V *x, int num, unsigned first)
{
    for (int b = 0; b < num; b++) {
        x[b] = 0;
        for (unsigned i = 0; i < 64; i++)
            x[b] |= (V)((first + i) >> b & 1) << i;
    }
}

static unsigned number_of(const V *y, int num, unsigned i)
{
    unsigned out = 0;
    for (int b = 0; b < num; b++)
        out |= (unsigned)(y[b] >> i & 1) << b;
    return out;
}

static void check_boxes(void)
{
    V x[9], y[9];
    for (unsigned first = 0; first < 128; first += 64) {
        planes_of(x, 7, first);
        kasumi_s7(y, x);
        for (unsigned i = 0; i < 64; i++)
            if ((number_of(y, 7, i) ^ kasumi_s7_table[0]) != kasumi_s7_table[first + i])
                complain("S7 of %u", first + i);
    }
    tap(!complaints_so_far(), "S7's netlist is its table");
    for (unsigned first = 0; first < 512; first += 64) {
        planes_of(x, 9, first);
        kasumi_s9(y, x);
        for (unsigned i = 0; i < 64; i++)
            if ((number_of(y, 9, i) ^ kasumi_s9_table[0]) != kasumi_s9_table[first + i])
                complain("S9 of %u", first + i);
    }
    tap(!complaints_so_far(), "S9's netlist is its table");
}

/* ---- kernels of lanes ---- */

static void check_lanes(const struct kasumi_lanes_kernel *kernel)
{
    static struct kasumi_lanes l;
    static uint64_t before[KASUMI_MAX_LANES];
    for (int round = 0; round < 6; round++) {
        random_bytes(l.x, sizeof l.x);
        if (round != 3) /* the planes stay */
            random_bytes(l.keys, sizeof l.keys);
        memcpy(before, l.x, sizeof before);
        l.new_keys = round != 3;
        kernel->encrypt(&l);
        for (unsigned i = 0; i < kernel->lanes; i++) {
            struct kasumi_key key;
            uint8_t bytes[16], block[8];
            store_be64(bytes, l.keys[0][i]);
            store_be64(bytes + 8, l.keys[1][i]);
            store_be64(block, before[i]);
            kasumi_expand(&key, bytes);
            (void)kasumi_ecb_encrypt_c(block, block, 1, &key, NULL, NULL);
            if (l.x[i] != load_be64(block))
                complain("round %d, lane %u", round, i);
        }
        for (unsigned i = kernel->lanes; i < KASUMI_MAX_LANES; i++)
            if (l.x[i] != before[i])
                complain("lane %u is none of this kernel's", i);
    }
    tap(!complaints_so_far(), "lanes: %s", kernel->info.name);
}

/* ---- many messages ---- */

enum { MOST = 1300, BYTES = 400 };

static struct {
    uint8_t in[BYTES], want[BYTES], out[BYTES + 1], key[16], mac[4];
    uint32_t count, fresh;
    unsigned bearer, direction;
    uint64_t bits;
} m[MOST];

static void make_messages(size_t num, unsigned longest)
{
    for (size_t i = 0; i < num; i++) {
        random_bytes(&m[i], sizeof m[i]);
        m[i].bearer &= 31;
        m[i].direction &= 1;
        m[i].bits = random_below(longest + 1);
        if (i % 3 == 0)
            m[i].bits &= ~(uint64_t)63;
        m[i].out[BYTES] = 0x5a;
    }
}

static void check_f8(size_t num, unsigned longest)
{
    static struct hr_kasumi_f8_message list[MOST];
    make_messages(num, longest);
    for (size_t i = 0; i < num; i++) {
        const size_t bytes = (size_t)(m[i].bits + 7) / 8;
        if (hr_kasumi_f8_bits(m[i].want, m[i].in, m[i].bits, m[i].key, m[i].count, m[i].bearer,
                              m[i].direction))
            complain("f8_bits");
        memcpy(m[i].want + bytes, i % 2 ? m[i].in + bytes : m[i].out + bytes, BYTES - bytes);
        list[i] = (struct hr_kasumi_f8_message){ i % 2 ? m[i].in : m[i].out,
                                                 m[i].in,
                                                 m[i].bits,
                                                 m[i].key,
                                                 m[i].count,
                                                 (uint8_t)m[i].bearer,
                                                 (uint8_t)m[i].direction };
    }
    if (hr_kasumi_f8_many(list, num))
        complain("f8_many");
    for (size_t i = 0; i < num; i++)
        if (memcmp(list[i].out, m[i].want, BYTES) || m[i].out[BYTES] != 0x5a)
            complain("f8, message %zu of %zu, %u bits", i, num, (unsigned)m[i].bits);
}

static void check_f9(size_t num, unsigned longest)
{
    static struct hr_kasumi_f9_message list[MOST];
    uint8_t want[4];
    make_messages(num, longest);
    for (size_t i = 0; i < num; i++)
        list[i] = (struct hr_kasumi_f9_message){
            m[i].mac, m[i].in, m[i].bits, m[i].key, m[i].count, m[i].fresh, (uint8_t)m[i].direction
        };
    if (hr_kasumi_f9_many(list, num))
        complain("f9_many");
    for (size_t i = 0; i < num; i++)
        if (hr_kasumi_f9_bits(want, m[i].in, m[i].bits, m[i].key, m[i].count, m[i].fresh,
                              m[i].direction) ||
            memcmp(want, m[i].mac, 4))
            complain("f9, message %zu of %zu, %u bits", i, num, (unsigned)m[i].bits);
}

static void check_many(const struct kasumi_lanes_kernel *kernel)
{
    static const size_t nums[] = { 0, 1, 2, 13, 64, 65, 300, 512, 513, MOST };
    const uint64_t have = hr_cpu_features();
    cpu_override(kernel->info.needs);
    for (size_t i = 0; i < COUNT_OF(nums); i++) {
        check_f8(nums[i], i % 2 ? 8 * BYTES : 200);
        check_f9(nums[i], i % 2 ? 8 * BYTES : 200);
    }
    cpu_override(have);
    tap(!complaints_so_far(), "many messages: %s", kernel->info.name);
}

/* check_bits compares the calls for any number of bits with those for whole bytes, for every length
 * up to a few blocks. */
static void check_bits(void)
{
    struct hr_cipher_key f8;
    struct hr_nmac_key f9;
    make_messages(1, 0);
    uint8_t iv[9], want[BYTES], got[BYTES], mac[4];
    for (unsigned bits = 0; bits <= 4 * 64; bits++) {
        const size_t bytes = (bits + 7) / 8;
        memcpy(want, m->in, bytes);
        if (bits % 8)
            want[bytes - 1] |= (uint8_t)(0xff >> bits % 8); /* must be ignored */
        hr_kasumi_f8_iv(iv, m->count, m->bearer, m->direction);
        if (hr_cipher_key_init(&f8, HR_KASUMI_F8, m->key, 16) ||
            hr_kasumi_f8_bits(got, want, bits, m->key, m->count, m->bearer, m->direction) ||
            hr_kasumi_f8_encrypt(want, m->in, bytes, &f8, iv))
            complain("a call fails");
        if (bits % 8)
            want[bytes - 1] &= (uint8_t)(0xff00 >> bits % 8);
        if (memcmp(got, want, bytes))
            complain("f8 of %u bits", bits);
        hr_kasumi_f9_iv(iv, m->count, m->fresh, m->direction);
        if (bits % 8)
            continue;
        if (hr_nmac_key_init(&f9, HR_KASUMI_F9, m->key, 16) ||
            hr_kasumi_f9(mac, m->in, bytes, &f9, iv, 9) ||
            hr_kasumi_f9_bits(got, m->in, bits, m->key, m->count, m->fresh, m->direction))
            complain("a call fails");
        if (memcmp(got, mac, 4))
            complain("f9 of %u bits", bits);
    }
    tap(!complaints_so_far(), "bits and bytes agree");
}

/* check_overlap_of_many checks that one message whose out overlaps its in is refused before any
 * message is processed, for numbers with lanes and without. */
static void check_overlap_of_many(void)
{
    enum { LEN = 9 };
    static uint8_t text[MOST][2 * LEN];
    static struct hr_kasumi_f8_message list[MOST];
    static const uint8_t key[16];
    for (size_t num = 1; num <= MOST; num += MOST - 1) {
        for (size_t i = 0; i < num; i++) {
            memset(text[i], 0, sizeof text[i]);
            list[i] = (struct hr_kasumi_f8_message){ text[i], text[i], 8 * LEN, key, 0, 0, 0 };
        }
        list[num - 1].out++;
        if (hr_kasumi_f8_many(list, num) != HR_EOVERLAP || !is_zero(text, num * sizeof *text))
            complain("overlap in %zu messages", num);
    }
}

static void check_refusals(void)
{
    uint8_t out[32], key[16] = { 0 };
    const struct hr_kasumi_f8_message bad = { out, out, 8, key, 0, 32, 0 };
    const struct hr_kasumi_f9_message worse = { out, out, 8, key, 0, 0, 2 };
    const int errors[] = {
        hr_kasumi_f8_bits(out, out, 8, key, 0, 32, 0),
        hr_kasumi_f8_bits(out, out, 8, key, 0, 0, 2),
        hr_kasumi_f8_bits(out, out, 8, NULL, 0, 0, 0),
        hr_kasumi_f8_bits(out, NULL, 8, key, 0, 0, 0),
        hr_kasumi_f9_bits(out, out, 8, key, 0, 0, 2),
        hr_kasumi_f9_bits(NULL, out, 8, key, 0, 0, 0),
        hr_kasumi_a53(out, out, key, 8, 1u << 22),
        hr_kasumi_gea3(out, 8, key, 8, 0, 2),
        hr_kasumi_f8_many(&bad, 1),
        hr_kasumi_f9_many(&worse, 1),
        hr_kasumi_f8_many(NULL, 1),
    };
    for (size_t i = 0; i < COUNT_OF(errors); i++)
        if (errors[i] != HR_EINVAL)
            complain("call %zu: %d", i, errors[i]);
    if (hr_kasumi_f8_bits(out + 1, out, 72, key, 0, 0, 0) != HR_EOVERLAP ||
        hr_kasumi_a53(out, out, key, 7, 0) != HR_EKEYLEN ||
        hr_kasumi_gea3(out, 8, key, 17, 0, 0) != HR_EKEYLEN)
        complain("another error");
    check_overlap_of_many();
    tap(!complaints_so_far(), "what is no call is refused");
}

int main(void)
{
    const uint64_t have = hr_cpu_features();
    check_boxes();
    for (size_t i = 0; i < kasumi_lanes_impl.num_kernels; i++) {
        const struct kasumi_lanes_kernel *const kernel = &kasumi_lanes_impl.kernels[i];
        if (kernel->info.needs & ~have) {
            tap_skip("this CPU lacks what it needs", "%s", kernel->info.name);
            continue;
        }
        check_lanes(kernel);
        check_many(kernel);
    }
    check_bits();
    check_refusals();
    return tap_done();
}
