/* SPDX-License-Identifier: Apache-2.0 */
/* AEADs: the default provider is the model.  Random EVP calls, most of them sensible, the
 * same on both sides, must give the same results, bytes, IVs, tags and reasons of errors. */
#include "evp_aead_alone.h"
#include "evp_aead_pair.h"
#include <openssl/core_names.h>
#include <openssl/params.h>

enum { STEPS = 30, TLS_HEADER = 13, TLS_MORE = 24, MIN_TAG = 1 };
static int num_sequences = 600, num_opened, num_made;

static struct loaded both;

/* ---- single calls on both sides; returns what both did ---- */

static int both_init(struct pair *p, const unsigned char *key, const unsigned char *iv, int enc)
{
    struct result r[2] = { 0 };
    for (int side = 0; side < 2; side++) {
        r[side].ok = EVP_CipherInit_ex2(p->ctx[side], NULL, key, iv, enc, NULL);
        r[side].reason = last_reason();
    }
    compare(p, r, "init");
    p->enc = enc;
    return r[0].ok;
}

static int both_ctrl(struct pair *p, int type, int arg, const void *in, size_t in_len)
{
    struct result r[2] = { 0 };
    for (int side = 0; side < 2; side++) {
        if (in)
            memcpy(r[side].out, in, in_len);
        r[side].ok = EVP_CIPHER_CTX_ctrl(p->ctx[side], type, arg, in ? r[side].out : NULL);
        r[side].len = (int)in_len;
        r[side].reason = last_reason();
    }
    char call[32];
    snprintf(call, sizeof call, "ctrl 0x%x, %d", (unsigned)type, arg);
    compare(p, r, call);
    return r[0].ok;
}

/* both_update gives AAD, or text apart or in place; the output is copied to `out`, if any. */
static int both_update(struct pair *p, int to_nowhere, const unsigned char *in, size_t len,
                       unsigned char *out)
{
    struct result r[2] = { 0 };
    const int in_place = in && !to_nowhere && below(p, 2);
    for (int side = 0; side < 2; side++) {
        if (in_place)
            memcpy(r[side].out, in, len);
        r[side].ok = EVP_CipherUpdate(p->ctx[side], to_nowhere ? NULL : r[side].out, &r[side].len,
                                      in_place ? r[side].out : in, (int)len);
        r[side].reason = last_reason();
        MUST(!r[side].ok || r[side].len <= MAX_DATA);
    }
    compare(p, r, to_nowhere ? "AAD" : in_place ? "update in place" : "update");
    p->failed |= !r[0].ok;
    p->texted |= r[0].ok && !to_nowhere;
    p->begun = to_nowhere || !r[0].ok || !is_ccm(p) || p->enc;
    if (out && r[0].ok)
        memcpy(out, r[0].out, (size_t)r[0].len);
    return r[0].ok;
}

/* both_final: after a wrong tag the default provider may accept a short one by chance. */
static int both_final(struct pair *p)
{
    struct result r[2] = { 0 };
    for (int side = 0; side < 2; side++) {
        r[side].ok = EVP_CipherFinal_ex(p->ctx[side], r[side].out, &r[side].len);
        r[side].reason = last_reason();
    }
    r[0].ok &= !p->refused;
    compare(p, r, "final");
    p->refused |= !r[0].ok && !p->enc && p->begun && !is_poly(p);
    p->texted &= !is_poly(p);
    p->over = 1;
    if (r[0].ok && p->enc)
        p->tag_lost = 0;
    return r[0].ok;
}

static int both_tag(struct pair *p, unsigned char *tag, size_t len)
{
    struct result r[2] = { 0 };
    if (p->tag_lost)
        return 0;
    for (int side = 0; side < 2; side++) {
        r[side].ok =
            EVP_CIPHER_CTX_ctrl(p->ctx[side], EVP_CTRL_AEAD_GET_TAG, (int)len, r[side].out);
        r[side].len = (int)len;
        r[side].reason = last_reason();
    }
    compare(p, r, "tag");
    p->begun = !r[0].ok;
    memcpy(tag, r[0].out, len);
    return r[0].ok;
}

/* begin_poly sets a key and a tag: without these the default provider encrypts with a key of zeros,
 * and takes any message for good. */
