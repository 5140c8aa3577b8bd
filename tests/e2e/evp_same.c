/* SPDX-License-Identifier: Apache-2.0 */
/* OpenSSL's default and legacy providers are the model: random sequences of EVP calls, the same on
 * both sides, must give the same results, bytes, IVs and positions, for every row that both have.
 */
#include "evp.h"
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/ssl.h>

static struct loaded both;

enum { MAX_DATA = 400, MAX_FINAL = 32, STEPS = 24 };
static int num_sequences = 400;

/* Output a few bytes below its input is nothing that OpenSSL promises: its assembly for these CPUs
 * gives the right bytes, its portable C does not. */
#if defined(__x86_64__) || defined(__aarch64__)
enum { MAX_SHIFT = 40 };
#else
enum { MAX_SHIFT = 1 };
#endif

struct pair {
    const struct hr_algorithm *row;
    EVP_CIPHER *cipher[2];
    EVP_CIPHER_CTX *ctx[2];
    unsigned char key[32], iv[16];
    int enc, padding;
    size_t unit;
    size_t waiting;    /* bytes that a block mode holds back */
    int keyed, placed; /* placed: an IV was set */
    int resumed;       /* the IV that was set is no longer the message's */
    uint64_t random;
};

static size_t below(struct pair *p, size_t limit)
{
    return next_random(&p->random) % limit;
}

/* struct result is one side's result of an EVP call: success, and the output. */
struct result {
    int ok, len;
    unsigned char out[MAX_DATA + 32];
};

static void compare(const struct pair *p, const struct result r[2], const char *call)
{
    if (r[0].ok == r[1].ok &&
        (!r[0].ok || (r[0].len == r[1].len && !memcmp(r[0].out, r[1].out, (size_t)r[0].len))))
        return;
    printf("Bail out! %s: %s: default %d (%d bytes), headrace %d (%d bytes)\n", p->row->name, call,
           r[0].ok, r[0].len, r[1].ok, r[1].len);
    exit(1);
}

static void same_iv(struct pair *p)
{
    unsigned char iv[2][16] = { { 0 } };
    int num[2];
    for (int side = 0; side < 2; side++) {
        if (p->row->iv_len) {
            MUST(EVP_CIPHER_CTX_get_updated_iv(p->ctx[side], iv[side], p->row->iv_len));
            MUST(EVP_CIPHER_CTX_get_iv_length(p->ctx[side]) == p->row->iv_len);
        }
        num[side] = EVP_CIPHER_CTX_get_num(p->ctx[side]);
    }
    MUST(!memcmp(iv[0], iv[1], 16));
    MUST(num[0] == num[1]);
    for (int side = 0; side < 2 && p->row->iv_len && !p->resumed; side++)
        MUST(EVP_CIPHER_CTX_get_original_iv(p->ctx[side], iv[side], p->row->iv_len));
    MUST(!memcmp(iv[0], iv[1], 16));
}

/* do_init sets a key, always if the direction changes: the default provider wants one then. It sets
 * an IV always if none was set before and bytes wait: without it both providers go on where the
 * message before ended, but count the waiting bytes differently. */
static void do_init(struct pair *p)
{
    const int enc = (int)below(p, 2);
    const int with_key = !p->keyed || enc != p->enc || below(p, 2);
    const int with_iv = p->resumed || (!p->placed && p->waiting) || below(p, 2);
    struct result r[2];
    if (with_key)
        random_bytes(&p->random, p->key, sizeof p->key);
    random_bytes(&p->random, p->iv, sizeof p->iv);
    for (int side = 0; side < 2; side++) {
        r[side].len = 0;
        r[side].ok = EVP_CipherInit_ex2(p->ctx[side], NULL, with_key ? p->key : NULL,
                                        with_iv ? p->iv : NULL, enc, NULL);
        MUST(EVP_CIPHER_CTX_set_padding(p->ctx[side], p->padding));
    }
    compare(p, r, "init");
    p->enc = enc;
    p->keyed = 1;
    p->placed |= with_iv;
    p->resumed = 0;
    p->waiting = 0;
}

/* do_update puts the input apart from the output, or both in one buffer, the input `shift` bytes
 * above (0: in place). It does the latter only if no bytes wait: otherwise output would overwrite
 * input that is still to be read. */
