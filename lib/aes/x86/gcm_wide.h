/* SPDX-License-Identifier: Apache-2.0 */
/* GCM of whole messages with vectors of four blocks.  Ciphertext is hashed while the next vectors
 * are encrypted, from registers. */
#include "gcm_direct.h"
#include "gcm_one.h"

enum { FEW = GROUP_LEN };

/* Processes the last num vectors; unless it is there already, computes the tag's mask too. */
INLINE TARGET_GCM void last_vectors(struct message *m, unsigned num, int masked)
{
    HIDE(m->key);
    const struct aead_key *key = m->key;
    const size_t p = place(m);
    vec s[BATCH];
    if (!masked)
        m->mask = m->first;
    if (num || !masked) {
        EACH(num, s[i] = start(m, i * LANES));
        rounds_after_first(s, num, masked ? NULL : &m->mask, key, s, 0, NULL);
    }
    EACH(num, s[i] = crypt_vector(m, s[i], i * sizeof(vec),
                                  i + 1u < num ? sizeof(vec) : m->len - i * sizeof(vec)));
    add_low(&m->sum, m->lengths, key);
    if (num % 2)
        add_product(&m->sum, s[num - 1], power_at(key, p + (num - 1) * LANES));
    if (num > 1)
        add_products(&m->sum, s[0], power_at(key, p), s[1], power_at(key, p + LANES));
    if (num > 3)
        add_products(&m->sum, s[2], power_at(key, p + 2 * LANES), s[3],
                     power_at(key, p + 3 * LANES));
}

INLINE TARGET_GCM void last_of_any_number(struct message *m, int masked)
{
    switch ((m->num_blocks + LANES - 1) / LANES) {
    case 0:
        last_vectors(m, 0, masked);
        break;
    case 1:
        last_vectors(m, 1, masked);
        break;
    case 2:
        last_vectors(m, 2, masked);
        break;
    case 3:
        last_vectors(m, 3, masked);
        break;
    default:
        last_vectors(m, 4, masked);
    }
}

/* Processes a text of at most a group.  If its vectors are full, the mask is computed beside them.
 */
INLINE TARGET_GCM void crypt_groups(struct message *m)
{
    if (m->num_blocks % LANES == 0) {
        last_of_any_number(m, 0);
        return;
    }
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
    default:
        last_group(m, 4);
    }
}

/* Processes num vectors, and hashes the num_hashed vectors before them, which are in c.  Leaves in
 * c the vectors that are to be hashed next. */
INLINE TARGET_GCM void next_vectors(struct message *m, vec c[BATCH], size_t num, size_t num_hashed,
                                    struct counters *counters)
{
    HIDE(m->key);
    struct sum sum = { 0 };
    vec s[BATCH], y;
    start_batch(s, num, counters, round_key(m->key->aes.enc[0]));
    rounds_after_first(s, num, num_hashed ? NULL : &m->mask, m->key, c, num_hashed, &sum);
    if (num_hashed)
        y = reduce(&sum);
    EACH(num, c[i] = crypt_vector(m, s[i], i * sizeof(vec), sizeof(vec)));
    if (num_hashed)
        c[0] = xor(c[0], y);
    skip(m, num);
}

/* Hashes a group of vectors whose first power is p. */
INLINE TARGET_GCM void hash_group(struct sum *sum, const vec c[GROUP], size_t p,
                                  const struct aead_key *key)
{
    HIDE(key);
    add_products(sum, c[0], power_at(key, p), c[1], power_at(key, p + LANES));
    add_products(sum, c[2], power_at(key, p + 2 * LANES), c[3], power_at(key, p + 3 * LANES));
}

/* Processes num groups and leaves in c those vectors of the last one that are still to be hashed.
 * Nothing is left to hide their hash behind, so the last step has but one group. */
INLINE TARGET_GCM void whole_groups(struct message *m, vec c[BATCH], size_t num, block hash,
                                    struct counters *counters)
{
    enum { ONE = GROUP, TWO = 2 * GROUP };
    if (num % 2 && num > 1) {
        next_vectors(m, c, TWO, 0, counters);
        c[0] = xor(c[0], widen(hash));
        num -= 2;
    } else {
        next_vectors(m, c, ONE, 0, counters);
        c[0] = xor(c[0], widen(hash));
        if (num < 3) {
            if (num == 2)
                next_vectors(m, c, ONE, ONE, counters);
            return;
        }
        next_vectors(m, c, TWO, ONE, counters);
        num -= 3;
    }
    for (; num > 1; num -= 2)
        next_vectors(m, c, TWO, TWO, counters);
    next_vectors(m, c, ONE, TWO, counters);
}

/* Processes a text of a group or more. */
INLINE TARGET_GCM void crypt_long(struct message *m, block counter, block hash)
{
    vec c[BATCH];
    struct counters counters = count_from(counter, m->key, KEEP_BASE);
    m->mask = m->first;
    whole_groups(m, c, m->len / GROUP_LEN, hash, &counters);
    if (LIKELY(m->num_blocks < GROUP_BLOCKS)) {
        hash_group(&m->sum, c, place(m) - GROUP_BLOCKS, m->key);
    } else { /* a key has not so many powers */
        struct sum sum = { 0 };
        hash_group(&sum, c, POWERS - GROUP_BLOCKS, m->key);
        add_product(&m->sum, widen(fold(reduce(&sum))), power_at(m->key, place(m)));
    }
    last_of_any_number(m, 1);
}

/* Processes a message of any length. */
INLINE TARGET_GCM int crypt_many(uint8_t *out, uint8_t *tag, size_t tag_len, const uint8_t *in,
                                 size_t len, const uint8_t *aad, size_t aad_len,
                                 const struct aead_key *key, const uint8_t *iv, enum hr_op op)
{
    struct message m = begin(out, in, len, key, op);
    const block nonce = load_iv(iv), base = reverse16(nonce);
    block hash = _mm_setzero_si128();
    if (aad_len)
        hash = hash_aad(aad, aad_len, key);
    set_first(&m, nonce);
    m.base = spread_block(base);
    if (len >= GROUP_LEN) {
        crypt_long(&m, _mm_add_epi32(base, _mm_cvtsi32_si128(2)), hash);
    } else {
        add_product(&m.sum, widen(hash), power_at(key, place(&m)));
        crypt_groups(&m);
    }
    if (aad_len)
        add_high(&m.sum, 8 * aad_len, key);
    return end(&m, tag, tag_len, out, len);
}

#include "gcm_calls.h"
