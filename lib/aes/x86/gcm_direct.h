/* SPDX-License-Identifier: Apache-2.0 */
/* GCM of whole messages with an IV of 12 bytes.  After its batches, the rest of a message is
 * processed in groups of vectors.  In the first vector of the last group, the last block is not
 * text: its counter is 1, so its keystream is the tag's mask, and the block of lengths is hashed in
 * its place.  So for a message of a few bytes one vector suffices for everything from counter to
 * tag.  Sums of products are reduced once, after all groups. */

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
    block lengths, mask;
    uint8_t *out;
    const uint8_t *in;
    size_t len, num_blocks; /* blocks still to come; the last one may be incomplete */
    uint64_t done;          /* blocks of text that have been processed */
    const struct aead_key *key;
    enum hr_op op;
    int few; /* whether all counters fit into one byte */
};

/* Returns the counter blocks, XORed with the first round key, of a vector of the text's blocks from
 * block m->done + n on. */
INLINE TARGET_GCM vec start(const struct message *m, size_t n)
{
    n += m->done;
    if (m->few)
        return xor(m->base, load(gcm_counter_table[n + 2]));
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

/* All rounds after the first round key.  The same code serves all key lengths: its two branches
 * cost less than separate code for each. */
INLINE TARGET_GCM void rounds_after_first(vec s[BATCH], size_t num, const struct aes_key *key)
{
#pragma GCC unroll 9
    for (unsigned r = 1; r < 10; r++) {
        const vec k = round_key(key->enc[r]);
        EACH(num, s[i] = enc(s[i], k));
    }
    if (key->rounds > 10) {
#pragma GCC unroll 4
        for (unsigned r = 10; r < 14; r++) {
            if (r == 12 && key->rounds == 12)
                break;
            const vec k = round_key(key->enc[r]);
            EACH(num, s[i] = enc(s[i], k));
        }
    }
    const vec last = round_key(key->enc[key->rounds]);
    EACH(num, s[i] = enc_last(s[i], last));
}

/* Adds an offset to a pointer that may be NULL if the text is empty, which C does not allow for
 * pointers.  Nothing is read there in that case. */
INLINE TARGET_GCM uint8_t *moved(const uint8_t *p, size_t at)
{
    return (uint8_t *)((uintptr_t)p + at);
}

INLINE TARGET_GCM vec crypt_vector(struct message *m, vec stream, size_t at, size_t len)
{
    const vec x = load_bytes(moved(m->in, at), len), y = xor(x, stream);
    store_bytes(moved(m->out, at), y, len);
    return reverse(m->op == HR_OP_DECRYPT ? x : keep_bytes(y, len));
}

/* Returns the index in key->powers of the power for the next block.  After the last block of text
 * comes the block of lengths. */
INLINE TARGET_GCM size_t place(const struct message *m)
{
    return POWERS - 1 - m->num_blocks;
}

INLINE TARGET_GCM void group(struct message *m)
{
    HIDE(m->key);
    const size_t p = place(m);
    vec s[BATCH];
    EACH(4, s[i] = start(m, i * LANES));
    rounds_after_first(s, GROUP, &m->key->aes);
    EACH(4, s[i] = crypt_vector(m, s[i], i * sizeof(vec), sizeof(vec)));
    add_products(&m->sum, s[0], power_at(m->key, p), s[1], power_at(m->key, p + LANES));
    add_products(&m->sum, s[2], power_at(m->key, p + 2 * LANES), s[3],
                 power_at(m->key, p + 3 * LANES));
    m->in += GROUP_LEN, m->out += GROUP_LEN, m->len -= GROUP_LEN;
    m->done += GROUP_BLOCKS, m->num_blocks -= GROUP_BLOCKS;
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
    rounds_after_first(s, num, &key->aes);
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

INLINE TARGET_GCM void groups(struct message *m)
{
    while (UNLIKELY(m->len >= GROUP_LEN))
        group(m);
    switch (m->num_blocks / LANES) {
    case 0:
        last_group(m, 1);
        break;
    case 1:
        last_group(m, 2);
        break;
    case 2:
        last_group(m, 3);
        break;
    case 3:
        last_group(m, 4);
        break;
    default:
        last_group(m, 5);
    }
}

/* Writes the tag, or compares it and, if it is wrong, zeroes `out`.  Returns 0 or HR_EMAC. */
INLINE TARGET_GCM int end(const struct message *m, uint8_t *tag, size_t tag_len, uint8_t *out,
                          size_t len)
{
    const block full = xor16(reverse16(fold(reduce(&m->sum))), m->mask);
    if (m->op == HR_OP_ENCRYPT) {
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

INLINE TARGET_GCM struct message begin(uint8_t *out, const uint8_t *in, size_t len,
                                       const struct aead_key *key, enum hr_op op)
{
    return (struct message){
        .sum = { zero(), zero(), zero() },
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

/* Processes a message of any length. */
INLINE TARGET_GCM int crypt_many(uint8_t *out, uint8_t *tag, size_t tag_len, const uint8_t *in,
                                 size_t len, const uint8_t *aad, size_t aad_len,
                                 const struct aead_key *key, const uint8_t *iv, enum hr_op op)
{
    struct message m = begin(out, in, len, key, op);
    const block base = reverse16(load_iv(iv));
    block hash = hash_aad(aad, aad_len, key);
    if (m.num_blocks > MOST) {
        size_t now = m.num_blocks / POWERS * POWERS;
        if (m.num_blocks - now > MOST)
            now += POWERS / 2;
        else if (16 * now > len)
            now -= POWERS / 2;
        const block counter = _mm_add_epi32(base, _mm_cvtsi32_si128(2));
        hash = crypt_bulk(out, in, now, key, counter, hash, op);
        m.in += 16 * now, m.out += 16 * now, m.len -= 16 * now;
        m.done += now, m.num_blocks -= now;
    }
    m.base = spread_block(base);
    m.lengths = _mm_insert_epi64(m.lengths, (long long)(8 * aad_len), 1);
    add_product(&m.sum, widen(hash), power_at(key, place(&m)));
    groups(&m);
    return end(&m, tag, tag_len, out, len);
}

/* Processes a message of at most MOST blocks, with at most one block of AAD. */
INLINE TARGET_GCM int crypt_few(uint8_t *out, uint8_t *tag, size_t tag_len, const uint8_t *in,
                                size_t len, const uint8_t *aad, size_t aad_len,
                                const struct aead_key *key, const uint8_t *iv, enum hr_op op)
{
    struct message m = begin(out, in, len, key, op);
    m.few = 1;
    m.base = xor(spread_block(load_iv(iv)), round_key(key->aes.enc[0]));
    if (aad_len) {
        m.lengths = _mm_insert_epi64(m.lengths, (long long)(8 * aad_len), 1);
        add_product(&m.sum, widen(reverse16(load_bytes16(aad, aad_len))),
                    power_at(key, place(&m) - 1));
    }
    if (LIKELY(m.num_blocks < LANES))
        last_group(&m, 1);
    else
        groups(&m);
    return end(&m, tag, tag_len, out, len);
}

#define DIRECT(verb, op)                                                                     \
    static __attribute__((noinline))                                                         \
    TARGET_GCM int verb##_any(uint8_t *out, uint8_t *tag, size_t tag_len, const uint8_t *in, \
                              size_t len, const uint8_t *aad, size_t aad_len,                \
                              const struct aead_key *key, const uint8_t *iv, size_t iv_len)  \
    {                                                                                        \
        const int error = gcm_check(out, tag_len, in, len, aad_len);                         \
        if (error)                                                                           \
            return error;                                                                    \
        return crypt_many(out, tag, tag_len, in, len, aad, aad_len, key, iv, op);            \
    }                                                                                        \
    ALIGNED TARGET_GCM int KERNEL(gcm_##verb##_direct)(                                      \
        uint8_t * out, uint8_t * tag, size_t tag_len, const uint8_t *in, size_t len,         \
        const uint8_t *aad, size_t aad_len, const struct aead_key *key, const uint8_t *iv,   \
        size_t iv_len)                                                                       \
    {                                                                                        \
        if (len > 16 * MOST || aad_len > 16)                                                 \
            return verb##_any(out, tag, tag_len, in, len, aad, aad_len, key, iv, iv_len);    \
        const int error = gcm_check(out, tag_len, in, len, aad_len);                         \
        if (UNLIKELY(error))                                                                 \
            return error;                                                                    \
        return crypt_few(out, tag, tag_len, in, len, aad, aad_len, key, iv, op);             \
    }
DIRECT(encrypt, HR_OP_ENCRYPT)
DIRECT(decrypt, HR_OP_DECRYPT)
