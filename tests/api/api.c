/* SPDX-License-Identifier: Apache-2.0 */
/* The public calls of digests, MACs, ciphers, AEADs, MACs with a nonce and XTS with arguments that
 * their headers forbid: the error that the header promises, and nothing written. */
#include "api.h"
#include "internal.h"

enum { BLOCK = HR_CIPHER_MAX_BLOCK, ROOM = 64 };

static const struct hr_algorithm *any(enum hr_class cls, int stream)
{
    const struct hr_algorithm *row;
    size_t i = 0;
    while ((row = hr_algorithm_at(i)) && (row->cls != cls || (row->block_len == 1) != stream))
        i++;
    return row;
}

static void check_digests(void)
{
    struct hr_digest_ctx ctx = { 0 };
    const hr_alg alg = any(HR_CLASS_DIGEST, 0)->alg, other = any(HR_CLASS_CIPHER, 0)->alg;
    uint8_t out[HR_DIGEST_MAX_OUT], state[HR_DIGEST_MAX_EXPORT];
    size_t len;
    wants(hr_digest(out, other, "", 0), HR_EALG, "a digest that is a cipher");
    wants(hr_digest(out, (hr_alg)0xffff, "", 0), HR_EALG, "no such digest");
    wants(hr_digest(out, alg, NULL, 1), HR_EINVAL, "no message");
    wants(hr_digest(out, alg, NULL, 0), 0, "an empty message at NULL");
    wants(hr_digest_init(NULL, alg), HR_EINVAL, "init without a context");
    wants(hr_digest_init(&ctx, other), HR_EALG, "init of a cipher");
    wants(hr_digest_init_kernel(&ctx, alg, 1000), HR_ECPU, "the 1000th kernel");
    wants(hr_digest_update(&ctx, "", 0), HR_ESTATE, "update before init");
    wants(hr_digest_final(&ctx, out), HR_ESTATE, "final before init");
    wants(hr_digest_export(&ctx, state, sizeof state, &len), HR_ESTATE, "export before init");
    wants(hr_digest_init(&ctx, alg), 0, "init");
    wants(hr_digest_update(&ctx, NULL, 1), HR_EINVAL, "update from NULL");
    wants(hr_digest_update(&ctx, NULL, 0), 0, "update with nothing at NULL");
    wants(hr_digest_update(&ctx, "x", SIZE_MAX), HR_ELENGTH, "2^64 - 1 bytes");
    wants(hr_digest_update(&ctx, "abc", 3), 0, "update");
    wants(hr_digest_update(&ctx, NULL, 0), 0, "nothing at NULL while bytes wait");
    wants(hr_digest_update(&ctx, "x", SIZE_MAX >> 3), HR_ELENGTH, "2^61 + 2 bytes in all");
    wants(hr_digest_export(&ctx, state, 18, &len), HR_EBUFFER, "export to 18 bytes");
    wants(hr_digest_export(&ctx, state, sizeof state, &len), 0, "export");
    wants(hr_digest_export(&ctx, NULL, 1, &len), HR_EINVAL, "export to NULL");
    wants(hr_digest_export(&ctx, NULL, 0, &len), HR_EBUFFER, "export to nothing");
    wants(hr_digest_import(&ctx, NULL, len), HR_EINVAL, "import from NULL");
    wants(hr_digest_import(&ctx, NULL, 0), HR_EFORMAT, "import of nothing");
    wants(hr_digest_import(&ctx, state, len - 1), HR_EFORMAT, "a state cut short");
    wants(hr_digest_import(&ctx, state, len + 1), HR_EFORMAT, "a state too long");
    for (size_t i = 0; i < 6; i++) {
        state[i] ^= 1;
        wants(hr_digest_import(&ctx, state, len), HR_EFORMAT, "another magic or version");
        state[i] ^= 1;
    }
    state[8] ^= 0x20;
    wants(hr_digest_import(&ctx, state, len), HR_EFORMAT, "a state of 2^61 bytes");
    state[8] ^= 0x20;
    state[6] ^= 0x40;
    wants(hr_digest_import(&ctx, state, len), HR_EALG, "a state of no digest");
    wants(hr_digest_final(&ctx, out), 0, "final after all that");
    wants(hr_digest_compress(state, other, "", 0), HR_EALG, "blocks of a cipher");
    wants(hr_digest_compress(NULL, alg, "", 0), HR_EINVAL, "blocks to no chaining value");
    wants(hr_digest_compress(state, alg, NULL, 1), HR_EINVAL, "a block at NULL");
    wants(hr_digest_compress(state, alg, NULL, 0), 0, "no block at NULL");
    if (hr_digest_size(other) || !hr_digest_size(alg))
        complain("hr_digest_size");
    tap(!complaints_so_far(), "digests refuse what the header forbids");
}