static void begin_poly(struct pair *p)
{
    unsigned char tag[16];
    random_bytes(&p->random, tag, sizeof tag);
    random_bytes(&p->random, p->key, sizeof p->key);
    both_init(p, p->key, NULL, 0);
    both_ctrl(p, EVP_CTRL_AEAD_SET_TAG, sizeof tag, tag, sizeof tag);
    both_init(p, p->key, NULL, 1);
}

static void fresh(struct pair *p)
{
    for (int side = 0; side < 2; side++) {
        EVP_CIPHER_CTX_free(p->ctx[side]);
        p->ctx[side] = EVP_CIPHER_CTX_new();
        MUST(EVP_CipherInit_ex2(p->ctx[side], p->cipher[side], NULL, NULL, 1, NULL));
    }
    p->enc = 1;
    p->has_iv = p->texted = p->failed = p->begun = p->tag_lost = p->refused = p->over = 0;
    if (is_poly(p))
        begin_poly(p);
}

/* same_state: from release 4 on, OpenSSL makes an IV of GCM that was never set when it is asked for
 * it.  Both sides then get the same one. */
static void same_state(struct pair *p)
{
    struct result r[2];
    memset(r, 0, sizeof r);
    for (int side = 0; side < 2; side++) {
        r[side].ok = EVP_CIPHER_CTX_get_iv_length(p->ctx[side]);
        r[side].len = MAX_IV;
        r[side].reason = (unsigned long)EVP_CIPHER_CTX_get_key_length(p->ctx[side]) << 8 |
                         (unsigned long)EVP_CIPHER_CTX_get_tag_length(p->ctx[side]);
    }
    compare(p, r, "lengths");
    const size_t iv_len = (size_t)r[0].ok;
    const int is_missing = !is_ccm(p) && !is_poly(p) && !p->has_iv;
    for (int updated = 0; updated < 2; updated++) {
        for (int side = 0; side < 2; side++) {
            r[side].ok = updated
                             ? EVP_CIPHER_CTX_get_updated_iv(p->ctx[side], r[side].out, iv_len)
                             : EVP_CIPHER_CTX_get_original_iv(p->ctx[side], r[side].out, iv_len);
            r[side].len = (int)iv_len;
            r[side].reason = last_reason();
            if (is_missing) /* each side made its own */
                memset(r[side].out, 0, sizeof r[side].out);
        }
        compare(p, r, updated ? "updated IV" : "IV");
    }
    if (!is_missing || !r[0].ok)
        return;
    random_bytes(&p->random, p->iv, sizeof p->iv);
    both_init(p, NULL, p->iv, p->enc);
    p->has_iv = 1;
    num_made++;
}

/* ---- steps ---- */

/* new_iv sets a new IV; if CCM changes its direction also a key, which the default provider wants
 * then. CCM gets new contexts first if its message was not completed. */
static void new_iv(struct pair *p, int with_key)
{
    const int enc = (int)below(p, 2);
    if (is_ccm(p) && p->begun)
        fresh(p);
    with_key |= is_ccm(p) && enc != p->enc;
    if (with_key)
        random_bytes(&p->random, p->key, sizeof p->key);
    random_bytes(&p->random, p->iv, sizeof p->iv);
    p->texted = p->refused = p->over = 0;
    p->has_iv = 1;
    both_init(p, with_key ? p->key : NULL, p->iv, enc);
    p->begun = 0;
}

/* do_lengths sets lengths, then a key: OpenSSL's CCM would keep the lengths of the key before. */
static void do_lengths(struct pair *p)
{
    const int max = is_ccm(p) ? 16 : 20;
    const int wild = below(p, 40) ? (int)below(p, max) : (int)below(p, MAX_IV + 4);
    both_ctrl(p, EVP_CTRL_AEAD_SET_IVLEN, below(p, 2) ? 12 : wild, NULL, 0);
    if (is_ccm(p))
        both_ctrl(p, EVP_CTRL_AEAD_SET_TAG, (int)below(p, 18), NULL, 0);
    if (is_ccm(p) || is_poly(p) || below(p, 3)) /* else the IV before has another length */
        new_iv(p, 1);
}

