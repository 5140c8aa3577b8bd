/* SPDX-License-Identifier: Apache-2.0 */
/* GCM of whole messages with an IV of 12 bytes: functions for all vector widths.  The rest of a
 * message after its batches is processed in groups of vectors.  In the first vector of the last
 * group, the last block is not text: its counter is 1, so its keystream is the tag's mask, and the
 * block of lengths is hashed in its place.  So for a message of a few bytes one vector suffices for
 * everything from counter to tag.  Sums of products are reduced once, after all groups. */
#include "gcm_x86.h"

enum { GROUP = 4, GROUP_BLOCKS = GROUP * LANES, GROUP_LEN = 16 * GROUP_BLOCKS };
/* The most blocks of text in groups: the two powers more are for the lengths and the last AAD
 * block. */
enum { MOST = POWERS - 2 };

/* The counters of the last group's first vector, the last of which is 1: for messages with no group
 * before it, and with one. */
static const uint8_t counters_then_1[2][LANES][16] = {
    { COUNTERS_THEN_1(2) },
    { COUNTERS_THEN_1(2 + GROUP_BLOCKS) },
};

INLINE TARGET_GCM block load_iv(const uint8_t iv[12])
{
    return _mm_insert_epi32(_mm_loadl_epi64((const __m128i *)iv), (int)load_le32(iv + 8), 2);
}

struct message {
    struct sum sum; /* products of the hash, not reduced */
    vec base;       /* if `few`, the IV ^ the first round key; else the IV with its bytes
                     * reversed */
    block first;    /* the first counter block ^ the first round key */
    block mask;     /* what it is encrypted to, which masks the tag */
    block lengths;  /* the last block of the hash, without the length of the AAD */
    uint8_t *out;
    const uint8_t *in;
    size_t len, num_blocks; /* blocks still to come; the last one may be incomplete */
    uint64_t done;          /* blocks of text that have been processed */
    const struct aead_key *key;
    enum hr_op op;
    int few; /* whether all counters fit into one byte */
};

INLINE TARGET_GCM void set_first(struct message *m, block nonce)
{
    m->first = xor16(xor16(nonce, load16(m->key->aes.enc[0])), load16(gcm_counter(1)));
}

/* Returns the counter blocks, XORed with the first round key, of a vector of the text's blocks from
 * block m->done + n on. */
INLINE TARGET_GCM vec start(const struct message *m, size_t n)
{
    n += m->done;
    if (m->few)
        return xor(m->base, load(gcm_counter(n + 2)));
    const vec count = add32(count_up(0, 0), low64(n + 2));
    return xor(reverse(add32(m->base, count)), round_key(m->key->aes.enc[0]));
}

/* Returns start(m, 0), except that the last counter of the vector is 1. */
INLINE TARGET_GCM vec start_then_1(const struct message *m)
{
    if (m->few)
        return xor(m->base, load(counters_then_1[m->done / GROUP_BLOCKS][0]));
    const vec count = add32(count_up(0, 0), low64_but_last(m->done + 2, (uint32_t)(2 - LANES)));
    return xor(reverse(add32(m->base, count)), round_key(m->key->aes.enc[0]));
}

INLINE TARGET_GCM void round_of(vec s[BATCH], size_t num, block *one, const uint8_t key[16])
{
    const vec k = round_key(key);
    EACH(num, s[i] = enc(s[i], k));
    if (one)
        *one = _mm_aesenc_si128(*one, low16(k));
}

/* All rounds after the first round key, of num vectors and, if it is not NULL, of *one.  The same
 * code serves all key lengths: its two branches cost less than separate code for each.  Between the
 * rounds, adds the products of num_hashed vectors to *sum, as if other vectors followed. */
INLINE TARGET_GCM void rounds_after_first(vec s[BATCH], size_t num, block *one,
                                          const struct aead_key *key, const vec hashed[BATCH],
                                          size_t num_hashed, struct sum *sum)
{
#pragma GCC unroll 9
    for (unsigned r = 1; r < 10; r++) {
        round_of(s, num, one, key->aes.enc[r]);
        if (r % 2 == 0 && r <= num_hashed) {
            const size_t p = POWERS - (num_hashed + 2 - r) * LANES;
            add_products(sum, hashed[r - 2], power_spread(key, p), hashed[r - 1],
                         power_spread(key, p + LANES));
        }
    }
    const unsigned rounds = key->aes.rounds;
    if (rounds > 10) {
#pragma GCC unroll 4
        for (unsigned r = 10; r < 14; r++) {
            if (r == 12 && rounds == 12)
                break;
            round_of(s, num, one, key->aes.enc[r]);
        }
    }
    const vec last = round_key(key->aes.enc[rounds]);
    EACH(num, s[i] = enc_last(s[i], last));
    if (one)
        *one = _mm_aesenclast_si128(*one, low16(last));
}

/* Adds an offset to a pointer that may be NULL if the text is empty, which C does not allow for
 * pointers.  Nothing is read there in that case. */
