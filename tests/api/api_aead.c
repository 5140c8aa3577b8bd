/* SPDX-License-Identifier: Apache-2.0 */
/* AEADs: what the header forbids, and the rules of their streams (hr_aead(3)): CCM is
 * told its lengths first; GCM wants an IV and counts 2^32 - 2 blocks, ChaCha20-Poly1305 2^32 - 1.
 */
#include "aead.h"
#include "api.h"
#include <headrace/algorithms.h>

enum { BLOCK = 16, LEN = 45, AAD = 21, IV = 12 };

static uint8_t bytes[4 * BLOCK], text[LEN], aad[AAD];
static struct hr_aead_key key; /* of the row that is checked */

/* ---- keys ---- */

static void check_keys(const struct hr_algorithm *row)
{
    struct hr_aead_key made;
    memset(&made, CANARY, sizeof made);
    wants(hr_aead_key_init(&made, HR_SHA256, bytes, 32), HR_EALG, "a key for a digest");
    wants(hr_aead_key_init(&made, HR_AES_128_CTR, bytes, 16), HR_EALG, "a key for a cipher");
    wants(hr_aead_key_init(&made, (hr_alg)0xffff, bytes, 16), HR_EALG, "a key for nothing");
    wants(hr_aead_key_init(NULL, row->alg, bytes, row->key_len), HR_EINVAL, "no key");
    wants(hr_aead_key_init(&made, row->alg, NULL, row->key_len), HR_EINVAL, "no key bytes");
    for (size_t len = 0; len <= sizeof bytes; len++)
        if (len != row->key_len)
            wants(hr_aead_key_init(&made, row->alg, bytes, len), HR_EKEYLEN, "key length");
    wants(hr_aead_key_init_kernel(&made, row->alg, 1000, bytes, row->key_len), HR_ECPU,
          "the 1000th kernel");
    wants(hr_aead_key_init_kernel(&made, HR_SHA256, 0, bytes, row->key_len), HR_EALG,
          "a digest's kernel");
    wants_canary((uint8_t *)&made, sizeof made, "a key that is refused");
    wants(hr_aead_key_init_kernel(NULL, row->alg, 0, bytes, row->key_len), HR_EINVAL, "no key");
    if (hr_aead_key_size(HR_SHA256) || hr_aead_size(HR_SHA256) ||
        hr_aead_key_size(row->alg) > sizeof made ||
        hr_aead_size(row->alg) > sizeof(struct hr_aead_ctx))
        complain("sizes");
    hr_aead_key_wipe(NULL);
}

/* ---- whole messages ---- */

struct message {
    const struct hr_aead_key *key;
    uint8_t *out, *tag;
    const uint8_t *in, *aad, *iv;
    size_t len, aad_len, tag_len, iv_len;
};

static int seal(const struct message *m)
{
    return hr_aead_encrypt(m->out, m->tag, m->tag_len, m->in, m->len, m->aad, m->aad_len, m->key,
                           m->iv, m->iv_len);
}

static int open(const struct message *m)
{
    return hr_aead_decrypt(m->out, m->tag, m->tag_len, m->in, m->len, m->aad, m->aad_len, m->key,
                           m->iv, m->iv_len);
}

/* refused checks that encryption and decryption of this message return the error `want` and write
 * nothing; with `typed`, the direct calls too. */
static void refused(const struct hr_algorithm *row, struct message m, int want, int typed,
                    const char *what)
{
    uint8_t out[LEN], tag[BLOCK];
    memset(out, CANARY, sizeof out);
    memset(tag, CANARY, sizeof tag);
    m.out = m.out ? out : NULL;
    m.tag = m.tag ? tag : NULL;
    wants(seal(&m), want, what);
    wants(open(&m), want, what);
    if (typed) {
        wants(direct_seal(row->alg)(m.out, m.tag, m.tag_len, m.in, m.len, m.aad, m.aad_len, m.key,
                                    m.iv, m.iv_len),
              want, what);
        wants(direct_open(row->alg)(m.out, m.tag, m.tag_len, m.in, m.len, m.aad, m.aad_len, m.key,
                                    m.iv, m.iv_len),
              want, what);
    }
    wants_canary(out, sizeof out, what);
    wants_canary(tag, sizeof tag, what);
}

