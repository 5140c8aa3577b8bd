/* SPDX-License-Identifier: Apache-2.0 */
/* GCM, SP 800-38D: cipher and GHASH are interleaved, so that the execution ports of both stay busy.
 * The file that includes this one defines the vector width and the CPU.
 *
 * Blocks are byte-reversed, and GHASH is computed as POLYVAL (RFC 8452 appendix A): with h = x
 * reverse(H), the hash of X1 ... Xn is X1 * h^n + ... + Xn * h, where a * b stands for a b x^-128
 * modulo x^128 + x^127 + x^126 + x^121 + 1.  Sums of many products are reduced once.
 *
 * key->powers holds h^POWERS ... h, so that the powers for the last blocks of a message lie in
 * their order from some offset on.  Zeros follow, for a last vector that has more blocks than the
 * message. */

/* Hides from the compiler that memory still holds what was loaded from it or stored to it before.
 * The compiler would otherwise keep round keys, powers and ciphertext, for which there are no
 * registers, on the stack, or broadcast them from registers, which occupies the port that products
 * need. */
#define HIDE(pointer) __asm__("" : "+r"(pointer))

INLINE TARGET_GCM block reverse16(block x)
{
    return _mm_shuffle_epi8(x, _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f));
}

/* Multiplies by x^-128 and reduces: twice the low half is added 64 bits higher, and its product
 * with x^63 + x^62 + x^57 too. */
INLINE TARGET_GCM vec reduce(const struct sum *sum)
{
    const vec by = polynomial();
    const vec middle = xor3(middle_of(sum), swap(sum->low), PRODUCT(sum->low, by, 0x00));
    return xor3(sum->high, swap(middle), PRODUCT(middle, by, 0x00));
}

/* ---- keys ---- */

/* Returns the product x h in POLYVAL's field, in constant time. */
INLINE TARGET_GCM block times_x(block h)
{
    const block top = _mm_srai_epi32(_mm_shuffle_epi32(h, 0xff), 31);
    const block carry = _mm_slli_si128(_mm_srli_epi64(h, 63), 8);
    const block polynomial = _mm_set_epi64x(INT64_C(-0x3e00000000000000), 1);
    return _mm_xor_si128(_mm_or_si128(_mm_slli_epi64(h, 1), carry), _mm_and_si128(top, polynomial));
}

INLINE TARGET_GCM vec multiply(vec x, vec y)
{
    struct sum sum = { 0 };
    add_product(&sum, x, power_of(y));
    return reduce(&sum);
}

/* Computes the first LANES powers one by one, the others a vector at a time: h^(n + i) = h^n h^i.
 */
INLINE TARGET_GCM void make_powers(struct aead_key *key, block image)
{
    uint8_t(*const end)[16] = key->powers + POWERS;
    vec h = widen(times_x(reverse16(image)));
    store16(end[-1], low16(h));
    for (int i = 2; i <= LANES; i++) {
        const vec a = widen(load16(end[-(i / 2)])), b = widen(load16(end[-(i - i / 2)]));
        store16(end[-i], low16(multiply(a, b)));
    }
    for (int n = LANES; n < POWERS; n *= 2) {
        h = spread(end[-n]);
        for (int i = LANES; i <= n; i += LANES)
            store(end[-n - i], multiply(load(end[-i]), h));
    }
    for (int i = 0; i < LANES - 1; i++)
        store16(end[i], _mm_setzero_si128());
    keep_halves(key);
    leave();
}

TARGET_GCM void KERNEL(gcm_setup)(struct aead_key *key)
{
    make_powers(key, encrypt16(_mm_setzero_si128(), &key->aes, key->aes.rounds));
}

TARGET_GCM void KERNEL(gcm_powers)(struct aead_key *key, const uint8_t h[16])
{
    make_powers(key, load16(h));
}

/* ---- the hash ---- */

INLINE TARGET_GCM struct power power_for(const struct aead_key *key, size_t i, int others_follow)
{
    return others_follow ? power_spread(key, i) : power_at(key, i);
}

