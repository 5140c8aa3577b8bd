/* SPDX-License-Identifier: Apache-2.0 */
/* The ways in which `headrace accel bench` has the messages of a row processed. */
#define _GNU_SOURCE
#include "../cli/algorithm.h"
#include "bench.h"
#include "seqpacket.h"
#include "ways_state.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const bench_way_names[NUM_BENCH_WAYS] = {
    "ring",    "ring-64", "seqpacket", "seqpacket-spin", "seqpacket-64", "evp",
    "evp-key", "local",   "local-64",  "direct",         "floor",
};
const char *const bench_way_titles[NUM_BENCH_WAYS] = {
    "ring",
    "ring, 64 in flight",
    "seqpacket",
    "seqpacket, both spinning",
    "seqpacket, 64 in flight",
    "EVP",
    "EVP, a key each time",
    "local queue",
    "local queue, 64 in it",
    "direct call",
    "system call, direct call",
};

struct bench_side {
    struct bench_work work;
    const struct openssl *ssl;
    struct way_state evp; /* for OpenSSL: its objects, keys, bytes, iv */
    bool keyed;           /* a new key for each message */
    bool kept;            /* jobs use the expanded key, as direct calls do */
    unsigned depth;
    struct hr_queue *queue;
    void *memory;
    int fd;
    pid_t pid;
    size_t next, stride;
    uint8_t *in, *out;
    bool shares; /* `in` and `out` belong to another side */
    struct hr_job jobs[BENCH_DEPTH];
    uint8_t tags[BENCH_DEPTH][64];
};

bool bench_is_batch(enum bench_way way)
{
    return way == BENCH_RING_64 || way == BENCH_SEQ_64 || way == BENCH_LOCAL_64;
}

/* The offset of the next message. */
static size_t next_message(struct bench_side *s)
{
    const size_t at = s->next * s->stride;
    s->next = s->next + 1 < s->work.num ? s->next + 1 : 0;
    return at;
}

static void point_job(struct bench_side *s, struct hr_job *job)
{
    const size_t at = next_message(s);
    job->in = s->in + at;
    if (job->out)
        job->out = s->out + at;
}

/* ---- queues ---- */

static void run_queue(void *ctx, uint64_t n)
{
    struct bench_side *s = ctx;
    struct hr_job *idle[BENCH_DEPTH];
    uint64_t given = 0, got = 0;
    size_t num = s->depth;
    for (size_t i = 0; i < num; i++)
        idle[i] = &s->jobs[i];
    while (got < n) {
        const size_t want = n - given < num ? (size_t)(n - given) : num;
        for (size_t i = 0; i < want; i++)
            point_job(s, idle[i]);
        const int took = want ? hr_queue_submit(s->queue, idle, want) : 0;
        must(took >= 0);
        num -= (size_t)took;
        given += (uint64_t)took;
        memmove(idle, idle + took, num * sizeof *idle);
        const int done = hr_queue_poll(s->queue, idle + num, s->depth - num, 1);
        must(done > 0 && idle[num]->result == 0);
        num += (size_t)done;
        got += (uint64_t)done;
    }
}

static void run_alone(void *ctx, uint64_t n)
{
    struct bench_side *s = ctx;
    struct hr_job *job = s->jobs, *done;
    while (n--) {
        point_job(s, job);
        must(hr_queue_submit(s->queue, &job, 1) == 1 && hr_queue_poll(s->queue, &done, 1, 1) == 1 &&
             done->result == 0);
    }
}

/* ---- sockets ---- */

/* Sends the jobs and receives the answers, which come in the order of the jobs. */
static void run_socket(void *ctx, uint64_t n)
{
    struct bench_side *s = ctx;
    uint64_t given = 0, got = 0;
    while (got < n) {
        for (; given < n && given - got < s->depth; given++) {
            struct hr_job *job = &s->jobs[given % s->depth];
            point_job(s, job);
            must(!seqpacket_send(s->fd, job));
        }
        int error = seqpacket_receive(s->fd, &s->jobs[got % s->depth], 0);
        for (; !error;
             error = got < given ? seqpacket_receive(s->fd, &s->jobs[got % s->depth], MSG_DONTWAIT)
                                 : HR_EPENDING)
            must(s->jobs[got++ % s->depth].result == 0);
        must(error == HR_EPENDING);
    }
}