static void do_init(struct pair *p)
{
    new_iv(p, (int)below(p, 2));
}

/* seal encrypts on a new context of either side, under the pair's key and IV. */
static int seal(struct pair *p, unsigned char *out, unsigned char *tag, size_t tag_len,
                const unsigned char *in, size_t len, const unsigned char *aad, size_t aad_len)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    const int side = (int)below(p, 2), iv_len = EVP_CIPHER_CTX_get_iv_length(p->ctx[side]);
    int n, good = EVP_EncryptInit_ex2(ctx, p->cipher[side], NULL, NULL, NULL) &&
                  EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, iv_len, NULL);
    if (good && is_ccm(p))
        good = EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, (int)tag_len, NULL);
    good = good && EVP_EncryptInit_ex2(ctx, NULL, p->key, p->iv, NULL);
    if (good && is_ccm(p))
        good = EVP_EncryptUpdate(ctx, NULL, &n, NULL, (int)len);
    good = good && (!aad_len || EVP_EncryptUpdate(ctx, NULL, &n, aad, (int)aad_len)) &&
           EVP_EncryptUpdate(ctx, out, &n, in, (int)len) && EVP_EncryptFinal_ex(ctx, out, &n) &&
           EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, (int)tag_len, tag);
    EVP_CIPHER_CTX_free(ctx);
    ERR_clear_error();
    return good;
}

/* give_ccm gives length, AAD and text, and returns 0 if the text is refused: no final follows. */
static int give_ccm(struct pair *p, const unsigned char *in, size_t len, const unsigned char *aad,
                    size_t aad_len)
{
    both_update(p, 1, NULL, len, NULL);
    if (aad_len && below(p, 2)) /* the next call replaces this AAD */
        both_update(p, 1, in, below(p, 50), NULL);
    if (aad_len)
        both_update(p, 1, aad, aad_len, NULL);
    return both_update(p, 0, in, len, NULL);
}

static int give_gcm(struct pair *p, const unsigned char *in, size_t len, const unsigned char *aad,
                    size_t aad_len)
{
    const size_t cut = aad_len ? below(p, aad_len) : 0;
    both_update(p, 1, aad, cut, NULL);
    both_update(p, 1, aad + cut, aad_len - cut, NULL);
    for (size_t piece; len; in += piece, len -= piece) {
        piece = 1 + below(p, len);
        both_update(p, 0, in, piece, NULL);
    }
    return 1;
}

/* do_message runs a whole message; to decrypt, with a right or wrong tag, set early or late. */
static void do_message(struct pair *p)
{
    unsigned char in[MAX_DATA], aad[MAX_DATA], sealed[MAX_DATA], tag[16] = { 0 };
    const size_t len = below(p, 4) ? below(p, MAX_DATA) : below(p, 20),
                 aad_len = below(p, 4) ? below(p, 40) : below(p, MAX_DATA);
    const int early = is_ccm(p) || below(p, 2);
    new_iv(p, (int)below(p, 2));
    const size_t tag_len = is_ccm(p) ? (size_t)EVP_CIPHER_CTX_get_tag_length(p->ctx[0])
                                     : MIN_TAG + below(p, 17 - MIN_TAG);
    random_bytes(&p->random, in, sizeof in);
    random_bytes(&p->random, aad, sizeof aad);
    random_bytes(&p->random, sealed, sizeof sealed);
    if (!p->enc) {
        (void)seal(p, sealed, tag, tag_len, in, len, aad, aad_len);
        if (!below(p, 4))
            tag[below(p, tag_len)] ^= (unsigned char)(1 << below(p, 8));
    }
    if (!p->enc && early)
        both_ctrl(p, EVP_CTRL_AEAD_SET_TAG, (int)tag_len, tag, sizeof tag);
    const int given = (is_ccm(p) ? give_ccm : give_gcm)(p, p->enc ? in : sealed, len, aad, aad_len);
    if (!p->enc && !early)
        both_ctrl(p, EVP_CTRL_AEAD_SET_TAG, (int)tag_len, tag, sizeof tag);
    if (given && p->enc) {
        both_final(p);
        both_tag(p, tag, is_ccm(p) ? tag_len : 1 + below(p, 16));
    } else if (given) {
        num_opened += both_final(p) && !p->enc;
    } else {
        new_iv(p, 0);
    }
}