static void do_update(struct pair *p)
{
    unsigned char in[MAX_DATA], one[2][2 * MAX_DATA];
    const size_t len = below(p, 4) ? below(p, MAX_DATA) : p->unit * below(p, 8);
    const size_t shift = below(p, 2) ? below(p, MAX_SHIFT) : 0;
    const int shared = below(p, 2) && (p->row->block_len == 1 || !p->waiting);
    struct result r[2];
    random_bytes(&p->random, in, len);
    for (int side = 0; side < 2; side++) {
        unsigned char *out = shared ? one[side] : r[side].out;
        r[side].len = 0;
        memcpy(one[side] + shift, in, len);
        r[side].ok =
            EVP_CipherUpdate(p->ctx[side], out, &r[side].len, shared ? out + shift : in, (int)len);
        if (shared)
            memcpy(r[side].out, out, (size_t)r[side].len);
    }
    compare(p, r, !shared ? "update" : shift ? "update downwards" : "update in place");
    p->waiting += len - (size_t)r[0].len;
}

/* do_final also compares what a call that fails writes. */
static void do_final(struct pair *p)
{
    struct result r[2];
    for (int side = 0; side < 2; side++) {
        r[side].len = 0;
        memset(r[side].out, 0xa5, MAX_FINAL);
        r[side].ok = EVP_CipherFinal_ex(p->ctx[side], r[side].out, &r[side].len);
    }
    compare(p, r, "final");
    MUST(!memcmp(r[0].out, r[1].out, MAX_FINAL));
    if (r[0].ok)
        p->waiting = 0;
    else
        do_init(p);
}

static void do_cipher(struct pair *p)
{
    unsigned char in[MAX_DATA];
    const size_t len =
        p->row->block_len == 1 ? 1 + below(p, MAX_DATA - 1) : p->unit * (1 + below(p, 20));
    struct result r[2];
    if (p->waiting)
        return;
    random_bytes(&p->random, in, len);
    for (int side = 0; side < 2; side++) {
        r[side].len = EVP_Cipher(p->ctx[side], r[side].out, in, (unsigned)len);
        r[side].ok = r[side].len > 0;
    }
    compare(p, r, "EVP_Cipher");
}

static void do_copy(struct pair *p)
{
    for (int side = 0; side < 2; side++) {
        EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
        MUST(copy && EVP_CIPHER_CTX_copy(copy, p->ctx[side]));
        EVP_CIPHER_CTX_free(p->ctx[side]);
        p->ctx[side] = copy;
    }
}

/* do_resume exports IV and position from our CFB or OFB in the middle of a block and sets them
 * again: it must go on as if never interrupted. The default provider just goes on, since some
 * releases of it refuse a position. */
static void do_resume(struct pair *p)
{
    unsigned char iv[16];
    if (p->row->mode != HR_MODE_CFB128 && p->row->mode != HR_MODE_OFB)
        return;
    const int num = EVP_CIPHER_CTX_get_num(p->ctx[1]);
    MUST(EVP_CIPHER_CTX_get_updated_iv(p->ctx[1], iv, p->row->iv_len));
    MUST(EVP_CipherInit_ex2(p->ctx[1], NULL, NULL, iv, p->enc, NULL));
    MUST(EVP_CIPHER_CTX_set_num(p->ctx[1], num));
    p->resumed = 1;
}

/* do_next_block drops the rest of a counter's key stream block. */
static void do_next_block(struct pair *p)
{
    for (int side = 0; side < 2 && p->row->mode == HR_MODE_CTR; side++)
        MUST(EVP_CIPHER_CTX_set_num(p->ctx[side], 0));
}

static void do_padding(struct pair *p)
{
    if (p->waiting || p->row->block_len == 1)
        return;
    p->padding = !p->padding;
    for (int side = 0; side < 2; side++)
        MUST(EVP_CIPHER_CTX_set_padding(p->ctx[side], p->padding));
}

/* do_random_key lets the cipher make a key; DES keys must have odd parity. */
static void do_random_key(struct pair *p)
{
    unsigned char key[EVP_MAX_KEY_LENGTH] = { 0 };
    for (int side = 0; side < 2; side++) {
        MUST(EVP_CIPHER_CTX_rand_key(p->ctx[side], key) > 0);
        const int has = EVP_CIPHER_get_flags(p->cipher[side]) & EVP_CIPH_RAND_KEY;
        for (size_t i = 0; has && i < p->row->key_len; i++)
            MUST(__builtin_parity(key[i]));
        for (size_t i = p->row->key_len; i < sizeof key; i++)
            MUST(!key[i]);
    }
}