static void check_mac_states(const struct hr_hmac_key *key, const struct hr_algorithm *row)
{
    struct hr_hmac_key blank = { 0 }, others;
    struct hr_hmac_ctx ctx = { 0 };
    uint8_t out[HR_DIGEST_MAX_OUT], state[HR_HMAC_MAX_EXPORT + 1] = { 0 };
    size_t len;
    wants(hr_hmac_update(&ctx, "", 0), HR_ESTATE, "update before init");
    wants(hr_hmac_final(&ctx, out), HR_ESTATE, "final before init");
    wants(hr_hmac_export(&ctx, state, sizeof state, &len), HR_ESTATE, "export before init");
    wants(hr_hmac_init(&ctx, &blank), HR_ESTATE, "a key not initialised");
    wants(hr_hmac_init(NULL, key), HR_EINVAL, "no context");
    wants(hr_hmac_init(&ctx, NULL), HR_EINVAL, "no key");
    wants(hr_hmac_init(&ctx, key), 0, "init");
    wants(hr_hmac_update(NULL, "", 0), HR_EINVAL, "update of no context");
    wants(hr_hmac_update(&ctx, NULL, 1), HR_EINVAL, "update from NULL");
    wants(hr_hmac_update(&ctx, NULL, 0), 0, "update with nothing at NULL");
    wants(hr_hmac_update(&ctx, "x", SIZE_MAX), HR_ELENGTH, "2^64 - 1 bytes");
    wants(hr_hmac_update(&ctx, "abc", 3), 0, "update");
    wants(hr_hmac_export(NULL, state, sizeof state, &len), HR_EINVAL, "export of no context");
    wants(hr_hmac_export(&ctx, state, 10, &len), HR_EBUFFER, "export to 10 bytes");
    wants(hr_hmac_export(&ctx, state, sizeof state, &len), 0, "export");
    wants(hr_hmac_final(&ctx, NULL), HR_EINVAL, "final to NULL");
    wants(hr_hmac_final(NULL, out), HR_EINVAL, "final of no context");
    wants(hr_hmac_import(NULL, key, state, len), HR_EINVAL, "import to no context");
    wants(hr_hmac_import(&ctx, NULL, state, len), HR_EINVAL, "import without a key");
    wants(hr_hmac_import(&ctx, &blank, state, len), HR_ESTATE, "import under no key");
    wants(hr_hmac_import(&ctx, key, NULL, len), HR_EINVAL, "import from NULL");
    wants(hr_hmac_import(&ctx, key, state, 15), HR_EFORMAT, "import of a part");
    wants(hr_hmac_import(&ctx, key, state, len - 1), HR_EFORMAT, "import of less");
    wants(hr_hmac_import(&ctx, key, state, len + 1), HR_EFORMAT, "import of more");
    wants(hr_hmac_import(&ctx, key, state, sizeof state), HR_EFORMAT, "import of too much");
    state[6] ^= 0x40;
    wants(hr_hmac_import(&ctx, key, state, len), HR_EALG, "a state of no HMAC");
    state[6] ^= 0x40;
    state[0] ^= 1;
    wants(hr_hmac_import(&ctx, key, state, len), HR_EFORMAT, "other magic");
    state[0] ^= 1;
    /* A digest's exported state with the length of a MAC's: its count says that no block of a key
     * was absorbed, so it is refused. */
    memset(state + 8, 0, 7);
    state[15] = 3;
    wants(hr_hmac_import(&ctx, key, state, len), HR_EFORMAT, "a state without a key's block");
    state[15] = (uint8_t)(row->block_len + 3);
    wants(hr_hmac_import(&ctx, key, state, len), 0, "import");
    wants(hr_hmac_final(&ctx, out), 0, "final");
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        if (row->cls == HR_CLASS_MAC && !hr_hmac_key_init(&others, row->alg, "", 0) &&
            memcmp(&others.opaque[2], &key->opaque[2], 8)) /* the key's row */
            wants(hr_hmac_import(&ctx, &others, state, len), HR_EALG, "a state of another row");
}