/* Hashes vectors 2 * pair and 2 * pair + 1 of a batch; y, the hash so far, is added to the batch's
 * first vector.  If other batches follow, each of the LANES places in the vectors is hashed as if
 * its blocks were a message of their own; the places are added at the end. */
INLINE TARGET_GCM void hash_pair(struct sum *sum, const uint8_t *in, unsigned pair, vec y,
                                 const struct aead_key *key, int others_follow)
{
    const size_t i = 2 * pair, j = i + 1;
    const vec a = reverse(load_at(in, i, 0));
    const struct power p = power_for(key, i * LANES, others_follow);
    if (LANES == 4) {
        add_products(sum, pair ? a : xor(a, y), p, reverse(load_at(in, j, 0)),
                     power_for(key, j *LANES, others_follow));
        return;
    }
    add_product(sum, pair ? a : xor(a, y), p); /* one by one, because there are too few registers
                                                * for both */
    add_product(sum, reverse(load_at(in, j, 0)), power_for(key, j * LANES, others_follow));
}

INLINE TARGET_GCM vec hash_batch(const uint8_t *in, vec y, const struct aead_key *key,
                                 int others_follow)
{
    struct sum sum = { 0 };
    HIDE(key);
    EACH(4, hash_pair(&sum, in, i, y, key, others_follow));
    y = reduce(&sum);
    return others_follow ? y : widen(fold(y));
}

/* Hashes less than a batch. */
INLINE TARGET_GCM vec hash_rest(const uint8_t *in, size_t num_blocks, vec y,
                                const struct aead_key *key)
{
    struct sum sum = { .some = 1 };
    size_t i = POWERS - num_blocks;
    if (!num_blocks)
        return y;
    for (; i + LANES <= POWERS; i += LANES, in += sizeof(vec), y = zero())
        add_product(&sum, xor(y, reverse(load(in))), power_at(key, i));
    if (LANES > 1 && i < POWERS)
        add_product(&sum, xor(y, reverse(load_part(in, POWERS - i))), power_at(key, i));
    return widen(fold(reduce(&sum)));
}

INLINE TARGET_GCM block load_hash(const uint8_t y[16])
{
    return reverse16(load16(y));
}

INLINE TARGET_GCM void store_hash(uint8_t y[16], block hash)
{
    store16(y, reverse16(hash));
}

static __attribute__((noinline)) TARGET_GCM block hash_bulk(const uint8_t *in, size_t num_blocks,
                                                            const struct aead_key *key, block hash)
{
    vec y = widen(hash);
    for (; num_blocks >= 2 * POWERS; num_blocks -= POWERS, in += 16 * POWERS)
        y = hash_batch(in, y, key, 1);
    if (num_blocks >= POWERS) {
        y = hash_batch(in, y, key, 0);
        num_blocks -= POWERS, in += 16 * POWERS;
    }
    hash = low16(hash_rest(in, num_blocks, y, key));
    leave();
    return hash;
}

TARGET_GCM void KERNEL(gcm_hash)(uint8_t y[16], const uint8_t *in, size_t num_blocks,
                                 const struct aead_key *key)
{
    store_hash(y, hash_bulk(in, num_blocks, key, load_hash(y)));
}

/* ---- cipher and hash ---- */

/* The next counter blocks: `next` as numbers, that is byte-reversed, and `base` for as long as only
 * the last byte changes.  Seven of eight batches then need no shuffles for counters; shuffles
 * occupy the port that products need.  The last byte is an index into a table, so `base` is not
 * used where the counter is secret, that is after an IV that was hashed. */
enum { KEEP_BASE = LANES == 4 }; /* 512-bit code has enough registers for `base` */
struct counters {
    vec next;
    vec base;     /* the counter block without its last byte, ^ the first round key */
    unsigned low; /* the last byte of the counter */
    int keep;     /* whether `base` is used; a constant */
};

INLINE TARGET_GCM void set_base(struct counters *c, vec key)
{
    if (c->keep)
        c->base = xor3(reverse(c->next), load(gcm_counter(c->low)), key);
}

