/* SPDX-License-Identifier: Apache-2.0 */
/* ML-KEM and ML-DSA: each kernel against the portable one on random and on edge inputs, what it
 * leaves behind, and what a wrong key or ciphertext does.  lattice [--quick] */
#include "call/checked_call.h"
#include "mldsa/mldsa.h"
#include "mlkem/kem.h"
#include "test.h"
#include <headrace/algorithms.h>

static int quick;

/* ---- what is left of secrets below this function's frame ---- */

static __attribute__((noinline)) unsigned left_on_stack(const uint8_t *secret, size_t len)
{
    enum { DEPTH = 60 << 10 };
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)7;
    unsigned found = 0;
    for (uintptr_t at = here - DEPTH; at < here - 512; at += 8) {
        const uint64_t word = *(const volatile uint64_t *)at;
        for (size_t i = 0; i + 8 <= len; i += 8)
            found += memcmp(secret + i, &word, 8) == 0;
    }
    return found;
}

static void *new_memory(size_t size)
{
    void *p = aligned_alloc(64, (size + 63) & ~(size_t)63);
    memset(p, 0, size);
    return p;
}

/* Fills a buffer with random bytes, zeros, ones, or random bytes with runs of one byte. */
static void edge_bytes(uint8_t *p, size_t len)
{
    static const uint8_t runs[] = { 0, 0xff, 0x7f, 0x80, 1 };
    const uint32_t kind = random_below(6);
    random_bytes(p, len);
    if (kind < 2)
        memset(p, kind ? 0xff : 0, len);
    for (int i = 0; kind > 3 && i < 20; i++) {
        const size_t at = random_below((uint32_t)len);
        size_t n = random_below(100);
        n = n < len - at ? n : len - at;
        memset(p + at, runs[random_below(COUNT_OF(runs))], n);
    }
}

static void check_upper_halves(const char *kernel, const char *what)
{
    if (upper_halves_tracked() && upper_halves_dirty())
        complain("%s, %s: the upper halves of vector registers are in use", kernel, what);
    upper_halves_clean();
}

/* ---- ML-KEM ---- */

struct kem_pair {
    const struct hr_algorithm *row;
    const struct kem_op *op;
    const struct kem_kernel *kernel, *portable;
    struct kem_key *a, *b; /* a key by the kernel, and by portable C */
};

static int same_keys(const struct kem_pair *p)
{
    return !memcmp((uint8_t *)p->a + KEM_KEY_BODY, (uint8_t *)p->b + KEM_KEY_BODY, p->row->key_len);
}

static void kem_operations(const struct kem_pair *p)
{
    const size_t len = p->op->ciphertext_len;
    uint8_t m[32], ct[2][HR_KEM_MAX_CIPHERTEXT], secret[2][32], wanted[32];
    edge_bytes(m, sizeof m);
    p->kernel->code->encapsulate(ct[0], secret[0], p->a, m);
    check_upper_halves(p->kernel->info.name, "encapsulate");
    p->portable->code->encapsulate(ct[1], secret[1], p->b, m);
    if (memcmp(ct[0], ct[1], len) || memcmp(secret[0], secret[1], 32))
        complain("%s: encapsulation differs", p->kernel->info.name);
    memcpy(wanted, secret[1], 32);
    for (int wrong = 0; wrong < 3; wrong++) {
        if (wrong == 1)
            ct[0][random_below((uint32_t)len)] ^= (uint8_t)(1 << random_below(8));
        if (wrong == 2)
            edge_bytes(ct[0], len);
        p->kernel->code->decapsulate(secret[0], ct[0], p->a);
        check_upper_halves(p->kernel->info.name, "decapsulate");
        p->portable->code->decapsulate(secret[1], ct[0], p->b);
        if (memcmp(secret[0], secret[1], 32))
            complain("%s: decapsulation differs", p->kernel->info.name);
        if (!memcmp(secret[0], wanted, 32) != !wrong)
            complain("%s: a %s ciphertext", p->kernel->info.name, wrong ? "wrong" : "right");
    }
}