static void check_mac_once(const struct hr_algorithm *row)
{
    static const uint8_t bytes[40] = { 1, 2, 3 };
    uint8_t want[HR_DIGEST_MAX_OUT], got[HR_DIGEST_MAX_OUT];
    struct hr_hmac_key key;
    wants(hr_hmac_key_init(&key, row->alg, bytes, sizeof bytes), 0, "a key");
    wants(hr_hmac(want, "abc", 3, &key), 0, "a MAC");
    wants(hr_hmac_once(got, row->alg, "abc", 3, bytes, sizeof bytes), 0, "a MAC by bytes");
    if (memcmp(got, want, row->out_len))
        complain("%s: hr_hmac_once differs from hr_hmac", row->name);
    wants(hr_hmac_once(got, row->alg, "abc", 3, NULL, 0), 0, "a MAC by an empty key");
    wants(hr_hmac_once(got, row->alg, "abc", 3, NULL, 1), HR_EINVAL, "no key's bytes");
    wants(hr_hmac_once(NULL, row->alg, "abc", 3, bytes, 1), HR_EINVAL, "no output");
    wants(hr_hmac_once(got, row->digest, "abc", 3, bytes, 1), HR_EALG, "a MAC by a digest");
}

static void check_macs(void)
{
    const struct hr_algorithm *row, *mac = NULL;
    const hr_alg digest = any(HR_CLASS_DIGEST, 0)->alg;
    struct hr_hmac_key key, blank = { 0 };
    uint8_t out[HR_DIGEST_MAX_OUT];
    wants(hr_hmac_key_init(&key, digest, "", 0), HR_EALG, "a key of a digest");
    wants(hr_hmac_key_init_kernel(&key, digest, 0, "", 0), HR_EALG, "a key of a digest");
    wants(hr_hmac(out, "", 0, &blank), HR_ESTATE, "a key not initialised");
    wants(hr_hmac_verify(out, 1, "", 0, &blank), HR_ESTATE, "a key not initialised");
    if (hr_hmac_size(digest) || hr_hmac_key_size(digest))
        complain("hr_hmac_size");
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++) {
        if (row->cls != HR_CLASS_MAC)
            continue;
        wants(hr_hmac_key_init(NULL, row->alg, "", 0), HR_EINVAL, "no key");
        wants(hr_hmac_key_init(&key, row->alg, NULL, 1), HR_EINVAL, "no key's bytes");
        wants(hr_hmac_key_init(&key, row->alg, "", SIZE_MAX), HR_ELENGTH, "2^64 - 1 bytes");
        wants(hr_hmac_key_init_kernel(&key, row->alg, 1000, "", 0), HR_ECPU, "the 1000th kernel");
        wants(hr_hmac_key_init_kernel(NULL, row->alg, 0, "", 0), HR_EINVAL, "no key");
        wants(hr_hmac_key_init(&key, row->alg, NULL, 0), 0, "an empty key at NULL");
        wants(hr_hmac(NULL, "", 0, &key), HR_EINVAL, "no output");
        wants(hr_hmac(out, NULL, 1, &key), HR_EINVAL, "no message");
        wants(hr_hmac(out, "", 0, NULL), HR_EINVAL, "no key");
        wants(hr_hmac(out, NULL, 0, &key), 0, "an empty message at NULL");
        wants(hr_hmac(out, "x", SIZE_MAX, &key), HR_ELENGTH, "2^64 - 1 bytes");
        wants(hr_hmac_verify(NULL, 1, "", 0, &key), HR_EINVAL, "no MAC");
        wants(hr_hmac_verify(out, 1, "", 0, NULL), HR_EINVAL, "no key");
        wants(hr_hmac_verify(out, 1, NULL, 1, &key), HR_EINVAL, "no message");
        wants(hr_hmac_verify(out, 1, "x", SIZE_MAX, &key), HR_ELENGTH, "2^64 - 1 bytes");
        wants(direct_mac(row->alg)(out, "", 0, &blank), HR_ESTATE, "a key not initialised");
        check_mac_once(row);
        if (mac)
            wants(direct_mac(mac->alg)(out, "", 0, &key), HR_ESTATE, "a key of another row");
        mac = row;
        check_mac_states(&key, row);
        if (!hr_hmac_size(row->alg) || !hr_hmac_key_size(row->alg))
            complain("hr_hmac_size");
    }
    hr_hmac_key_wipe(NULL);
    tap(mac && !complaints_so_far(), "MACs refuse what the header forbids");
}