static void begin_sequence(struct pair *p)
{
    for (int side = 0; side < 2; side++) {
        p->ctx[side] = EVP_CIPHER_CTX_new();
        MUST(EVP_CipherInit_ex2(p->ctx[side], p->cipher[side], NULL, NULL, 1, NULL));
    }
    p->keyed = p->placed = p->resumed = 0;
    p->waiting = 0;
}

static void end_sequence(struct pair *p)
{
    for (int side = 0; side < 2; side++)
        EVP_CIPHER_CTX_free(p->ctx[side]);
}

static void sequence(struct pair *p)
{
    static void (*const steps[])(struct pair *) = { do_init,   do_update,     do_update,
                                                    do_update, do_update,     do_final,
                                                    do_cipher, do_copy,       do_padding,
                                                    do_resume, do_random_key, do_next_block };
    begin_sequence(p);
    p->padding = (int)below(p, 2);
    do_init(p);
    for (int i = 0; i < STEPS; i++) {
        steps[below(p, sizeof steps / sizeof steps[0])](p);
        if ((p->row->block_len == 1 || !p->waiting) && below(p, 2))
            same_iv(p); /* not always, since asking for the IV brings it up to date */
    }
    end_sequence(p);
}

static struct pair begin_row(const struct hr_algorithm *row)
{
    char name[64];
    static const char *const from[2] = { THEIRS, OURS };
    struct pair p = { .row = row, .unit = row_unit(row), .random = 0x9e3779b97f4a7c15u + row->alg };
    for (int side = 0; side < 2; side++)
        MUST((p.cipher[side] = EVP_CIPHER_fetch(both.libctx, row_name(row, name), from[side])));
    MUST(EVP_CIPHER_get_mode(p.cipher[0]) == EVP_CIPHER_get_mode(p.cipher[1]));
    MUST(EVP_CIPHER_get_block_size(p.cipher[0]) == EVP_CIPHER_get_block_size(p.cipher[1]));
    MUST(EVP_CIPHER_get_key_length(p.cipher[0]) == EVP_CIPHER_get_key_length(p.cipher[1]));
    MUST(EVP_CIPHER_get_flags(p.cipher[0]) == EVP_CIPHER_get_flags(p.cipher[1]));
    MUST(EVP_CIPHER_get_nid(p.cipher[0]) == EVP_CIPHER_get_nid(p.cipher[1]));
    return p;
}

static void end_row(struct pair *p)
{
    for (int side = 0; side < 2; side++)
        EVP_CIPHER_free(p->cipher[side]);
}

/* test_alone compares rows that OpenSSL lacks with direct calls: messages in random splits. */
static void test_alone(const struct hr_algorithm *row)
{
    char name[64];
    unsigned char key[64], iv[16], in[MAX_DATA], out[MAX_DATA], want[MAX_DATA];
    uint64_t random = 0x9e3779b97f4a7c15u + row->alg;
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(both.libctx, row_name(row, name), OURS);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    MUST(cipher && ctx);
    MUST(EVP_CIPHER_get_block_size(cipher) == row->block_len);
    MUST(EVP_CIPHER_get_iv_length(cipher) == row->iv_len);
    for (int i = 0; i < num_sequences; i++) {
        struct hr_cipher_key direct;
        const int enc = (int)(next_random(&random) & 1);
        const size_t unit = row->block_len, size = next_random(&random) % MAX_DATA / unit * unit;
        random_bytes(&random, key, sizeof key);
        random_bytes(&random, iv, sizeof iv);
        random_bytes(&random, in, sizeof in);
        MUST(!hr_cipher_key_init(&direct, row->alg, key, row->key_len));
        MUST(!(enc ? hr_cipher_encrypt : hr_cipher_decrypt)(want, in, size, &direct, iv,
                                                            row->iv_len));
        MUST(EVP_CipherInit_ex2(ctx, cipher, i % 3 ? key : NULL, i % 3 ? iv : NULL, enc, NULL));
        MUST(i % 3 || EVP_CipherInit_ex2(ctx, NULL, key, iv, enc, NULL));
        MUST(EVP_CIPHER_CTX_set_padding(ctx, 0));
        size_t done = 0, wrote = 0;
        int len = 0;
        memcpy(out, in, size); /* in place, every other time */
        while (done < size) {
            const size_t piece = 1 + next_random(&random) % (size - done);
            MUST(EVP_CipherUpdate(ctx, out + wrote, &len, (i & 1 && unit == 1 ? out : in) + done,
                                  (int)piece));
            done += piece;
            wrote += (size_t)len;
            if (next_random(&random) % 4)
                continue;
            EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
            MUST(copy && EVP_CIPHER_CTX_copy(copy, ctx));
            EVP_CIPHER_CTX_free(ctx);
            ctx = copy;
        }
        MUST(EVP_CipherFinal_ex(ctx, out + wrote, &len) && wrote + (size_t)len == size);
        MUST(!memcmp(out, want, size));
    }
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
}