/* A public key of random coefficients, some of which may be out of range. */
static void kem_public(const struct kem_pair *p)
{
    uint8_t ek[1568];
    const size_t len = p->row->public_len;
    int valid = 1;
    edge_bytes(ek, len);
    for (size_t i = 0; i + 32 < len; i += 3) {
        unsigned x = ek[i] | (ek[i + 1] & 15) << 8, y = ek[i + 1] >> 4 | ek[i + 2] << 4;
        if (random_below(2000)) {
            x = x < 3329 ? x : random_below(2) ? 3328 : 0;
            y = y < 3329 ? y : 3328;
        }
        valid &= x < 3329 && y < 3329;
        ek[i] = (uint8_t)x;
        ek[i + 1] = (uint8_t)(x >> 8 | y << 4);
        ek[i + 2] = (uint8_t)(y >> 4);
    }
    const int error = p->kernel->code->load_public(p->a, ek);
    check_upper_halves(p->kernel->info.name, "load public");
    if (error != p->portable->code->load_public(p->b, ek) || error != (valid ? 0 : HR_EKEY))
        complain("%s: a public key is judged otherwise", p->kernel->info.name);
    uint8_t m[32], ct[2][HR_KEM_MAX_CIPHERTEXT], secret[2][32];
    random_bytes(m, sizeof m);
    if (error)
        return;
    p->kernel->code->encapsulate(ct[0], secret[0], p->a, m);
    p->portable->code->encapsulate(ct[1], secret[1], p->b, m);
    if (memcmp(ct[0], ct[1], p->op->ciphertext_len) || memcmp(secret[0], secret[1], 32))
        complain("%s: encapsulation with an edge key differs", p->kernel->info.name);
}

/* A private key whose secret vector is any bytes, and whose hash fits. */
static void kem_private(const struct kem_pair *p, uint8_t *dk)
{
    const size_t ek_at = p->kernel->code->public_at - KEM_KEY_BODY;
    edge_bytes(dk, ek_at);
    const int error = p->kernel->code->load_private(p->a, dk);
    check_upper_halves(p->kernel->info.name, "load private");
    if (error || p->portable->code->load_private(p->b, dk))
        complain("%s: a private key is refused", p->kernel->info.name);
    dk[ek_at + p->row->public_len + random_below(32)] ^= 1;
    struct kem_key *other = new_memory(p->kernel->code->key_size);
    if (p->kernel->code->load_private(other, dk) != HR_EKEY)
        complain("%s: a private key with another hash is taken", p->kernel->info.name);
    free(other);
    uint8_t ct[HR_KEM_MAX_CIPHERTEXT], secret[2][32];
    edge_bytes(ct, p->op->ciphertext_len);
    p->kernel->code->decapsulate(secret[0], ct, p->a);
    p->portable->code->decapsulate(secret[1], ct, p->b);
    if (memcmp(secret[0], secret[1], 32))
        complain("%s: decapsulation with an edge key differs", p->kernel->info.name);
}

static void kem_left(const struct kem_pair *p)
{
    uint8_t m[32], ct[HR_KEM_MAX_CIPHERTEXT], secret[32];
    random_bytes(m, sizeof m);
    p->kernel->code->encapsulate(ct, secret, p->a, m);
    const unsigned left = left_on_stack(secret, sizeof secret);
    p->kernel->code->decapsulate(secret, ct, p->a);
    const uint8_t *dk = (const uint8_t *)p->a + KEM_KEY_BODY;
    if (left || left_on_stack(secret, sizeof secret) || left_on_stack(dk, 64))
        complain("%s: a secret is left on the stack", p->kernel->info.name);
}

static void kem_row(const struct hr_algorithm *row, const struct kem_op *op, size_t index,
                    size_t portable)
{
    struct kem_pair p = { row, op, &op->kernels[index], &op->kernels[portable], NULL, NULL };
    uint8_t seed[64], dk[3168];
    p.a = new_memory(p.kernel->code->key_size);
    p.b = new_memory(p.kernel->code->key_size);
    for (int i = 0; i < (quick ? 20 : 200) && !complaints_suffice(); i++) {
        edge_bytes(seed, sizeof seed);
        p.kernel->code->generate(p.a, seed);
        check_upper_halves(p.kernel->info.name, "generate");
        p.portable->code->generate(p.b, seed);
        if (!same_keys(&p))
            complain("%s: keys differ", p.kernel->info.name);
        kem_operations(&p);
        memcpy(dk, (uint8_t *)p.a + KEM_KEY_BODY, row->key_len);
        if (i < 2)
            kem_left(&p);
        kem_private(&p, dk);
        kem_public(&p);
    }
    tap(1, "%s %s: as portable C", row->name, p.kernel->info.name);
    free(p.a);
    free(p.b);
}