/* check_once compares the calls that take the key's bytes with those that take a key. */
static void check_once(const struct hr_algorithm *row, const struct message *m)
{
    uint8_t want[LEN], want_tag[BLOCK];
    wants(hr_aead_encrypt_once(m->out, m->tag, m->tag_len, row->alg, m->in, m->len, m->aad,
                               m->aad_len, bytes, row->key_len, m->iv, m->iv_len),
          0, "by bytes");
    memcpy(want, m->out, LEN);
    memcpy(want_tag, m->tag, BLOCK);
    wants(seal(m), 0, "by a key");
    if (memcmp(want, m->out, LEN) || memcmp(want_tag, m->tag, BLOCK))
        complain("%s: hr_aead_encrypt_once differs from hr_aead_encrypt", row->name);
    wants(hr_aead_decrypt_once(m->out, m->tag, m->tag_len, row->alg, want, m->len, m->aad,
                               m->aad_len, bytes, row->key_len, m->iv, m->iv_len),
          0, "back");
    if (memcmp(m->out, m->in, LEN))
        complain("%s: hr_aead_decrypt_once", row->name);
    m->tag[0] ^= 1;
    wants(hr_aead_decrypt_once(m->out, m->tag, m->tag_len, row->alg, want, m->len, m->aad,
                               m->aad_len, bytes, row->key_len, m->iv, m->iv_len),
          HR_EMAC, "a wrong tag");
    wants(hr_aead_encrypt_once(m->out, m->tag, m->tag_len, row->alg, m->in, m->len, m->aad,
                               m->aad_len, bytes, row->key_len - 1u, m->iv, m->iv_len),
          HR_EKEYLEN, "a short key");
    wants(hr_aead_encrypt_once(m->out, m->tag, m->tag_len, HR_SHA256, m->in, m->len, m->aad,
                               m->aad_len, bytes, row->key_len, m->iv, m->iv_len),
          HR_EALG, "by a digest");
}

static void check_whole(const struct hr_algorithm *row)
{
    uint8_t out[LEN], tag[BLOCK];
    const struct hr_aead_key blank = { { 0 } };
    const int ccm = row->mode == HR_MODE_CCM;
    const struct aead_mode *const mode = aead_impl(row)->mode;
    const struct message good = { &key, out, tag, text, aad, bytes, LEN, AAD, BLOCK, IV };
    struct message m = good;
    m.key = NULL, refused(row, m, HR_EINVAL, 0, "no key"), m = good;
    m.out = NULL, refused(row, m, HR_EINVAL, 0, "no output"), m = good;
    m.in = NULL, refused(row, m, HR_EINVAL, 0, "no input"), m = good;
    m.tag = NULL, refused(row, m, HR_EINVAL, 0, "no tag"), m = good;
    m.aad = NULL, refused(row, m, HR_EINVAL, 0, "no AAD"), m = good;
    m.iv = NULL, refused(row, m, HR_EINVAL, 0, "no IV"), m = good;
    m.key = &blank, refused(row, m, HR_ESTATE, 1, "a key not initialised"), m = good;
    m.iv_len = 0, refused(row, m, HR_EIVLEN, 1, "an empty IV");
    m.iv = NULL, refused(row, m, HR_EIVLEN, 1, "an empty IV at NULL"), m = good;
    for (m.iv_len = 0; m.iv_len < 20; m.iv_len++)
        if (!mode->max_len(m.iv_len))
            refused(row, m, HR_EIVLEN, 1, "an IV's length");
    m = good;
    m.iv_len = (size_t)1 << 61;
    refused(row, m, HR_EIVLEN, 1, "an IV of 2^64 bits"), m = good;
    for (m.tag_len = 0; m.tag_len < 20; m.tag_len += m.tag_len == 3 && !ccm ? 14 : 1)
        if (!mode->good_tag_len(m.tag_len))
            refused(row, m, HR_ETAGLEN, 1, "a tag's length");
    m = good;
    m.aad_len = (size_t)1 << 61;
    refused(row, m, HR_ELENGTH, 1, "AAD of 2^64 bits"), m = good;
    m.len = (size_t)mode->max_len(IV) + 1;
    refused(row, m, HR_ELENGTH, 1, "a text longer than the mode's"), m = good;
    m.len = SIZE_MAX;
    refused(row, m, HR_ELENGTH, 1, "a text of 2^64 - 1 bytes"), m = good;
    if (ccm) {
        m.iv_len = 13, m.len = 1 << 16;
        refused(row, m, HR_ELENGTH, 1, "a text longer than an IV of 13 bytes leaves"), m = good;
    }
    check_once(row, &m);
    m.out = NULL, m.in = NULL, m.aad = NULL, m.len = m.aad_len = 0;
    wants(seal(&m), 0, "nothing at NULL");
    wants(open(&m), 0, "nothing at NULL, back");
}

