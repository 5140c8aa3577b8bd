/* SPDX-License-Identifier: Apache-2.0 */
/* ML-DSA (FIPS 204) for one parameter set, SET, with one backend: C, or assembly if MLDSA_BACKEND
 * names its description.  The arithmetic is mldsa-native's, whose files are compiled as parts of
 * this one, so that nothing of it has a name outside; Keccak is ours, and so is what follows: FIPS
 * 204's algorithms over a key that keeps the matrix and the vectors in the NTT domain.
 *
 * The code's name is mldsa<SET>_<suffix>. */
#include "../proven/expand.h"
#include "../proven/fips202.h"
#include "mldsa.h"

/* ---- mldsa-native's configuration ---- */

#define MLD_CONFIG_FILE <stddef.h> /* all of it is here */
#define MLD_CONFIG_PARAMETER_SET SET
#define MLD_CONFIG_NAMESPACE_PREFIX hr_proven_mldsa /* the assembly's */
#define MLD_CONFIG_INTERNAL_API_QUALIFIER static __attribute__((unused))
#define MLD_CONFIG_EXTERNAL_API_QUALIFIER static __attribute__((unused))
#define MLD_CONFIG_NO_RANDOMIZED_API
#define MLD_CONFIG_FIPS202_CUSTOM_HEADER <stddef.h>
#define MLD_CONFIG_FIPS202X4_CUSTOM_HEADER <stddef.h>
#define MLD_CONFIG_CUSTOM_ZEROIZE
#define MLD_CONFIG_CUSTOM_CAPABILITY_FUNC
#ifdef MLDSA_BACKEND
#define MLD_CONFIG_USE_NATIVE_BACKEND_ARITH
#define MLD_CONFIG_ARITH_BACKEND_FILE MLDSA_BACKEND
#endif
#ifdef HR_CT_VALGRIND
#define MLD_CONFIG_CT_TESTING_ENABLED
#endif

#include <ml_dsa/mldsa/sys.h>

/* The table of kernels has asked for what the backend needs. */
static inline int mld_sys_check_capability(mld_sys_cap cap)
{
    return 1;
}
static inline void mld_zeroize(void *p, size_t len)
{
    wipe_bytes(p, len);
}
FIPS202_NAMES(mld)

#include <ml_dsa/mldsa/common.h>

#include <ml_dsa/mldsa/ct.c>
#include <ml_dsa/mldsa/debug.c>
#include <ml_dsa/mldsa/packing.c>
#include <ml_dsa/mldsa/poly.c>
#include <ml_dsa/mldsa/poly_kl.c>
#include <ml_dsa/mldsa/polyvec.c>
#include <ml_dsa/mldsa/polyvec_lazy.c>
#include <ml_dsa/mldsa/sign.c>
#ifdef MLDSA_TABLES
#include MLDSA_TABLES
#endif

/* ---- FIPS 204 ---- */

/* Every function that the table names ends with this: the assembly leaves the upper halves of the
 * vector registers in use, which makes other code's SSE instructions slow. */
#ifndef BACKEND_END
#define BACKEND_END() ((void)0)
#endif

struct key {
    struct mldsa_key head;
    alignas(64) uint8_t pk[MLDSA_CRYPTO_PUBLICKEYBYTES];
    alignas(64) uint8_t sk[MLDSA_CRYPTO_SECRETKEYBYTES];
    alignas(64) mld_polymat a;
    mld_polyveck t1; /* NTT(t1 2^d) */
    mld_sk_s1hat s1;
    mld_sk_s2hat s2;
    mld_sk_t0hat t0;
};
static_assert(offsetof(struct key, pk) == MLDSA_KEY_BODY, "where mldsa.c finds the bytes");

static unsigned sample(void *entry, unsigned have, const uint8_t *in, unsigned len)
{
    return mld_rej_uniform(((mld_poly *)entry)->coeffs, MLDSA_N, have, in, len);
}

