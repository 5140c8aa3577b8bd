/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that a job gives the same bytes by hr_job_run, in the local queue and on the accelerator
 * as by direct calls: for every row, both operations, every form of key.  The rows are the
 * registry's; the right results come from queue_shapes.c.  queue_accel [--quick] [HEADRACED]: fewer
 * jobs of each row; the program of the service, without which the parts that need one are skipped.
 */
#include "queue_chains.h"
#include <errno.h>
#include <headrace/accel.h>
#include <headrace/algorithms.h>
#include <signal.h>
#include <stdalign.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NUM_SHAPES = 100, FEWER_SHAPES = 28, QUEUE_JOBS = 48, WINDOW = 256 << 10 };

/* ---- the ways ---- */

/* first_error returns the first error of a job and the jobs that follow it. */
static int first_error(const struct hr_job *job)
{
    while (!job->result && job->next)
        job = job->next;
    return job->result;
}

static void run_now(struct hr_job **jobs, size_t num_jobs)
{
    for (size_t i = 0; i < num_jobs; i++)
        if (hr_job_run(jobs[i]) != first_error(jobs[i]))
            complain("hr_job_run returns something else than the first error");
}

/* run_on submits as many jobs as fit and polls some, until each has come back once. */
static void run_on(struct hr_queue *queue, struct hr_job **jobs, size_t num_jobs)
{
    struct hr_job *done[QUEUE_JOBS];
    size_t at = 0, back = 0;
    unsigned idle = 0;
    while (back < num_jobs && idle < 1000) {
        const int took = hr_queue_submit(queue, jobs + at, num_jobs - at);
        if (took < 0)
            break;
        at += (size_t)took;
        const int got = hr_queue_poll(queue, done, QUEUE_JOBS, random_below(3) ? 1 : 0);
        if (got < 0)
            break;
        for (int i = 0; i < got; i++)
            if (done[i]->result == HR_EPENDING)
                complain("a job comes back unfinished");
        back += (size_t)got;
        idle = took || got ? 0 : idle + 1;
    }
    if (back != num_jobs)
        complain("%zu jobs of %zu came back", back, num_jobs);
}

static void run_local(struct hr_job **jobs, size_t num_jobs)
{
    const size_t size = hr_queue_local_size(QUEUE_JOBS);
    void *memory = malloc(size);
    struct hr_queue *queue;
    if (memory)
        memset(memory, 0, size);
    if (!memory || hr_queue_local(&queue, memory, size, QUEUE_JOBS)) {
        complain("no local queue");
        return;
    }
    run_on(queue, jobs, num_jobs);
    hr_queue_close(queue);
    if (!is_zero(memory, size))
        complain("a closed queue is not wiped");
    free(memory);
}

static void run_ring(struct hr_job **jobs, size_t num_jobs)
{
    struct hr_queue *queue;
    const int error = hr_queue_connect(&queue, NULL);
    if (error) {
        complain("hr_queue_connect: %s", hr_strerror(error));
        return;
    }
    if (!hr_queue_connected(queue))
        complain("the queue does not lead to the service");
    run_on(queue, jobs, num_jobs);
    hr_queue_close(queue);
}

static void run_one_by_one(struct hr_job **jobs, size_t num_jobs)
{
    for (size_t i = 0; i < num_jobs; i++)
        if (hr_accel_run(jobs[i]) != first_error(jobs[i]))
            complain("hr_accel_run returns something else than the first error");
}

static const struct way ways[] = {
    { "run now", run_now, 0 },
    { "local queue", run_local, 0 },
    { "ring", run_ring, 1 },
    { "hr_accel_run", run_one_by_one, 1 },
};

/* ---- every row ---- */

static int have_service;
static unsigned num_shapes = NUM_SHAPES; /* jobs of each operation of a row */
static struct shape shapes[NUM_SHAPES];