static void do_aad(struct pair *p)
{
    unsigned char in[64];
    random_bytes(&p->random, in, sizeof in);
    if ((is_ccm(p) && p->begun) || (is_poly(p) && p->texted)) /* the default provider takes it */
        return;
    both_update(p, 1, in, below(p, sizeof in), NULL);
}

static void do_update(struct pair *p)
{
    unsigned char in[MAX_DATA];
    const size_t len = below(p, 10) ? below(p, MAX_DATA) : 0;
    random_bytes(&p->random, in, sizeof in);
    if (len || !is_ccm(p) || !p->texted) /* else CCM's tag becomes a wrong one */
        both_update(p, 0, in, len, NULL);
}

static void do_final(struct pair *p)
{
    if (!is_ccm(p))
        num_opened += both_final(p) && !p->enc;
}

static void do_get_tag(struct pair *p)
{
    unsigned char tag[32];
    if (!is_ccm(p) || p->texted)
        both_tag(p, tag, below(p, 18));
}

static void do_set_tag(struct pair *p)
{
    unsigned char tag[16];
    random_bytes(&p->random, tag, sizeof tag);
    if (both_ctrl(p, EVP_CTRL_AEAD_SET_TAG, (int)below(p, 17), tag, sizeof tag) <= 0)
        p->tag_lost = 1;
}

static void do_cipher(struct pair *p)
{
    unsigned char in[MAX_DATA];
    struct result r[2] = { 0 };
    const size_t len = 1 + below(p, MAX_DATA - 1);
    random_bytes(&p->random, in, sizeof in);
    for (int side = 0; side < 2; side++) {
        r[side].len = r[side].ok = EVP_Cipher(p->ctx[side], r[side].out, in, (unsigned)len);
        r[side].reason = last_reason();
    }
    compare(p, r, "EVP_Cipher");
    p->texted |= r[0].ok > 0;
    p->failed |= r[0].ok <= 0;
    p->begun = 1;
}

static void do_copy(struct pair *p)
{
    for (int side = 0; side < 2; side++) {
        EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
        MUST(copy);
        if (EVP_CIPHER_CTX_copy(copy, p->ctx[side])) {
            EVP_CIPHER_CTX_free(p->ctx[side]);
            p->ctx[side] = copy;
        } else { /* the default provider of some releases cannot */
            MUST(!side);
            EVP_CIPHER_CTX_free(copy);
        }
        ERR_clear_error();
    }
}

/* do_record runs a record of TLS 1.2, header first, with an IV of 12 bytes. CCM's contexts take
 * only records from then on, and are replaced. */
static void do_record(struct pair *p)
{
    if (EVP_CIPHER_CTX_get_iv_length(p->ctx[0]) != 12)
        return;
    unsigned char header[TLS_HEADER], in[MAX_DATA], fixed[12];
    const size_t len = TLS_MORE + below(p, 200), said = below(p, 8) ? len - 16 * (size_t)p->enc : 3;
    struct result r[2] = { 0 };
    random_bytes(&p->random, fixed, sizeof fixed);
    random_bytes(&p->random, header, sizeof header);
    random_bytes(&p->random, in, sizeof in);
    header[11] = (unsigned char)(said >> 8);
    header[12] = (unsigned char)said;
    const int fixed_len = is_ccm(p) ? 3 + (int)below(p, 2) : is_poly(p) ? 12 - !below(p, 8) : -1;
    p->has_iv |= both_ctrl(p, EVP_CTRL_AEAD_SET_IV_FIXED, fixed_len, fixed, 12);
    p->tag_lost = 1;
    const int header_len = TLS_HEADER - !below(p, 30);
    if (both_ctrl(p, EVP_CTRL_AEAD_TLS1_AAD, header_len, header, TLS_HEADER) <= 0 &&
        (header_len < TLS_HEADER || is_poly(p))) {
        if (is_poly(p)) /* for the default provider the message before goes on, with another IV */
            new_iv(p, 0);
        return;
    }
    for (int side = 0; side < 2; side++) {
        memcpy(r[side].out, in, len);
        r[side].ok =
            EVP_CipherUpdate(p->ctx[side], r[side].out, &r[side].len, r[side].out, (int)len);
        r[side].reason = last_reason();
    }
    compare(p, r, "record");
    p->begun = 1;
    if (is_ccm(p))
        fresh(p);
    if (is_poly(p)) /* the default provider's IV is that of the record */
        new_iv(p, 0);
}