/* Algorithm 32 (ExpandA), and tr = H(pk, 64) if `tr` is not NULL. */
static void expand_matrix(struct key *key, const uint8_t *rho, uint8_t *tr)
{
    struct expansion e = {
        .rho = rho,
        .entries = (uint8_t *)&key->a,
        .entry_size = sizeof(mld_poly),
        .rows = MLDSA_K,
        .columns = MLDSA_L,
        .blocks = EXPAND_MAX_BLOCKS,
        .sample = sample,
        .in = key->pk,
        .in_len = sizeof key->pk,
        .rate = tr ? SHAKE256_RATE : 0,
        .suffix = KECCAK_SHAKE,
        .out = tr,
        .out_len = MLDSA_TRBYTES,
    };
    static_assert(sizeof key->a == MLDSA_K * MLDSA_L * sizeof(mld_poly), "entries without gaps");
    expand(&e);
    for (unsigned i = 0; i < MLDSA_K * MLDSA_L; i++)
        mld_poly_permute_bitrev_to_custom_optional(&key->a.vec[i / MLDSA_L].vec[i % MLDSA_L]);
}

/* The part of verification that depends on the key alone: NTT(t1 2^d). */
static void keep_t1(mld_poly *t1)
{
    mld_poly_shiftl(t1);
    mld_poly_ntt(t1);
}

/* t = A s1 + s2 as (t1, t0): lines 5 and 6 of algorithm 6.  Writes the public key, its hash, and
 * the bytes of t0. */
static void make_public(struct key *key, uint8_t *t0, const uint8_t rho[MLDSA_SEEDBYTES],
                        const mld_polyveck *s2)
{
    alignas(32) mld_poly t;
    memcpy(key->pk, rho, MLDSA_SEEDBYTES);
    expand_matrix(key, rho, NULL);
    for (unsigned k = 0; k < MLDSA_K; k++) {
        mld_poly *t1 = &key->t1.vec[k];
        mld_polyvec_matrix_pointwise_montgomery_row(&t, &key->a, &key->s1.vec, k);
        mld_poly_invntt_tomont(&t);
        mld_poly_add(&t, &s2->vec[k]);
        mld_poly_reduce(&t);
        mld_poly_caddq(&t);
        mld_poly_power2round(t1, &t, &t);
        CT_PUBLIC(t1, sizeof *t1);
        mld_polyt1_pack(key->pk + MLDSA_PK_T1_OFFSET + k * MLDSA_POLYT1_PACKEDBYTES, t1);
        mld_polyt0_pack(t0 + k * MLDSA_POLYT0_PACKEDBYTES, &t);
        keep_t1(t1);
    }
    mld_shake256(key->head.tr, MLDSA_TRBYTES, key->pk, sizeof key->pk);
    WIPE(&t);
}

/* Algorithm 6 (ML-DSA.KeyGen_internal). */
static void key_generate(struct mldsa_key *public, const uint8_t *seed)
{
    struct key *key = (struct key *)public;
    uint8_t in[MLDSA_SEEDBYTES + 2], out[2 * MLDSA_SEEDBYTES + MLDSA_CRHBYTES];
    const uint8_t *rho = out, *rho2 = out + MLDSA_SEEDBYTES, *k = rho2 + MLDSA_CRHBYTES;
    alignas(32) mld_polyveck s2;

    memcpy(in, seed, MLDSA_SEEDBYTES);
    in[MLDSA_SEEDBYTES] = MLDSA_K;
    in[MLDSA_SEEDBYTES + 1] = MLDSA_L;
    mld_shake256(out, sizeof out, in, sizeof in);
    CT_PUBLIC(rho, MLDSA_SEEDBYTES);
    /* Which of the bytes that rho2 gives are rejected says nothing of those that are taken. */
    CT_PUBLIC(rho2, MLDSA_CRHBYTES);
    mld_sample_s1_s2(&key->s1.vec, &s2, rho2);
    CT_SECRET(&key->s1, sizeof key->s1);
    CT_SECRET(&s2, sizeof s2);
    mld_pack_sk_s1(key->sk, &key->s1.vec);
    mld_polyvecl_ntt(&key->s1.vec);
    make_public(key, key->sk + MLDSA_SK_T0_OFFSET, rho, &s2);
    mld_pack_sk_rho_key_tr_s2(key->sk, rho, key->head.tr, k, &s2);
    key->s2.vec = s2;
    mld_polyveck_ntt(&key->s2.vec);
    mld_unpack_sk_t0hat(&key->t0, key->sk + MLDSA_SK_T0_OFFSET);
    WIPE(&s2);
    WIPE(&out);
    WIPE(&in);
    BACKEND_END();
}