/* run_messages runs all messages, and the second jobs of those that have one. */
static void run_messages(const struct way *way, struct message *messages)
{
    struct hr_job *jobs[NUM_SHAPES];
    size_t num_jobs = 0;
    for (unsigned i = 0; i < num_shapes; i++)
        jobs[num_jobs++] = &messages[i].job;
    way->run(jobs, num_jobs);
    num_jobs = 0;
    for (unsigned i = 0; i < num_shapes; i++)
        if (message_continue(&messages[i]))
            jobs[num_jobs++] = &messages[i].job;
    way->run(jobs, num_jobs);
}

/* refusal_of returns the error of a job under a handle, or 0: the way is not remote, the key has no
 * bytes, or input and output are larger than a client's window. */
static int refusal_of(const struct way *way, const struct shape *s)
{
    if (!way->remote || !s->keys->len[s->key])
        return HR_EHANDLE;
    return s->want_out && s->len > WINDOW / 2 ? HR_ELENGTH : 0;
}

static void check_way(const struct way *way, enum hr_key_form form, const char *form_name)
{
    struct message *messages = calloc(num_shapes, sizeof *messages);
    char how[64];
    snprintf(how, sizeof how, "%s, key as %s", way->name, form_name);
    for (unsigned i = 0; i < num_shapes; i++) {
        message_make(&messages[i], &shapes[i], form);
        const int refusal = form == HR_KEY_HANDLE ? refusal_of(way, &shapes[i]) : 0;
        if (refusal)
            messages[i].want_result = refusal;
    }
    run_messages(way, messages);
    for (unsigned i = 0; i < num_shapes; i++) {
        message_check(&messages[i], how);
        message_free(&messages[i]);
    }
    free(messages);
}

static void check_forms(const struct way *way, const struct hr_algorithm *row)
{
    if (!row_has_key(row)) {
        check_way(way, HR_KEY_NONE, "none");
        return;
    }
    check_way(way, HR_KEY_OBJECT, "object");
    check_way(way, HR_KEY_BYTES, "bytes");
    if (!way->remote || have_service)
        check_way(way, HR_KEY_HANDLE, "handle");
}

static void import_keys(struct row_keys *keys)
{
    for (unsigned i = 0; row_has_key(keys->row) && i < NUM_KEYS; i++) {
        const int error =
            hr_accel_key_import(&keys->handle[i], keys->row->alg, keys->bytes[i], keys->len[i]);
        if (error != (keys->len[i] ? 0 : HR_EKEYLEN))
            complain("import of %zu bytes: %s", keys->len[i], hr_strerror(error));
    }
}

static void forget_keys(const struct row_keys *keys)
{
    for (unsigned i = 0; row_has_key(keys->row) && i < NUM_KEYS; i++)
        hr_accel_key_close(keys->handle[i]);
}

static void check_row(const struct hr_algorithm *row)
{
    static struct row_keys keys;
    memset(&keys, 0, sizeof keys);
    if (!row_keys_make(&keys, row))
        return;
    if (have_service)
        import_keys(&keys);
    for (int op = 0; op < row_num_ops(row); op++) {
        for (unsigned i = 0; i < num_shapes; i++)
            shape_make(&shapes[i], &keys, op, i);
        for (size_t i = 0; i < COUNT_OF(ways); i++) {
            if (ways[i].remote && !have_service) {
                tap_skip("no service", "%s %s: %s", row->name, op ? "back" : "forth", ways[i].name);
                continue;
            }
            check_forms(&ways[i], row);
            tap(1, "%s %s: %s", row->name, op ? "back" : "forth", ways[i].name);
        }
        for (unsigned i = 0; i < num_shapes; i++)
            shape_free(&shapes[i]);
    }
    if (have_service)
        forget_keys(&keys);
}

/* ---- chains ---- */

/* row_of returns the i-th row of a class, counted round. */
static const struct hr_algorithm *row_of(enum hr_class cls, size_t i)
{
    const struct hr_algorithm *row, *rows[64];
    size_t num = 0;
    for (size_t k = 0; (row = hr_algorithm_at(k)) && num < COUNT_OF(rows); k++)
        if (row->cls == cls)
            rows[num++] = row;
    return rows[i % num];
}

