/* SPDX-License-Identifier: Apache-2.0 */
/* ML-KEM and ML-DSA: of keys, ciphertexts and signatures that were changed at some places, the best
 * kernel and portable C say the same, and compute the same. */
#include "fuzz.h"
#include "mldsa/mldsa.h"
#include "mlkem/kem.h"
#include <headrace/algorithms.h>

static alignas(64) uint8_t memory[2][98304];

/* Changes bytes of a buffer as the rest of the input says: a place in two bytes, and a value. */
static void change(struct input *in, uint8_t *p, size_t len)
{
    for (int i = 0; i < 64 && in->len; i++) {
        const size_t at = (take_byte(in) << 8 | take_byte(in)) % len;
        p[at] = take_byte(in);
    }
}

static void same_secrets(const struct kem_kernel *kernels[2], const uint8_t *ct,
                         const struct kem_op *op, const uint8_t *random)
{
    uint8_t sent[2][HR_KEM_MAX_CIPHERTEXT], secret[2][HR_KEM_SECRET_LEN];
    for (int i = 0; i < 2; i++) {
        struct kem_key *key = (struct kem_key *)memory[i];
        if (ct)
            kernels[i]->code->decapsulate(secret[i], ct, key);
        else
            kernels[i]->code->encapsulate(sent[i], secret[i], key, random);
    }
    CHECK(!memcmp(secret[0], secret[1], sizeof secret[0]));
    CHECK(ct || !memcmp(sent[0], sent[1], op->ciphertext_len));
}

static void kem(struct input *in, const struct hr_algorithm *row)
{
    const struct kem_op *op = kem_op(row->alg);
    const struct kem_kernel *kernels[2] = { op->kernels, op->kernels + op->num_kernels - 2 };
    uint8_t seed[HR_KEM_SEED_LEN], dk[3168], ct[HR_KEM_MAX_CIPHERTEXT], secret[32];
    const uint8_t which = take_byte(in);
    struct kem_key *key = (struct kem_key *)memory[1];
    if (op->num_kernels < 2 || kernels[0]->info.needs & ~hr_cpu_features())
        return;
    take_many(in, seed, sizeof seed);
    kernels[1]->code->generate(key, seed);
    kernels[1]->code->encapsulate(ct, secret, key, seed);
    memcpy(dk, memory[1] + KEM_KEY_BODY, row->key_len);
    const uint8_t *ek = dk + kernels[1]->code->public_at - KEM_KEY_BODY;
    if (which & 1)
        change(in, ct, op->ciphertext_len);
    else
        change(in, dk, row->key_len);
    int error[2];
    for (int i = 0; i < 2; i++)
        error[i] = kernels[i]->code->load_private((struct kem_key *)memory[i], dk);
    CHECK(error[0] == error[1]);
    if (!error[0])
        same_secrets(kernels, ct, op, NULL);
    for (int i = 0; i < 2; i++)
        error[i] = kernels[i]->code->load_public((struct kem_key *)memory[i], ek);
    CHECK(error[0] == error[1]);
    if (!error[0])
        same_secrets(kernels, NULL, op, seed);
}

static void dsa(struct input *in, const struct hr_algorithm *row)
{
    const struct mldsa_op *op = mldsa_op(row->alg);
    const struct mldsa_kernel *kernels[2] = { op->kernels, op->kernels + op->num_kernels - 2 };
    uint8_t seed[MLDSA_SEED_LEN], mu[MLDSA_MU_LEN] = { 0 }, pk[2592], sk[4896];
    uint8_t sig[MLDSA_MAX_SIGNATURE], again[MLDSA_MAX_SIGNATURE];
    const uint8_t which = take_byte(in) % 3;
    struct mldsa_key *key = (struct mldsa_key *)memory[1];
    if (op->num_kernels < 2 || kernels[0]->info.needs & ~hr_cpu_features())
        return;
    take_many(in, seed, sizeof seed);
    kernels[0]->code->generate(key, seed);
    CHECK(!kernels[0]->code->sign(sig, mu, seed, key));
    memcpy(pk, memory[1] + MLDSA_KEY_BODY, row->public_len);
    memcpy(sk, memory[1] + kernels[0]->code->private_at, row->key_len);
    change(in,
           which == 0   ? sig
           : which == 1 ? pk
                        : sk,
           which == 0   ? row->out_len
           : which == 1 ? row->public_len
                        : row->key_len);
    int error[2];
    for (int i = 0; i < 2; i++) {
        key = (struct mldsa_key *)memory[i];
        CHECK(!kernels[i]->code->load_public(key, pk));
        error[i] = kernels[i]->code->verify(sig, mu, key);
    }
    CHECK(error[0] == error[1]);
    for (int i = 0; which == 2 && i < 2; i++) {
        key = (struct mldsa_key *)memory[i];
        error[i] = kernels[i]->code->load_private(key, sk);
        if (!error[i])
            CHECK(!kernels[i]->code->sign(i ? again : sig, mu, seed, key));
    }
    CHECK(error[0] == error[1]);
    CHECK(which < 2 || error[0] || !memcmp(sig, again, row->out_len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, size };
    const uint8_t pick = take_byte(&in) % 6;
    if (pick < 3)
        kem(&in, hr_algorithm((hr_alg)(HR_MLKEM512 + pick)));
    else
        dsa(&in, hr_algorithm((hr_alg)(HR_MLDSA44 + pick - 3)));
    return 0;
}