/* Algorithm 23 (pkDecode). */
static int key_load_public(struct mldsa_key *public, const uint8_t *bytes)
{
    struct key *key = (struct key *)public;
    memcpy(key->pk, bytes, sizeof key->pk);
    expand_matrix(key, key->pk, key->head.tr);
    for (unsigned k = 0; k < MLDSA_K; k++) {
        mld_unpack_pk_t1(&key->t1.vec[k], key->pk, k);
        keep_t1(&key->t1.vec[k]);
    }
    BACKEND_END();
    return 0;
}

/* Algorithm 25 (skDecode), and more than it asks for: s1 and s2 must be short, and t0 and tr those
 * of the public key that s1 and s2 make. */
static int decode_private(struct key *key, const uint8_t *bytes)
{
    uint8_t t0[MLDSA_SK_T0_BYTES];
    alignas(32) mld_polyveck s2;

    memcpy(key->sk, bytes, sizeof key->sk);
    CT_PUBLIC(key->sk, MLDSA_SEEDBYTES); /* rho is a part of the public key */
    mld_polyvecl_unpack_eta(&key->s1.vec, key->sk + MLDSA_SK_S1_OFFSET);
    mld_polyveck_unpack_eta(&s2, key->sk + MLDSA_SK_S2_OFFSET);
    uint32_t bad = mld_polyvecl_chknorm(&key->s1.vec, MLDSA_ETA + 1);
    bad |= mld_polyveck_chknorm(&s2, MLDSA_ETA + 1);
    CT_PUBLIC(&bad, sizeof bad); /* whether a key is valid may be seen */
    if (bad) {
        WIPE(&s2);
        return HR_EKEY;
    }
    mld_polyvecl_ntt(&key->s1.vec);
    make_public(key, t0, key->sk, &s2);
    bad |= mld_ct_memcmp(t0, key->sk + MLDSA_SK_T0_OFFSET, sizeof t0);
    bad |= mld_ct_memcmp(key->head.tr, key->sk + MLDSA_SK_TR_OFFSET, MLDSA_TRBYTES);
    CT_PUBLIC(&bad, sizeof bad);
    key->s2.vec = s2;
    mld_polyveck_ntt(&key->s2.vec);
    mld_unpack_sk_t0hat(&key->t0, key->sk + MLDSA_SK_T0_OFFSET);
    WIPE(&s2);
    WIPE(&t0);
    return bad ? HR_EKEY : 0;
}

static int key_load_private(struct mldsa_key *public, const uint8_t *bytes)
{
    const int error = decode_private((struct key *)public, bytes);
    BACKEND_END();
    return error;
}

/* Algorithm 7 (ML-DSA.Sign_internal) from line 7 on.  Attempts are as many as mldsa-native allows;
 * that many are rejected with a probability below 2^-1000, and FIPS 204 asks for 814 at least. */
static int key_sign(uint8_t *sig, const uint8_t *mu, const uint8_t *random,
                    const struct mldsa_key *public)
{
    const struct key *key = (const struct key *)public;
    uint8_t rho2[MLDSA_CRHBYTES];
    int error = MLD_ERR_FAIL;
    mld_H(rho2, sizeof rho2, key->sk + MLDSA_SK_KEY_OFFSET, MLDSA_SEEDBYTES, random, MLDSA_RNDBYTES,
          mu, MLDSA_CRHBYTES);
    for (unsigned i = 0; error == MLD_ERR_FAIL && i < MLD_MAX_KAPPA / MLDSA_L; i++)
        error =
            mld_attempt_signature_generation(sig, mu, rho2, (uint16_t)(i * MLDSA_L),
                                             (mld_polymat *)&key->a, &key->s1, &key->s2, &key->t0);
    WIPE(&rho2);
    BACKEND_END();
    return error ? HR_EFAULT : 0;
}

