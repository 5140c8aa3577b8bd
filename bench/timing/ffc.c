/* SPDX-License-Identifier: Apache-2.0 */
/* DSA and DH in lanes: jobs under one key. */
#include "dh/dh.h"
#include "dsa/dsa.h"
#include "pk/many.h"
#include "timing.h"
#include <headrace/algorithms.h>
#include <openssl/dsa.h>
#include <openssl/evp.h>

static struct hr_dsa_key dsa;
static struct hr_dh_key dh, dh_peer;
static struct hr_job dsa_jobs[PK_MANY], dh_jobs[PK_MANY];
static uint8_t tags[PK_MANY][MOST_LIMBS * 8], digest[32], peer[MOST_LIMBS * 8];
static _Alignas(8) uint8_t fresh[32]; /* of nonces */

static void dsa_secrets(int class)
{
    struct dsa_key *const inner = (struct dsa_key *)&dsa;
    fill(inner->x, inner->q_num, class, 5);
    inner->x[inner->q_num - 1] >>= 1; /* below q */
    /* Nonces change in both classes, as how many are drawn until one is below q shows in times. */
    fill((uint64_t *)fresh, sizeof fresh / 8, 1, 0);
}

static void dh_secrets(int class)
{
    struct dh_key *const inner = (struct dh_key *)&dh;
    fill(inner->x, inner->x_bits / 64, class, 5);
}

static void run_jobs(struct hr_job *jobs)
{
    struct hr_job *list[PK_MANY];
    for (size_t i = 0; i < PK_MANY; i++)
        list[i] = &jobs[i];
    const unsigned kind = pk_kind(jobs);
    must(kind != 0, "sharing lanes");
    pk_run_kind(kind, list, PK_MANY);
    must(!jobs->result, "a job");
}

static void run_dsa(void)
{
    run_jobs(dsa_jobs);
}

static void run_dh(void)
{
    run_jobs(dh_jobs);
}

/* The group of DSA is libcrypto's. */
static void make_dsa_key(void)
{
    static const char *const names[] = { "p", "q", "g" };
    static uint8_t room[3][MOST_LIMBS * 8];
    struct hr_dsa_parts parts = { .p = { room[0], 0 } };
    struct hr_number *const part = &parts.p;
    EVP_PKEY *group = NULL;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "DSA", NULL);
    must(ctx && EVP_PKEY_paramgen_init(ctx) > 0 &&
             EVP_PKEY_CTX_set_dsa_paramgen_bits(ctx, 64 * MOST_LIMBS) > 0 &&
             EVP_PKEY_CTX_set_dsa_paramgen_q_bits(ctx, 256) > 0 &&
             EVP_PKEY_paramgen(ctx, &group) > 0,
         "a group");
    for (size_t i = 0; i < 3; i++) {
        BIGNUM *value = NULL;
        must(EVP_PKEY_get_bn_param(group, names[i], &value), names[i]);
        part[i] = (struct hr_number){ room[i], (size_t)BN_bn2bin(value, room[i]) };
        BN_free(value);
    }
    must(!hr_dsa_key_generate(&dsa, &parts), "a key");
    EVP_PKEY_free(group);
    EVP_PKEY_CTX_free(ctx);
}

void test_ffc(size_t num)
{
    static const struct hr_sign_options options = { .random = fresh };
    const struct hr_dh_params params = { .group = HR_DH_FFDHE2048, .private_bits = 256 };
    size_t len = sizeof peer;
    make_dsa_key();
    must(!hr_dh_key_generate(&dh, &params) && !hr_dh_key_generate(&dh_peer, &params) &&
             !hr_dh_public(peer, &len, &dh_peer),
         "a key");
    for (size_t i = 0; i < PK_MANY; i++) {
        dsa_jobs[i] = (struct hr_job){ .alg = HR_DSA2048,
                                       .op = HR_JOB_SIGN,
                                       .key_form = HR_KEY_OBJECT,
                                       .key = &dsa,
                                       .in = digest,
                                       .len = sizeof digest,
                                       .tag = tags[i],
                                       .options = &options };
        dh_jobs[i] = (struct hr_job){ .alg = HR_DH2048,
                                      .op = HR_JOB_DERIVE,
                                      .key_form = HR_KEY_OBJECT,
                                      .key = &dh,
                                      .in = peer,
                                      .len = len,
                                      .tag = tags[i] };
    }
    test("dsa, 8", "keys", dsa_secrets, run_dsa, num);
    test("dh, 8", "keys", dh_secrets, run_dh, num);
}