/* check_other_rows checks that direct calls refuse the key of another row, and key objects of
 * another class. */
static void check_other_rows(const struct hr_algorithm *row)
{
    uint8_t out[LEN], tag[BLOCK];
    const struct hr_algorithm *other;
    for (size_t i = 0; (other = hr_algorithm_at(i)); i++) {
        if (other->cls != HR_CLASS_AEAD || other == row)
            continue;
        wants(direct_seal(other->alg)(out, tag, BLOCK, text, LEN, aad, AAD, &key, bytes, IV),
              HR_ESTATE, "another row's key");
        wants(direct_open(other->alg)(out, tag, BLOCK, text, LEN, aad, AAD, &key, bytes, IV),
              HR_ESTATE, "another row's key");
    }
}

/* check_long_aad tries lengths of AAD around 2^16 - 2^8: CCM writes a length below that in 2 bytes,
 * else in 6 (SP 800-38C appendix A.2.2). */
static void check_long_aad(const struct hr_algorithm *row)
{
    static const size_t lens[] = { 0xfeff, 0xff00, 0xffff, 0x10000 };
    uint8_t *const long_aad = malloc(0x10000), want[LEN], out[LEN], want_tag[BLOCK], tag[BLOCK];
    random_bytes(long_aad, 0x10000);
    for (size_t i = 0; i < COUNT_OF(lens); i++) {
        const struct message m = { &key, out, tag, text, long_aad, bytes, LEN, lens[i], BLOCK, IV };
        model_aead(
            want, want_tag, row,
            &(struct model_message){ bytes, bytes, long_aad, text, IV, lens[i], LEN, BLOCK });
        wants(seal(&m), 0, "long AAD");
        if (memcmp(out, want, LEN) || memcmp(tag, want_tag, BLOCK))
            complain("AAD of %zu bytes: wrong", lens[i]);
    }
    free(long_aad);
}

/* ---- streams ---- */

static struct hr_aead_ctx begin(const struct hr_algorithm *row, enum hr_op op)
{
    struct hr_aead_ctx ctx;
    wants(hr_aead_init(&ctx, &key, op, bytes, IV), 0, "init");
    if (row->flags & HR_LENGTH_FIRST)
        wants(hr_aead_lengths(&ctx, AAD, LEN, BLOCK), 0, "lengths");
    return ctx;
}

