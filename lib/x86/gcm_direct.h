/* SPDX-License-Identifier: Apache-2.0 */
/* Whole messages under an IV of 12 bytes.  What is left of a message after its batches goes in
 * groups of vectors; in the last group's first vector the last block is not text: there its counter
 * is 1, its keystream the tag's mask, and what is hashed the block of lengths.  So a message of few
 * bytes is one vector, from its counters to its tag.  Sums are reduced once, after all groups. */

enum { GROUP = 4, GROUP_BLOCKS = GROUP * LANES, GROUP_LEN = 16 * GROUP_BLOCKS };

struct message {
    struct sum sum; /* of the hash, unreduced */
    vec counters;   /* reversed; zero but for the IV */
    block lengths, mask;
    uint8_t *out;
    const uint8_t *in;
    size_t len, num_blocks; /* still to come; the last block may be a part */
    uint64_t counter;
    const struct aead_key *key;
    enum hr_op op;
};

/* Keys come in any length: the branches cost less than a copy of everything for each. */
INLINE TARGET_GCM void cipher(vec s[BATCH], size_t num, const struct aes_key *key)
{
    vec k = round_key(key->enc[0]);
    EACH(num, s[i] = xor(s[i], k));
#pragma GCC unroll 9
    for (unsigned r = 1; r < 10; r++) {
        k = round_key(key->enc[r]);
        EACH(num, s[i] = enc(s[i], k));
    }
    if (key->rounds > 10) {
#pragma GCC unroll 4
        for (unsigned r = 10; r < 14; r++) {
            if (r == 12 && key->rounds == 12)
                break;
            k = round_key(key->enc[r]);
            EACH(num, s[i] = enc(s[i], k));
        }
    }
    k = round_key(key->enc[key->rounds]);
    EACH(num, s[i] = enc_last(s[i], k));
}

INLINE TARGET_GCM vec crypt_vector(struct message *m, vec stream, size_t at, size_t len)
{
    const vec x = load_bytes(m->in + at, len), y = xor(x, stream);
    store_bytes(m->out + at, y, len);
    return reverse(m->op == HR_OP_DECRYPT ? x : keep_bytes(y, len));
}

/* Of num blocks still to come, the power of the first: after them comes the block of lengths. */
INLINE TARGET_GCM size_t place(const struct message *m)
{
    return POWERS - 1 - m->num_blocks;
}

INLINE TARGET_GCM void group(struct message *m)
{
    const size_t i0 = place(m);
    vec s[BATCH];
    EACH(4,
         s[i] = reverse(add32(add32(m->counters, count_up(0, 0)), low64(m->counter + i * LANES))));
    cipher(s, GROUP, &m->key->aes);
    EACH(4, s[i] = crypt_vector(m, s[i], i * sizeof(vec), sizeof(vec)));
    add_products(&m->sum, s[0], power_at(m->key, i0), s[1], power_at(m->key, i0 + LANES));
    add_products(&m->sum, s[2], power_at(m->key, i0 + 2 * LANES), s[3],
                 power_at(m->key, i0 + 3 * LANES));
    m->in += GROUP_LEN, m->out += GROUP_LEN, m->len -= GROUP_LEN;
    m->counter += GROUP_BLOCKS, m->num_blocks -= GROUP_BLOCKS;
}

/* The place of vector i in the last group's text. */
#define AT(i) ((i) ? ((i)*LANES - 1) * 16 : 0)

INLINE TARGET_GCM void last_group(struct message *m, unsigned num)
{
    const struct aead_key *key = m->key;
    const size_t i0 = place(m);
    vec s[BATCH];
    EACH(num, s[i] = i ? add32(count_up(0, 0), low64(m->counter + i * LANES - 1))
                       : add32(count_up(0, 0), low64_but_last(m->counter, (uint32_t)(2 - LANES))));
    EACH(num, s[i] = reverse(add32(m->counters, s[i])));
    cipher(s, num, &key->aes);
    m->mask = last16(s[0]);
    EACH(num, s[i] = crypt_vector(m, s[i], AT(i), (i + 1u < num ? AT(i + 1u) : m->len) - AT(i)));
    s[0] = put_last(s[0], m->lengths);
    const struct power p = power_and_h(key, i0);
    if (num == 1)
        add_product(&m->sum, s[0], p);
    else
        add_products(&m->sum, s[0], p, s[1], power_at(key, i0 + LANES - 1));
    if (num == 3)
        add_product(&m->sum, s[2], power_at(key, i0 + 2 * LANES - 1));
    if (num > 3)
        add_products(&m->sum, s[2], power_at(key, i0 + 2 * LANES - 1), s[3],
                     power_at(key, i0 + 3 * LANES - 1));
    if (num > 4)
        add_product(&m->sum, s[4], power_at(key, i0 + 4 * LANES - 1));
}