static void check_kernels(void)
{
    struct hr_kernel kernel;
    const hr_alg digest = any(HR_CLASS_DIGEST, 0)->alg, cipher = any(HR_CLASS_CIPHER, 0)->alg;
    wants(hr_kernel_at(&kernel, (hr_alg)0xffff, HR_OP_ENCRYPT, 0), HR_EALG, "no such algorithm");
    wants(hr_kernel_at(NULL, cipher, HR_OP_ENCRYPT, 0), HR_EINVAL, "a kernel to NULL");
    wants(hr_kernel_at(&kernel, cipher, (enum hr_op)2, 0), HR_EINVAL, "operation 2");
    wants(hr_kernel_at(&kernel, digest, HR_OP_DECRYPT, 0), HR_EINVAL, "to decrypt a digest");
    wants(hr_kernel_at(&kernel, cipher, HR_OP_DECRYPT, 1000), HR_EINVAL, "the 1000th kernel");
    wants(hr_kernel_chosen((hr_alg)0xffff, HR_OP_ENCRYPT), HR_EALG, "chosen of no algorithm");
    tap(!complaints_so_far(), "questions about kernels refuse what the header forbids");
}

static void check_keys(void)
{
    static const uint8_t bytes[ROOM];
    struct hr_cipher_key key = { 0 };
    const struct hr_algorithm *row = any(HR_CLASS_CIPHER, 0);
    const hr_alg digest = any(HR_CLASS_DIGEST, 0)->alg;
    wants(hr_cipher_key_init(&key, digest, bytes, 16), HR_EALG, "a key for a digest");
    wants(hr_cipher_key_init(NULL, row->alg, bytes, row->key_len), HR_EINVAL, "no key");
    wants(hr_cipher_key_init(&key, row->alg, NULL, row->key_len), HR_EINVAL, "no key bytes");
    for (size_t len = 0; len < ROOM; len++)
        wants(hr_cipher_key_init(&key, row->alg, bytes, len), len == row->key_len ? 0 : HR_EKEYLEN,
              "key length");
    wants(hr_cipher_key_init_kernel(&key, row->alg, HR_OP_ENCRYPT, 1000, bytes, row->key_len),
          HR_ECPU, "the 1000th kernel");
    if (!is_zero(&key, hr_cipher_key_size(row->alg)))
        complain("a refused kernel leaves a key behind");
    wants(hr_cipher_key_init_kernel(&key, row->alg, (enum hr_op)2, 0, bytes, row->key_len),
          HR_EINVAL, "a kernel of operation 2");
    hr_cipher_key_wipe(NULL);
    tap(!complaints_so_far(), "keys refuse what the header forbids");
}

/* check_import checks that the round keys of an expanded key, imported, compute what the key
 * computes; except in stream modes, only in the direction that they are for. */