/* ---- ML-DSA ---- */

struct dsa_pair {
    const struct hr_algorithm *row;
    const struct mldsa_kernel *kernel, *portable;
    struct mldsa_key *a, *b;
};

static void dsa_operations(const struct dsa_pair *p)
{
    const size_t len = p->kernel->code->signature_len;
    uint8_t mu[64], random[32], sig[2][MLDSA_MAX_SIGNATURE];
    edge_bytes(mu, sizeof mu);
    edge_bytes(random, sizeof random);
    int error = p->kernel->code->sign(sig[0], mu, random, p->a);
    check_upper_halves(p->kernel->info.name, "sign");
    error |= p->portable->code->sign(sig[1], mu, random, p->b);
    if (error || memcmp(sig[0], sig[1], len))
        complain("%s: signatures differ", p->kernel->info.name);
    if (p->kernel->code->verify(sig[0], mu, p->a) || p->portable->code->verify(sig[0], mu, p->b))
        complain("%s: a signature is refused", p->kernel->info.name);
    check_upper_halves(p->kernel->info.name, "verify");
    for (int i = 0; i < 8; i++) {
        const size_t at = i < 4 ? random_below((uint32_t)len) : len - 1 - random_below(90);
        const uint8_t before = sig[0][at];
        sig[0][at] = i & 1 ? (uint8_t)random_below(256) : (uint8_t)(before ^ 1 << random_below(8));
        error = p->kernel->code->verify(sig[0], mu, p->a);
        if (error != p->portable->code->verify(sig[0], mu, p->b) ||
            error != (sig[0][at] == before ? 0 : HR_EMAC))
            complain("%s: a wrong signature is judged otherwise", p->kernel->info.name);
        sig[0][at] = before;
    }
    edge_bytes(sig[0], len);
    if (p->kernel->code->verify(sig[0], mu, p->a) != HR_EMAC ||
        p->portable->code->verify(sig[0], mu, p->b) != HR_EMAC)
        complain("%s: bytes are taken for a signature", p->kernel->info.name);
}

/* Verification under any bytes as a public key gives the same answer; so does a private key with a
 * bit that is wrong. */
static void dsa_keys(const struct dsa_pair *p)
{
    uint8_t pk[2592], sk[4896], sig[MLDSA_MAX_SIGNATURE], mu[64] = { 0 };
    const struct mldsa_code *code = p->kernel->code;
    memcpy(sk, (uint8_t *)p->a + code->private_at, code->private_len);
    if (code->load_private(p->a, sk) || p->portable->code->load_private(p->b, sk))
        complain("%s: a private key is refused", p->kernel->info.name);
    check_upper_halves(p->kernel->info.name, "load private");
    if (memcmp((uint8_t *)p->a + MLDSA_KEY_BODY, (uint8_t *)p->b + MLDSA_KEY_BODY,
               code->public_len))
        complain("%s: public keys differ", p->kernel->info.name);
    dsa_operations(p);
    size_t at = random_below(code->private_len);
    at = at >= 32 && at < 64 ? 64 : at; /* K is any bytes */
    sk[at] ^= (uint8_t)(1 << random_below(8));
    if (code->load_private(p->a, sk) != HR_EKEY ||
        p->portable->code->load_private(p->b, sk) != HR_EKEY)
        complain("%s: a private key with byte %zu wrong is taken", p->kernel->info.name, at);
    edge_bytes(pk, code->public_len);
    edge_bytes(sig, code->signature_len);
    for (size_t i = 0; i < 90; i++) /* no hints, else most signatures are refused for them */
        sig[code->signature_len - 1 - i] = 0;
    if (code->load_public(p->a, pk) || p->portable->code->load_public(p->b, pk))
        complain("%s: a public key is refused", p->kernel->info.name);
    check_upper_halves(p->kernel->info.name, "load public");
    if (code->verify(sig, mu, p->a) != HR_EMAC ||
        p->portable->code->verify(sig, mu, p->b) != HR_EMAC)
        complain("%s: a forged signature is taken", p->kernel->info.name);
}