/* tls_record encrypts and decrypts a TLS record as libssl asks for it, with a MAC inside or
 * without. */
static void tls_record(struct pair *p, unsigned version, size_t mac_len)
{
    unsigned char content[MAX_DATA], rec[2][MAX_DATA + 256];
    const size_t iv_len = version == TLS1_VERSION ? 0 : p->unit;
    const size_t size = iv_len + mac_len + below(p, MAX_DATA - 64);
    int len[2] = { 0 };
    random_bytes(&p->random, content, sizeof content);
    random_bytes(&p->random, p->key, sizeof p->key);
    random_bytes(&p->random, p->iv, sizeof p->iv);
    OSSL_PARAM params[] = { OSSL_PARAM_uint(OSSL_CIPHER_PARAM_TLS_VERSION, &version),
                            OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, &mac_len),
                            OSSL_PARAM_END };
    for (int enc = 1; enc >= 0; enc--) {
        const unsigned char *mac[2] = { NULL, NULL };
        for (int side = 0; side < 2; side++) {
            OSSL_PARAM get[] = {
                OSSL_PARAM_octet_ptr(OSSL_CIPHER_PARAM_TLS_MAC, &mac[side], mac_len), OSSL_PARAM_END
            };
            if (enc)
                memcpy(rec[side], content, size);
            const int in_len = enc ? (int)size : len[side];
            MUST(EVP_CipherInit_ex2(p->ctx[side], NULL, p->key, p->iv, enc, params));
            MUST(EVP_CipherUpdate(p->ctx[side], rec[side], &len[side], rec[side], in_len));
            MUST(enc || !mac_len || EVP_CIPHER_CTX_get_params(p->ctx[side], get));
        }
        MUST(len[0] == len[1] && !memcmp(rec[0], rec[1], (size_t)len[0]));
        MUST(enc || !mac_len || !memcmp(mac[0], mac[1], mac_len));
        MUST(enc || (size_t)len[0] == size - iv_len - mac_len);
    }
}

static void test_tls(struct pair *p)
{
    static const unsigned versions[] = { TLS1_VERSION, TLS1_1_VERSION, TLS1_2_VERSION };
    static const size_t mac_lens[] = { 0, 20, 48 };
    for (int i = 0; i < num_sequences; i++) {
        begin_sequence(p);
        tls_record(p, versions[below(p, 3)], mac_lens[below(p, 3)]);
        end_sequence(p);
    }
}

static void test_cipher(const struct hr_algorithm *row)
{
    struct pair p = begin_row(row);
    if (row->mode == HR_MODE_CBC)
        test_tls(&p);
    for (int i = 0; i < num_sequences; i++)
        sequence(&p);
    end_row(&p);
}

/* xts_unit runs data units of any length, some of them too short, under keys of which some have
 * equal halves. A context whose key was refused gets another key before anything else. */
static void xts_unit(struct pair *p)
{
    unsigned char in[MAX_DATA], key[64];
    const int enc = (int)below(p, 2), with_key = !p->keyed || p->enc != enc || !below(p, 3);
    const size_t len = below(p, 4) ? below(p, MAX_DATA) : below(p, 20), half = p->row->key_len / 2;
    const int shared = (int)below(p, 2);
    struct result r[2];
    random_bytes(&p->random, in, sizeof in);
    random_bytes(&p->random, key, sizeof key);
    random_bytes(&p->random, p->iv, sizeof p->iv);
    if (!below(p, 8))
        memcpy(key + half, key, half);
    for (int side = 0; side < 2; side++) {
        r[side].len = 0;
        r[side].ok =
            EVP_CipherInit_ex2(p->ctx[side], NULL, with_key ? key : NULL, p->iv, enc, NULL);
    }
    compare(p, r, "init");
    p->enc = enc;
    p->keyed = r[0].ok;
    for (int side = 0; side < 2 && p->keyed; side++) {
        memcpy(r[side].out, in, len);
        r[side].ok = EVP_CipherUpdate(p->ctx[side], r[side].out, &r[side].len,
                                      shared ? r[side].out : in, (int)len);
    }
    compare(p, r, "unit");
}