/* w1Encode(UseHint(h, A z - c t1 2^d)), of one row: lines 9 and 10 of algorithm 8. */
static int high_bits(uint8_t *out, const struct key *key, const uint8_t *sig, unsigned row,
                     const mld_polyvecl *z, const mld_poly *c)
{
    alignas(32) mld_poly w, t;
    if (mld_sig_unpack_hints(&t, sig, row) != 0)
        return HR_EMAC;
    mld_poly ct1 = key->t1.vec[row];
    mld_poly_pointwise_montgomery(&ct1, c);
    mld_polyvec_matrix_pointwise_montgomery_row(&w, (mld_polymat *)&key->a, z, row);
    mld_poly_sub(&w, &ct1);
    mld_poly_reduce(&w);
    mld_poly_invntt_tomont(&w);
    mld_poly_caddq(&w);
    mld_poly_use_hint(&w, &t);
    mld_polyw1_pack(out, &w);
    return 0;
}

/* Algorithm 8 (ML-DSA.Verify_internal) from line 8 on.  All of it is public. */
static int check(const uint8_t *sig, const uint8_t *mu, const struct key *key)
{
    uint8_t w1[MLDSA_K * MLDSA_POLYW1_PACKEDBYTES], again[MLDSA_CTILDEBYTES];
    alignas(32) mld_polyvecl z;
    alignas(32) mld_poly c;

    mld_polyvecl_unpack_z(&z, sig + MLDSA_SIG_Z_OFFSET);
    if (mld_polyvecl_chknorm(&z, MLDSA_GAMMA1 - MLDSA_BETA))
        return HR_EMAC;
    mld_polyvecl_ntt(&z);
    mld_poly_challenge(&c, sig);
    mld_poly_ntt(&c);
    for (unsigned k = 0; k < MLDSA_K; k++)
        if (high_bits(w1 + k * MLDSA_POLYW1_PACKEDBYTES, key, sig, k, &z, &c) != 0)
            return HR_EMAC;
    mld_H(again, sizeof again, mu, MLDSA_CRHBYTES, w1, sizeof w1, NULL, 0);
    return memcmp(again, sig, sizeof again) == 0 ? 0 : HR_EMAC;
}

static int key_verify(const uint8_t *sig, const uint8_t *mu, const struct mldsa_key *public)
{
    const int error = check(sig, mu, (const struct key *)public);
    BACKEND_END();
    return error;
}

#define MLDSA_NAME_(set, suffix) mldsa##set##_##suffix
#define MLDSA_NAME(set, suffix) MLDSA_NAME_(set, suffix)
#define MLDSA_SIZE_(set) MLDSA##set##_KEY_SIZE
#define MLDSA_SIZE(set) MLDSA_SIZE_(set)
static_assert(sizeof(struct key) == MLDSA_SIZE(SET), "what mldsa.c says");
static_assert(MLDSA_CRYPTO_BYTES <= MLDSA_MAX_SIGNATURE, "buffers of mldsa.c");
const struct mldsa_code MLDSA_NAME(SET, SUFFIX) = {
    .private_at = offsetof(struct key, sk),
    .private_len = MLDSA_CRYPTO_SECRETKEYBYTES,
    .public_len = MLDSA_CRYPTO_PUBLICKEYBYTES,
    .signature_len = MLDSA_CRYPTO_BYTES,
    .generate = key_generate,
    .load_public = key_load_public,
    .load_private = key_load_private,
    .sign = key_sign,
    .verify = key_verify,
};
