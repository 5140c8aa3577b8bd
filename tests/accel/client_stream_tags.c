/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of AEADs and MACs under handles, compared with whole messages under the same keys in
 * memory. */
#include "client.h"
#include <headrace/accel_stream.h>

enum { TEXT_MOST = 40000, AAD_MOST = 600, NUM_MESSAGES = 16 };

static uint8_t text[TEXT_MOST], want[TEXT_MOST], out[TEXT_MOST], zeros[TEXT_MOST];
static uint8_t key[64];

static size_t below(size_t n)
{
    return random_below((uint32_t)n);
}

static size_t text_len(int i)
{
    return below(i % 8 ? 200 : TEXT_MOST);
}

/* ---- AEADs ---- */

struct sealed {
    const struct hr_algorithm *row;
    uint64_t handle;
    size_t len, aad_len, iv_len, tag_len;
    uint8_t iv[HR_ACCEL_MAX_IV], aad[AAD_MOST], tag[16];
};

/* seal makes a message and encrypts it with a key in memory. */
static void seal(struct sealed *m, const struct hr_algorithm *row, int i)
{
    struct hr_aead_key here;
    const int ccm = row->mode == HR_MODE_CCM;
    *m = (struct sealed){ .row = row, .len = text_len(i), .aad_len = i % 3 ? below(AAD_MOST) : 0 };
    const int any_iv = i % 4 == 0 && row->mode != HR_MODE_POLY1305;
    m->iv_len = ccm ? 7 + below(7) : any_iv ? 1 + below(HR_ACCEL_MAX_IV) : 12;
    m->tag_len = ccm ? 4 + 2 * below(7) : 4 + below(13);
    random_bytes(key, row->key_len);
    random_bytes(text, m->len);
    random_bytes(m->iv, m->iv_len);
    random_bytes(m->aad, m->aad_len);
    if (hr_aead_key_init(&here, row->alg, key, row->key_len) ||
        hr_aead_encrypt(want, m->tag, m->tag_len, text, m->len, m->aad, m->aad_len, &here, m->iv,
                        m->iv_len) ||
        hr_accel_key_import(&m->handle, row->alg, key, row->key_len))
        complain("nothing sealed");
    hr_aead_key_wipe(&here);
}

/* begin starts a message and gives it all AAD in pieces, and copies the context in between. */
static void begin(struct hr_accel_aead_ctx *ctx, const struct sealed *m, enum hr_op op)
{
    struct hr_accel_aead_ctx copy;
    const int told_late = random_below(2) != 0;
    int error = hr_accel_aead_init(ctx, m->row->alg, m->handle, op, m->iv, m->iv_len);
    if (!error && !told_late)
        error = hr_accel_aead_lengths(ctx, m->aad_len, m->len, m->tag_len);
    for (size_t done = 0, part; !error && done < m->aad_len; done += part) {
        part = 1 + below(m->aad_len - done);
        error = hr_accel_aead_aad(ctx, m->aad + done, part);
        if (!error)
            error = hr_accel_aead_copy(&copy, ctx);
        hr_accel_aead_wipe(ctx);
        *ctx = copy;
    }
    if (!error && told_late)
        error = hr_accel_aead_lengths(ctx, m->aad_len, m->len, m->tag_len);
    if (error)
        complain("up to the text: %s", hr_strerror(error));
}

static void expect_error(int error, int wanted, const char *what)
{
    if (error != wanted)
        complain("%s: %s, not %s", what, hr_strerror(error), hr_strerror(wanted));
}

static void is_over(const void *ctx, size_t size)
{
    if (!is_zero(ctx, size))
        complain("the end leaves something in the context");
}

static void check_sealing(const struct sealed *m, int in_place)
{
    struct hr_accel_aead_ctx ctx;
    uint8_t tag[16];
    begin(&ctx, m, HR_OP_ENCRYPT);
    memcpy(out, text, m->len);
    if (m->len) {
        const uint8_t *in = in_place ? out : text;
        expect_error(hr_accel_aead_update(&ctx, out, in, m->len), 0, "text");
        expect_error(hr_accel_aead_update(&ctx, out, text, 1), HR_ESTATE, "text, again");
        expect_error(hr_accel_aead_aad(&ctx, m->aad, 1), HR_ESTATE, "AAD behind the text");
    }
    expect_error(hr_accel_aead_expect(&ctx, m->tag, m->tag_len), HR_ESTATE, "expect");
    expect_error(hr_accel_aead_verify(&ctx, m->tag, m->tag_len), HR_ESTATE, "verify");
    expect_error(hr_accel_aead_final(&ctx, tag, 17), HR_ETAGLEN, "a tag of 17 bytes");
    expect_error(hr_accel_aead_final(&ctx, tag, m->tag_len), 0, "final");
    if (memcmp(out, want, m->len) || memcmp(tag, m->tag, m->tag_len))
        complain("another message, or tag, of %zu bytes", m->len);
    is_over(&ctx, sizeof ctx);
    expect_error(hr_accel_aead_final(&ctx, tag, m->tag_len), HR_ESTATE, "final, again");
}