static void check_stream_arguments(const struct hr_algorithm *row)
{
    const struct hr_aead_key blank = { { 0 } };
    struct hr_aead_ctx ctx = { { 0 } };
    uint8_t out[LEN];
    wants(hr_aead_lengths(&ctx, 0, 0, BLOCK), HR_ESTATE, "lengths before init");
    wants(hr_aead_aad(&ctx, aad, 1), HR_ESTATE, "AAD before init");
    wants(hr_aead_update(&ctx, out, text, 1), HR_ESTATE, "update before init");
    wants(hr_aead_final(&ctx, out, BLOCK), HR_ESTATE, "final before init");
    wants(hr_aead_verify(&ctx, out, BLOCK), HR_ESTATE, "verify before init");
    wants(hr_aead_set_key(&ctx, &key), HR_ESTATE, "set_key before init");
    wants(hr_aead_init(NULL, &key, HR_OP_ENCRYPT, bytes, IV), HR_EINVAL, "no context");
    wants(hr_aead_init(&ctx, NULL, HR_OP_ENCRYPT, bytes, IV), HR_EINVAL, "no key");
    wants(hr_aead_init(&ctx, &key, (enum hr_op)2, bytes, IV), HR_EINVAL, "operation 2");
    wants(hr_aead_init(&ctx, &key, HR_OP_ENCRYPT, NULL, IV), HR_EINVAL, "no IV");
    wants(hr_aead_init(&ctx, &blank, HR_OP_ENCRYPT, bytes, IV), HR_ESTATE, "a blank key");
    wants(hr_aead_init(&ctx, &key, HR_OP_ENCRYPT, NULL, 0), HR_EIVLEN, "an empty IV");
    wants(hr_aead_init(&ctx, &key, HR_OP_ENCRYPT, bytes, (size_t)1 << 61), HR_EIVLEN, "IV");
    if (!is_zero(&ctx, sizeof ctx))
        complain("a refused init leaves something");
    wants(hr_aead_lengths(NULL, 0, 0, BLOCK), HR_EINVAL, "no context");
    wants(hr_aead_aad(NULL, aad, 1), HR_EINVAL, "no context");
    wants(hr_aead_update(NULL, out, text, 1), HR_EINVAL, "no context");
    wants(hr_aead_final(NULL, out, BLOCK), HR_EINVAL, "no context");
    wants(hr_aead_verify(NULL, out, BLOCK), HR_EINVAL, "no context");
    wants(hr_aead_set_key(NULL, &key), HR_EINVAL, "no context");
    ctx = begin(row, HR_OP_ENCRYPT);
    wants(hr_aead_aad(&ctx, NULL, 1), HR_EINVAL, "AAD at NULL");
    wants(hr_aead_aad(&ctx, NULL, 0), 0, "no AAD at NULL");
    wants(hr_aead_update(&ctx, NULL, text, LEN), HR_EINVAL, "no output");
    wants(hr_aead_update(&ctx, out, NULL, LEN), HR_EINVAL, "no input");
    wants(hr_aead_set_key(&ctx, NULL), HR_EINVAL, "no key");
    wants(hr_aead_set_key(&ctx, &blank), HR_ESTATE, "a blank key");
    wants(hr_aead_final(&ctx, NULL, BLOCK), HR_EINVAL, "no tag");
    wants(hr_aead_verify(&ctx, out, BLOCK), HR_ESTATE, "verify of an encryption");
    ctx = begin(row, HR_OP_DECRYPT);
    wants(hr_aead_verify(&ctx, NULL, BLOCK), HR_EINVAL, "no tag");
    wants(hr_aead_final(&ctx, out, BLOCK), HR_ESTATE, "final of a decryption");
}

/* check_order checks that a stream goes on after any refused call as if that had not been made,
 * that text may not be followed by AAD, and that nothing may follow the tag. */
static void check_order(const struct hr_algorithm *row, enum hr_op op)
{
    uint8_t out[LEN], sealed[LEN], tag[BLOCK];
    const struct message m = { &key, sealed, tag, text, aad, bytes, LEN, AAD, BLOCK, IV };
    wants(seal(&m), 0, "encrypt");
    struct hr_aead_ctx ctx = begin(row, op);
    wants(hr_aead_aad(&ctx, aad, 5), 0, "AAD");
    wants(hr_aead_aad(&ctx, aad + 5, AAD - 5), 0, "AAD");
    wants(hr_aead_aad(&ctx, aad, SIZE_MAX), HR_ELENGTH, "AAD of 2^64 bytes");
    wants(hr_aead_aad(&ctx, aad, (size_t)1 << 61), HR_ELENGTH, "AAD of 2^61 bytes");
    wants(hr_aead_update(&ctx, out, text, SIZE_MAX), HR_ELENGTH, "2^64 bytes");
    wants(hr_aead_update(&ctx, out, op == HR_OP_ENCRYPT ? text : sealed, LEN), 0, "update");
    wants(hr_aead_aad(&ctx, aad, 1), HR_ESTATE, "AAD behind text");
    wants(hr_aead_aad(&ctx, aad, 0), HR_ESTATE, "no AAD behind text");
    if (memcmp(out, op == HR_OP_ENCRYPT ? sealed : text, LEN))
        complain("a stream with refusals: wrong text");
    for (size_t n = 0; n < 20; n++)
        if (!aead_impl(row)->mode->good_tag_len(n))
            wants(
                (op == HR_OP_ENCRYPT ? hr_aead_final(&ctx, out, n) : hr_aead_verify(&ctx, tag, n)),
                HR_ETAGLEN, "a tag's length");
    if (op == HR_OP_ENCRYPT) {
        wants(hr_aead_final(&ctx, out, BLOCK), 0, "final");
        if (memcmp(out, tag, BLOCK))
            complain("a stream with refusals: wrong tag");
    } else {
        wants(hr_aead_verify(&ctx, tag, BLOCK), 0, "verify");
    }
    if (!is_zero(&ctx, hr_aead_size(row->alg)))
        complain("a context is left");
    wants(hr_aead_update(&ctx, out, text, 1), HR_ESTATE, "update behind the end");
    wants(hr_aead_final(&ctx, out, BLOCK), HR_ESTATE, "final behind the end");
}