static void dsa_left(const struct dsa_pair *p)
{
    uint8_t mu[64], random[32], sig[MLDSA_MAX_SIGNATURE];
    const uint8_t *sk = (const uint8_t *)p->a + p->kernel->code->private_at;
    random_bytes(mu, sizeof mu);
    random_bytes(random, sizeof random);
    if (p->kernel->code->sign(sig, mu, random, p->a))
        complain("%s: no signature", p->kernel->info.name);
    if (left_on_stack(sk + 32, 32) || left_on_stack(sk + 128, 128))
        complain("%s: a secret is left on the stack", p->kernel->info.name);
}

static void dsa_row(const struct hr_algorithm *row, const struct mldsa_op *op, size_t index,
                    size_t portable, size_t size)
{
    struct dsa_pair p = { row, &op->kernels[index], &op->kernels[portable], NULL, NULL };
    uint8_t seed[32];
    p.a = new_memory(size);
    p.b = new_memory(size);
    for (int i = 0; i < (quick ? 8 : 60) && !complaints_suffice(); i++) {
        edge_bytes(seed, sizeof seed);
        p.kernel->code->generate(p.a, seed);
        check_upper_halves(p.kernel->info.name, "generate");
        p.portable->code->generate(p.b, seed);
        if (memcmp((uint8_t *)p.a + p.kernel->code->private_at,
                   (uint8_t *)p.b + p.kernel->code->private_at, row->key_len))
            complain("%s: keys differ", p.kernel->info.name);
        if (i < 2)
            dsa_left(&p);
        dsa_operations(&p);
        dsa_keys(&p);
    }
    tap(1, "%s %s: as portable C", row->name, p.kernel->info.name);
    free(p.a);
    free(p.b);
}

/* ---- the public calls ---- */

static void kem_calls(const struct hr_algorithm *row)
{
    struct hr_kem_key *key = new_memory(hr_kem_key_size(row->alg));
    uint8_t both[64 + 3168], out[3168], ct[HR_KEM_MAX_CIPHERTEXT], secret[32];
    size_t len = sizeof out, ct_len = sizeof ct;
    int bad = hr_kem_key_generate(key, row->alg, NULL);
    bad |= hr_kem_key_seed(both, &len, key) || len != 64;
    len = sizeof both - 64;
    bad |= hr_kem_key_private(both + 64, &len, key) || len != row->key_len;
    bad |= hr_kem_key_init(key, row->alg, both, 64 + row->key_len);
    bad |= hr_kem_encapsulate(ct, &ct_len, secret, key, NULL);
    bad |= hr_kem_decapsulate(secret, ct, ct_len - 1, key) != HR_ELENGTH;
    bad |= hr_kem_decapsulate(ct, ct, ct_len, key) != HR_EOVERLAP;
    ct_len--;
    bad |= hr_kem_encapsulate(ct, &ct_len, secret, key, NULL) != HR_EBUFFER;
    bad |= hr_kem_key_init(key, row->alg, both + 64, row->key_len);
    len = sizeof out;
    bad |= hr_kem_key_seed(out, &len, key) != HR_ESTATE;
    both[0] ^= 1;
    bad |= hr_kem_key_init(key, row->alg, both, 64 + row->key_len) != HR_EKEY;
    if (!is_zero(key, hr_kem_key_size(row->alg)))
        complain("a refused key is not wiped");
    bad |= hr_kem_key_init(key, row->alg, both, 63) != HR_EKEYLEN;
    bad |= hr_kem_decapsulate(secret, ct, ct_len + 1, key) != HR_ESTATE;
    bad |= hr_kem_key_generate(key, row->alg, NULL);
    hr_kem_key_wipe(key);
    bad |= !is_zero(key, hr_kem_key_size(row->alg));
    tap(!bad, "%s: calls", row->name);
    free(key);
}