/* check_opening decrypts a message. `wrong` is XORed to one byte of the tag. */
static void check_opening(const struct sealed *m, int tag_first, int in_place, uint8_t wrong)
{
    struct hr_accel_aead_ctx ctx;
    uint8_t tag[16];
    const int expected = wrong ? HR_EMAC : 0;
    int error = 0;
    memcpy(tag, m->tag, sizeof tag);
    tag[below(m->tag_len)] ^= wrong;
    begin(&ctx, m, HR_OP_DECRYPT);
    memcpy(out, in_place ? want : zeros, m->len);
    if (tag_first)
        expect_error(hr_accel_aead_expect(&ctx, tag, m->tag_len), 0, "expect");
    if (m->len)
        error = hr_accel_aead_update(&ctx, out, in_place ? out : want, m->len);
    expect_error(error, tag_first && m->len ? expected : 0, "text");
    expect_error(hr_accel_aead_final(&ctx, tag, m->tag_len), HR_ESTATE, "final");
    if (!error)
        expect_error(hr_accel_aead_verify(&ctx, tag, m->tag_len), expected, "verify");
    is_over(&ctx, sizeof ctx);
    const uint8_t *then = !error || !m->len ? text : zeros;
    if (memcmp(out, then, m->len))
        complain("another text of %zu bytes", m->len);
}

/* check_short_tags gives GCM tags of 1 to 3 bytes, which only hr_accel_aead_verify_short takes, and
 * then a tag that is one byte longer than the one given before the text. */
static void check_short_tags(const struct sealed *m)
{
    struct hr_accel_aead_ctx ctx;
    const int ccm = m->row->mode == HR_MODE_CCM;
    for (size_t tag_len = 1; tag_len <= 3 && !ccm; tag_len++) {
        begin(&ctx, m, HR_OP_DECRYPT);
        expect_error(hr_accel_aead_update(&ctx, out, want, m->len), 0, "text");
        expect_error(hr_accel_aead_verify(&ctx, m->tag, tag_len), HR_ETAGLEN, "a short tag");
        expect_error(hr_accel_aead_verify_short(&ctx, m->tag, tag_len), 0, "a short tag");
    }
    begin(&ctx, m, HR_OP_DECRYPT);
    expect_error(hr_accel_aead_expect(&ctx, m->tag, m->tag_len), 0, "expect");
    expect_error(hr_accel_aead_update(&ctx, out, want, m->len), 0, "text");
    if (m->tag_len < 16)
        expect_error(hr_accel_aead_verify(&ctx, m->tag, m->tag_len + 1), ccm ? HR_ETAGLEN : HR_EMAC,
                     "a longer tag than was proved");
    hr_accel_aead_wipe(&ctx);
}

/* check_lengths gives CCM text before lengths, lengths twice, AAD and text of other lengths than
 * announced, and an IV and a tag of forbidden lengths. */
static void check_lengths(const struct sealed *m)
{
    struct hr_accel_aead_ctx ctx;
    uint8_t tag[16];
    if (m->row->mode != HR_MODE_CCM)
        return;
    expect_error(hr_accel_aead_init(&ctx, m->row->alg, m->handle, HR_OP_ENCRYPT, m->iv, m->iv_len),
                 0, "init");
    expect_error(hr_accel_aead_update(&ctx, out, text, m->len), HR_ESTATE, "lengths not told");
    expect_error(hr_accel_aead_final(&ctx, tag, 16), HR_ESTATE, "lengths not told");
    expect_error(hr_accel_aead_lengths(&ctx, 1, m->len + 1, 16), 0, "lengths");
    expect_error(hr_accel_aead_lengths(&ctx, 1, m->len + 1, 16), HR_ESTATE, "lengths, again");
    expect_error(hr_accel_aead_update(&ctx, out, text, m->len + 1), HR_ESTATE, "too little AAD");
    expect_error(hr_accel_aead_aad(&ctx, m->aad, 2), HR_ELENGTH, "too much AAD");
    expect_error(hr_accel_aead_aad(&ctx, m->aad, 1), 0, "AAD");
    expect_error(hr_accel_aead_update(&ctx, out, text, m->len), HR_ELENGTH, "another length");
    expect_error(hr_accel_aead_final(&ctx, tag, 16), HR_ESTATE, "no text");
    hr_accel_aead_wipe(&ctx);
    expect_error(hr_accel_aead_init(&ctx, m->row->alg, m->handle, HR_OP_ENCRYPT, m->iv, 6), 0, "");
    expect_error(hr_accel_aead_lengths(&ctx, 0, m->len, 16), 0, "lengths");
    expect_error(hr_accel_aead_update(&ctx, out, text, m->len), HR_EIVLEN, "an IV of 6 bytes");
    hr_accel_aead_wipe(&ctx);
    begin(&ctx, m, HR_OP_ENCRYPT);
    hr_accel_aead_wipe(&ctx);
    expect_error(hr_accel_aead_init(&ctx, m->row->alg, m->handle, HR_OP_ENCRYPT, m->iv, 7), 0, "");
    expect_error(hr_accel_aead_lengths(&ctx, 0, m->len, 5), 0, "lengths");
    expect_error(hr_accel_aead_update(&ctx, out, text, m->len), HR_ETAGLEN, "a tag of 5 bytes");
    hr_accel_aead_wipe(&ctx);
}