/* check_short_tags checks that tags with fewer bytes than the standard allows are refused, except
 * those of modes that need no lengths by hr_aead_verify_short. */
static void check_short_tags(const struct hr_algorithm *row)
{
    uint8_t out[LEN], sealed[LEN], tag[BLOCK];
    const struct message m = { &key, sealed, tag, text, aad, bytes, LEN, AAD, BLOCK, IV };
    wants(seal(&m), 0, "encrypt");
    for (size_t n = 0; n <= BLOCK + 1; n++)
        for (uint8_t wrong = 0; wrong < 2; wrong++) {
            struct hr_aead_ctx ctx = begin(row, HR_OP_DECRYPT);
            uint8_t part[BLOCK + 1] = { 0 };
            memcpy(part, tag, BLOCK);
            part[n && n <= BLOCK ? n - 1 : 0] ^= wrong;
            wants(hr_aead_aad(&ctx, aad, AAD), 0, "AAD");
            wants(hr_aead_update(&ctx, out, sealed, LEN), 0, "update");
            const int taken = row->mode == HR_MODE_CCM ? n == BLOCK : n && n <= BLOCK;
            wants(hr_aead_verify_short(&ctx, part, n),
                  !taken  ? HR_ETAGLEN
                  : wrong ? HR_EMAC
                          : 0,
                  "a tag of any length");
        }
}

/* check_moved moves a context in the middle of a long text to each place that a context may have.
 */
static void check_moved(const struct hr_algorithm *row)
{
    enum { LONG = 3000, FIRST = 1400, PLACES = 64 };
    static uint8_t in[LONG], want[LONG], out[LONG], room[sizeof(struct hr_aead_ctx) + PLACES];
    uint8_t want_tag[BLOCK], tag[BLOCK];
    const struct message m = { &key, want, want_tag, in, aad, bytes, LONG, AAD, BLOCK, IV };
    random_bytes(in, LONG);
    wants(seal(&m), 0, "a long text");
    for (size_t place = 0; place < PLACES; place += 8) {
        struct hr_aead_ctx ctx, *moved = (void *)(room + (-(uintptr_t)room & 7) + place);
        wants(hr_aead_init(&ctx, &key, HR_OP_ENCRYPT, bytes, IV), 0, "init");
        wants(hr_aead_lengths(&ctx, AAD, LONG, BLOCK), 0, "lengths");
        wants(hr_aead_aad(&ctx, aad, AAD), 0, "AAD");
        wants(hr_aead_update(&ctx, out, in, FIRST), 0, "update");
        memcpy(moved, &ctx, hr_aead_size(row->alg));
        memset(&ctx, CANARY, sizeof ctx);
        wants(hr_aead_update(moved, out + FIRST, in + FIRST, LONG - FIRST), 0, "update");
        wants(hr_aead_final(moved, tag, BLOCK), 0, "final");
        if (memcmp(out, want, LONG) || memcmp(tag, want_tag, BLOCK))
            complain("%s: a context that was moved by %zu computes otherwise", row->name, place);
    }
}

/* check_forgery checks that a stream's decrypted text is written before the tag is compared and
 * stays after a wrong tag, and that the context is wiped. */
