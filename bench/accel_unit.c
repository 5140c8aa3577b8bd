/* SPDX-License-Identifier: Apache-2.0 */
/* accel_unit lone SOCKET [ROUNDS]: the time of one operation of public key by the service's unit,
 * awake and asleep, and by a direct call, in turns; medians.
 * accel_unit peak SOCKET [ROUNDS]: signatures a second by the unit with 64 requests in the ring,
 * against 64 jobs in this thread's own queue, whose lanes are full: the peak of one thread.
 * accel_unit crowd SOCKET PROCESSES SECONDS [ROUNDS [rsa|p256 [WORK]]]:
 * signatures a second of so many processes, each of which signs one RSA-2048 (P-256) at a time, and
 * before each digests WORK KiB, as other work of a server: by the unit, by direct calls, by
 * OpenSSL; in turns. */
#define _GNU_SOURCE
#include "median.h"
#include "rsa_parts.h"
#include <headrace/accel.h>
#include <headrace/algorithms.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/rsa.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OUT = 8192, TRIES = 64 };

static struct hr_rsa_key rsa_key;
static struct hr_rsa_parts rsa_parts;
static EVP_PKEY *pkey;
static uint8_t digest[32] = { 1, 2, 3 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void fail(const char *what)
{
    fprintf(stderr, "accel_unit: %s\n", what);
    exit(1);
}

static void make_rsa(unsigned bits)
{
    pkey = EVP_RSA_gen(bits);
    if (!pkey || !rsa_parts_read(&rsa_parts, pkey) || hr_rsa_key_init(&rsa_key, &rsa_parts))
        fail("no RSA key");
}

/* ---- one at a time ---- */

enum { DIRECT_CALL, AWAKE, ASLEEP, NUM_STATES, PAUSE = 300 /* us */ };

/* Prints the medians of direct calls, of the unit, and of the unit when its threads sleep; they
 * take turns of TRIES calls. */
static void lone(const char *name, struct hr_job *job, int rounds)
{
    double *times[NUM_STATES];
    const size_t num = (size_t)rounds * TRIES;
    for (int s = 0; s < NUM_STATES; s++)
        times[s] = calloc(num, sizeof **times);
    for (size_t i = 0; i < num * NUM_STATES; i++) {
        const size_t turn = i / TRIES, state = turn % NUM_STATES;
        if (state == ASLEEP)
            usleep(PAUSE);
        const double start = now();
        const int error = state == DIRECT_CALL ? hr_job_run(job) : hr_accel_run(job);
        times[state][turn / NUM_STATES * TRIES + i % TRIES] = (now() - start) * 1e6;
        if (error)
            fail(hr_strerror(error));
    }
    const double d = median(times[DIRECT_CALL], num), u = median(times[AWAKE], num);
    printf("%-20s direct %8.2f us; unit awake %8.2f, %6.2f more, %s; 99 %% in %8.2f; asleep %6.2f "
           "more\n",
           name, d, u, u - d, u <= d * 1.05 + 3 ? "met" : "missed", times[AWAKE][num * 99 / 100],
           median(times[ASLEEP], num) - d);
    for (int s = 0; s < NUM_STATES; s++)
        free(times[s]);
}

/* ---- 64 at a time ---- */

enum { AT_ONCE = 64 };

static double rate_of(struct hr_queue *queue, struct hr_job *const *jobs)
{
    struct hr_job *done[AT_ONCE];
    const double start = now();
    for (int given = 0, got = 0; got < AT_ONCE;) { /* a ring may have room for fewer */
        const int taken = hr_queue_submit(queue, jobs + given, (size_t)(AT_ONCE - given));
        given += taken > 0 ? taken : 0;
        const int some = hr_queue_poll(queue, done, AT_ONCE, (size_t)(given - got));
        if (taken < 0 || some <= 0)
            fail("a queue");
        for (int i = 0; i < some; i++)
            if (done[i]->result)
                fail(hr_strerror(done[i]->result));
        got += some;
    }
    return AT_ONCE / (now() - start);
}

static void peak(const char *name, const struct hr_job *job, int rounds, struct hr_queue *unit)
{
    static uint8_t tags[AT_ONCE][4096];
    struct hr_job each[AT_ONCE], *jobs[AT_ONCE];
    struct hr_queue *own;
    double *rates[2] = { calloc((size_t)rounds, sizeof(double)),
                         calloc((size_t)rounds, sizeof(double)) };
    void *memory = malloc(hr_queue_local_size(AT_ONCE));
    if (hr_queue_local(&own, memory, hr_queue_local_size(AT_ONCE), AT_ONCE))
        fail("no queue");
    for (int i = 0; i < AT_ONCE; i++) {
        each[i] = *job;
        each[i].tag = memcpy(tags[i], job->tag, 512);
        jobs[i] = &each[i];
    }
    for (int i = 0; i < 2 * rounds; i++)
        rates[i % 2][i / 2] = rate_of(i % 2 ? unit : own, jobs);
    const double most = median(rates[0], (size_t)rounds), got = median(rates[1], (size_t)rounds);
    printf("%-20s own queue %8.0f/s, unit %8.0f/s, share of the peak %.2f\n", name, most, got,
           got / most);
    hr_queue_close(own);
    free(memory);
    free(rates[0]);
    free(rates[1]);
}

static struct hr_queue *peak_queue; /* NULL: one at a time */

static void measure(const char *name, struct hr_job *job, int rounds)
{
    if (peak_queue && job->out)
        return; /* jobs with outputs that would overlap */
    if (peak_queue)
        peak(name, job, rounds, peak_queue);
    else
        lone(name, job, rounds);
}

static void lone_row(hr_alg alg, int rounds)
{
    static struct hr_sign_key sign;
    static struct hr_agree_key agree;
    static struct hr_kem_key kem;
    static uint8_t in[OUT], tag[OUT], out[OUT], bytes[OUT];
    const struct hr_algorithm *row = hr_algorithm(alg);
    size_t len = sizeof bytes, in_len = 32;
    struct hr_job job = { .alg = (uint16_t)alg, .key_form = HR_KEY_OBJECT, .in = in, .tag = tag };
    int error = 0;
    if (row->cls == HR_CLASS_SIGN) {
        error = hr_sign_key_generate(&sign, alg, NULL) || hr_sign_key_private(bytes, &len, &sign);
        job.key = &sign;
    } else if (row->cls == HR_CLASS_AGREE) {
        in_len = sizeof in;
        error = hr_agree_key_generate(&agree, alg, NULL) ||
                hr_agree_key_private(bytes, &len, &agree) ||
                hr_agree_key_public(in, &in_len, &agree);
        job.key = &agree;
    } else {
        in_len = hr_kem_ciphertext_len(alg);
        error = hr_kem_key_generate(&kem, alg, NULL) || hr_kem_key_private(bytes, &len, &kem);
        job.key = &kem;
        job.out = out;
    }
    job.len = in_len;
    if (error || hr_accel_lend(&job.handle, alg, bytes, len, NULL, 0))
        fail(row->name);
    measure(row->name, &job, rounds);
}

static void lone_rsa(unsigned bits, hr_alg alg, uint8_t op, const char *name, int rounds)
{
    static uint8_t sig[512];
    static const struct hr_rsa_options options = { .padding = HR_RSA_PKCS1, .digest = HR_SHA256 };
    make_rsa(bits);
    struct hr_job job = { .alg = (uint16_t)alg,
                          .op = HR_JOB_SIGN,
                          .key_form = HR_KEY_OBJECT,
                          .key = &rsa_key,
                          .in = digest,
                          .len = 32,
                          .tag = sig,
                          .options = &options };
    if (hr_accel_lend_rsa(&job.handle, &rsa_parts) || hr_job_run(&job))
        fail(name);
    job.op = op;
    measure(name, &job, rounds);
}

/* ---- many processes ---- */

static _Atomic int *go;
static _Atomic uint64_t *counts;
static bool ecdsa; /* else RSA */
static struct hr_sign_key ec_key;
static uint8_t ec_bytes[32];

static void make_ecdsa(void)
{
    BIGNUM *number = NULL;
    pkey = EVP_EC_gen("P-256");
    if (!pkey || !EVP_PKEY_get_bn_param(pkey, "priv", &number) ||
        BN_bn2binpad(number, ec_bytes, sizeof ec_bytes) != sizeof ec_bytes ||
        hr_sign_key_init(&ec_key, HR_ECDSA_P256, ec_bytes, sizeof ec_bytes))
        fail("no key of P-256");
    BN_free(number);
    ecdsa = true;
}

static unsigned work; /* KiB to digest before each signature */

static void do_work(void)
{
    static uint8_t text[1024], out[32];
    for (unsigned i = 0; i < work; i++)
        hr_sha256(out, text, sizeof text);
}

static void sign_by_openssl(void)
{
    uint8_t sig[512];
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(pkey, NULL);
    if (EVP_PKEY_sign_init(ctx) != 1 ||
        (!ecdsa && EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PADDING) != 1) ||
        EVP_PKEY_CTX_set_signature_md(ctx, EVP_sha256()) != 1)
        fail("EVP_PKEY_sign_init");
    while (!*go)
        usleep(100);
    while (*go == 1) {
        size_t len = sizeof sig;
        do_work();
        if (EVP_PKEY_sign(ctx, sig, &len, digest, sizeof digest) != 1)
            fail("EVP_PKEY_sign");
        ++*counts;
    }
}

