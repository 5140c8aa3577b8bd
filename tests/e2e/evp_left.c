/* SPDX-License-Identifier: Apache-2.0 */
/* What operations with private keys leave behind: in memory that the provider frees, and on the
 * stack after an operation, there is no part of a key, of a nonce or of a shared secret.  This
 * program's free looks at what is freed.  What libcrypto frees is counted, and is no failure: it
 * does not wipe the list in which a key's numbers are exported. */
#define _GNU_SOURCE
#include "evp_load.h"
#include "pk/stack_test.h"
#include <link.h>
#include <malloc.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <stddef.h>

enum { MAX_SECRETS = 160, MAX_BYTES = 256, MAX_NUMBERS = 8 };
static struct loaded both;

/* ---- secrets, in words of 8 bytes ---- */

static uint64_t secrets[MAX_SECRETS];
static size_t num_secrets;

/* keep adds a big-endian number's words from its least one on, but for a short first one. */
static void keep(const unsigned char *bytes, size_t len)
{
    for (; len >= 8; len -= 8) {
        uint64_t word;
        memcpy(&word, bytes + len - 8, sizeof word);
        MUST(num_secrets < MAX_SECRETS);
        secrets[num_secrets++] = __builtin_bswap64(word);
    }
}

static void keep_number(const BIGNUM *number)
{
    unsigned char bytes[MAX_BYTES];
    const int len = BN_bn2bin(number, bytes);
    keep(bytes, (size_t)len);
    OPENSSL_cleanse(bytes, sizeof bytes);
}

/* ---- what is freed ---- */

static struct {
    uintptr_t from, to; /* the provider's code */
    int is_watching;
    unsigned long ours, theirs, looked; /* frees of secrets, and all of the provider */
} freed;

static int has_secret(const unsigned char *memory, size_t size)
{
    for (size_t i = 0; i < num_secrets; i++) {
        const uint64_t forms[] = { secrets[i], __builtin_bswap64(secrets[i]) };
        for (size_t form = 0; form < 2; form++)
            if (memmem(memory, size, &forms[form], sizeof *forms))
                return 1;
    }
    return 0;
}

extern void __libc_free(void *memory);

__attribute__((visibility("default"))) void free(void *memory)
{
    const uintptr_t caller = (uintptr_t)__builtin_return_address(0);
    const int is_ours = caller >= freed.from && caller < freed.to;
    if (memory && freed.is_watching) {
        freed.looked += (unsigned)is_ours;
        if (has_secret(memory, malloc_usable_size(memory)))
            *(is_ours ? &freed.ours : &freed.theirs) += 1;
    }
    __libc_free(memory);
}