static void check_forgery(const struct hr_algorithm *row)
{
    uint8_t out[LEN], sealed[LEN], tag[BLOCK];
    const struct message m = { &key, sealed, tag, text, aad, bytes, LEN, AAD, BLOCK, IV };
    wants(seal(&m), 0, "encrypt");
    struct hr_aead_ctx ctx = begin(row, HR_OP_DECRYPT);
    wants(hr_aead_aad(&ctx, aad, AAD), 0, "AAD");
    wants(hr_aead_update(&ctx, out, sealed, LEN), 0, "update");
    if (memcmp(out, text, LEN))
        complain("a stream does not decrypt until verified");
    tag[BLOCK - 1] ^= 1;
    wants(hr_aead_verify(&ctx, tag, BLOCK), HR_EMAC, "a wrong tag");
    if (!is_zero(&ctx, hr_aead_size(row->alg)))
        complain("a forgery's context is left");
    wants(hr_aead_verify(&ctx, tag, BLOCK), HR_ESTATE, "a second guess");
    const struct message forged = { &key, sealed, tag, sealed, aad, bytes, LEN, AAD, BLOCK, IV };
    wants(open(&forged), HR_EMAC, "a wrong tag, in place");
    if (!is_zero(sealed, LEN))
        complain("a whole message that fails is not wiped");
}

/* ---- CCM: lengths first ---- */

static void check_lengths_first(void)
{
    struct hr_aead_ctx ctx;
    uint8_t out[LEN];
    wants(hr_aead_init(&ctx, &key, HR_OP_ENCRYPT, bytes, IV), 0, "init");
    wants(hr_aead_aad(&ctx, aad, 1), HR_ESTATE, "AAD before lengths");
    wants(hr_aead_update(&ctx, out, text, LEN), HR_ESTATE, "text before lengths");
    wants(hr_aead_final(&ctx, out, BLOCK), HR_ESTATE, "a tag before lengths");
    wants(hr_aead_lengths(&ctx, AAD, LEN, 5), HR_ETAGLEN, "a tag of 5 bytes");
    wants(hr_aead_lengths(&ctx, AAD, 1 << 24, BLOCK), HR_ELENGTH, "2^24 bytes");
    wants(hr_aead_lengths(&ctx, UINT64_C(1) << 61, LEN, BLOCK), HR_ELENGTH, "2^61 bytes of AAD");
    wants(hr_aead_lengths(&ctx, AAD, LEN, 8), 0, "lengths");
    wants(hr_aead_lengths(&ctx, AAD, LEN, 8), HR_ESTATE, "lengths twice");
    wants(hr_aead_update(&ctx, out, text, LEN), HR_ESTATE, "text before all of the AAD");
    wants(hr_aead_aad(&ctx, aad, AAD - 1), 0, "AAD");
    wants(hr_aead_update(&ctx, out, text, LEN), HR_ESTATE, "text before all of the AAD");
    wants(hr_aead_aad(&ctx, aad, 2), HR_ELENGTH, "more AAD than was said");
    wants(hr_aead_final(&ctx, out, 8), HR_ESTATE, "a tag before all of the AAD");
    wants(hr_aead_aad(&ctx, aad, 1), 0, "AAD");
    wants(hr_aead_update(&ctx, out, text, LEN + 1), HR_ELENGTH, "more text than was said");
    wants(hr_aead_final(&ctx, out, 8), HR_ESTATE, "a tag before the text");
    wants(hr_aead_update(&ctx, out, text, LEN - 1), 0, "most of the text");
    wants(hr_aead_aad(&ctx, aad, 0), HR_ESTATE, "AAD after text");
    wants(hr_aead_final(&ctx, out, 8), HR_ESTATE, "a tag before all of the text");
    wants(hr_aead_update(&ctx, out, text, 2), HR_ELENGTH, "more text than was left");
    wants(hr_aead_update(&ctx, out, text, 1), 0, "the rest");
    wants(hr_aead_update(&ctx, out, text, 1), HR_ELENGTH, "a byte more");
    wants(hr_aead_update(&ctx, out, text, 0), 0, "nothing more");
    wants(hr_aead_final(&ctx, out, BLOCK), HR_ETAGLEN, "another tag than was said");
    wants(hr_aead_final(&ctx, out, 8), 0, "final");
}

/* check_longest announces the longest text that CCM's IV of each length leaves room for, and one
 * byte more. */
