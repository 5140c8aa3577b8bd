/* SPDX-License-Identifier: Apache-2.0 */
/* ML-KEM (FIPS 203) for one parameter set, SET, with one backend: C, or assembly if
 * MLKEM_BACKEND names its description.  The arithmetic is mlkem-native's, whose files are compiled
 * as parts of this one, so that nothing of it has a name outside; Keccak is ours, and so is what
 * follows: FIPS 203's algorithms over a key that keeps the matrix, which costs half an operation.
 *
 * The code's name is mlkem<SET>_<suffix>. */
#include "../proven/expand.h"
#include "../proven/fips202.h"
#include "kem.h"

/* ---- mlkem-native's configuration ---- */

#define MLK_CONFIG_FILE <stddef.h> /* all of it is here */
#define MLK_CONFIG_PARAMETER_SET SET
#define MLK_CONFIG_NAMESPACE_PREFIX hr_proven_mlkem /* the assembly's */
#define MLK_CONFIG_INTERNAL_API_QUALIFIER static __attribute__((unused))
#define MLK_CONFIG_EXTERNAL_API_QUALIFIER static __attribute__((unused))
#define MLK_CONFIG_NO_RANDOMIZED_API
#define MLK_CONFIG_FIPS202_CUSTOM_HEADER <stddef.h>
#define MLK_CONFIG_FIPS202X4_CUSTOM_HEADER <stddef.h>
#define MLK_CONFIG_CUSTOM_ZEROIZE
#define MLK_CONFIG_CUSTOM_CAPABILITY_FUNC
#ifdef MLKEM_BACKEND
#define MLK_CONFIG_USE_NATIVE_BACKEND_ARITH
#define MLK_CONFIG_ARITH_BACKEND_FILE MLKEM_BACKEND
#endif
#ifdef HR_CT_VALGRIND
#define MLK_CONFIG_CT_TESTING_ENABLED
#endif

#include <ml_kem/mlkem/sys.h>

/* The table of kernels has asked for what the backend needs. */
static inline int mlk_sys_check_capability(mlk_sys_cap cap)
{
    return 1;
}
static inline void mlk_zeroize(void *p, size_t len)
{
    wipe_bytes(p, len);
}
FIPS202_NAMES(mlk)

#include <ml_kem/mlkem/common.h>

#include <ml_kem/mlkem/compress.c>
#include <ml_kem/mlkem/debug.c>
#include <ml_kem/mlkem/indcpa.c>
#include <ml_kem/mlkem/poly.c>
#include <ml_kem/mlkem/poly_k.c>
#include <ml_kem/mlkem/sampling.c>
#include <ml_kem/mlkem/verify.c>
#ifdef MLKEM_TABLES
#include MLKEM_TABLES
#endif

/* ---- FIPS 203 ---- */

/* Every function that the table names ends with this: the assembly leaves the upper halves of the
 * vector registers in use, which makes other code's SSE instructions slow. */
#ifndef BACKEND_END
#define BACKEND_END() ((void)0)
#endif

/* A key: the bytes of dk = s || ek || H(ek) || z, and what they decode to, in the NTT domain. */
struct key {
    struct kem_key head;
    alignas(64) uint8_t dk[MLKEM_INDCCA_SECRETKEYBYTES];
    alignas(64) mlk_polymat at; /* the transposed matrix */
    mlk_polyvec t, s;
};
static_assert(offsetof(struct key, dk) == KEM_KEY_BODY, "where kem.c finds the bytes");
static_assert(sizeof(struct key) <= sizeof(struct hr_kem_key), "public size");

enum {
    EK_AT = MLKEM_INDCPA_SECRETKEYBYTES,
    RHO_AT = EK_AT + MLKEM_POLYVECBYTES,
    HASH_AT = EK_AT + MLKEM_INDCCA_PUBLICKEYBYTES,
    Z_AT = HASH_AT + MLKEM_SYMBYTES,
};

static unsigned sample(void *entry, unsigned have, const uint8_t *in, unsigned len)
{
    return mlk_rej_uniform(((mlk_poly *)entry)->coeffs, MLKEM_N, have, in, len);
}

/* Makes the matrix, transposed or not, and the hash of ek if `hash` is not NULL. */
static void expand_matrix(struct key *key, const uint8_t *rho, int transposed, uint8_t *hash)
{
    struct expansion e = {
        .rho = rho,
        .entries = (uint8_t *)&key->at,
        .entry_size = sizeof(mlk_poly),
        .rows = MLKEM_K,
        .columns = MLKEM_K,
        .transposed = (unsigned)transposed,
        .blocks = 3, /* which fall short of an entry once in 120 times */
        .sample = sample,
        .in = key->dk + EK_AT,
        .in_len = MLKEM_INDCCA_PUBLICKEYBYTES,
        .rate = hash ? SHA3_256_RATE : 0,
        .suffix = KECCAK_SHA3,
        .out = hash,
        .out_len = MLKEM_SYMBYTES,
    };
    static_assert(sizeof key->at == MLKEM_K * MLKEM_K * sizeof(mlk_poly), "entries without gaps");
    expand(&e);
    mlk_polymat_permute_bitrev_to_custom(&key->at);
}