/* do_counter lets GCM make IVs by a counter, or take the rest of one; the IV is the output. */
static void do_counter(struct pair *p)
{
    unsigned char bytes[MAX_IV];
    random_bytes(&p->random, bytes, sizeof bytes);
    if (is_ccm(p) || is_poly(p) || EVP_CIPHER_CTX_get_iv_length(p->ctx[0]) < 12)
        return;
    if (below(p, 2))
        p->has_iv |= both_ctrl(p, EVP_CTRL_GCM_SET_IV_FIXED, -1, bytes, sizeof bytes);
    if (p->enc)
        both_ctrl(p, EVP_CTRL_GCM_IV_GEN, (int)below(p, 14), bytes, sizeof bytes);
    else
        both_ctrl(p, EVP_CTRL_GCM_SET_IV_INV, (int)below(p, 9), bytes, sizeof bytes);
    p->begun = 0;
}

static void sequence(struct pair *p)
{
    static void (*const steps[])(struct pair *) = {
        do_lengths, do_init,    do_message, do_message, do_aad,    do_aad,    do_update,  do_update,
        do_final,   do_get_tag, do_set_tag, do_cipher,  do_record, do_record, do_counter, do_copy,
    };
    fresh(p);
    if (below(p, 8))
        do_lengths(p);
    for (int i = 0; i < STEPS; i++) {
        steps[below(p, sizeof steps / sizeof steps[0])](p);
        same_state(p);
        if (p->failed && is_ccm(p)) /* the default provider keeps traces of the failure */
            fresh(p);
        if (p->over && is_poly(p) && OPENSSL_version_major() >= 4)
            new_iv(p, 0);
        p->failed = 0;
    }
}

static void test_row(const struct hr_algorithm *row)
{
    char name[64];
    static const char *const from[2] = { THEIRS, OURS };
    struct pair p = { .row = row, .random = 0x9e3779b97f4a7c15u + row->alg };
    for (int side = 0; side < 2; side++)
        MUST((p.cipher[side] = EVP_CIPHER_fetch(both.libctx, row_name(row, name), from[side])));
    MUST(EVP_CIPHER_get_mode(p.cipher[0]) == EVP_CIPHER_get_mode(p.cipher[1]));
    MUST(EVP_CIPHER_get_block_size(p.cipher[0]) == EVP_CIPHER_get_block_size(p.cipher[1]));
    MUST(EVP_CIPHER_get_iv_length(p.cipher[0]) == EVP_CIPHER_get_iv_length(p.cipher[1]));
    MUST(EVP_CIPHER_get_flags(p.cipher[0]) == EVP_CIPHER_get_flags(p.cipher[1]));
    MUST(EVP_CIPHER_get_nid(p.cipher[0]) == EVP_CIPHER_get_nid(p.cipher[1]));
    for (int i = 0; i < num_sequences; i++)
        sequence(&p);
    for (int side = 0; side < 2; side++) {
        EVP_CIPHER_CTX_free(p.ctx[side]);
        EVP_CIPHER_free(p.cipher[side]);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--quick")) /* an emulated CPU */
        num_sequences = 8;
    const struct hr_algorithm *row;
    size_t num = 0;
    both = load_both();
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        if (row->cls == HR_CLASS_AEAD) {
            const int theirs = row_is_theirs(&both, row);
            if (theirs)
                test_row(row);
            else
                aead_alone(&both, row);
            printf("ok %zu - %s through EVP as %s\n", ++num, row->name,
                   theirs ? "the default provider" : "in the library");
        }
    unload_both(&both);
    printf("# %d IVs were made when they were asked for\n", num_made);
    MUST(num_sequences < 600 || !num_made == (OPENSSL_version_major() < 4));
    printf("1..%zu\n", num);
    return 0;
}
