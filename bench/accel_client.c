/* SPDX-License-Identifier: Apache-2.0 */
/* accel_client SOCKET|direct ROW SIZE TIMES: a client whose instructions accel_instructions.sh
 * counts: one request at a time, by the ring or by direct calls on a kept key. */
#include <headrace/accel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t key[32] = "a key of thirty-two bytes.......", iv[16], in[1 << 16], out[1 << 16],
               tag[64];

static int fail(const char *what, int error)
{
    fprintf(stderr, "accel_client: %s: %s\n", what, hr_strerror(error));
    return 1;
}

static int by_ring(const char *path, struct hr_job *job, unsigned long times)
{
    struct hr_queue *queue;
    struct hr_job *done;
    const int error = hr_queue_connect(&queue, path);
    if (error || !hr_queue_connected(queue))
        return fail(path, error ? error : HR_EGONE);
    while (times--)
        if (hr_queue_submit(queue, &job, 1) != 1 || hr_queue_poll(queue, &done, 1, 1) != 1 ||
            job->result)
            return fail("a request", job->result);
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

int main(int argc, char **argv)
{
    const struct hr_algorithm *row = argc == 5 ? hr_algorithm_by_name(argv[2]) : NULL;
    const unsigned long size = row ? strtoul(argv[3], NULL, 10) : sizeof in + 1;
    if (size > sizeof in || (row->cls != HR_CLASS_MAC && row->cls != HR_CLASS_CIPHER)) {
        fputs("usage: accel_client SOCKET|direct ROW SIZE TIMES\n", stderr);
        return 2;
    }
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
    return strcmp(argv[1], "direct") ? by_ring(argv[1], &job, strtoul(argv[4], NULL, 10))
                                     : by_calls(&job, strtoul(argv[4], NULL, 10));
}