static int lend(struct hr_job *job)
{
    return ecdsa ? hr_accel_lend(&job->handle, HR_ECDSA_P256, ec_bytes, sizeof ec_bytes, NULL, 0)
                 : hr_accel_lend_rsa(&job->handle, &rsa_parts);
}

static void sign_by_jobs(const char *socket)
{
    uint8_t sig[512];
    static const struct hr_rsa_options options = { .padding = HR_RSA_PKCS1, .digest = HR_SHA256 };
    struct hr_queue *queue;
    struct hr_job job = { .alg = HR_RSA2048,
                          .key_form = HR_KEY_OBJECT,
                          .key = &rsa_key,
                          .in = digest,
                          .len = 32,
                          .tag = sig,
                          .options = &options };
    if (ecdsa) {
        job.alg = HR_ECDSA_P256;
        job.key = &ec_key;
        job.options = NULL;
    }
    if (socket && (hr_queue_connect(&queue, socket) || !hr_queue_connected(queue) || lend(&job)))
        fail("no service");
    while (!*go)
        usleep(100);
    while (*go == 1) {
        do_work();
        if (socket ? hr_accel_run(&job) : hr_job_run(&job))
            fail("a job");
        ++*counts;
    }
}

/* ---- CPU time ---- */

/* service_pid returns the process that listens at a socket. */
static int service_pid(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    struct ucred peer = { .pid = 0 };
    socklen_t len = sizeof peer;
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) ||
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len))
        fail("no service");
    close(fd);
    return peer.pid;
}