static void check_chains_of(const struct hr_algorithm *row, size_t i)
{
    static struct row_keys cipher, mac;
    const struct hr_algorithm *other = row_of(HR_CLASS_MAC, i);
    if (!row_keys_make(&cipher, row) || !row_keys_make(&mac, other))
        return;
    if (have_service) {
        import_keys(&cipher);
        import_keys(&mac);
    }
    for (size_t w = 0; w < COUNT_OF(ways); w++) {
        if (ways[w].remote && !have_service) {
            tap_skip("no service", "%s and %s: %s", row->name, other->name, ways[w].name);
            continue;
        }
        check_chains(&ways[w], &cipher, &mac, HR_KEY_BYTES);
        if (ways[w].remote)
            check_chains(&ways[w], &cipher, &mac, HR_KEY_HANDLE);
        tap(1, "%s and %s: %s", row->name, other->name, ways[w].name);
    }
    if (have_service) {
        forget_keys(&cipher);
        forget_keys(&mac);
    }
}

/* ---- structs that are no valid jobs ---- */

static uint16_t alg_of(enum hr_class cls)
{
    return (uint16_t)row_of(cls, 0)->alg;
}

#define KEY(len) .key_form = HR_KEY_BYTES, .key = x, .key_len = len

static void check_refusals(const struct way *way)
{
    const uint16_t digest = alg_of(HR_CLASS_DIGEST), cipher = alg_of(HR_CLASS_CIPHER);
    uint8_t x[64] = { 0 }, tag[64];
    struct hr_job bad[] = {
        { .alg = 0x7fff, .in = x, .len = 1, .tag = tag },
        { .alg = HR_PBKDF2, .in = x, .len = 1, .tag = tag },
        { .alg = digest, .op = 1, .in = x, .tag = tag },
        { .alg = digest, .op = 7, .in = x, .tag = tag },
        { .alg = digest, .in = x, .tag = tag, .tag_len = 65 },
        { .alg = digest, .in = x, .len = 1 },
        { .alg = digest, .state_in = x, .state_in_len = 9, .tag = tag },
        { .alg = alg_of(HR_CLASS_MAC), .in = x, .len = 1, .tag = tag },
        { .alg = cipher, KEY(15), .in = x, .out = tag, .len = 16 },
        { .alg = cipher, .key_form = 9, .in = x, .out = tag, .len = 16 },
        { .alg = cipher, KEY(16), .in = x, .out = tag, .len = 17 },
        { .alg = alg_of(HR_CLASS_AEAD),
          KEY(16),
          .iv = x,
          .iv_len = 12,
          .in = x,
          .out = tag,
          .len = 9 },
        { .alg = alg_of(HR_CLASS_XTS),
          KEY(32),
          .iv = x,
          .iv_len = 16,
          .in = x,
          .out = tag,
          .len = 32 },
        { .in = NULL, .out = tag, .len = 3 },
    };
    int wanted[COUNT_OF(bad)];
    struct hr_job *jobs[COUNT_OF(bad)];
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        wanted[i] = hr_job_run(&bad[i]);
        if (!wanted[i])
            complain("impossible job %zu runs", i);
        jobs[i] = &bad[i];
    }
    way->run(jobs, COUNT_OF(bad));
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        if (bad[i].result != wanted[i])
            complain("impossible job %zu: %s instead of %s", i, hr_strerror(bad[i].result),
                     hr_strerror(wanted[i]));
    tap(1, "impossible jobs: %s", way->name);
}

/* check_copies runs jobs that only copy, in one piece and in parts. */
static void check_copies(const struct way *way)
{
    enum { NUM = 30, MAX = 3000 };
    static uint8_t in[NUM][MAX], out[NUM][MAX + 1];
    struct hr_segment parts[NUM][2];
    struct hr_job copies[NUM] = { 0 }, *jobs[NUM];
    memset(out, 0xa5, sizeof out);
    for (size_t i = 0; i < NUM; i++) {
        const size_t len = random_below(MAX), cut = random_below((uint32_t)len + 1);
        random_bytes(in[i], len);
        parts[i][0] = (struct hr_segment){ in[i], out[i], cut };
        parts[i][1] = (struct hr_segment){ in[i] + cut, out[i] + cut, len - cut };
        copies[i] = (struct hr_job){ .in = in[i], .out = out[i], .len = len };
        if (i % 2) {
            copies[i].segments = parts[i];
            copies[i].num_segments = 2;
        }
        jobs[i] = &copies[i];
    }
    way->run(jobs, NUM);
    for (size_t i = 0; i < NUM; i++) {
        const size_t len = parts[i][0].len + parts[i][1].len;
        if (copies[i].result || memcmp(in[i], out[i], len) || out[i][len] != 0xa5)
            complain("copy of %zu bytes: %s", len, hr_strerror(copies[i].result));
    }
    tap(1, "copies: %s", way->name);
}

