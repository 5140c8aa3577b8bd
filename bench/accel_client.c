/* SPDX-License-Identifier: Apache-2.0 */
/* accel_client SOCKET|direct ROW SIZE TIMES [DEPTH]: a client whose instructions
 * accel_instructions.sh counts.  It makes DEPTH requests at a time (default 1) through the ring, or
 * direct calls with an expanded key.  A row of signatures or key agreement has a key of its own,
 * which is lent to the service; SIZE is the message's length, and of no meaning for agreement. */
#include <headrace/accel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 128, MAX_SIZE = 1 << 16 };

static uint8_t key[32] = "a key of thirty-two bytes.......", iv[16], in[MAX_SIZE], out[MAX_SIZE],
               tag[64], pk_tag[8192];

static int fail(const char *what, int error)
{
    fprintf(stderr, "accel_client: %s: %s\n", what, hr_strerror(error));
    return 1;
}

/* Submits all jobs to the queue and polls until all are done. */
static int round_trip(struct hr_queue *queue, struct hr_job *const *jobs, size_t depth)
{
    struct hr_job *done[MAX_DEPTH];
    for (size_t n = 0; n < depth;) {
        const int taken = hr_queue_submit(queue, jobs + n, depth - n);
        if (taken <= 0)
            return fail("submit", taken);
        n += (size_t)taken;
    }
    for (size_t n = 0; n < depth;) {
        const int got = hr_queue_poll(queue, done, MAX_DEPTH, depth - n);
        for (int i = 0; i < got; i++)
            if (done[i]->result)
                return fail("a request", done[i]->result);
        n += (size_t)got;
    }
    return 0;
}

/* by_ring makes at least `times` requests through the ring, with `depth` jobs like `job` at a time.
 * Each job has its own data and outputs if there is room for all of them. */
static int by_ring(const char *path, const struct hr_job *job, unsigned long times, size_t depth)
{
    static struct hr_job each[MAX_DEPTH];
    static uint8_t tags[MAX_DEPTH][sizeof pk_tag];
    struct hr_job *jobs[MAX_DEPTH];
    struct hr_queue *queue;
    const int error = hr_queue_connect(&queue, path);
    if (error || !hr_queue_connected(queue))
        return fail(path, error ? error : HR_EGONE);
    for (size_t i = 0; i < depth; i++) {
        const int own = depth * job->len <= MAX_SIZE && job->key_form != HR_KEY_OBJECT;
        const size_t at = own ? i * job->len : 0;
        each[i] = *job;
        each[i].in = in + at;
        each[i].out = job->out ? out + at : NULL;
        each[i].tag = job->tag ? tags[i] : NULL;
        jobs[i] = &each[i];
    }
    for (unsigned long n = 0; n < times; n += depth)
        if (round_trip(queue, jobs, depth))
            return 1;
    hr_queue_close(queue);
    return 0;
}

static int by_calls(struct hr_job *job, unsigned long times)
{
    static struct hr_hmac_key hmac;
    static struct hr_cipher_key cipher;
    const int mac = hr_algorithm((hr_alg)job->alg)->cls == HR_CLASS_MAC;
    const int error = mac ? hr_hmac_key_init(&hmac, (hr_alg)job->alg, key, job->key_len)
                          : hr_cipher_key_init(&cipher, (hr_alg)job->alg, key, job->key_len);
    if (error)
        return fail("key", error);
    while (times--)
        if (mac ? hr_hmac(tag, in, job->len, &hmac)
                : hr_cipher_encrypt(out, in, job->len, &cipher, iv, job->iv_len))
            return fail("a call", HR_EINVAL);
    return 0;
}