static void run_socket_once(void *ctx, uint64_t n)
{
    struct bench_side *s = ctx;
    while (n--) {
        point_job(s, s->jobs);
        must(!seqpacket_send(s->fd, s->jobs) && !seqpacket_receive(s->fd, s->jobs, 0));
    }
}

static void run_socket_spinning(void *ctx, uint64_t n)
{
    struct bench_side *s = ctx;
    while (n--) {
        int error;
        point_job(s, s->jobs);
        must(!seqpacket_send(s->fd, s->jobs));
        while ((error = seqpacket_receive(s->fd, s->jobs, MSG_DONTWAIT)) == HR_EPENDING)
            ;
        must(!error && !s->jobs->result);
    }
}

/* ---- OpenSSL ---- */

static void evp_digest(struct bench_side *s, size_t at)
{
    const struct openssl *ssl = s->ssl;
    unsigned len;
    must(ssl->EVP_DigestInit_ex2(s->evp.md_ctx, s->evp.md, NULL) &&
         ssl->EVP_DigestUpdate(s->evp.md_ctx, s->in + at, s->work.size) &&
         ssl->EVP_DigestFinal_ex(s->evp.md_ctx, s->tags[0], &len));
}

static void evp_mac(struct bench_side *s, size_t at)
{
    const struct openssl *ssl = s->ssl;
    size_t len;
    must(ssl->EVP_MAC_init(s->evp.mac_ctx, s->keyed ? s->evp.bytes : NULL,
                           s->keyed ? s->jobs->key_len : 0, NULL) &&
         ssl->EVP_MAC_update(s->evp.mac_ctx, s->in + at, s->work.size) &&
         ssl->EVP_MAC_final(s->evp.mac_ctx, s->tags[0], &len, sizeof s->tags[0]));
}

static void evp_cipher(struct bench_side *s, size_t at)
{
    const struct openssl *ssl = s->ssl;
    int len;
    must(
        ssl->EVP_CipherInit_ex2(s->evp.cipher_ctx, NULL, s->keyed ? s->evp.bytes : NULL, s->evp.iv,
                                -1, NULL) &&
        ssl->EVP_CipherUpdate(s->evp.cipher_ctx, s->out + at, &len, s->in + at, (int)s->work.size));
}

/* One loop for each class, so that the call is not indirect. */
#define EVP_LOOP(name)                            \
    static void run_##name(void *ctx, uint64_t n) \
    {                                             \
        while (n--)                               \
            name(ctx, next_message(ctx));         \
    }
EVP_LOOP(evp_digest)
EVP_LOOP(evp_mac)
EVP_LOOP(evp_cipher)

static bool open_evp(struct bench_side *s, struct contender *c, const struct bench_sides *sides)
{
    const struct openssl *ssl = sides->ssl;
    char name[64];
    switch (hr_class_of(s->work.row)->ops[0].word) {
    case HR_WORD_DIGEST:
        c->run = run_evp_digest;
        ways_openssl_name(s->work.row->openssl_names, name, sizeof name);
        s->evp.md = ssl->EVP_MD_fetch(sides->libctx, name, NULL);
        s->evp.md_ctx = ssl->EVP_MD_CTX_new();
        return s->evp.md && s->evp.md_ctx;
    case HR_WORD_MAC:
        c->run = run_evp_mac;
        ways_openssl_name(hr_algorithm(s->work.row->digest)->openssl_names, name, sizeof name);
        const OSSL_PARAM params[] = {
            ssl->OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0),
            ssl->OSSL_PARAM_construct_end(),
        };
        s->evp.mac = ssl->EVP_MAC_fetch(sides->libctx, OSSL_MAC_NAME_HMAC, NULL);
        s->evp.mac_ctx = s->evp.mac ? ssl->EVP_MAC_CTX_new(s->evp.mac) : NULL;
        return s->evp.mac_ctx &&
               ssl->EVP_MAC_init(s->evp.mac_ctx, s->evp.bytes, s->jobs->key_len, params);
    default:
        c->run = run_evp_cipher;
        ways_openssl_name(s->work.row->openssl_names, name, sizeof name);
        s->evp.cipher = ssl->EVP_CIPHER_fetch(sides->libctx, name, NULL);
        s->evp.cipher_ctx = ssl->EVP_CIPHER_CTX_new();
        return s->evp.cipher && s->evp.cipher_ctx &&
               ssl->EVP_CipherInit_ex2(s->evp.cipher_ctx, s->evp.cipher, s->evp.bytes, s->evp.iv,
                                       s->work.op == HR_JOB_ENCRYPT, NULL) &&
               ssl->EVP_CIPHER_CTX_set_padding(s->evp.cipher_ctx, 0);
    }
}

