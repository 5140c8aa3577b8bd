/* SPDX-License-Identifier: Apache-2.0 */
/* Constant time of ML-KEM and ML-DSA, by Valgrind's memcheck as in ct.c: seeds, private keys and
 * the randomness of an operation are marked undefined, and each kernel runs with them.
 *
 * What is marked as public on the way, and why that gives nothing away:
 * - rho, the matrix, and the parts of a public key: they are public.
 * - ML-DSA, key generation: which bytes of a secret stream are rejected (FIPS 204 algorithm 31);
 * the bytes that are taken do not depend on that.
 * - ML-DSA, signing: each attempt's challenge, and which check rejects it.  A rejected attempt's
 *   challenge is a hash of values that are never shown, and by the rejection z and the low bits
 * have the same distribution for every private key (section 3.2, and CRYSTALS-Dilithium, round 3,
 *   section 5.5); so the number of attempts tells nothing of the key.  Once all checks have passed,
 *   what the hints are made of follows from the signature and from t0, which signatures reveal.
 * - Whether a private key is valid.
 *
 * Valgrind 3.19 has no AVX-512: the Keccak that kernels run on here is AVX2's or portable. */
#include "mldsa/mldsa.h"
#include "mlkem/kem.h"
#include "test.h"
#include <headrace/algorithms.h>
#include <valgrind/valgrind.h>

static void must(int error, const char *what)
{
    if (error)
        complain("%s: %s", what, hr_strerror(error));
}

static void secret(void *p, size_t len)
{
    random_bytes(p, len);
    CT_SECRET(p, len);
}

/* ---- the checker must be able to fail ---- */

static volatile uint32_t sink;

static __attribute__((noinline)) void leak(const uint8_t *key)
{
    if (key[0] & 1)
        sink++;
}

static void must_be_seen(void)
{
    uint8_t key[16];
    secret(key, sizeof key);
    const unsigned before = VALGRIND_COUNT_ERRORS;
    leak(key);
    tap(VALGRIND_COUNT_ERRORS > before, "a leak is noticed");
}

/* ---- every kernel ---- */

static void run_kem(const struct hr_algorithm *row)
{
    static struct hr_kem_key key;
    uint8_t seed[64], m[32], dk[3168], ct[HR_KEM_MAX_CIPHERTEXT], shared[32];
    size_t len = sizeof dk, ct_len = sizeof ct;
    secret(seed, sizeof seed);
    secret(m, sizeof m);
    must(hr_kem_key_init(&key, row->alg, seed, sizeof seed), "seed");
    must(hr_kem_key_private(dk, &len, &key), "private");
    must(hr_kem_encapsulate(ct, &ct_len, shared, &key, m), "encapsulate");
    must(hr_kem_key_init(&key, row->alg, dk, len), "dk");
    CT_PUBLIC(ct, ct_len);
    must(hr_kem_decapsulate(shared, ct, ct_len, &key), "decapsulate");
    ct[5] ^= 1;
    must(hr_kem_decapsulate(shared, ct, ct_len, &key), "decapsulate");
    hr_kem_key_wipe(&key);
}

static void run_dsa(const struct hr_algorithm *row)
{
    static struct hr_sign_key key;
    uint8_t seed[32], random[32], sk[4896], sig[MLDSA_MAX_SIGNATURE];
    size_t len = sizeof sk, sig_len = sizeof sig;
    secret(seed, sizeof seed);
    must(hr_sign_key_init(&key, row->alg, seed, sizeof seed), "seed");
    must(hr_sign_key_private(sk, &len, &key), "private");
    must(hr_sign_key_init(&key, row->alg, sk, len), "sk");
    for (int i = 0; i < 3; i++) {
        secret(random, sizeof random);
        const struct hr_sign_options options = { .random = random };
        must(hr_sign(sig, &sig_len, "message", 7, &key, &options), "sign");
    }
    hr_sign_key_wipe(&key);
}

static void run(const struct hr_algorithm *row, const struct hr_kernel *kernel)
{
    const uint64_t have = hr_cpu_features();
    const char *reason = cannot_run(kernel->needs);
    if (reason) {
        tap_skip(reason, "%s %s under valgrind's CPU", row->name, kernel->name);
        return;
    }
    const unsigned before = VALGRIND_COUNT_ERRORS;
    cpu_override(kernel->needs);
    if (row->cls == HR_CLASS_KEM)
        run_kem(row);
    else
        run_dsa(row);
    cpu_override(have);
    if (VALGRIND_COUNT_ERRORS != before)
        complain("%u branches or addresses depend on a secret: see the log",
                 VALGRIND_COUNT_ERRORS - before);
    tap(!complaints_so_far(), "%s %s: ran", row->name, kernel->name);
}

int main(void)
{
    const struct hr_algorithm *row;
    if (!RUNNING_ON_VALGRIND) {
        tap_skip("not under valgrind", "constant time");
        return tap_done();
    }
    must_be_seen();
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++) {
        const struct kem_op *kem = kem_op(row->alg);
        const struct mldsa_op *dsa = mldsa_op(row->alg);
        for (size_t k = 0; kem && kem->kernels[k].code; k++)
            run(row, &kem->kernels[k].info);
        for (size_t k = 0; dsa && dsa->kernels[k].code; k++)
            run(row, &dsa->kernels[k].info);
    }
    return tap_done();
}