INLINE TARGET_GCM uint8_t *moved(const uint8_t *p, size_t at)
{
    return (uint8_t *)((uintptr_t)p + at);
}

/* Encrypts or decrypts len bytes, at most a vector, and returns them as they are hashed. */
INLINE TARGET_GCM vec crypt_vector(struct message *m, vec stream, size_t at, size_t len)
{
    uint8_t *const out = moved(m->out, at);
    const uint8_t *const in = moved(m->in, at);
    if (len == sizeof(vec)) { /* masks take time */
        const vec x = load(in), y = xor(x, stream);
        store(out, y);
        return reverse(m->op == HR_OP_DECRYPT ? x : y);
    }
    const vec x = load_bytes(in, len), y = xor(x, stream);
    store_bytes(out, y, len);
    return reverse(m->op == HR_OP_DECRYPT ? x : keep_bytes(y, len));
}

/* Goes on to the text after num vectors. */
INLINE TARGET_GCM void skip(struct message *m, size_t num)
{
    m->in += num * sizeof(vec), m->out += num * sizeof(vec), m->len -= num * sizeof(vec);
    m->done += num * LANES, m->num_blocks -= num * LANES;
}

/* Returns the index in key->powers of the power for the next block.  After the last block of text
 * comes the block of lengths. */
INLINE TARGET_GCM size_t place(const struct message *m)
{
    return POWERS - 1 - m->num_blocks;
}

/* FIRST(i) is the first text block of vector i of the last group, AT(i) its offset in bytes. */
#define FIRST(i) ((i) ? (i)*LANES - 1 : 0)
#define AT(i) (16 * FIRST(i))

INLINE TARGET_GCM void last_group(struct message *m, unsigned num)
{
    HIDE(m->key);
    const struct aead_key *key = m->key;
    const size_t p = place(m);
    vec s[BATCH];
    EACH(num, s[i] = i ? start(m, FIRST(i)) : start_then_1(m));
    rounds_after_first(s, num, NULL, key, s, 0, NULL);
    m->mask = last16(s[0]);
    EACH(num, s[i] = crypt_vector(m, s[i], AT(i), (i + 1u < num ? AT(i + 1u) : m->len) - AT(i)));
    s[0] = put_last(s[0], m->lengths);
    if (num == 1)
        add_product(&m->sum, s[0], power_and_h(key, p));
    else
        add_products(&m->sum, s[0], power_and_h(key, p), s[1], power_at(key, p + FIRST(1)));
    if (num == 3)
        add_product(&m->sum, s[2], power_at(key, p + FIRST(2)));
    if (num > 3)
        add_products(&m->sum, s[2], power_at(key, p + FIRST(2)), s[3], power_at(key, p + FIRST(3)));
    if (num > 4)
        add_product(&m->sum, s[4], power_at(key, p + FIRST(4)));
}

/* Writes the tag, or compares it and, if it is wrong, zeroes `out`.  Returns 0 or HR_EMAC. */
INLINE TARGET_GCM int tag_of(block full, uint8_t *tag, size_t tag_len, uint8_t *out, size_t len,
                             enum hr_op op)
{
    if (op == HR_OP_ENCRYPT) {
        if (LIKELY(tag_len == 16))
            store16(tag, full);
        else
            store_bytes16(tag, full, tag_len);
        leave();
        return 0;
    }
    const block differs = LIKELY(tag_len == 16)
                              ? xor16(full, load16(tag))
                              : keep_bytes16(xor16(full, load_bytes16(tag, tag_len)), tag_len);
    int good = _mm_testz_si128(differs, differs);
    CT_PUBLIC(&good, sizeof good);
    leave();
    if (LIKELY(good))
        return 0;
    if (len)
        memset(out, 0, len);
    return HR_EMAC;
}

INLINE TARGET_GCM int end(const struct message *m, uint8_t *tag, size_t tag_len, uint8_t *out,
                          size_t len)
{
    const block hash = reverse16(fold(reduce(&m->sum)));
    return tag_of(xor16(hash, m->mask), tag, tag_len, out, len, m->op);
}

INLINE TARGET_GCM struct message begin(uint8_t *out, const uint8_t *in, size_t len,
                                       const struct aead_key *key, enum hr_op op)
{
    return (struct message){
        .lengths = _mm_cvtsi64_si128((long long)(8 * len)),
        .out = out,
        .in = in,
        .len = len,
        .num_blocks = (len + 15) / 16,
        .key = key,
        .op = op,
    };
}

/* Returns the hash of all AAD. */
INLINE TARGET_GCM block hash_aad(const uint8_t *aad, size_t aad_len, const struct aead_key *key)
{
    const size_t whole = aad_len / 16, part = aad_len % 16;
    block y = _mm_setzero_si128();
    if (whole)
        y = hash_bulk(aad, whole, key, y);
    HIDE(key);
    const block h = load16(key->powers[POWERS - 1]);
    if (part) {
        y = xor16(y, reverse16(load_bytes16(aad + 16 * whole, part)));
        y = low16(multiply(widen(y), widen(h)));
    }
    return y;
}