static void check_import(const struct hr_algorithm *row)
{
    uint8_t bytes[ROOM], want[ROOM], out[ROOM];
    struct hr_cipher_key key, half;
    struct hr_cipher_ctx ctx;
    const struct aes_key *aes = &((struct cipher_key *)&key)->aes;
    const size_t len = 16 * (row->key_len / 4 + 7u);
    const int stream = row->block_len == 1;
    random_bytes(bytes, sizeof bytes);
    wants(hr_cipher_key_init(&key, row->alg, bytes, row->key_len), 0, "key");
    for (enum hr_op op = HR_OP_ENCRYPT; op <= HR_OP_DECRYPT; op++) {
        const enum hr_op other = op == HR_OP_ENCRYPT ? HR_OP_DECRYPT : HR_OP_ENCRYPT;
        const uint8_t *schedule = op == HR_OP_DECRYPT && !stream ? aes->dec[0] : aes->enc[0];
        memset(&half, 0xa5, sizeof half);
        wants(hr_cipher_key_import(&half, row->alg, op, schedule, len - 16), HR_EKEYLEN, "short");
        wants(hr_cipher_key_import(&half, row->alg, op, schedule, len + 16), HR_EKEYLEN, "long");
        wants(hr_cipher_key_import(&half, row->alg, (enum hr_op)2, schedule, len), HR_EINVAL, "2");
        wants(hr_cipher_key_import(&half, row->alg, op, NULL, len), HR_EINVAL, "no schedule");
        wants(hr_cipher_key_import(NULL, row->alg, op, schedule, len), HR_EINVAL, "no key");
        wants(hr_cipher_key_import(&half, row->alg, op, schedule, len), 0, "import");
        for (size_t n = BLOCK; n <= ROOM; n += ROOM - BLOCK) {
            wants(direct_cipher(row->alg, op)(want, bytes, n, &key, bytes), 0, "expanded");
            wants(direct_cipher(row->alg, op)(out, bytes, n, &half, bytes), 0, "imported");
            if (memcmp(want, out, n))
                complain("%s: wrong bytes (%zu)", op_name(row, op), n);
            wants(direct_cipher(row->alg, other)(out, bytes, n, &half, bytes),
                  stream ? 0 : HR_ESTATE, "the other direction");
        }
        wants(hr_cipher_init(&ctx, &half, op, bytes, row->iv_len, 0), 0, "stream");
        wants(hr_cipher_init(&ctx, &half, other, bytes, row->iv_len, 0), stream ? 0 : HR_ESTATE,
              "a stream the other way");
        wants(hr_cipher_init(&ctx, &key, other, bytes, row->iv_len, 0), 0, "stream");
        wants(hr_cipher_set_key(&ctx, &half), stream ? 0 : HR_ESTATE, "set_key the other way");
    }
    wants(hr_cipher_key_import(&half, any(HR_CLASS_DIGEST, 0)->alg, HR_OP_ENCRYPT, bytes, len),
          HR_EALG, "round keys for a digest");
    tap(!complaints_so_far(), "%s takes round keys, for one direction", row->name);
}

/* check_no_import checks that round keys of block ciphers other than AES cannot be imported. */
static void check_no_import(const struct hr_algorithm *row)
{
    static const uint8_t bytes[15 * BLOCK];
    struct hr_cipher_key key;
    for (size_t len = 0; len <= sizeof bytes; len += 8)
        wants(hr_cipher_key_import(&key, row->alg, HR_OP_ENCRYPT, bytes, len), HR_EALG, "import");
    tap(!complaints_so_far(), "%s takes no round keys", row->name);
}

static void check_whole(const struct hr_algorithm *row)
{
    const size_t unit = cipher_unit(row);
    static const uint8_t bytes[ROOM];
    uint8_t out[ROOM] = { 0 };
    struct hr_cipher_key key = { 0 };
    wants(hr_cipher_encrypt(out, bytes, unit, &key, bytes, row->iv_len), HR_ESTATE, "no key yet");
    wants(hr_cipher_encrypt(out, bytes, unit, NULL, bytes, row->iv_len), HR_EINVAL, "NULL key");
    wants(hr_cipher_key_init(&key, row->alg, bytes, row->key_len), 0, "key");
    for (size_t len = 0; len < ROOM; len++)
        wants(hr_cipher_decrypt(out, bytes, unit, &key, bytes, len),
              len == row->iv_len ? 0 : HR_EIVLEN, "IV length");
    wants(hr_cipher_encrypt(NULL, bytes, unit, &key, bytes, row->iv_len), HR_EINVAL, "out NULL");
    wants(hr_cipher_encrypt(out, NULL, unit, &key, bytes, row->iv_len), HR_EINVAL, "in NULL");
    wants(hr_cipher_encrypt(NULL, NULL, 0, &key, bytes, row->iv_len), 0, "nothing at NULL");
    const struct hr_algorithm *other;
    for (size_t i = 0; (other = hr_algorithm_at(i)); i++)
        if (other->cls == HR_CLASS_CIPHER)
            wants(direct_cipher(other->alg, HR_OP_ENCRYPT)(out, bytes, 0, &key, bytes),
                  other == row ? 0 : HR_ESTATE, "a direct call with another row's key");
    tap(!complaints_so_far(), "%s refuses what the header forbids", row->name);
}