/* ---- direct calls ---- */

static void direct(struct bench_side *s, size_t at)
{
    const struct hr_algorithm *row = s->work.row;
    if (tool_is_digest(row))
        must(!hr_digest(s->tags[0], row->alg, s->in + at, s->work.size));
    else if (tool_is_mac(row))
        must(!hr_hmac(s->tags[0], s->in + at, s->work.size, &s->evp.keys.hmac));
    else
        must(!(s->work.op == HR_JOB_ENCRYPT ? hr_cipher_encrypt : hr_cipher_decrypt)(
            s->out + at, s->in + at, s->work.size, &s->evp.keys.cipher, s->evp.iv,
            s->jobs->iv_len));
}

static void run_direct(void *ctx, uint64_t n)
{
    while (n--)
        direct(ctx, next_message(ctx));
}

static void run_floor(void *ctx, uint64_t n)
{
    while (n--) {
        must(syscall(SYS_getppid) > 0);
        direct(ctx, next_message(ctx));
    }
}

/* ---- setting up ---- */

static bool fill(struct bench_side *s)
{
    const struct hr_algorithm *row = s->work.row;
    const unsigned has = hr_class_of(row)->has;
    const bool cipher = hr_class_of(row)->ops[0].out;
    const size_t key_len = has & HR_HAS_ANY_KEY ? 32 : row->key_len;
    s->stride = (s->work.size + 127) / 64 * 64; /* no distance at which caches alias */
    s->in = aligned_alloc(64, s->stride * s->work.num + 64);
    s->out = cipher ? aligned_alloc(64, s->stride * s->work.num + 64) : NULL;
    if (!s->in || (cipher && !s->out))
        return false;
    for (size_t i = 0; i < s->stride * s->work.num; i++)
        s->in[i] = (uint8_t)(i * 131 + (i >> 8));
    if (cipher)
        memset(s->out, 0, s->stride * s->work.num);
    for (size_t i = 0; i < sizeof s->evp.bytes; i++)
        s->evp.bytes[i] = (uint8_t)(i * 7 + 1);
    for (size_t i = 0; i < BENCH_DEPTH; i++)
        s->jobs[i] = (struct hr_job){ .alg = (uint16_t)row->alg,
                                      .op = s->work.op,
                                      .key_form = has & HR_HAS_KEY ? HR_KEY_BYTES : HR_KEY_NONE,
                                      .key = s->evp.bytes,
                                      .key_len = (uint32_t)key_len,
                                      .iv = s->evp.iv,
                                      .iv_len = row->iv_len,
                                      .in = s->in,
                                      .out = s->out,
                                      .tag = cipher ? NULL : s->tags[i],
                                      .len = s->work.size };
    return !(has & HR_HAS_KEY) || !hr_any_key_init(&s->evp.keys, row->alg, s->evp.bytes, key_len);
}

static bool open_local(struct bench_side *s, struct contender *c, const struct bench_sides *sides)
{
    const size_t len = (hr_queue_local_size(s->depth) + 63) / 64 * 64;
    c->run = s->depth > 1 ? run_queue : run_alone;
    s->memory = aligned_alloc(64, len);
    for (size_t i = 0; s->kept && i < BENCH_DEPTH; i++) {
        s->jobs[i].key = &s->evp.keys;
        s->jobs[i].key_form = s->jobs[i].key_len ? HR_KEY_OBJECT : HR_KEY_NONE;
    }
    return s->memory && !hr_queue_local(&s->queue, s->memory, len, s->depth);
}

static bool open_ring(struct bench_side *s, struct contender *c, const struct bench_sides *sides)
{
    c->run = s->depth > 1 ? run_queue : run_alone;
    return !hr_queue_connect(&s->queue, sides->service->socket) && hr_queue_connected(s->queue);
}

static bool open_socket(struct bench_side *s, struct contender *c, const struct bench_sides *sides)
{
    int pair[2];
    const bool spin = c->run == run_socket_spinning;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        return false;
    s->pid = fork();
    if (s->pid == 0) {
        close(pair[0]);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        bench_run_on_cpu(sides->service, sides->service->num_cpus - 1);
        seqpacket_serve(pair[1], spin);
        _exit(0);
    }
    close(pair[1]);
    s->fd = pair[0];
    return s->pid > 0;
}