/* AAD but its last block, which is returned with the hash of the others added. */
INLINE TARGET_GCM block begin_aad(const uint8_t *aad, size_t aad_len, const struct aead_key *key)
{
    const size_t before = (aad_len - 1) / 16;
    const block last = reverse16(load_bytes16(aad + 16 * before, aad_len - 16 * before));
    return before ? xor16(last, hash_bulk(aad, before, key, _mm_setzero_si128())) : last;
}

/* What comes before the groups. */
INLINE TARGET_GCM void begin(struct message *m, const uint8_t *aad, size_t aad_len, block iv)
{
    enum { MOST = POWERS - 2 }; /* blocks in groups: above is the power of AAD's last block */
    const struct aead_key *key = m->key;
    if (LIKELY(m->num_blocks <= MOST)) {
        if (aad_len)
            add_product(&m->sum, widen(begin_aad(aad, aad_len, key)), power_at(key, place(m) - 1));
        return;
    }
    block hash = aad_len ? begin_aad(aad, aad_len, key) : _mm_setzero_si128();
    if (aad_len)
        hash = low16(multiply(widen(hash), widen(load16(key->powers[POWERS - 1]))));
    size_t now = m->num_blocks / POWERS * POWERS;
    if (m->num_blocks - now > MOST)
        now += POWERS / 2;
    else if (now * 16 > m->len)
        now -= POWERS / 2;
    hash =
        crypt_bulk(m->out, m->in, now, key, _mm_add_epi32(iv, _mm_cvtsi32_si128(2)), hash, m->op);
    m->in += 16 * now, m->out += 16 * now, m->len -= 16 * now;
    m->counter += now, m->num_blocks -= now;
    add_product(&m->sum, widen(hash), power_at(key, place(m)));
}

INLINE TARGET_GCM int crypt_message(uint8_t *out, uint8_t *tag, size_t tag_len, const uint8_t *in,
                                    size_t len, const uint8_t *aad, size_t aad_len,
                                    const struct aead_key *key, const uint8_t *iv_bytes,
                                    enum hr_op op)
{
    const block iv = reverse16(load_bytes16(iv_bytes, 12));
    struct message m = {
        .sum = { zero(), zero(), zero() },
        .counters = spread_block(iv),
        .lengths = _mm_set_epi64x((long long)(8 * aad_len), (long long)(8 * len)),
        .out = out,
        .in = in,
        .len = len,
        .num_blocks = (len + 15) / 16,
        .counter = 2,
        .key = key,
        .op = op,
    };
    begin(&m, aad, aad_len, iv);
    while (m.len >= GROUP_LEN)
        group(&m);
    switch (m.num_blocks / LANES) {
    case 0:
        last_group(&m, 1);
        break;
    case 1:
        last_group(&m, 2);
        break;
    case 2:
        last_group(&m, 3);
        break;
    case 3:
        last_group(&m, 4);
        break;
    default:
        last_group(&m, 5);
    }
    const block full = xor16(reverse16(fold(reduce(&m.sum))), m.mask);
    if (op == HR_OP_ENCRYPT) {
        store_bytes16(tag, full, tag_len);
        leave();
        return 0;
    }
    const block difference = keep_bytes16(xor16(full, load_bytes16(tag, tag_len)), tag_len);
    int good = _mm_testz_si128(difference, difference);
    CT_PUBLIC(&good, sizeof good);
    leave();
    if (LIKELY(good))
        return 0;
    memset(out, 0, len);
    return HR_EMAC;
}

ALIGNED TARGET_GCM int KERNEL(gcm_encrypt_direct)(uint8_t *out, uint8_t *tag, size_t tag_len,
                                                  const uint8_t *in, size_t len, const uint8_t *aad,
                                                  size_t aad_len, const struct aead_key *key,
                                                  const uint8_t *iv, size_t iv_len)
{
    return crypt_message(out, tag, tag_len, in, len, aad, aad_len, key, iv, HR_OP_ENCRYPT);
}

ALIGNED TARGET_GCM int KERNEL(gcm_decrypt_direct)(uint8_t *out, uint8_t *tag, size_t tag_len,
                                                  const uint8_t *in, size_t len, const uint8_t *aad,
                                                  size_t aad_len, const struct aead_key *key,
                                                  const uint8_t *iv, size_t iv_len)
{
    return crypt_message(out, tag, tag_len, in, len, aad, aad_len, key, iv, HR_OP_DECRYPT);
}
