/* SPDX-License-Identifier: Apache-2.0 */
/* intel-ipsec-mb's multi-buffer manager: bursts without argument checks where it has them, else
 * jobs one by one and a flush; and one job alone. */
#include "lanes.h"
#include <headrace/algorithms.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define LINUX 1 /* the library's header aligns its structures only if this is defined */
#include <intel-ipsec-mb.h>

static IMB_MGR *manager;
static IMB_JOB jobs[MOST];
static uint8_t schedule[2][16 * 16] __attribute__((aligned(64)));
static uint8_t pads[2][128] __attribute__((aligned(64)));
static uint8_t iv[16];

static const struct {
    hr_alg alg;
    IMB_HASH_ALG hash;
    unsigned tag_len;
    int burst;
} hashes[] = {
    { HR_SHA1, IMB_AUTH_SHA_1, 20, 1 },
    { HR_SHA256, IMB_AUTH_SHA_256, 32, 1 },
    { HR_SHA512, IMB_AUTH_SHA_512, 64, 1 },
    { HR_HMAC_MD5, IMB_AUTH_MD5, 16, 0 },
    { HR_HMAC_SHA1, IMB_AUTH_HMAC_SHA_1, 20, 1 },
    { HR_HMAC_SHA256, IMB_AUTH_HMAC_SHA_256, 32, 1 },
    { HR_HMAC_SHA512, IMB_AUTH_HMAC_SHA_512, 64, 1 },
};

static void run_jobs(const struct bench_cell *c, size_t num)
{
    size_t done = 0;
    for (size_t i = 0; i < num; i++) {
        *IMB_GET_NEXT_JOB(manager) = jobs[i];
        done += IMB_SUBMIT_JOB_NOCHECK(manager) != NULL;
    }
    while (done < num && IMB_FLUSH_JOB(manager))
        done++;
}

static void run_all_jobs(const struct bench_cell *c)
{
    run_jobs(c, c->row->many);
}

static void run_one_job(const struct bench_cell *c)
{
    run_jobs(c, 1);
}

static void run_hash_burst(const struct bench_cell *c)
{
    IMB_SUBMIT_HASH_BURST_NOCHECK(manager, jobs, (uint32_t)c->row->many, jobs[0].hash_alg);
}

static void run_cipher_burst(const struct bench_cell *c)
{
    IMB_SUBMIT_CIPHER_BURST_NOCHECK(manager, jobs, (uint32_t)c->row->many, jobs[0].cipher_mode,
                                    jobs[0].cipher_direction, jobs[0].key_len_in_bytes);
}

/* set_des3 makes *job a job of 3DES; all jobs share its three key schedules. */
static void set_des3(IMB_JOB *job, const struct bench_cell *c)
{
    static uint64_t schedules[3][IMB_DES_KEY_SCHED_SIZE / 8] __attribute__((aligned(64)));
    static const void *of_all[3];
    for (size_t i = 0; i < 3; i++) {
        IMB_DES_KEYSCHED(manager, schedules[i], c->key + 8 * i);
        of_all[i] = schedules[i];
    }
    job->cipher_mode = IMB_CIPHER_DES3;
    job->hash_alg = IMB_AUTH_NULL;
    job->key_len_in_bytes = 24;
    job->enc_keys = job->dec_keys = of_all;
    job->iv = iv;
    job->iv_len_in_bytes = 8;
    job->msg_len_to_cipher_in_bytes = c->len;
}

static void set_cipher(IMB_JOB *job, const struct bench_cell *c)
{
    const int wide = hr_algorithm(c->row->alg)->key_len == 32;
    if (wide)
        IMB_AES_KEYEXP_256(manager, c->key, schedule[0], schedule[1]);
    else
        IMB_AES_KEYEXP_128(manager, c->key, schedule[0], schedule[1]);
    job->cipher_mode =
        hr_algorithm(c->row->alg)->mode == HR_MODE_CBC ? IMB_CIPHER_CBC : IMB_CIPHER_CFB;
    job->hash_alg = IMB_AUTH_NULL;
    job->key_len_in_bytes = wide ? 32 : 16;
    job->enc_keys = schedule[0];
    job->dec_keys = schedule[1];
    job->iv = iv;
    job->iv_len_in_bytes = 16;
    job->msg_len_to_cipher_in_bytes = c->len;
}

static bench_run *set_jobs(const struct bench_cell *c)
{
    IMB_JOB job;
    bench_run *run = run_all_jobs;
    memset(&job, 0, sizeof job);
    job.cipher_direction = IMB_DIR_ENCRYPT;
    job.chain_order = IMB_ORDER_CIPHER_HASH;
    if (c->row->alg == HR_DES_EDE3_CBC) {
        set_des3(&job, c);
    } else if (c->row->cipher && c->row->alg > HR_AES_256_CFB128) {
        return NULL; /* the library has no other ciphers */
    } else if (c->row->cipher) {
        set_cipher(&job, c);
        run = run_cipher_burst;
    } else {
        size_t i = 0;
        while (i < sizeof hashes / sizeof *hashes && hashes[i].alg != c->row->alg)
            i++;
        if (i == sizeof hashes / sizeof *hashes)
            return NULL;
        job.cipher_mode = IMB_CIPHER_NULL;
        job.hash_alg = hashes[i].hash;
        job.msg_len_to_hash_in_bytes = c->len;
        job.auth_tag_output_len_in_bytes = hashes[i].tag_len;
        if (c->row->mac)
            imb_hmac_ipad_opad(manager, job.hash_alg, c->key, 32, pads[0], pads[1]);
        job.u.HMAC._hashed_auth_key_xor_ipad = pads[0];
        job.u.HMAC._hashed_auth_key_xor_opad = pads[1];
        if (hashes[i].burst)
            run = run_hash_burst;
    }
    for (size_t i = 0; i < c->row->many; i++) {
        job.src = c->in[i];
        job.dst = c->out[i];
        job.auth_tag_output = c->tag[i];
        jobs[i] = job;
    }
    return run;
}

bench_run *ipsecmb_cell(const struct bench_cell *c)
{
    if (!manager) {
        manager = alloc_mb_mgr(0);
        if (!manager)
            return NULL;
        init_mb_mgr_auto(manager, NULL);
    }
    return set_jobs(c);
}

bench_run *ipsecmb_one_cell(const struct bench_cell *c)
{
    return ipsecmb_cell(c) ? run_one_job : NULL;
}