/* Algorithm 13 (K-PKE.KeyGen), whose matrix is then transposed in place for encryption. */
static void key_generate(struct kem_key *public, const uint8_t *seed)
{
    struct key *key = (struct key *)public;
    alignas(32) uint8_t rho_sigma[2 * MLKEM_SYMBYTES], d_k[MLKEM_SYMBYTES + 1];
    alignas(32) mlk_polyvec e;
    alignas(32) mlk_polyvec_mulcache cache;

    memcpy(d_k, seed, MLKEM_SYMBYTES);
    d_k[MLKEM_SYMBYTES] = MLKEM_K;
    mlk_hash_g(rho_sigma, d_k, sizeof d_k);
    CT_PUBLIC(rho_sigma, MLKEM_SYMBYTES); /* rho is a part of the public key */

    expand_matrix(key, rho_sigma, 0, NULL);
    mlk_keypair_getnoise_eta1(&key->s, &e, rho_sigma + MLKEM_SYMBYTES);
    mlk_polyvec_ntt(&key->s);
    mlk_polyvec_ntt(&e);
    mlk_polyvec_mulcache_compute(&cache, &key->s);
    mlk_matvec_mul(&key->t, &key->at, &key->s, &cache);
    mlk_polyvec_tomont(&key->t);
    mlk_polyvec_add(&key->t, &e);
    mlk_polyvec_reduce(&key->t);
    mlk_polyvec_reduce(&key->s);
    for (int i = 0; i < MLKEM_K; i++)
        for (int j = 0; j < i; j++) {
            const mlk_poly a = key->at.vec[i].vec[j];
            key->at.vec[i].vec[j] = key->at.vec[j].vec[i];
            key->at.vec[j].vec[i] = a;
        }

    mlk_pack_sk(key->dk, &key->s);
    mlk_pack_pk(key->dk + EK_AT, &key->t, rho_sigma);
    CT_PUBLIC(key->dk + EK_AT, MLKEM_INDCCA_PUBLICKEYBYTES);
    CT_PUBLIC(&key->t, sizeof key->t);
    mlk_hash_h(key->dk + HASH_AT, key->dk + EK_AT, MLKEM_INDCCA_PUBLICKEYBYTES);
    memcpy(key->dk + Z_AT, seed + MLKEM_SYMBYTES, MLKEM_SYMBYTES);
    WIPE(&cache);
    WIPE(&e);
    WIPE(&d_k);
    WIPE(&rho_sigma);
    BACKEND_END();
}

/* Makes of ek what is kept of it, and its hash.  Section 7.2, modulus check: the coefficients of ek
 * are below q, which is so if it is what they encode to again. */
static int decode_public(struct key *key, uint8_t *hash)
{
    const uint8_t *ek = key->dk + EK_AT;
    alignas(32) uint8_t again[MLKEM_POLYVECBYTES];
    mlk_polyvec_frombytes(&key->t, ek);
    mlk_polyvec_reduce(&key->t);
    mlk_polyvec_tobytes(again, &key->t);
    if (memcmp(again, ek, sizeof again) != 0)
        return HR_EKEY;
    expand_matrix(key, key->dk + RHO_AT, 1, hash);
    return 0;
}

static int key_load_public(struct kem_key *public, const uint8_t *bytes)
{
    struct key *key = (struct key *)public;
    memcpy(key->dk + EK_AT, bytes, MLKEM_INDCCA_PUBLICKEYBYTES);
    const int error = decode_public(key, key->dk + HASH_AT);
    BACKEND_END();
    return error;
}

/* Section 7.3, hash check: dk holds the hash of its ek.  The secret vector is reduced, as
 * mlkem-native's products want it. */
static int key_load_private(struct kem_key *public, const uint8_t *bytes)
{
    struct key *key = (struct key *)public;
    uint8_t hash[MLKEM_SYMBYTES];
    memcpy(key->dk, bytes, sizeof key->dk);
    CT_PUBLIC(key->dk + EK_AT, Z_AT - EK_AT);
    int error = decode_public(key, hash);
    if (!error && memcmp(hash, key->dk + HASH_AT, sizeof hash) != 0)
        error = HR_EKEY;
    mlk_polyvec_frombytes(&key->s, key->dk);
    mlk_polyvec_reduce(&key->s);
    BACKEND_END();
    return error;
}