/* cpu_of returns the seconds of CPU time that a process has taken. */
static double cpu_of(int pid)
{
    char path[64];
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
                        &system) != 2)
        fail(path);
    fclose(file);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static double cpu_of_children(void)
{
    struct rusage r;
    getrusage(RUSAGE_CHILDREN, &r);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
           (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1e-6;
}

enum way { UNIT, DIRECT, OPENSSL, NUM_WAYS };
static const char *const ways[] = { "unit", "direct", "OpenSSL" };

/* What a crowd has done: signatures a second, and for a second of CPU time of all processes. */
struct result {
    double rate, by_cpu;
};

static struct result crowd(enum way way, const char *socket, int processes, double seconds)
{
    const int service = service_pid(socket);
    atomic_store(go, 0);
    atomic_store(counts, 0);
    const double cpu = cpu_of_children() + cpu_of(service);
    for (int i = 0; i < processes; i++)
        if (!fork()) {
            if (way == OPENSSL)
                sign_by_openssl();
            else
                sign_by_jobs(way == UNIT ? socket : NULL);
            _exit(0);
        }
    usleep(300000);
    atomic_store(go, 1);
    const double start = now();
    usleep((useconds_t)(seconds * 1e6));
    const uint64_t num = *counts;
    const double rate = (double)num / (now() - start);
    atomic_store(go, 2);
    while (wait(NULL) > 0)
        ;
    return (struct result){ rate, (double)*counts / (cpu_of_children() + cpu_of(service) - cpu) };
}

static void crowds(const char *socket, int processes, double seconds, int rounds)
{
    double *rates[NUM_WAYS], *by_cpu[NUM_WAYS];
    for (int w = 0; w < NUM_WAYS; w++) {
        rates[w] = calloc((size_t)rounds, sizeof **rates);
        by_cpu[w] = calloc((size_t)rounds, sizeof **by_cpu);
    }
    go = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (go == MAP_FAILED)
        fail("mmap");
    counts = (_Atomic uint64_t *)((char *)go + 64);
    if (!ecdsa)
        make_rsa(2048);
    for (int r = 0; r < rounds; r++)
        for (int w = 0; w < NUM_WAYS; w++) {
            const struct result got = crowd((enum way)w, socket, processes, seconds);
            rates[w][r] = got.rate;
            by_cpu[w][r] = got.by_cpu;
        }
    for (int w = 0; w < NUM_WAYS; w++) {
        const double rate = median(rates[w], (size_t)rounds);
        printf("%-8s %8.0f signatures/s (%.0f to %.0f), %8.0f a second of CPU\n", ways[w], rate,
               rates[w][0], rates[w][rounds - 1], median(by_cpu[w], (size_t)rounds));
    }
    for (int w = DIRECT; w < NUM_WAYS; w++)
        printf("%d processes, unit / %s: %.2f, by CPU time %.2f\n", processes,
               w == DIRECT ? "direct" : OpenSSL_version(OPENSSL_VERSION),
               median(rates[UNIT], (size_t)rounds) / median(rates[w], (size_t)rounds),
               median(by_cpu[UNIT], (size_t)rounds) / median(by_cpu[w], (size_t)rounds));
}

int main(int argc, char **argv)
{
    struct hr_queue *queue;
    if (argc > 4 && !strcmp(argv[1], "crowd")) {
        if (argc > 6 && !strcmp(argv[6], "p256"))
            make_ecdsa();
        work = argc > 7 ? (unsigned)atoi(argv[7]) : 0;
        crowds(argv[2], atoi(argv[3]), atof(argv[4]), argc > 5 ? atoi(argv[5]) : 3);
        return 0;
    }
    if (argc < 3 || (strcmp(argv[1], "lone") && strcmp(argv[1], "peak")))
        fail("lone|peak SOCKET [ROUNDS], or crowd SOCKET PROCESSES SECONDS [ROUNDS]");
    const int rounds = argc > 3 ? atoi(argv[3]) : 20;
    if (hr_queue_connect(&queue, argv[2]) || !hr_queue_connected(queue))
        fail("no service");
    peak_queue = strcmp(argv[1], "peak") ? NULL : queue;
    lone_rsa(2048, HR_RSA2048, HR_JOB_SIGN, "RSA-2048 sign", rounds);
    lone_rsa(2048, HR_RSA2048, HR_JOB_VERIFY, "RSA-2048 verify", rounds);
    lone_rsa(4096, HR_RSA4096, HR_JOB_SIGN, "RSA-4096 sign", rounds);
    static const hr_alg rows[] = { HR_ECDSA_P256, HR_ECDSA_P384, HR_ED25519, HR_X25519,
                                   HR_ECDH_P256,  HR_MLKEM768,   HR_MLDSA65 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        lone_row(rows[i], rounds);
    hr_queue_close(queue);
    return 0;
}