static int find_provider(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    (void)arg;
    const char *name = strrchr(info->dlpi_name, '/');
    if (!name || strcmp(name, "/headrace.so"))
        return 0;
    for (size_t i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
            freed.from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            freed.to = freed.from + info->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

/* ---- operations ---- */

static const struct operation {
    const char *name, *type, *group; /* group: of the key that is generated, as `from` */
    const char *from;                /* the type that is generated; NULL: the same */
    int derives;
    const char *parts[MAX_NUMBERS]; /* secret numbers of keys */
} operations[] = {
    { "DSA", "DSA", "dh_1024_160", "DHX", 0, { "priv" } },
    { "DH", "DH", "ffdhe2048", NULL, 1, { "priv" } },
    { "DHX", "DHX", "dh_1024_160", NULL, 1, { "priv" } },
    { "ECDSA", "EC", "P-256", NULL, 0, { "priv" } },
    { "ECDSA with P-384", "EC", "P-384", NULL, 0, { "priv" } },
    { "ECDH", "EC", "P-256", NULL, 1, { "priv" } },
    { "RSA",
      "RSA",
      NULL,
      NULL,
      0,
      { "d", "rsa-factor1", "rsa-factor2", "rsa-exponent1", "rsa-exponent2", "rsa-coefficient1" } },
};

struct use {
    const struct operation *op;
    EVP_PKEY *key, *peer;
    unsigned char out[MAX_BYTES];
    size_t out_len;
};
static const unsigned char digest[20] = "a digest of twenty b";

/* run_operation has everything that belongs to an operation, and runs in a thread of its own. */
static void *run_operation(void *arg)
{
    struct use *u = arg;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(both.libctx, u->key, OURS);
    u->out_len = sizeof u->out;
    if (u->op->derives)
        MUST(ctx && EVP_PKEY_derive_init(ctx) > 0 && EVP_PKEY_derive_set_peer(ctx, u->peer) > 0 &&
             EVP_PKEY_derive(ctx, u->out, &u->out_len) > 0);
    else
        MUST(ctx && EVP_PKEY_sign_init(ctx) > 0 &&
             EVP_PKEY_sign(ctx, u->out, &u->out_len, digest, sizeof digest) > 0);
    EVP_PKEY_CTX_free(ctx);
    return NULL;
}

/* ---- keys ---- */

static EVP_PKEY *generate(const struct operation *op)
{
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *ctx =
        EVP_PKEY_CTX_new_from_name(both.libctx, op->from ? op->from : op->type, THEIRS);
    MUST(ctx && EVP_PKEY_keygen_init(ctx) > 0);
    MUST(!op->group || EVP_PKEY_CTX_set_group_name(ctx, op->group) > 0);
    MUST(EVP_PKEY_generate(ctx, &key) > 0);
    EVP_PKEY_CTX_free(ctx);
    return key;
}

static EVP_PKEY *ours_of(EVP_PKEY *key, const char *type)
{
    EVP_PKEY *copy = NULL;
    OSSL_PARAM *params = NULL;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(both.libctx, type, OURS);
    MUST(EVP_PKEY_todata(key, EVP_PKEY_KEYPAIR, &params) > 0);
    MUST(ctx && EVP_PKEY_fromdata_init(ctx) > 0);
    MUST(EVP_PKEY_fromdata(ctx, &copy, EVP_PKEY_KEYPAIR, params) > 0);
    EVP_PKEY_CTX_free(ctx);
    OSSL_PARAM_free(params);
    return copy;
}

static void keep_parts(const struct operation *op, EVP_PKEY *key)
{
    for (size_t i = 0; i < MAX_NUMBERS && op->parts[i]; i++) {
        BIGNUM *number = NULL;
        MUST(EVP_PKEY_get_bn_param(key, op->parts[i], &number));
        keep_number(number);
        BN_clear_free(number);
    }
}

/* ---- nonces: k = (e + x r) / s mod q (FIPS 186-4 section 4.6) ---- */

static void keep_nonce(EVP_PKEY *key, const unsigned char *sig, size_t sig_len)
{
    BIGNUM *q = NULL, *x = NULL, *k = BN_new(), *e = BN_bin2bn(digest, sizeof digest, NULL);
    BN_CTX *numbers = BN_CTX_new();
    const size_t r_len = sig[3];
    MUST(sig_len < 128 && sig[2] == 2 && sig[4 + r_len] == 2);
    BIGNUM *r = BN_bin2bn(sig + 4, (int)r_len, NULL);
    BIGNUM *s = BN_bin2bn(sig + 6 + r_len, sig[5 + r_len], NULL);
    MUST(EVP_PKEY_get_bn_param(key, "q", &q) && EVP_PKEY_get_bn_param(key, "priv", &x));
    MUST(BN_mod_mul(k, x, r, q, numbers) && BN_mod_add(k, k, e, q, numbers) &&
         BN_mod_inverse(s, s, q, numbers) && BN_mod_mul(k, k, s, q, numbers));
    keep_number(k);
    BIGNUM *const all[] = { q, x, k, e, r, s };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        BN_clear_free(all[i]);
    BN_CTX_free(numbers);
}

/* ---- the test ---- */

/* test_operation first runs with another key, so that no function is called for the first time
 * later: then the loader saves all vector registers on the stack. */
static void test_operation(const struct operation *op)
{
    EVP_PKEY *made = generate(op), *peer = generate(op);
    struct use u = { .op = op, .key = ours_of(made, op->type), .peer = ours_of(peer, op->type) };
    struct use other = { .op = op, .key = u.peer, .peer = u.key };
    on_stack(run_operation, &other);
    memset(&freed.ours, 0, sizeof freed - offsetof(__typeof__(freed), ours));
    num_secrets = 0;
    keep_parts(op, made);
    freed.is_watching = 1;
    on_stack(run_operation, &u);
    look_for(secrets, num_secrets, "a private key");
    freed.is_watching = 0;
    const size_t num_of_key = num_secrets;
    if (op->derives)
        keep(u.out, u.out_len);
    else if (!strcmp(op->type, "DSA"))
        keep_nonce(made, u.out, u.out_len);
    look_for(secrets + num_of_key, num_secrets - num_of_key, "a nonce or a shared secret");
    freed.is_watching = 1;
    EVP_PKEY_free(u.key);
    EVP_PKEY_free(u.peer);
    freed.is_watching = 0;
    EVP_PKEY_free(made);
    EVP_PKEY_free(peer);
    printf("# %s: %lu frees of ours, %lu with a secret; %lu of libcrypto's with one\n", op->name,
           freed.looked, freed.ours, freed.theirs);
    if (!freed.looked || freed.ours)
        complain("memory");
    tap(1, "%s", op->name);
}

int main(void)
{
    both = load_both();
    dl_iterate_phdr(find_provider, NULL);
    MUST(freed.to);
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        test_operation(&operations[i]);
    unload_both(&both);
    return tap_done();
}
