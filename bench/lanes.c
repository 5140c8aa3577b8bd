/* SPDX-License-Identifier: Apache-2.0 */
/* lanes [-n ROUNDS] [-a NAME] [-s LEN]: compares a queue's lanes with OpenSSL (one message after
 * the other), with intel-ipsec-mb's batches, and with Headrace's own direct calls; and a single job
 * in a queue with the direct call.  All take turns in one process (A B A B); a figure is the median
 * of the rounds' ratios, where more than 1 means that Headrace is faster.  Outputs are compared; if
 * one differs, the run fails. */
#include "lanes.h"
#include <headrace/algorithms.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_ROUNDS = 201 };

static const struct bench_row rows[] = {
    /* the last number: messages at once, as many as the widest kernel has lanes, or 64 */
    { "MD5", HR_MD5, 0, 0, 64 },
    { "SHA-1", HR_SHA1, 0, 0, 64 },
    { "SHA-256", HR_SHA256, 0, 0, 64 },
    { "SHA-512", HR_SHA512, 0, 0, 64 },
    { "HMAC-MD5", HR_HMAC_MD5, 0, 1, 64 },
    { "HMAC-SHA-1", HR_HMAC_SHA1, 0, 1, 64 },
    { "HMAC-SHA-256", HR_HMAC_SHA256, 0, 1, 64 },
    { "HMAC-SHA-512", HR_HMAC_SHA512, 0, 1, 64 },
    { "AES-128-CBC", HR_AES_128_CBC, 1, 0, 64 },
    { "AES-256-CBC", HR_AES_256_CBC, 1, 0, 64 },
    { "AES-128-CFB128", HR_AES_128_CFB128, 1, 0, 64 },
    { "DES-EDE3-CBC", HR_DES_EDE3_CBC, 1, 0, 512 },
    { "DES-EDE3-CFB64", HR_DES_EDE3_CFB64, 1, 0, 512 },
    { "CAMELLIA-128-CBC", HR_CAMELLIA_128_CBC, 1, 0, 64 },
    { "CAMELLIA-256-CBC", HR_CAMELLIA_256_CBC, 1, 0, 64 },
};
static const size_t lens[] = { 16, 64, 256, 1024, 4096, 16384 };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* does not count the time of other programs */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const char *who, const struct bench_cell *c)
{
    fprintf(stderr, "lanes: %s, %s, %zu bytes: wrong\n", who, c->row->name, c->len);
    exit(1);
}

/* ---- Headrace ---- */

static struct hr_queue *queue;
static struct hr_job jobs[MOST], *list[MOST], *done[MOST];
static union {
    struct hr_hmac_key hmac;
    struct hr_cipher_key cipher;
} key;
static const uint8_t iv[16];

static void run_some(const struct bench_cell *c, size_t num)
{
    if (hr_queue_submit(queue, list, num) != (int)num ||
        hr_queue_poll(queue, done, num, num) != (int)num)
        fail("queue", c);
}

static void run_lanes(const struct bench_cell *c)
{
    run_some(c, c->row->many);
}

static void run_alone(const struct bench_cell *c)
{
    run_some(c, 1);
}

static void run_one_direct(const struct bench_cell *c)
{
    int error;
    if (c->row->cipher)
        error = hr_cipher_encrypt(c->out[0], c->in[0], c->len, &key.cipher, iv,
                                  hr_algorithm(c->row->alg)->iv_len);
    else if (c->row->mac)
        error = hr_hmac(c->tag[0], c->in[0], c->len, &key.hmac);
    else
        error = hr_digest(c->tag[0], c->row->alg, c->in[0], c->len);
    if (error)
        fail("direct call", c);
}

static bench_run *ours_cell(const struct bench_cell *c)
{
    const struct hr_algorithm *row = hr_algorithm(c->row->alg);
    int error = 0;
    if (c->row->cipher)
        error = hr_cipher_key_init(&key.cipher, row->alg, c->key, row->key_len);
    else if (c->row->mac)
        error = hr_hmac_key_init(&key.hmac, row->alg, c->key, 32);
    for (size_t i = 0; i < c->row->many; i++) {
        jobs[i] = (struct hr_job){ .alg = (uint16_t)row->alg, .in = c->in[i], .len = c->len };
        jobs[i].key_form = c->row->cipher || c->row->mac ? HR_KEY_OBJECT : HR_KEY_NONE;
        jobs[i].key = jobs[i].key_form ? &key : NULL;
        jobs[i].tag = c->row->cipher ? NULL : c->tag[i];
        jobs[i].out = c->row->cipher ? c->out[i] : NULL;
        jobs[i].iv = iv;
        jobs[i].iv_len = row->iv_len;
        list[i] = &jobs[i];
    }
    if (error)
        fail("key", c);
    return run_lanes;
}

static bench_run *alone_cell(const struct bench_cell *c)
{
    return ours_cell(c) ? run_alone : NULL;
}

static bench_run *direct_cell(const struct bench_cell *c)
{
    return ours_cell(c) ? run_one_direct : NULL;
}

/* ---- rounds ---- */

static const struct contender {
    const char *name;
    bench_run *(*cell)(const struct bench_cell *cell);
    int many; /* whether a run processes many messages, or one */
} contenders[] = {
    { "lanes", ours_cell, 1 },       { "OpenSSL", openssl_cell, 1 },
    { "ipsec-mb", ipsecmb_cell, 1 }, { "alone", alone_cell, 0 },
    { "direct", direct_cell, 0 },    { "ipsec-mb alone", ipsecmb_one_cell, 0 },
};
enum { LANES, OPENSSL, IPSECMB, ALONE, DIRECT, IPSECMB_ALONE, NUM };

