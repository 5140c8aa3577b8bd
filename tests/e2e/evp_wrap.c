/* SPDX-License-Identifier: Apache-2.0 */
/* AES key wrap through EVP: what the default provider and ours give for keys of all lengths, in
 * both directions, also for what the other one wrapped and for what is damaged. */
#include "evp.h"

enum { MAX_KEY = 300, ROOM = MAX_KEY + 32 };

static struct loaded both;

struct pair {
    const struct hr_algorithm *row;
    EVP_CIPHER *cipher[2];
    unsigned char key[32], iv[8];
};

struct result {
    int ok, len;
    unsigned long error;
    unsigned char out[ROOM];
};

/* crypt is one call for one key.  `at`: 0: apart, 1: in place, 2: the output lies 8 bytes behind
 * the input. */
static void crypt(struct result *r, const struct pair *p, int side, int enc,
                  const unsigned char *iv, const unsigned char *in, int in_len, int at)
{
    unsigned char buffer[ROOM + 8];
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    unsigned char *const out = at == 2 ? buffer + 8 : buffer;
    EVP_CIPHER_CTX_set_flags(ctx, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    MUST(EVP_CipherInit_ex2(ctx, p->cipher[side], p->key, iv, enc, NULL));
    memset(buffer, 0xa5, sizeof buffer);
    if (at)
        memcpy(buffer, in, (size_t)in_len);
    ERR_clear_error();
    r->len = 0;
    r->ok = EVP_CipherUpdate(ctx, out, &r->len, at ? buffer : in, in_len);
    r->error = ERR_GET_REASON(ERR_peek_error());
    memcpy(r->out, out, sizeof r->out);
    if (r->ok) {
        int more = 1;
        MUST(EVP_CipherFinal_ex(ctx, out + r->len, &more) && !more);
    }
    EVP_CIPHER_CTX_free(ctx);
}

/* same makes the call on both sides, and compares success, reason, length and bytes. */
static int same(struct result *r, const struct pair *p, int enc, const unsigned char *iv,
                const unsigned char *in, int in_len, int at)
{
    struct result ours;
    crypt(r, p, 0, enc, iv, in, in_len, at);
    crypt(&ours, p, 1, enc, iv, in, in_len, at);
    if (r->ok != ours.ok || r->len != ours.len || r->error != ours.error) {
        printf("Bail out! %s %s of %d bytes: default %d (%d bytes, reason %lu), headrace %d (%d, "
               "%lu)\n",
               p->row->name, enc ? "wrap" : "unwrap", in_len, r->ok, r->len, r->error, ours.ok,
               ours.len, ours.error);
        exit(1);
    }
    MUST(!r->ok || !memcmp(r->out, ours.out, (size_t)r->len));
    return r->ok;
}

static void check_length(const struct pair *p, uint64_t *random, int len)
{
    unsigned char in[MAX_KEY];
    struct result wrapped, back;
    random_bytes(random, in, sizeof in);
    for (int turn = 0; turn < 6; turn++) {
        const unsigned char *const iv = turn & 1 ? p->iv : NULL;
        if (!same(&wrapped, p, 1, iv, in, len, turn / 2))
            return;
        MUST(same(&back, p, 0, iv, wrapped.out, wrapped.len, turn / 2));
        MUST(back.len == len && !memcmp(back.out, in, (size_t)len));
        MUST(!same(&back, p, 0, turn & 1 ? NULL : p->iv, wrapped.out, wrapped.len, 0));
        wrapped.out[next_random(random) % (size_t)wrapped.len] ^= (unsigned char)(1 << len % 8);
        MUST(!same(&back, p, 0, iv, wrapped.out, wrapped.len, 0));
    }
}

/* check_refused unwraps bytes that nobody wrapped, of all lengths. */
static void check_refused(const struct pair *p, uint64_t *random)
{
    unsigned char in[MAX_KEY];
    struct result r;
    random_bytes(random, in, sizeof in);
    for (int len = 1; len <= MAX_KEY; len++)
        MUST(!same(&r, p, 0, NULL, in, len, 0));
}

/* check_lengths asks how long an output is, and what a cipher says of itself. */
static void check_lengths(const struct pair *p)
{
    unsigned char in[64] = { 0 };
    for (int enc = 0; enc < 2; enc++)
        for (int len = 1; len <= 64; len++) {
            int got[2] = { 0 }, ok[2];
            for (int side = 0; side < 2; side++) {
                EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
                MUST(EVP_CipherInit_ex2(ctx, p->cipher[side], p->key, NULL, enc, NULL));
                ok[side] = EVP_CipherUpdate(ctx, NULL, &got[side], in, len);
                EVP_CIPHER_CTX_free(ctx);
            }
            MUST(ok[0] == ok[1] && got[0] == got[1]);
        }
    MUST(EVP_CIPHER_get_mode(p->cipher[0]) == EVP_CIPHER_get_mode(p->cipher[1]) &&
         EVP_CIPHER_get_flags(p->cipher[0]) == EVP_CIPHER_get_flags(p->cipher[1]) &&
         EVP_CIPHER_get_block_size(p->cipher[0]) == EVP_CIPHER_get_block_size(p->cipher[1]) &&
         EVP_CIPHER_get_iv_length(p->cipher[0]) == EVP_CIPHER_get_iv_length(p->cipher[1]) &&
         EVP_CIPHER_get_nid(p->cipher[0]) == EVP_CIPHER_get_nid(p->cipher[1]));
}

/* check_names fetches ours by each of the default provider's names. */
static void check_name(const char *name, void *ours)
{
    EVP_CIPHER *found = EVP_CIPHER_fetch(both.libctx, name, OURS);
    MUST(found == ours);
    EVP_CIPHER_free(found);
}

static void test_row(const struct hr_algorithm *row)
{
    struct pair p = { .row = row };
    uint64_t random = 77 + row->alg;
    char name[64];
    row_name(row, name);
    MUST((p.cipher[0] = EVP_CIPHER_fetch(both.libctx, name, THEIRS)));
    MUST((p.cipher[1] = EVP_CIPHER_fetch(both.libctx, name, OURS)));
    MUST(EVP_CIPHER_names_do_all(p.cipher[0], check_name, p.cipher[1]));
    random_bytes(&random, p.key, sizeof p.key);
    random_bytes(&random, p.iv, sizeof p.iv);
    for (int len = 1; len <= MAX_KEY; len++)
        check_length(&p, &random, len);
    check_refused(&p, &random);
    check_lengths(&p);
    for (int side = 0; side < 2; side++)
        EVP_CIPHER_free(p.cipher[side]);
}

int main(void)
{
    const struct hr_algorithm *row;
    size_t num = 0;
    both = load_both();
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        if (row->cls == HR_CLASS_WRAP) {
            test_row(row);
            printf("ok %zu - %s through EVP as the default provider\n", ++num, row->name);
        }
    unload_both(&both);
    printf("1..%zu\n", num);
    return 0;
}