/* Algorithm 14 (K-PKE.Encrypt). */
static void encrypt(uint8_t *ct, const struct key *key, const uint8_t m[MLKEM_SYMBYTES],
                    const uint8_t r[MLKEM_SYMBYTES])
{
    alignas(32) struct {
        mlk_polyvec y, e1, u;
        mlk_polyvec_mulcache cache;
        mlk_poly e2, mu, v;
    } a;
    mlk_enc_getnoise_eta1_eta2(&a.y, &a.e1, &a.e2, r);
    mlk_polyvec_ntt(&a.y);
    mlk_polyvec_mulcache_compute(&a.cache, &a.y);
    mlk_matvec_mul(&a.u, &key->at, &a.y, &a.cache);
    mlk_polyvec_basemul_acc_montgomery_cached(&a.v, &key->t, &a.y, &a.cache);
    mlk_polyvec_invntt_tomont(&a.u);
    mlk_poly_invntt_tomont(&a.v);
    mlk_poly_frommsg(&a.mu, m);
    mlk_polyvec_add(&a.u, &a.e1);
    mlk_poly_add(&a.v, &a.e2);
    mlk_poly_add(&a.v, &a.mu);
    mlk_polyvec_reduce(&a.u);
    mlk_poly_reduce(&a.v);
    mlk_pack_ciphertext(ct, &a.u, &a.v);
    WIPE(&a);
}

/* Algorithm 15 (K-PKE.Decrypt). */
static void decrypt(uint8_t m[MLKEM_SYMBYTES], const struct key *key, const uint8_t *ct)
{
    alignas(32) struct {
        mlk_polyvec u;
        mlk_polyvec_mulcache cache;
        mlk_poly v, su;
    } a;
    mlk_unpack_ciphertext(&a.u, &a.v, ct);
    mlk_polyvec_ntt(&a.u);
    mlk_polyvec_mulcache_compute(&a.cache, &a.u);
    mlk_polyvec_basemul_acc_montgomery_cached(&a.su, &key->s, &a.u, &a.cache);
    mlk_poly_invntt_tomont(&a.su);
    mlk_poly_sub(&a.v, &a.su);
    mlk_poly_reduce(&a.v);
    mlk_poly_tomsg(m, &a.v);
    WIPE(&a);
}

/* (K, r) = G(m || H(ek)): step 1 of algorithm 17, step 6 of algorithm 18. */
static void derive(uint8_t k_r[2 * MLKEM_SYMBYTES], const struct key *key,
                   const uint8_t m[MLKEM_SYMBYTES])
{
    alignas(32) uint8_t in[2 * MLKEM_SYMBYTES];
    memcpy(in, m, MLKEM_SYMBYTES);
    memcpy(in + MLKEM_SYMBYTES, key->dk + HASH_AT, MLKEM_SYMBYTES);
    mlk_hash_g(k_r, in, sizeof in);
    WIPE(&in);
}

/* Algorithm 17 (ML-KEM.Encaps_internal). */
static void key_encapsulate(uint8_t *ct, uint8_t *secret, const struct kem_key *public,
                            const uint8_t *random)
{
    const struct key *key = (const struct key *)public;
    alignas(32) uint8_t k_r[2 * MLKEM_SYMBYTES];
    derive(k_r, key, random);
    encrypt(ct, key, random, k_r + MLKEM_SYMBYTES);
    memcpy(secret, k_r, MLKEM_SYMBYTES);
    WIPE(&k_r);
    BACKEND_END();
}

/* Algorithm 18 (ML-KEM.Decaps_internal): the secret is J(z || ct) if ct is not what m encrypts
 * to. */
static void key_decapsulate(uint8_t *secret, const uint8_t *ct, const struct kem_key *public)
{
    const struct key *key = (const struct key *)public;
    alignas(32) uint8_t m[MLKEM_SYMBYTES], k_r[2 * MLKEM_SYMBYTES];
    alignas(32) uint8_t again[MLKEM_INDCCA_CIPHERTEXTBYTES];
    struct keccak j;
    decrypt(m, key, ct);
    derive(k_r, key, m);
    encrypt(again, key, m, k_r + MLKEM_SYMBYTES);
    const uint8_t differs = mlk_ct_memcmp(ct, again, sizeof again);
    keccak_start(&j, SHAKE256_RATE, KECCAK_SHAKE);
    keccak_absorb(&j, key->dk + Z_AT, MLKEM_SYMBYTES);
    keccak_absorb(&j, ct, MLKEM_INDCCA_CIPHERTEXTBYTES);
    keccak_squeeze(&j, secret, MLKEM_SYMBYTES);
    mlk_ct_cmov_zero(secret, k_r, MLKEM_SYMBYTES, differs);
    WIPE(&j);
    WIPE(&again);
    WIPE(&k_r);
    WIPE(&m);
    BACKEND_END();
}

#define MLKEM_NAME(set, suffix) MLKEM_NAME_(set, suffix)
#define MLKEM_NAME_(set, suffix) mlkem##set##_##suffix
const struct kem_code MLKEM_NAME(SET, SUFFIX) = {
    .key_size = sizeof(struct key),
    .public_at = offsetof(struct key, dk) + EK_AT,
    .generate = key_generate,
    .load_public = key_load_public,
    .load_private = key_load_private,
    .encapsulate = key_encapsulate,
    .decapsulate = key_decapsulate,
};