static bool open_direct(struct bench_side *s, struct contender *c, const struct bench_sides *sides)
{
    return true;
}

static const struct {
    bool (*open)(struct bench_side *s, struct contender *c, const struct bench_sides *sides);
    void (*run)(void *ctx, uint64_t n);
} ways[NUM_BENCH_WAYS] = {
    [BENCH_RING] = { open_ring, NULL },
    [BENCH_RING_64] = { open_ring, NULL },
    [BENCH_SEQ] = { open_socket, run_socket_once },
    [BENCH_SEQ_SPIN] = { open_socket, run_socket_spinning },
    [BENCH_SEQ_64] = { open_socket, run_socket },
    [BENCH_EVP] = { open_evp, NULL },
    [BENCH_EVP_KEY] = { open_evp, NULL },
    [BENCH_LOCAL] = { open_local, NULL },
    [BENCH_LOCAL_64] = { open_local, NULL },
    [BENCH_DIRECT] = { open_direct, run_direct },
    [BENCH_FLOOR] = { open_direct, run_floor },
};

struct bench_side *bench_open(struct contender *out, enum bench_way way,
                              const struct bench_work *work, const struct bench_sides *sides)
{
    struct bench_side *s = aligned_alloc(64, (sizeof *s + 63) / 64 * 64);
    if (!s) {
        tool_error("out of memory");
        return NULL;
    }
    memset(s, 0, sizeof *s);
    s->work = *work;
    s->ssl = sides->ssl;
    s->keyed = way == BENCH_EVP_KEY;
    s->kept = way == BENCH_LOCAL;
    s->depth = !bench_is_batch(way) ? 1 : work->depth ? work->depth : BENCH_DEPTH;
    s->fd = -1;
    *out = (struct contender){ ways[way].run, s };
    if (fill(s) && ways[way].open(s, out, sides))
        return s;
    bench_close(s);
    tool_error("accel: %s: cannot be set up for %s of %zu bytes", bench_way_titles[way],
               work->row->name, work->size);
    return NULL;
}

void bench_output(const struct bench_side *s, uint8_t out[64])
{
    memset(out, 0, 64);
    if (s->out)
        memcpy(out, s->out, s->work.size < 64 ? s->work.size : 64);
    else
        memcpy(out, s->tags[0], s->work.row->out_len);
}

void bench_share(struct bench_side *s, const struct bench_side *with)
{
    free(s->in);
    free(s->out);
    s->in = with->in;
    s->out = with->out;
    s->shares = true;
}

void bench_close(struct bench_side *s)
{
    if (!s)
        return;
    if (s->queue)
        hr_queue_close(s->queue);
    if (s->fd >= 0)
        close(s->fd);
    /* Closing the socket is not enough, because children that were started later hold it too. */
    if (s->pid > 0 && !kill(s->pid, SIGTERM))
        waitpid(s->pid, NULL, 0);
    if (s->ssl) {
        s->ssl->EVP_MD_free(s->evp.md);
        s->ssl->EVP_MD_CTX_free(s->evp.md_ctx);
        s->ssl->EVP_MAC_free(s->evp.mac);
        s->ssl->EVP_MAC_CTX_free(s->evp.mac_ctx);
        s->ssl->EVP_CIPHER_free(s->evp.cipher);
        s->ssl->EVP_CIPHER_CTX_free(s->evp.cipher_ctx);
    }
    free(s->memory);
    if (!s->shares) {
        free(s->in);
        free(s->out);
    }
    free(s);
}

int bench_sides_open(struct bench_sides *sides, const char *libcrypto,
                     const struct private_service *service)
{
    *sides = (struct bench_sides){ openssl_open(libcrypto), NULL, NULL, service };
    if (!sides->ssl)
        return EXIT_FAILURE;
    sides->libctx = sides->ssl->OSSL_LIB_CTX_new();
    sides->provider = sides->ssl->OSSL_PROVIDER_load(sides->libctx, "default");
    return sides->provider ? EXIT_SUCCESS
                           : tool_error("accel: %s has no default provider", sides->ssl->path);
}

void bench_sides_close(struct bench_sides *sides)
{
    if (!sides->ssl)
        return;
    if (sides->provider)
        sides->ssl->OSSL_PROVIDER_unload(sides->provider);
    sides->ssl->OSSL_LIB_CTX_free(sides->libctx);
}