static void check_stream(const struct hr_algorithm *row)
{
    static const uint8_t bytes[ROOM];
    uint8_t out[ROOM];
    size_t len;
    struct hr_cipher_key key = { 0 };
    struct hr_cipher_ctx ctx = { 0 };
    const int stream = row->block_len == 1;
    wants(hr_cipher_init(&ctx, &key, HR_OP_ENCRYPT, bytes, row->iv_len, 0), HR_ESTATE, "no key");
    wants(hr_cipher_key_init(&key, row->alg, bytes, row->key_len), 0, "key");
    wants(hr_cipher_update(&ctx, out, ROOM, &len, bytes, 1), HR_ESTATE, "update before init");
    wants(hr_cipher_final(&ctx, out, ROOM, &len), HR_ESTATE, "final before init");
    wants(hr_cipher_get_iv(&ctx, out, row->iv_len), HR_ESTATE, "get_iv before init");
    wants(hr_cipher_get_num(&ctx), HR_ESTATE, "get_num before init");
    wants(hr_cipher_set_num(&ctx, 0), HR_ESTATE, "set_num before init");
    wants(hr_cipher_set_key(&ctx, &key), HR_ESTATE, "set_key before init");
    wants(hr_cipher_init(&ctx, &key, (enum hr_op)2, bytes, row->iv_len, 0), HR_EINVAL, "op 2");
    wants(hr_cipher_init(&ctx, &key, HR_OP_ENCRYPT, bytes, row->iv_len, 0x80), HR_EINVAL, "flags");
    wants(hr_cipher_init(&ctx, &key, HR_OP_ENCRYPT, bytes, row->iv_len + 1u, 0), HR_EIVLEN, "IV");
    wants(hr_cipher_init(&ctx, &key, HR_OP_DECRYPT, bytes, row->iv_len, HR_CIPHER_PADDING), 0,
          "init");
    wants(hr_cipher_update(&ctx, out, 32, &len, bytes, 33), stream ? HR_EBUFFER : 0, "33 to 32");
    wants(hr_cipher_update(&ctx, out, 7, &len, bytes, 32), HR_EBUFFER, "32 bytes to 7");
    wants(hr_cipher_update(&ctx, out, ROOM, &len, NULL, 1), HR_EINVAL, "update from NULL");
    wants(hr_cipher_get_iv(&ctx, out, row->iv_len + 1u), HR_EIVLEN, "get_iv of 17");
    wants(hr_cipher_set_num(&ctx, 16), HR_EINVAL, "set_num 16");
    if (stream)
        wants(hr_cipher_set_padding(&ctx, 1), 0, "padding where no mode has it");
    wants(hr_cipher_final(&ctx, out, ROOM, &len), stream ? 0 : HR_ELENGTH, "final inside a block");
    if (len || !is_zero(&ctx, sizeof ctx))
        complain("final writes, or leaves something in the context");
    tap(!complaints_so_far(), "%s streams refuse what the header forbids", row->name);
}

/* check_set_key checks that a stream takes another key object of its row, and refuses a wiped key
 * and keys of other rows. */
