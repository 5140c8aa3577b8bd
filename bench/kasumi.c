/* SPDX-License-Identifier: Apache-2.0 */
/* f8 of KASUMI, 512 messages of 256 bytes under 512 keys: by every kernel one message after the
 * other, by tables (kasumi_tables.c), side by side, and by intel-ipsec-mb; with one thread and with
 * two at once, which share the caches that tables want.  Contenders take turns, a slice each; the
 * table has medians of CPU time.
 *
 *   bench/kasumi.sh BUILD [PEERS [ROUNDS]] */
#include "kasumi.h"
#include <headrace/algorithms.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 12, MOST_ROUNDS = 201, THREADS = 2 };

static struct messages messages[THREADS];
static struct contender contenders[MOST];
static unsigned num;
static double times[MOST][THREADS][MOST_ROUNDS];

static void fill(struct messages *m, unsigned seed)
{
    srand(seed);
    for (int i = 0; i < MANY; i++) {
        for (int j = 0; j < LEN; j++)
            m->in[i][j] = (uint8_t)rand();
        for (int j = 0; j < 16; j++)
            m->keys[i][j] = (uint8_t)rand();
        m->list[i] = (struct hr_kasumi_f8_message){ m->out[i],        m->in[i], 8 * LEN, m->keys[i],
                                                    (uint32_t)rand(), 5,        1 };
    }
}

/* ---- contenders ---- */

static void side_by_side(struct messages *m, void *keys)
{
    if (hr_kasumi_f8_many(m->list, MANY))
        abort();
}

static void bit_calls(struct messages *m, void *keys)
{
    for (int i = 0; i < MANY; i++) {
        const struct hr_kasumi_f8_message *const f = &m->list[i];
        if (hr_kasumi_f8_bits(f->out, f->in, f->num_bits, f->key, f->count, f->bearer,
                              f->direction))
            abort();
    }
}

static void kept_keys(struct messages *m, void *keys)
{
    const struct hr_cipher_key *const k = keys;
    uint8_t iv[8];
    for (int i = 0; i < MANY; i++) {
        hr_kasumi_f8_iv(iv, m->list[i].count, 5, 1);
        if (hr_kasumi_f8_encrypt(m->out[i], m->in[i], LEN, &k[i], iv))
            abort();
    }
}

static void add_kernels(const struct messages *m)
{
    struct hr_kernel kernel;
    for (size_t i = 0; !hr_kernel_at(&kernel, HR_KASUMI_F8, HR_OP_ENCRYPT, i); i++) {
        struct hr_cipher_key *keys = calloc(MANY, sizeof *keys);
        char *name = malloc(64);
        int error = !keys || !name;
        for (int k = 0; !error && k < MANY; k++)
            error =
                hr_cipher_key_init_kernel(&keys[k], HR_KASUMI_F8, HR_OP_ENCRYPT, i, m->keys[k], 16);
        if (error)
            continue;
        snprintf(name, 64, "one message, kept keys: %s", kernel.name);
        contenders[num++] = (struct contender){ name, kept_keys, keys, 1 };
    }
}

/* ---- time ---- */

/* now returns the CPU time of this thread in nanoseconds, to which other programs add little. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static pthread_barrier_t barrier;
static double other_time;

static void *other_thread(void *arg)
{
    const struct contender *const c = arg;
    pthread_barrier_wait(&barrier);
    const double start = now();
    for (unsigned i = 0; i < c->repeat; i++)
        c->run(&messages[1], c->keys);
    other_time = now() - start;
    return NULL;
}

static double time_of(const struct contender *c, int threads)
{
    pthread_t other;
    if (threads == 2) {
        pthread_barrier_init(&barrier, NULL, 2);
        if (pthread_create(&other, NULL, other_thread, (void *)c))
            abort();
        pthread_barrier_wait(&barrier);
    }
    const double start = now();
    for (unsigned i = 0; i < c->repeat; i++)
        c->run(&messages[0], c->keys);
    const double mine = now() - start;
    if (threads == 1)
        return mine;
    pthread_join(other, NULL);
    return (mine + other_time) / 2;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 31;
    if (rounds < 1 || rounds > MOST_ROUNDS)
        rounds = MOST_ROUNDS;
    for (unsigned t = 0; t < THREADS; t++)
        fill(&messages[t], 1 + t);
    num = peer_contenders(contenders, &messages[0]);
    contenders[num++] = (struct contender){ "512 messages side by side", side_by_side, NULL, 1 };
    contenders[num++] = (struct contender){ "one message, a key in bytes", bit_calls, NULL, 1 };
    add_kernels(&messages[0]);
    num += table_contenders(contenders + num, &messages[0]);
    for (unsigned i = 0; i < num; i++) { /* slices of some 5 ms */
        contenders[i].repeat = 1;
        (void)time_of(&contenders[i], 1);
        contenders[i].repeat += (unsigned)(5e6 / time_of(&contenders[i], 1));
    }
    for (int r = 0; r < rounds; r++)
        for (int threads = 1; threads <= THREADS; threads++)
            for (unsigned i = 0; i < num; i++)
                times[i][threads - 1][r] = time_of(&contenders[i], threads) / contenders[i].repeat;
    printf(
        "| f8, 512 x 256 B | 1 thread, ns/B | 2 threads, ns/B in all | of one | first / this |\n");
    printf("|---|---|---|---|---|\n");
    double first = 0;
    for (unsigned i = 0; i < num; i++) {
        double ns[THREADS];
        for (int t = 0; t < THREADS; t++) {
            qsort(times[i][t], (size_t)rounds, sizeof(double), by_value);
            ns[t] = times[i][t][rounds / 2] / (MANY * LEN) / (t + 1);
        }
        first = i ? first : ns[0];
        printf("| %s | %.3f | %.3f | %.2f | %.1f |\n", contenders[i].name, ns[0], ns[1],
               ns[0] / ns[1], first / ns[0]);
    }
    return 0;
}