/* ---- hr_digest_many ---- */

static void check_digest_many(const struct hr_algorithm *row)
{
    enum { NUM = 90, MAX = 1500 };
    static uint8_t text[NUM][MAX], out[NUM * HR_DIGEST_MAX_OUT + 1], want[HR_DIGEST_MAX_OUT];
    const void *in[NUM];
    size_t in_len[NUM];
    memset(out, 0xa5, sizeof out);
    for (size_t i = 0; i < NUM; i++) {
        in_len[i] = random_below(i % 4 ? 200 : MAX);
        random_bytes(text[i], in_len[i]);
        in[i] = in_len[i] ? text[i] : NULL;
    }
    for (size_t num = 0; num <= NUM; num += num < 6 ? 1 : 28) {
        if (hr_digest_many(out, row->alg, in, in_len, num))
            complain("%zu messages are refused", num);
        for (size_t i = 0; i < num; i++) {
            direct_digest(row->alg)(want, text[i], in_len[i]);
            if (memcmp(want, out + i * row->out_len, row->out_len))
                complain("message %zu of %zu, of %zu bytes", i, num, in_len[i]);
        }
    }
    if (out[(size_t)NUM * row->out_len] != 0xa5)
        complain("behind the digests");
    tap(1, "%s: hr_digest_many", row->name);
}

/* ---- the service ---- */

static char folder[] = "/tmp/headrace-test-XXXXXX", path[64];
static pid_t service;

static void pause_ms(long ms)
{
    const struct timespec t = { 0, ms * 1000000 };
    nanosleep(&t, NULL);
}

static int is_served(void)
{
    struct hr_queue *queue;
    if (hr_queue_connect(&queue, NULL))
        return 0;
    const int connected = hr_queue_connected(queue);
    hr_queue_close(queue);
    return connected;
}

/* start_service starts the service on a socket of its own, and waits until it serves, which is
 * after its self-test. */
static int start_service(const char *program)
{
    if (!mkdtemp(folder))
        return 0;
    snprintf(path, sizeof path, "%s/accel.sock", folder);
    setenv("HEADRACE_ACCEL", path, 1);
    service = fork();
    if (service == 0) {
        execl(program, program, "--socket", path, (char *)NULL);
        _exit(127);
    }
    for (int i = 0; i < 10000 && waitpid(service, NULL, WNOHANG) == 0; i++, pause_ms(10))
        if (is_served())
            return 1;
    return 0;
}

static void stop_service(void)
{
    kill(service, SIGTERM);
    waitpid(service, NULL, 0);
    unlink(path);
    rmdir(folder);
}

int main(int argc, char **argv)
{
    const struct hr_algorithm *row;
    int next = 1;
    if (next < argc && !strcmp(argv[next], "--quick")) {
        num_shapes = FEWER_SHAPES;
        next++;
    }
    if (next < argc) {
        have_service = start_service(argv[next]);
        tap(have_service, "the service starts");
    }
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++) {
        if (row->cls == HR_CLASS_DIGEST)
            check_digest_many(row);
        check_row(row);
        if (row->cls == HR_CLASS_CIPHER || row->cls == HR_CLASS_XTS)
            check_chains_of(row, i);
    }
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        if (ways[i].remote && !have_service)
            continue;
        check_copies(&ways[i]);
        check_pk(&ways[i]);
        check_refusals(&ways[i]);
    }
    if (have_service)
        stop_service();
    return tap_done();
}