static void check_set_key(const struct hr_algorithm *row)
{
    static const uint8_t bytes[ROOM];
    struct hr_cipher_key key, keys;
    struct hr_cipher_ctx ctx;
    const struct hr_algorithm *other;
    wants(hr_cipher_key_init(&key, row->alg, bytes, row->key_len), 0, "key");
    wants(hr_cipher_init(&ctx, &key, HR_OP_ENCRYPT, bytes, row->iv_len, 0), 0, "init");
    hr_cipher_key_wipe(&key);
    wants(hr_cipher_set_key(&ctx, &key), HR_ESTATE, "set_key of a wiped key");
    for (size_t i = 0; (other = hr_algorithm_at(i)); i++) {
        if (other->cls != HR_CLASS_CIPHER)
            continue;
        wants(hr_cipher_key_init(&keys, other->alg, bytes, other->key_len), 0, "another key");
        wants(hr_cipher_set_key(&ctx, &keys), other == row ? 0 : HR_ESTATE, other->name);
    }
    tap(!complaints_so_far(), "%s streams take no other row's key", row->name);
}

/* check_huge_length checks that an update of nearly SIZE_MAX bytes, with bytes waiting, is refused:
 * the sum of both must not wrap around to a small length. */
static void check_huge_length(const struct hr_algorithm *row)
{
    static const uint8_t bytes[ROOM];
    uint8_t out[ROOM];
    size_t len;
    struct hr_cipher_key key;
    struct hr_cipher_ctx ctx;
    wants(hr_cipher_key_init(&key, row->alg, bytes, row->key_len), 0, "key");
    wants(hr_cipher_init(&ctx, &key, HR_OP_ENCRYPT, bytes, row->iv_len, 0), 0, "init");
    wants(hr_cipher_update(&ctx, out, ROOM, &len, bytes, 5), 0, "five bytes");
    for (size_t less = 0; less <= 2 * BLOCK; less++)
        wants(hr_cipher_update(&ctx, out, ROOM, &len, bytes, SIZE_MAX - less), HR_EBUFFER, "huge");
    tap(!complaints_so_far(), "%s streams refuse huge lengths", row->name);
}

/* check_padding_turned_off checks the last block of a decryption, which waits because it may be
 * padding: get_iv returns it, and after padding is turned off final writes it. */
static void check_padding_turned_off(const struct hr_algorithm *row)
{
    const size_t unit = cipher_unit(row);
    uint8_t bytes[ROOM], want[2 * BLOCK], out[2 * BLOCK], next[BLOCK];
    size_t len, last;
    struct hr_cipher_key key;
    struct hr_cipher_ctx ctx;
    random_bytes(bytes, sizeof bytes);
    wants(hr_cipher_key_init(&key, row->alg, bytes, row->key_len), 0, "key");
    wants(hr_cipher_decrypt(want, bytes, 2 * unit, &key, bytes, row->iv_len), 0, "decrypt");
    wants(hr_cipher_init(&ctx, &key, HR_OP_DECRYPT, bytes, row->iv_len, HR_CIPHER_PADDING), 0,
          "init");
    wants(hr_cipher_update(&ctx, out, 2 * unit, &len, bytes, 2 * unit), 0, "update");
    wants(hr_cipher_get_num(&ctx), (int)unit, "get_num");
    wants(hr_cipher_get_iv(&ctx, next, row->iv_len), 0, "get_iv");
    if (memcmp(next, bytes + unit, row->iv_len))
        complain("the IV that continues is not the block that waits");
    wants(hr_cipher_set_padding(&ctx, 0), 0, "set_padding");
    wants(hr_cipher_final(&ctx, out + len, unit - 1, &last), HR_EBUFFER, "final to too few");
    wants(hr_cipher_final(&ctx, out + len, unit, &last), 0, "final");
    if (len != unit || last != unit || memcmp(out, want, 2 * unit) || !is_zero(&ctx, sizeof ctx))
        complain("%zu and %zu bytes, or wrong ones", len, last);
    tap(!complaints_so_far(), "%s gives a block back that waited for padding", row->name);
}

/* check_padding_bytes checks that a wrong byte among the n bytes of padding is an error, and that
 * the bytes before them may be anything. */
