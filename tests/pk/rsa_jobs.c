/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of RSA. */
#include "rsa_jobs.h"
#include "class.h"
#include "jobs.h"
#include "rsa/rsa.h"
#include "test.h"
#include <headrace/algorithms.h>

/* A job signs as the call does, with the same salt, and another verifies it. */
void rsa_check_jobs(const struct hr_rsa_key *key, const struct hr_rsa_key *public_key)
{
    static const uint8_t digest[32] = { 7 }, salt[32] = { 9 };
    const struct hr_rsa_options options = {
        .padding = HR_RSA_PSS, .digest = HR_SHA256, .salt_len = HR_RSA_SALT_DIGEST, .random = salt
    };
    uint8_t sig[RSA_PRIVATE_BYTES], want[RSA_PRIVATE_BYTES];
    size_t len = sizeof want;
    const hr_alg alg = rsa_class.key_alg(key);
    struct hr_job verify = { .alg = (uint16_t)alg,
                             .op = HR_JOB_VERIFY,
                             .key_form = HR_KEY_OBJECT,
                             .key = public_key,
                             .in = digest,
                             .len = sizeof digest,
                             .tag = sig,
                             .options = &options };
    struct hr_job job = verify;
    job.op = HR_JOB_SIGN;
    job.key = key;
    if (hr_rsa_sign(want, &len, digest, sizeof digest, key, &options))
        complain("sign");
    CT_PUBLIC(want, sizeof want);
    check_sign_jobs(&job, &verify, want, len);
    job.tag_len = (uint32_t)len - 1;
    if (hr_job_run(&job) != HR_EBUFFER)
        complain("a job signs without room");
    job.key = public_key;
    job.tag_len = 0;
    if (hr_job_run(&job) != HR_ESTATE)
        complain("a job signs under a public key");
    job.key = key;
    job.alg = alg == HR_RSA1024 ? HR_RSA2048 : HR_RSA1024;
    if (hr_job_run(&job) != HR_ESTATE)
        complain("a job signs under a key of another size");
    static const hr_alg others[] = { HR_DSA1024, HR_DSA2048, HR_DSA3072, HR_ED25519 };
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        job.alg = (uint16_t)others[i];
        if (hr_job_run(&job) != HR_ESTATE)
            complain("a job of another class signs");
    }
    job.alg = (uint16_t)alg;
    job.options = NULL;
    if (hr_job_run(&job) != HR_EINVAL)
        complain("a job signs without options");
    tap(1, "jobs");
}