static void check_longest(void)
{
    struct hr_aead_ctx ctx;
    for (size_t iv_len = 7; iv_len <= 13; iv_len++) {
        const unsigned bits = 8 * (15 - (unsigned)iv_len);
        const uint64_t most = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
        wants(hr_aead_init(&ctx, &key, HR_OP_ENCRYPT, bytes, iv_len), 0, "init");
        if (bits < 64)
            wants(hr_aead_lengths(&ctx, 0, most + 1, BLOCK), HR_ELENGTH, "too long");
        wants(hr_aead_lengths(&ctx, 0, most, BLOCK), 0, "the longest");
    }
}

/* ---- GCM, ChaCha20-Poly1305: as many blocks of text as the counter has numbers ---- */

static void check_limit(const struct hr_algorithm *row)
{
    const uint64_t most = aead_impl(row)->mode->max_len(IV);
    struct hr_aead_ctx ctx;
    struct aead_ctx *const inner = (struct aead_ctx *)&ctx;
    uint8_t out[LEN];
    wants(hr_aead_init(&ctx, &key, HR_OP_ENCRYPT, bytes, IV), 0, "init");
    wants(hr_aead_lengths(&ctx, 7, 7, 7), 0, "lengths, which need not be known");
    inner->len = most - 17;
    wants(hr_aead_update(&ctx, out, text, 18), HR_ELENGTH, "a byte past the last block");
    wants_canary((memset(out, CANARY, LEN), out), LEN, "refused text");
    wants(hr_aead_update(&ctx, out, text, 17), 0, "all blocks");
    wants(hr_aead_update(&ctx, out, text, 1), HR_ELENGTH, "one byte more");
    wants(hr_aead_update(&ctx, out, text, 0), 0, "nothing more");
    wants(hr_aead_final(&ctx, out, BLOCK), 0, "final");
    wants(hr_aead_init(&ctx, &key, HR_OP_ENCRYPT, bytes, IV), 0, "init");
    inner->aad_len = (UINT64_C(1) << 61) - 2;
    wants(hr_aead_aad(&ctx, aad, 2), HR_ELENGTH, "2^64 bits of AAD");
    wants(hr_aead_aad(&ctx, aad, 1), 0, "a byte less");
}

static void check_row(const struct hr_algorithm *row)
{
    random_bytes(bytes, sizeof bytes);
    wants(hr_aead_key_init(&key, row->alg, bytes, row->key_len), 0, "key");
    const struct hr_aead_key before = key;
    check_keys(row);
    check_whole(row);
    check_other_rows(row);
    check_long_aad(row);
    tap(!complaints_so_far(), "%s refuses what the header forbids", row->name);
    check_stream_arguments(row);
    for (enum hr_op op = 0; op <= HR_OP_DECRYPT; op++)
        check_order(row, op);
    check_forgery(row);
    check_moved(row);
    check_short_tags(row);
    if (row->flags & HR_LENGTH_FIRST) {
        check_lengths_first();
        check_longest();
    } else {
        check_limit(row);
    }
    if (memcmp(&before, &key, sizeof key))
        complain("a key has changed in use");
    tap(!complaints_so_far(), "%s streams refuse what the header forbids", row->name);
}

/* check_iv_next counts through two wraps of the last byte; the fixed field must stay. */
static void check_iv_next(void)
{
    uint8_t iv[IV];
    for (size_t counter_len = 0; counter_len <= IV + 1; counter_len++) {
        memset(iv, 0xff, sizeof iv);
        for (uint64_t n = 0; n < 600; n++) {
            hr_aead_iv_next(iv, sizeof iv, counter_len);
            for (size_t i = 0; i < IV; i++) {
                const uint8_t counted = i < 8 ? (uint8_t)(n >> 8 * i) : 0;
                if (iv[IV - 1 - i] != (i < counter_len ? counted : 0xff))
                    complain("%zu bytes count otherwise after %d", counter_len, (int)n);
            }
        }
    }
    tap(!complaints_so_far(), "IVs that count");
}

void check_aeads(void)
{
    const struct hr_algorithm *row;
    random_bytes(text, sizeof text);
    random_bytes(aad, sizeof aad);
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        if (row->cls == HR_CLASS_AEAD)
            check_row(row);
    check_iv_next();
}
