/* SPDX-License-Identifier: Apache-2.0 */
/* Whole batches of a message with its round keys in registers, where an aes_vec*.h says by
 * KEEP_KEYS that there are enough.  A CPU that halves vectors of 64 bytes broadcasts a key by
 * shuffles, on a port that its AES units share, and so the keys of each batch would take 1 to
 * 4 cycles of 82 to 117 (Zen 4). */
#ifdef KEEP_KEYS

struct kept {
    vec k[15];
};

INLINE TARGET void keep(struct kept *kept, const uint8_t key[15][16], unsigned rounds)
{
    kept->k[0] = round_key(key[0]);
    EACH_ROUND(rounds, kept->k[r] = round_key(key[r]));
    kept->k[rounds] = round_key(key[rounds]);
}

INLINE TARGET void encrypt_kept(vec s[BATCH], size_t num, const struct kept *kept, unsigned rounds)
{
    EACH(num, s[i] = xor(s[i], kept->k[0]));
    EACH_ROUND(rounds, EACH(num, s[i] = enc(s[i], kept->k[r])));
    EACH(num, s[i] = enc_last(s[i], kept->k[rounds]));
}

INLINE TARGET void decrypt_kept(vec s[BATCH], size_t num, const struct kept *kept, unsigned rounds)
{
    EACH(num, s[i] = xor(s[i], kept->k[0]));
    EACH_ROUND(rounds, EACH(num, s[i] = dec(s[i], kept->k[r])));
    EACH(num, s[i] = dec_last(s[i], kept->k[rounds]));
}

/* Processes a message as EACH_BATCH() does, by calls of batch(..., num vectors, part, kept, ...),
 * where kept is NULL for a batch that is not whole; `keys` are the round keys to keep. */
#define EACH_BATCH_KEPT(batch, keys, rounds, out, in, num_blocks, ...)             \
    do {                                                                           \
        if ((num_blocks) >= BATCH * LANES) {                                       \
            struct kept kept;                                                      \
            keep(&kept, keys, rounds);                                             \
            for (; (num_blocks) >= BATCH * LANES; (num_blocks) -= BATCH * LANES) { \
                batch(out, in, BATCH, 0, &kept, __VA_ARGS__, rounds);              \
                (in) += BATCH * sizeof(vec), (out) += BATCH * sizeof(vec);         \
            }                                                                      \
        }                                                                          \
        EACH_BATCH(batch, out, in, num_blocks, NULL, __VA_ARGS__, rounds);         \
    } while (0)

#else

struct kept;
#define encrypt_kept(s, num, kept, rounds)
#define decrypt_kept(s, num, kept, rounds)
#define EACH_BATCH_KEPT(batch, keys, rounds, out, in, num_blocks, ...) \
    EACH_BATCH(batch, out, in, num_blocks, NULL, __VA_ARGS__, rounds)

#endif

INLINE TARGET void encrypt_with(vec s[BATCH], size_t num, const struct kept *kept,
                                const struct aes_key *key, unsigned rounds)
{
    if (kept) {
        encrypt_kept(s, num, kept, rounds);
    } else {
        encrypt(s, num, key, rounds);
    }
}

INLINE TARGET void decrypt_with(vec s[BATCH], size_t num, const struct kept *kept,
                                const struct aes_key *key, unsigned rounds)
{
    if (kept) {
        decrypt_kept(s, num, kept, rounds);
    } else {
        decrypt(s, num, key, rounds);
    }
}