/* time_run returns nanoseconds a message; a run processes `num` messages. */
static double time_run(bench_run *run, const struct bench_cell *c, size_t num)
{
    size_t times = 1 + 300000 / (num * (200 + c->len / 2));
    const double begin = seconds();
    for (size_t i = 0; i < times; i++)
        run(c);
    return 1e9 * (seconds() - begin) / (double)(times * num);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *of, size_t num)
{
    double sorted[MAX_ROUNDS];
    memcpy(sorted, of, num * sizeof *of);
    qsort(sorted, num, sizeof *sorted, by_size);
    return sorted[num / 2];
}

static void clear(const struct bench_cell *c)
{
    for (size_t i = 0; i < c->row->many; i++) {
        memset(c->tag[i], 0, 64);
        memset(c->out[i], 0, c->len);
    }
}

/* sum returns a sum over the outputs of `num` messages, which must be the same for all contenders.
 * The order of the messages does not count, since 3DES in intel-ipsec-mb 2.0's 16 lanes of AVX-512
 * exchanges the outputs of two neighbours. */
static uint64_t sum(const struct bench_cell *c, size_t num)
{
    uint64_t all = 0;
    for (size_t i = 0; i < num; i++) {
        uint64_t x = 0;
        for (size_t j = 0; j < (c->row->cipher ? c->len : 16); j++)
            x = x * 0x100000001b3 + (c->row->cipher ? c->out[i][j] : c->tag[i][j]);
        all += x;
    }
    return all;
}

static void print_ratio(double ns[NUM][MAX_ROUNDS], size_t rounds, int a, int b)
{
    double ratios[MAX_ROUNDS];
    if (ns[a][0] == 0 || ns[b][0] == 0) {
        printf("%9s", "-");
        return;
    }
    for (size_t r = 0; r < rounds; r++)
        ratios[r] = ns[b][r] / ns[a][r];
    printf("%9.2f", median(ratios, rounds));
}

static void run_cell(const struct bench_cell *c, size_t rounds)
{
    static double ns[NUM][MAX_ROUNDS];
    uint64_t sums[2] = { 0, 0 };
    for (size_t r = 0; r <= rounds; r++)
        for (int i = 0; i < NUM; i++) {
            const struct contender *who = &contenders[i];
            const size_t num = who->many ? c->row->many : 1;
            bench_run *run = who->cell(c);
            if (!run) {
                ns[i][r ? r - 1 : 0] = 0;
                continue;
            }
            if (r) {
                run(c);
                ns[i][r - 1] = time_run(run, c, num);
                continue;
            }
            clear(c);
            run(c);
            uint64_t *want = &sums[who->many];
            *want = *want ? *want : sum(c, num);
            if (sum(c, num) != *want)
                fail(who->name, c);
        }
    printf("%-16s%6zu%9.1f", c->row->name, c->len, median(ns[LANES], rounds));
    print_ratio(ns, rounds, LANES, OPENSSL);
    print_ratio(ns, rounds, LANES, IPSECMB);
    print_ratio(ns, rounds, LANES, DIRECT);
    print_ratio(ns, rounds, ALONE, DIRECT);
    print_ratio(ns, rounds, ALONE, IPSECMB_ALONE);
    printf("%9.1f\n", median(ns[ALONE], rounds));
    fflush(stdout);
}

static uint8_t *bytes(size_t len)
{
    uint8_t *p = aligned_alloc(64, len);
    if (!p)
        exit(1);
    for (size_t i = 0; i < len; i++)
        p[i] = (uint8_t)rand();
    return p;
}

int main(int argc, char **argv)
{
    size_t rounds = 31, only_len = 0;
    const char *only = NULL;
    for (int c; (c = getopt(argc, argv, "n:a:s:")) != -1;) {
        if (c == 'n')
            rounds = strtoul(optarg, NULL, 10);
        else if (c == 'a')
            only = optarg;
        else if (c == 's')
            only_len = strtoul(optarg, NULL, 10);
        else
            return 2;
    }
    if (!rounds || rounds > MAX_ROUNDS)
        return 2;
    struct bench_cell cell = { .key = bytes(64) };
    void *memory = aligned_alloc(64, (hr_queue_local_size(MOST) + 63) / 64 * 64);
    if (!memory || hr_queue_local(&queue, memory, hr_queue_local_size(MOST), MOST))
        return 1;
    for (size_t i = 0; i < MOST; i++) {
        cell.in[i] = bytes(LONGEST);
        cell.out[i] = bytes(LONGEST);
        cell.tag[i] = bytes(64);
    }
    printf("%-16s%6s%9s%9s%9s%9s%9s%9s%9s\n", "", "bytes", "lanes ns", ":OpenSSL", ":ipsecmb",
           ":direct", "1:direct", "1:ips.mb", "alone ns");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t l = 0; l < sizeof lens / sizeof *lens; l++) {
            cell.row = &rows[r];
            cell.len = lens[l];
            if ((!only || !strcmp(only, rows[r].name)) && (!only_len || only_len == lens[l]))
                run_cell(&cell, rounds);
        }
    hr_queue_close(queue);
}