/* make_pk makes a job of public key, with a new key.  With `lend` the service gets it too. */
static int make_pk(struct hr_job *job, const struct hr_algorithm *row, int lend)
{
    static struct hr_sign_key sign;
    static struct hr_agree_key agree;
    uint8_t private[8192];
    size_t len = sizeof private, public_len = MAX_SIZE;
    const int signs = row->cls == HR_CLASS_SIGN;
    int error = signs ? hr_sign_key_generate(&sign, row->alg, NULL)
                      : hr_agree_key_generate(&agree, row->alg, NULL);
    if (!error)
        error = signs ? hr_sign_key_private(private, &len, &sign)
                      : hr_agree_key_private(private, &len, &agree);
    if (!error && !signs) {
        error = hr_agree_key_public(in, &public_len, &agree);
        job->len = public_len;
    }
    job->key_form = HR_KEY_OBJECT;
    job->key = signs ? (const void *)&sign : &agree;
    job->tag = pk_tag;
    if (!error && lend)
        error = hr_accel_lend(&job->handle, row->alg, private, len, NULL, 0);
    memset(private, 0, sizeof private);
    return error ? fail("a key of public key", error) : 0;
}

static int pk_calls(struct hr_job *job, unsigned long times)
{
    while (times--)
        if (hr_job_run(job))
            return fail("a call", job->result);
    return 0;
}

static int run_pk(const char *how, const struct hr_algorithm *row, size_t size, unsigned long times,
                  size_t depth)
{
    struct hr_job job = { .alg = (uint16_t)row->alg, .in = in, .len = size };
    const int lend = strcmp(how, "direct") != 0;
    struct hr_queue *queue;
    if (lend && hr_queue_connect(&queue, how))
        return fail(how, HR_EGONE);
    if (make_pk(&job, row, lend))
        return 1;
    return lend ? by_ring(how, &job, times, depth) : pk_calls(&job, times);
}

static void print_kernel(const struct hr_algorithm *row)
{
    struct hr_kernel kernel;
    const int mac = row->cls == HR_CLASS_MAC;
    const hr_alg alg = mac ? row->digest : row->alg;
    const enum hr_op op = mac ? HR_OP_DIGEST : HR_OP_ENCRYPT;
    const int i = hr_kernel_chosen(alg, op);
    if (i >= 0 && !hr_kernel_at(&kernel, alg, op, (size_t)i))
        puts(kernel.name);
}

static int usage(void)
{
    fputs("usage: accel_client SOCKET|direct ROW SIZE TIMES [DEPTH]\n", stderr);
    return 2;
}

int main(int argc, char **argv)
{
    const struct hr_algorithm *row = argc == 5 || argc == 6 ? hr_algorithm_by_name(argv[2]) : NULL;
    const unsigned long size = row ? strtoul(argv[3], NULL, 10) : 0;
    const unsigned long times = row ? strtoul(argv[4], NULL, 10) : 0;
    const unsigned long depth = argc == 6 ? strtoul(argv[5], NULL, 10) : 1;
    if (row && depth && depth <= MAX_DEPTH && size <= MAX_SIZE &&
        (row->cls == HR_CLASS_SIGN || row->cls == HR_CLASS_AGREE))
        return run_pk(argv[1], row, size, times, depth);
    if (!row || (row->cls != HR_CLASS_MAC && row->cls != HR_CLASS_CIPHER) || size > MAX_SIZE ||
        !depth || depth > MAX_DEPTH)
        return usage();
    const int cipher = row->cls == HR_CLASS_CIPHER;
    struct hr_job job = { .alg = (uint16_t)row->alg,
                          .key_form = HR_KEY_BYTES,
                          .key = key,
                          .key_len = cipher ? row->key_len : sizeof key,
                          .iv = iv,
                          .iv_len = cipher ? row->iv_len : 0,
                          .in = in,
                          .out = cipher ? out : NULL,
                          .tag = cipher ? NULL : tag,
                          .len = size };
    print_kernel(row);
    return strcmp(argv[1], "direct") ? by_ring(argv[1], &job, times, depth) : by_calls(&job, times);
}