INLINE TARGET_GCM struct counters count_from(block counter, const struct aead_key *key, int keep)
{
    struct counters c = { add32(spread_block(counter), count_up(0, 0)), zero(),
                          keep ? (unsigned)_mm_cvtsi128_si32(counter) & 255 : 0, keep };
    set_base(&c, round_key(key->aes.enc[0]));
    return c;
}

/* Makes the counter blocks of num vectors, XORed with the first round key. */
INLINE TARGET_GCM void start_batch(vec s[BATCH], unsigned num, struct counters *c, vec key)
{
    const unsigned num_blocks = num * LANES;
    const vec these = c->next;
    const unsigned low = c->low;
    c->next = add32(these, low64(num_blocks));
    c->low = (low + num_blocks) & 255;
    if (c->keep && LIKELY(low <= 256 - num_blocks)) {
        EACH(num, s[i] = xor(c->base, load(gcm_counter(low + i * LANES))));
        if (c->low)
            return;
    } else {
        EACH(num, s[i] = xor(reverse(add32(these, low64(i * LANES))), key));
    }
    set_base(c, key);
}

/* Encrypts or decrypts a batch.  Between the rounds, hashes the batch at `hashed`, unless that is
 * NULL. */
INLINE TARGET_GCM void batch(uint8_t *out, const uint8_t *in, const uint8_t *hashed,
                             struct counters *counters, vec *y, const struct aead_key *key,
                             int others_follow, unsigned rounds)
{
    HIDE(key);
    vec s[BATCH], k = round_key(key->aes.enc[0]);
    struct sum sum = { .some = 1 };
    if (hashed)
        HIDE(hashed);
    start_batch(s, BATCH, counters, k);
#pragma GCC unroll 14
    for (unsigned r = 1; r < rounds; r++) {
        k = round_key(key->aes.enc[r]);
        EACH(8, s[i] = enc(s[i], k));
        if (hashed && r % 2 == 0 && r <= BATCH)
            hash_pair(&sum, hashed, r / 2 - 1, *y, key, others_follow);
    }
    if (hashed)
        *y = others_follow ? reduce(&sum) : widen(fold(reduce(&sum)));
    k = round_key(key->aes.enc[rounds]);
    EACH(8, store_at(out, i, enc_last(s[i], xor(k, load_at(in, i, 0))), 0));
}

/* Encrypts or decrypts up to a batch without hashing, for a message's end. */
INLINE TARGET_GCM void step(uint8_t *out, const uint8_t *in, size_t num, size_t part, vec *counter,
                            const struct aead_key *key, unsigned rounds)
{
    vec s[BATCH];
    EACH(num, s[i] = reverse(add32(*counter, low64(i * LANES))));
    *counter = add32(*counter, low64(part ? part : num * LANES));
    encrypt(s, num, &key->aes, rounds);
    EACH(num, store_at(out, i, xor(s[i], load_at(in, i, part)), part));
}

INLINE TARGET_GCM void crypt_rest(uint8_t *out, const uint8_t *in, size_t num_blocks, vec *counter,
                                  const struct aead_key *key, unsigned rounds)
{
    EACH_BATCH_STEP(step, out, in, num_blocks, 4, counter, key, rounds)
    EACH_BATCH_STEP(step, out, in, num_blocks, 2, counter, key, rounds)
    EACH_BATCH_STEP(step, out, in, num_blocks, 1, counter, key, rounds)
    if (LANES > 1 && num_blocks % LANES)
        step(out, in, 1, num_blocks % LANES, counter, key, rounds);
}

enum { BATCH_LEN = 16 * POWERS };
static_assert(BATCH_LEN == BATCH * sizeof(vec), "a power for each block of a batch");

/* Between batches there is no register for the hash, except at 512 bits.  So it is kept in a
 * variable in memory, which can be wiped. */
#define HIDE_KEPT(y)   \
    do {               \
        if (LANES < 4) \
            HIDE(y);   \
    } while (0)
#define WIPE_KEPT(y)   \
    do {               \
        if (LANES < 4) \
            WIPE(y);   \
    } while (0)