static void check_aead(const struct hr_algorithm *row)
{
    struct sealed m;
    for (int i = 0; i < NUM_MESSAGES && !complaints_suffice(); i++) {
        seal(&m, row, i);
        check_sealing(&m, i & 1);
        for (int how = 0; how < 8; how++)
            check_opening(&m, how & 1, how & 2, how & 4 ? (uint8_t)(1 << below(8)) : 0);
        check_short_tags(&m);
        check_lengths(&m);
        hr_accel_key_close(m.handle);
    }
}

/* ---- MACs ---- */

/* mac_here computes the MAC of `text` with a key in memory. */
static void mac_here(const struct hr_algorithm *row, uint8_t *mac, size_t key_len, size_t len,
                     const uint8_t *iv, size_t iv_len)
{
    struct hr_hmac_key hmac;
    struct hr_nmac_key nmac;
    struct hr_cmac_key cmac;
    int error;
    if (hr_hmac_size(row->alg)) {
        error = hr_hmac_key_init(&hmac, row->alg, key, key_len);
        error = error ? error : hr_hmac(mac, text, len, &hmac);
    } else if (hr_cmac_size(row->alg)) {
        error = hr_cmac_key_init(&cmac, row->alg, key, key_len);
        error = error ? error : hr_cmac(mac, text, len, &cmac);
    } else {
        error = hr_nmac_key_init(&nmac, row->alg, key, key_len);
        error = error ? error : hr_nmac(mac, text, len, &nmac, iv, iv_len);
    }
    expect_error(error, 0, "the MAC in memory");
}

static void collect(struct hr_accel_mac_ctx *ctx, size_t len)
{
    struct hr_accel_mac_ctx copy;
    for (size_t done = 0, part; done < len; done += part) {
        part = random_below(3) ? 1 + below(len - done) : 1;
        expect_error(hr_accel_mac_update(ctx, text + done, part), 0, "update");
        if (random_below(4))
            continue;
        expect_error(hr_accel_mac_copy(&copy, ctx), 0, "copy");
        hr_accel_mac_wipe(ctx);
        *ctx = copy;
    }
}

static void check_mac_message(const struct hr_algorithm *row, int i)
{
    struct hr_accel_mac_ctx ctx, other;
    uint8_t mac[64], wanted[64], iv[HR_ACCEL_MAX_IV];
    uint64_t handle;
    const int gmac = row->iv_len == 12;
    const size_t key_len = row->key_len ? row->key_len : 1 + below(sizeof key);
    const size_t iv_len = gmac && i & 1 ? 1 + below(sizeof iv) : row->iv_len, len = text_len(i);
    random_bytes(key, sizeof key);
    random_bytes(iv, sizeof iv);
    random_bytes(text, len);
    mac_here(row, wanted, key_len, len, iv, iv_len);
    expect_error(hr_accel_key_import(&handle, row->alg, key, key_len), 0, "import");
    expect_error(hr_accel_mac_init(&ctx, row->alg, handle, iv, iv_len), 0, "init");
    collect(&ctx, len);
    expect_error(hr_accel_mac_copy(&other, &ctx), 0, "copy");
    expect_error(hr_accel_mac_final(&ctx, mac), 0, "final");
    if (memcmp(mac, wanted, row->out_len))
        complain("another MAC of %zu bytes", len);
    is_over(&ctx, sizeof ctx);
    expect_error(hr_accel_mac_verify(&other, mac, row->out_len + 1u), HR_ETAGLEN, "a long MAC");
    expect_error(hr_accel_mac_copy(&ctx, &other), 0, "copy");
    const size_t mac_len = 1 + below(row->out_len);
    expect_error(hr_accel_mac_verify(&other, mac, mac_len), 0, "verify");
    is_over(&other, sizeof other);
    mac[below(mac_len)] ^= (uint8_t)(1 << below(8));
    expect_error(hr_accel_mac_verify(&ctx, mac, mac_len), HR_EMAC, "verify");
    is_over(&ctx, sizeof ctx);
    hr_accel_key_close(handle);
}

void client_stream_tags(const struct hr_algorithm *row)
{
    const int macs = hr_hmac_size(row->alg) || hr_nmac_size(row->alg) || hr_cmac_size(row->alg);
    if (hr_aead_size(row->alg))
        check_aead(row);
    for (int i = 0; macs && i < NUM_MESSAGES && !complaints_suffice(); i++)
        check_mac_message(row, i);
    if (macs || hr_aead_size(row->alg))
        tap(1, "%s", row->name);
}