static void dsa_calls(const struct hr_algorithm *row)
{
    struct hr_sign_key *key = new_memory(hr_sign_key_size(row->alg));
    uint8_t both[32 + 4896], sig[2][MLDSA_MAX_SIGNATURE], mu[64] = { 1 }, context[256] = { 0 };
    size_t len = 32, sig_len = sizeof sig[0];
    struct hr_sign_options with = { .context = context, .context_len = 255 };
    struct hr_sign_options external = { .flags = HR_SIGN_MU };
    int bad = hr_sign_key_generate(key, row->alg, NULL) || hr_sign_key_seed(both, &len, key);
    len = sizeof both - 32;
    bad |= hr_sign_key_private(both + 32, &len, key);
    bad |= hr_sign_key_init(key, row->alg, both, 32 + row->key_len);
    bad |= hr_sign(sig[0], &sig_len, mu, 3, key, &with) || sig_len != row->out_len;
    bad |= hr_sign(sig[1], &sig_len, mu, 3, key, &with);
    bad |= !memcmp(sig[0], sig[1], sig_len); /* hedged */
    bad |= hr_verify(sig[0], sig_len, mu, 3, key, &with);
    bad |= hr_verify(sig[0], sig_len, mu, 3, key, NULL) != HR_EMAC;
    bad |= hr_verify(sig[0], sig_len - 1, mu, 3, key, &with) != HR_EMAC;
    with.context_len = 256;
    bad |= hr_sign(sig[0], &sig_len, mu, 3, key, &with) != HR_ELENGTH;
    bad |= hr_sign(sig[0], &sig_len, mu, 63, key, &external) != HR_ELENGTH;
    bad |= hr_sign(sig[0], &sig_len, mu, 64, key, &external);
    bad |= hr_verify(sig[0], sig_len, mu, 64, key, &external);
    both[0] ^= 1;
    bad |= hr_sign_key_init(key, row->alg, both, 32 + row->key_len) != HR_EKEY;
    bad |= hr_sign_key_init(key, row->alg, both + 32, row->key_len);
    len = 32;
    bad |= hr_sign_key_seed(both, &len, key) != HR_ESTATE;
    tap(!bad, "%s: calls", row->name);
    hr_sign_key_wipe(key);
    free(key);
}

/* ---- every row ---- */

static void kem_rows(const struct hr_algorithm *row)
{
    const struct kem_op *op = kem_op(row->alg);
    size_t num = 0;
    while (op->kernels[num].code)
        num++;
    if (!num) {
        tap_skip("built with -Dproven=disabled", "%s", row->name);
        return;
    }
    for (size_t i = 0; i < num; i++) {
        const char *reason = cannot_run(op->kernels[i].info.needs);
        if (reason)
            tap_skip(reason, "%s %s", row->name, op->kernels[i].info.name);
        else
            kem_row(row, op, i, num - 1);
    }
    kem_calls(row);
}

static void dsa_rows(const struct hr_algorithm *row)
{
    const struct mldsa_op *op = mldsa_op(row->alg);
    size_t num = 0;
    while (op->kernels[num].code)
        num++;
    if (!num) {
        tap_skip("built with -Dproven=disabled", "%s", row->name);
        return;
    }
    for (size_t i = 0; i < num; i++) {
        const char *reason = cannot_run(op->kernels[i].info.needs);
        if (reason)
            tap_skip(reason, "%s %s", row->name, op->kernels[i].info.name);
        else
            dsa_row(row, op, i, num - 1, hr_sign_key_size(row->alg));
    }
    dsa_calls(row);
}

int main(int argc, char **argv)
{
    const struct hr_algorithm *row;
    quick = argc > 1 && !strcmp(argv[1], "--quick");
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++) {
        if (row->cls == HR_CLASS_KEM)
            kem_rows(row);
        if (row->cls == HR_CLASS_SIGN && mldsa_op(row->alg))
            dsa_rows(row);
    }
    return tap_done();
}
