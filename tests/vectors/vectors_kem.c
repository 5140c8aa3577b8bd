/* SPDX-License-Identifier: Apache-2.0 */
/* Key encapsulation, on every kernel that this CPU can run.
 *
 *   ROW public key=SEED out=PUBLIC tag=PRIVATE        the keys of a seed
 *   ROW encapsulate key=PUBLIC in=RANDOM out=SECRET tag=CIPHERTEXT
 *   ROW decapsulate key=SEED or PRIVATE in=CIPHERTEXT out=SECRET
 *     result=fail: the key is refused, or the ciphertext
 */
#include "mlkem/kem.h"
#include "vectors.h"

static void expect(const struct vector *v, const char *kernel, const char *what, int error,
                   const uint8_t *out, size_t len, const struct bytes *wanted)
{
    if (v->result == MUST_FAIL ? !error
                               : error || len != wanted->len || memcmp(out, wanted->p, len))
        complain("case %u: %s, %s, %s: %s", v->number, v->row->name, kernel, what,
                 error ? hr_strerror(error) : "wrong, or accepted");
}

/* Runs a case with each kernel as the one that is chosen, in memory of exactly a key's size. */
static void on_kernels(const struct vector *v,
                       void (*run)(const struct vector *v, const char *kernel,
                                   struct hr_kem_key *key))
{
    const struct kem_op *op = kem_op(v->row->alg);
    const uint64_t have = hr_cpu_features();
    for (size_t i = 0; op->kernels[i].code; i++) {
        if (op->kernels[i].info.needs & ~have)
            continue;
        atomic_store(op->chosen, &op->kernels[i]);
        struct hr_kem_key *key = aligned_alloc(64, (hr_kem_key_size(v->row->alg) + 63) & ~63u);
        run(v, op->kernels[i].info.name, key);
        hr_kem_key_wipe(key);
        free(key);
        atomic_store(op->chosen, NULL);
    }
}

static void public_key(const struct vector *v, const char *kernel, struct hr_kem_key *key)
{
    uint8_t out[4096];
    size_t len = sizeof out;
    int error = hr_kem_key_init(key, v->row->alg, v->key.p, v->key.len);
    if (!error)
        error = hr_kem_key_public(out, &len, key);
    expect(v, kernel, "public key", error, out, len, &v->out);
    len = sizeof out;
    if (!error && v->tag.len) {
        error = hr_kem_key_private(out, &len, key);
        expect(v, kernel, "private key", error, out, len, &v->tag);
    }
    len = sizeof out;
    if (!error && v->result == MUST_WORK) {
        error = hr_kem_key_seed(out, &len, key);
        expect(v, kernel, "seed", error, out, len, &v->key);
    }
}

void run_kem_public(const struct vector *v)
{
    on_kernels(v, public_key);
}

static void encapsulate(const struct vector *v, const char *kernel, struct hr_kem_key *key)
{
    uint8_t ct[HR_KEM_MAX_CIPHERTEXT], secret[HR_KEM_SECRET_LEN];
    size_t len = sizeof ct;
    int error = v->in.len == HR_KEM_RANDOM_LEN ? 0 : HR_ELENGTH;
    if (!error)
        error = hr_kem_key_init_public(key, v->row->alg, v->key.p, v->key.len);
    if (!error)
        error = hr_kem_encapsulate(ct, &len, secret, key, v->in.p);
    expect(v, kernel, "ciphertext", error, ct, len, &v->tag);
    expect(v, kernel, "secret", error, secret, sizeof secret, &v->out);
}

void run_encapsulate(const struct vector *v)
{
    on_kernels(v, encapsulate);
}

static void decapsulate(const struct vector *v, const char *kernel, struct hr_kem_key *key)
{
    uint8_t secret[HR_KEM_SECRET_LEN];
    int error = hr_kem_key_init(key, v->row->alg, v->key.p, v->key.len);
    if (!error)
        error = hr_kem_decapsulate(secret, v->in.p, v->in.len, key);
    expect(v, kernel, "secret", error, secret, sizeof secret, &v->out);
}

void run_decapsulate(const struct vector *v)
{
    on_kernels(v, decapsulate);
}