/* Processes whole blocks; `hash` and `counter` are byte-reversed.  Updates the hash.  The hash of
 * ciphertext is one batch behind the encryption. */
INLINE TARGET_GCM void encrypt_many(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                    const struct aead_key *key, block counter, block *hash,
                                    int keep, unsigned rounds)
{
    struct counters counters = count_from(counter, key, keep);
    vec kept = widen(*hash), *y = &kept;
    HIDE_KEPT(y);
    if (num_blocks >= POWERS) {
        batch(out, in, NULL, &counters, y, key, 0, rounds);
        num_blocks -= POWERS, in += BATCH_LEN, out += BATCH_LEN;
        for (; num_blocks >= POWERS; num_blocks -= POWERS, in += BATCH_LEN, out += BATCH_LEN)
            batch(out, in, out - BATCH_LEN, &counters, y, key, 1, rounds);
        *y = hash_batch(out - BATCH_LEN, *y, key, 0);
    }
    crypt_rest(out, in, num_blocks, &counters.next, key, rounds);
    *hash = low16(hash_rest(out, num_blocks, *y, key));
    WIPE_KEPT(y);
}

INLINE TARGET_GCM void decrypt_many(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                    const struct aead_key *key, block counter, block *hash,
                                    int keep, unsigned rounds)
{
    struct counters counters = count_from(counter, key, keep);
    vec kept = widen(*hash), *y = &kept;
    HIDE_KEPT(y);
    for (; num_blocks >= 2 * POWERS; num_blocks -= POWERS, in += BATCH_LEN, out += BATCH_LEN)
        batch(out, in, in, &counters, y, key, 1, rounds);
    if (num_blocks >= POWERS) {
        batch(out, in, in, &counters, y, key, 0, rounds);
        num_blocks -= POWERS, in += BATCH_LEN, out += BATCH_LEN;
    }
    *y = hash_rest(in, num_blocks, *y, key);
    crypt_rest(out, in, num_blocks, &counters.next, key, rounds);
    *hash = low16(*y);
    WIPE_KEPT(y);
}

typedef block bulk_fn(uint8_t *out, const uint8_t *in, size_t num_blocks,
                      const struct aead_key *key, block counter, block hash, enum hr_op op);

#define CRYPT_BULK(name, keep)                                                                   \
    static __attribute__((noinline)) TARGET_GCM block name(                                      \
        uint8_t *out, const uint8_t *in, size_t num_blocks, const struct aead_key *key,          \
        block counter, block hash, enum hr_op op)                                                \
    {                                                                                            \
        if (op == HR_OP_ENCRYPT)                                                                 \
            FOR_ROUNDS(&key->aes, encrypt_many, out, in, num_blocks, key, counter, &hash, keep); \
        else                                                                                     \
            FOR_ROUNDS(&key->aes, decrypt_many, out, in, num_blocks, key, counter, &hash, keep); \
        leave();                                                                                 \
        return hash;                                                                             \
    }
CRYPT_BULK(crypt_bulk, KEEP_BASE)

INLINE TARGET_GCM void crypt_blocks(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                    const struct aead_key *key, uint8_t ctr[16], uint8_t y[16],
                                    enum hr_op op, bulk_fn *bulk)
{
    const block counter = reverse16(load16(ctr));
    store_hash(y, bulk(out, in, num_blocks, key, counter, load_hash(y), op));
    store_hash(ctr, _mm_add_epi32(counter, _mm_cvtsi64_si128((uint32_t)num_blocks)));
}

TARGET_GCM void KERNEL(gcm_encrypt)(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                    const struct aead_key *key, uint8_t ctr[16], uint8_t y[16])
{
    crypt_blocks(out, in, num_blocks, key, ctr, y, HR_OP_ENCRYPT, crypt_bulk);
}

TARGET_GCM void KERNEL(gcm_decrypt)(uint8_t *out, const uint8_t *in, size_t num_blocks,
                                    const struct aead_key *key, uint8_t ctr[16], uint8_t y[16])
{
    crypt_blocks(out, in, num_blocks, key, ctr, y, HR_OP_DECRYPT, crypt_bulk);
}