static void check_padding_bytes(const struct hr_algorithm *row, const struct hr_cipher_key *key)
{
    const size_t unit = cipher_unit(row);
    static const uint8_t iv[BLOCK];
    for (size_t n = 1; n <= unit; n++)
        for (size_t at = 0; at < unit; at++) {
            uint8_t plain[BLOCK], sealed[BLOCK], out[BLOCK];
            struct hr_cipher_ctx ctx;
            size_t len;
            memset(plain, 0x5a, unit);
            memset(plain + unit - n, (int)n, n);
            plain[at] ^= 0x80;
            wants(hr_cipher_encrypt(sealed, plain, unit, key, iv, row->iv_len), 0, "encrypt");
            wants(hr_cipher_init(&ctx, key, HR_OP_DECRYPT, iv, row->iv_len, HR_CIPHER_PADDING), 0,
                  "init");
            wants(hr_cipher_update(&ctx, out, unit, &len, sealed, unit), 0, "update");
            wants(hr_cipher_final(&ctx, out, unit, &len), at < unit - n ? 0 : HR_EPADDING,
                  "one byte changed");
            if (at < unit - n && (len != unit - n || memcmp(out, plain, len)))
                complain("%zu bytes of padding: %zu bytes, or wrong ones", n, len);
        }
}

/* check_bad_padding checks that final reports bad padding and then wipes the output (RFC 5652
 * section 6.3 defines the padding). */
static void check_bad_padding(const struct hr_algorithm *row)
{
    const size_t unit = cipher_unit(row);
    static const uint8_t bytes[ROOM];
    uint8_t plain[BLOCK], sealed[BLOCK], out[BLOCK];
    size_t len;
    struct hr_cipher_key key;
    struct hr_cipher_ctx ctx;
    wants(hr_cipher_key_init(&key, row->alg, bytes, row->key_len), 0, "key");
    for (unsigned last = 0; last < 256; last++) {
        memset(plain, (int)last, unit);
        wants(hr_cipher_encrypt(sealed, plain, unit, &key, bytes, row->iv_len), 0, "encrypt");
        wants(hr_cipher_init(&ctx, &key, HR_OP_DECRYPT, bytes, row->iv_len, HR_CIPHER_PADDING), 0,
              "init");
        wants(hr_cipher_update(&ctx, out, unit, &len, sealed, unit), 0, "update");
        memset(out, 0x5a, unit);
        const int good = last >= 1 && last <= unit;
        wants(hr_cipher_final(&ctx, out, unit, &len), good ? 0 : HR_EPADDING, "padding");
        if (len != (good ? unit - last : 0) || (!good && !is_zero(out, unit)))
            complain("padding %u: %zu bytes, or output not wiped", last, len);
    }
    check_padding_bytes(row, &key);
    tap(!complaints_so_far(), "%s tells bad padding and wipes", row->name);
}

void wants(int got, int want, const char *what)
{
    if (got != want)
        complain("%s: %d (%s) instead of %d (%s)", what, got, hr_strerror(got), want,
                 hr_strerror(want));
}

void wants_canary(const void *p, size_t len, const char *what)
{
    for (size_t i = 0; i < len; i++)
        if (((const uint8_t *)p)[i] != CANARY)
            complain("%s: byte %zu was written", what, i);
}

int main(void)
{
    const struct hr_algorithm *row;
    check_digests();
    check_macs();
    check_kernels();
    check_keys();
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++) {
        if (row->cls != HR_CLASS_CIPHER)
            continue;
        if (cipher_impl(row->alg) == &aes_cipher)
            check_import(row);
        else
            check_no_import(row);
        check_whole(row);
        check_stream(row);
        check_set_key(row);
        check_huge_length(row);
        if (row->block_len > 1) {
            check_bad_padding(row);
            check_padding_turned_off(row);
        }
    }
    check_des_keys();
    check_aeads();
    check_nmacs();
    check_cmacs();
    check_xts();
    check_wraps();
    for (int error = 0; error >= HR_EKEY; error--)
        if (!strcmp(hr_strerror(error), "unknown error"))
            complain("no words for error %d", error);
    if (strcmp(hr_strerror(-1000), "unknown error") || strcmp(hr_strerror(1), "unknown error"))
        complain("words for an error that does not exist");
    tap(!complaints_so_far(), "every error has words");
    return tap_done();
}