static void test_xts(const struct hr_algorithm *row)
{
    struct pair p = begin_row(row);
    for (int i = 0; i < num_sequences; i++) {
        begin_sequence(&p);
        for (int k = 0; k < STEPS; k++) {
            xts_unit(&p);
            same_iv(&p);
            if (!below(&p, 4))
                do_copy(&p);
        }
        end_sequence(&p);
    }
    end_row(&p);
}

/* test_digest compares digests of random messages in two parts, the second given to a copy of the
 * context. */
static void test_digest(const struct hr_algorithm *row)
{
    char name[64];
    static const char *const from[2] = { THEIRS, OURS };
    unsigned char data[1000], out[2][EVP_MAX_MD_SIZE];
    unsigned len[2];
    EVP_MD *md[2];
    uint64_t random = 0xd1b54a32d192ed03u + row->alg;
    for (int side = 0; side < 2; side++)
        MUST((md[side] = EVP_MD_fetch(both.libctx, row_name(row, name), from[side])));
    MUST(EVP_MD_get_flags(md[0]) == EVP_MD_get_flags(md[1]));
    MUST(EVP_MD_get_block_size(md[0]) == EVP_MD_get_block_size(md[1]));
    MUST(EVP_MD_get_type(md[0]) == EVP_MD_get_type(md[1]));
    for (int i = 0; i < num_sequences; i++) {
        const size_t size = next_random(&random) % sizeof data,
                     cut = size ? next_random(&random) % size : 0;
        random_bytes(&random, data, size);
        for (int side = 0; side < 2; side++) {
            EVP_MD_CTX *ctx = EVP_MD_CTX_new(), *copy = EVP_MD_CTX_new();
            MUST(EVP_DigestInit_ex2(ctx, md[side], NULL) && EVP_DigestUpdate(ctx, data, cut));
            MUST(EVP_MD_CTX_copy_ex(copy, ctx) && EVP_DigestUpdate(copy, data + cut, size - cut));
            MUST(EVP_DigestFinal_ex(copy, out[side], &len[side]));
            MUST(EVP_MD_CTX_copy_ex(copy, ctx) && EVP_DigestUpdate(copy, data + cut, size - cut));
            MUST(EVP_DigestFinal_ex(copy, out[side], &len[side]));
            EVP_MD_CTX_free(copy);
            EVP_MD_CTX_free(ctx);
        }
        MUST(len[0] == len[1] && !memcmp(out[0], out[1], len[0]));
    }
    for (int side = 0; side < 2; side++)
        EVP_MD_free(md[side]);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--quick")) /* an emulated CPU */
        num_sequences = 8;
    static void (*const tests[])(const struct hr_algorithm *row) = {
        [HR_CLASS_DIGEST] = test_digest,
        [HR_CLASS_CIPHER] = test_cipher,
        [HR_CLASS_KDF] = NULL,  /* evp_kdf.c */
        [HR_CLASS_AEAD] = NULL, /* evp_aead.c */
        [HR_CLASS_NMAC] = NULL, /* evp_mac.c */
        [HR_CLASS_XTS] = test_xts,
        [HR_CLASS_XOF] = NULL,
        [HR_CLASS_RSA] = NULL,
        [HR_CLASS_DSA] = NULL,
        [HR_CLASS_DH] = NULL,   /* evp_model.c has those of public key */
        [HR_CLASS_CMAC] = NULL, /* evp_mac.c */
        [HR_CLASS_WRAP] = NULL, /* the last class; evp_wrap.c */
    };
    const struct hr_algorithm *row;
    size_t num = 0;
    both = load_both();
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++) {
        if (!row_offered(row) || !tests[row->cls])
            continue;
        if (row->cls == HR_CLASS_CIPHER && !row_is_theirs(&both, row)) {
            test_alone(row);
            printf("ok %zu - %s through EVP as in the library\n", ++num, row->name);
            continue;
        }
        tests[row->cls](row);
        printf("ok %zu - %s through EVP as the default provider\n", ++num, row->name);
    }
    unload_both(&both);
    printf("1..%zu\n", num);
    return 0;
}
