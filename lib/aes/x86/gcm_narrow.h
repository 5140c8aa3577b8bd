/* SPDX-License-Identifier: Apache-2.0 */
/* GCM of whole messages with vectors of one or two blocks: long texts are processed in batches, as
 * in streams. */
#include "gcm_direct.h"

enum { FEW = 16 * MOST };

INLINE TARGET_GCM int is_one(size_t len)
{
    return (void)len, 0;
}

INLINE TARGET_GCM int crypt_one(uint8_t *out, uint8_t *tag, const uint8_t *in, size_t len,
                                const struct aead_key *key, const uint8_t *iv, enum hr_op op)
{
    return 0;
}

INLINE TARGET_GCM void group(struct message *m)
{
    HIDE(m->key);
    const size_t p = place(m);
    vec s[BATCH];
    EACH(4, s[i] = start(m, i * LANES));
    rounds_after_first(s, GROUP, NULL, m->key, s, 0, NULL);
    EACH(4, s[i] = crypt_vector(m, s[i], i * sizeof(vec), sizeof(vec)));
    add_products(&m->sum, s[0], power_at(m->key, p), s[1], power_at(m->key, p + LANES));
    add_products(&m->sum, s[2], power_at(m->key, p + 2 * LANES), s[3],
                 power_at(m->key, p + 3 * LANES));
    skip(m, GROUP);
}

INLINE TARGET_GCM void crypt_groups(struct message *m)
{
    m->sum.some = 1;
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

/* Returns how many blocks of a long text are processed in batches. */
INLINE TARGET_GCM size_t blocks_in_batches(const struct message *m)
{
    const size_t now = m->num_blocks / POWERS * POWERS;
    if (m->num_blocks - now > MOST)
        return now + POWERS / 2;
    return 16 * now > m->len ? now - POWERS / 2 : now;
}

/* Processes a message of any length. */
INLINE TARGET_GCM int crypt_many(uint8_t *out, uint8_t *tag, size_t tag_len, const uint8_t *in,
                                 size_t len, const uint8_t *aad, size_t aad_len,
                                 const struct aead_key *key, const uint8_t *iv, enum hr_op op)
{
    struct message m = begin(out, in, len, key, op);
    const block base = reverse16(load_iv(iv));
    block hash = hash_aad(aad, aad_len, key);
    m.base = spread_block(base);
    if (m.num_blocks > MOST) {
        const size_t now = blocks_in_batches(&m);
        hash = crypt_bulk(out, in, now, key, _mm_add_epi32(base, _mm_cvtsi32_si128(2)), hash, op);
        skip(&m, now / LANES);
    }
    m.sum.some = 1;
    add_product(&m.sum, widen(hash), power_at(key, place(&m)));
    crypt_groups(&m);
    add_high(&m.sum, 8 * aad_len, key);
    return end(&m, tag, tag_len, out, len);
}

#include "gcm_calls.h"
