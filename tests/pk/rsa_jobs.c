/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of RSA. */
#include "rsa_jobs.h"
#include "class.h"
#include "jobs.h"
#include "rsa/rsa.h"
#include "test.h"
#include <headrace/algorithms.h>

/* Whether two jobs have encrypted a message, to the text that is wanted, and decrypted it. */
static int have_run(const struct hr_job *encrypt, const struct hr_job *decrypt, const uint8_t *want,
                    size_t len)
{
    CT_PUBLIC(encrypt->tag, len);
    CT_PUBLIC(decrypt->tag, encrypt->len);
    return !encrypt->result && !decrypt->result && decrypt->tag_len == encrypt->len &&
           !memcmp(encrypt->tag, want, len) && !memcmp(decrypt->tag, encrypt->in, encrypt->len);
}

/* A job encrypts as the call does, and another decrypts, alone, in a chain and from a queue. */
void rsa_check_cipher_jobs(const struct hr_rsa_key *key, const struct hr_rsa_key *public_key)
{
    static const uint8_t message[5] = "salt", seed[32] = { 5 };
    const struct hr_rsa_options options = { .padding = HR_RSA_OAEP,
                                            .digest = HR_SHA256,
                                            .random = seed };
    uint8_t want[RSA_PRIVATE_BYTES], text[RSA_PRIVATE_BYTES], back[RSA_PRIVATE_BYTES];
    size_t len = sizeof want;
    struct hr_job encrypt = { .alg = (uint16_t)rsa_class.key_alg(key),
                              .op = HR_JOB_PK_ENCRYPT,
                              .key_form = HR_KEY_OBJECT,
                              .key = public_key,
                              .in = message,
                              .len = sizeof message,
                              .tag = text,
                              .options = &options };
    struct hr_job decrypt = encrypt, *done[1], *job = &encrypt;
    struct hr_queue *queue = NULL;
    const size_t memory_len = hr_queue_local_size(1);
    void *const memory = malloc(memory_len);
    if (hr_rsa_encrypt(want, &len, message, sizeof message, public_key, &options))
        complain("encrypt");
    CT_PUBLIC(want, len);
    decrypt.op = HR_JOB_PK_DECRYPT;
    decrypt.key = key;
    decrypt.in = text;
    decrypt.len = len;
    decrypt.tag = back;
    encrypt.next = &decrypt;
    if (hr_job_run(&encrypt) || !have_run(&encrypt, &decrypt, want, len))
        complain("jobs do not encrypt and decrypt as the calls do");
    decrypt.tag_len = 0;
    memset(text, 0, sizeof text);
    memset(back, 0, sizeof back);
    if (!memory || hr_queue_local(&queue, memory, memory_len, 1) ||
        hr_queue_submit(queue, &job, 1) != 1 || hr_queue_poll(queue, done, 1, 1) != 1 ||
        !have_run(&encrypt, &decrypt, want, len))
        complain("a queue's jobs do not encrypt and decrypt");
    hr_queue_close(queue);
    free(memory);
    decrypt.tag_len = sizeof message - 1;
    if (hr_job_run(&decrypt) != HR_EBUFFER || decrypt.tag_len != sizeof message - 1)
        complain("a job decrypts without room");
    text[len - 1] ^= 1;
    decrypt.tag_len = 0;
    if (hr_job_run(&decrypt) != HR_EPADDING || decrypt.tag_len)
        complain("a job decrypts a wrong text");
    decrypt.key = public_key;
    if (hr_job_run(&decrypt) != HR_ESTATE)
        complain("a job decrypts by a public key");
    decrypt.op = 4;
    if (hr_job_run(&decrypt) != HR_EINVAL)
        complain("a job of an operation that the class lacks");
    struct hr_job other = { .alg = HR_ED25519, .op = HR_JOB_PK_DECRYPT, .key_form = HR_KEY_OBJECT };
    other.key = key;
    if (hr_job_run(&other) != HR_EINVAL)
        complain("a job decrypts by an algorithm of signatures");
    tap(1, "jobs encrypt and decrypt");
}

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
