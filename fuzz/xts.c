/* SPDX-License-Identifier: Apache-2.0 */
/* XTS: two kernels give the same bytes, in place and not; decryption returns the text; a run of
 * units is the same as its units one by one, and a unit as its pieces
 * and as its segments; and a length that is no data
 * unit is refused with nothing written. */
#include "segments.h"

enum { MAX = 4096, BEHIND = 0xa5 };

static uint8_t text[MAX + 64], out[MAX + 64], again[MAX + 64];

struct setting {
    const struct hr_algorithm *row;
    enum hr_op op;
    uint8_t key[64], iv[16];
    struct hr_xts_key first, second;
    int equal_halves;
};

static int crypt(const struct hr_xts_key *key, enum hr_op op, uint8_t *to, const uint8_t *from,
                 size_t len, const uint8_t iv[16])
{
    return (op == HR_OP_ENCRYPT ? hr_xts_encrypt : hr_xts_decrypt)(to, from, len, key, iv);
}

static int crypt_units(const struct hr_xts_key *key, enum hr_op op, uint8_t *to,
                       const uint8_t *from, size_t unit_len, size_t num, uint64_t number)
{
    return (op == HR_OP_ENCRYPT ? hr_xts_encrypt_units : hr_xts_decrypt_units)(to, from, unit_len,
                                                                               num, key, number);
}

static void one_unit(const struct setting *s, size_t len, size_t shift)
{
    const enum hr_op back = s->op == HR_OP_ENCRYPT ? HR_OP_DECRYPT : HR_OP_ENCRYPT;
    const int error = len < 16                                    ? HR_ELENGTH
                      : s->equal_halves && s->op == HR_OP_ENCRYPT ? HR_EKEY
                                                                  : 0;
    memset(out, BEHIND, sizeof out);
    CHECK(crypt(&s->first, s->op, out, text, len, s->iv) == error);
    CHECK(out[error ? 0 : len] == BEHIND);
    if (error)
        return;
    memcpy(again, text, len);
    again[len] = BEHIND;
    CHECK(!crypt(&s->second, s->op, again, again, len, s->iv));
    CHECK(!memcmp(again, out, len) && again[len] == BEHIND);
    if (!s->equal_halves) {
        CHECK(!crypt(&s->first, back, again, again, len, s->iv));
        CHECK(!memcmp(again, text, len));
    }
    if (shift && shift < len) {
        memcpy(again, out, len + shift);
        CHECK(crypt(&s->first, s->op, again + shift, again, len, s->iv) == HR_EOVERLAP);
        CHECK(crypt(&s->first, s->op, again, again + shift, len, s->iv) == HR_EOVERLAP);
        CHECK(!memcmp(again, out, len + shift));
    }
}

/* Encrypts a unit in two pieces. */
static void two_pieces(const struct setting *s, size_t len, size_t num_blocks)
{
    struct hr_xts_key rest = s->second;
    const size_t cut = 16 * num_blocks;
    if (!cut || len < cut + 16 || crypt(&s->first, s->op, out, text, len, s->iv))
        return;
    CHECK(!crypt(&s->second, s->op, again, text, cut, s->iv));
    CHECK(!hr_xts_key_advance(&rest, s->iv, num_blocks));
    CHECK(!crypt(&rest, s->op, again + cut, text + cut, len - cut, s->iv));
    CHECK(!memcmp(again, out, len));
}

/* Encrypts a run of units.  Their numbers may exceed 2^64. */
static void many_units(const struct setting *s, size_t unit_len, size_t num, uint64_t number)
{
    uint8_t iv[16] = { 0 };
    const int error = unit_len < 16                                      ? HR_ELENGTH
                      : num && s->equal_halves && s->op == HR_OP_ENCRYPT ? HR_EKEY
                                                                         : 0;
    memset(out, BEHIND, sizeof out);
    CHECK(crypt_units(&s->first, s->op, out, text, unit_len, num, number) == error);
    CHECK(out[error ? 0 : num * unit_len] == BEHIND);
    for (size_t i = 0; !error && i < num; i++) {
        store_le64(iv, number + i);
        store_le64(iv + 8, number + i < number);
        CHECK(!crypt(&s->second, s->op, again, text + i * unit_len, unit_len, iv));
        CHECK(!memcmp(again, out + i * unit_len, unit_len));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct setting s;
    struct input in = { data, size };
    s.row = take_row(&in, HR_CLASS_XTS);
    const uint8_t how = take_byte(&in);
    s.op = how & 1 ? HR_OP_DECRYPT : HR_OP_ENCRYPT;
    const size_t first = take_kernel(&in, s.row, s.op), second = take_kernel(&in, s.row, s.op);
    const size_t half = s.row->key_len / 2;
    take(&in, s.key, 2 * half);
    if (how & 2)
        memcpy(s.key + half, s.key, half);
    s.equal_halves = !memcmp(s.key, s.key + half, half);
    take(&in, s.iv, 16);
    const size_t len = (take_byte(&in) | (size_t)take_byte(&in) << 8) % (MAX + 1);
    const size_t shift = take_byte(&in) % 64;
    take_many(&in, text, sizeof text);
    CHECK(!hr_xts_key_init_kernel(&s.first, s.row->alg, s.op, first, s.key, 2 * half));
    CHECK(!hr_xts_key_init_kernel(&s.second, s.row->alg, s.op, second, s.key, 2 * half));
    one_unit(&s, len, shift);
    two_pieces(&s, len, shift * (how / 8u) % (MAX / 16));
    const struct hr_job job = { .alg = (uint16_t)s.row->alg,
                                .op = (uint8_t)s.op,
                                .key_form = HR_KEY_OBJECT,
                                .key = &s.first,
                                .iv = s.iv,
                                .iv_len = 16,
                                .in = text,
                                .len = len };
    check_segments(&job, &in);
    const size_t unit_len = how & 4 ? len : len % 100, most = unit_len ? MAX / unit_len : 3;
    many_units(&s, unit_len, most < how / 8u ? most : how / 8u, load_le64(s.iv));
    return 0;
}
