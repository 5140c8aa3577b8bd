/* SPDX-License-Identifier: Apache-2.0 */
/* Measures private operations of public key: so many processes, each of which has one request all
 * the time, by the service's unit, and by themselves. What counts is the CPU time of the processes
 * and the service together, and how much they get done.
 *
 * RSA is signed as the provider does for keys that programs lend (rsa_lend.c), and compared with
 * the faster of OpenSSL and the direct call, which it would take else. */
#define _GNU_SOURCE
#include "calibrate_unit.h"
#include "../../cli/algorithm.h"
#include "../crowd.h"
#include "../speed.h"
#include "../ways_state.h"
#include "bench_status.h"
#include "lent_key.h"
#include <assert.h>
#include <headrace/accel.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BY_UNIT, BY_CALL, BY_OPENSSL, NUM_SIDES };
enum { WARM = 8, TURNS = 7, MANY = 16 };
enum { MESSAGE = 4096 }; /* bytes of the longest one that the unit takes */

static const struct plan {
    unsigned turns, ms;
} careful = { TURNS, 100 }, rough = { 2, 5 };

/* An accelerator has 64 places for clients, of which one user may take half. */
static const unsigned processes[UNIT_LOADS] = { 1, 2, 4, 8, MANY, 2 * MANY };
static_assert(2 * MANY <= CROWD_MAX, "a crowd has room for them");

static bool is_rsa(const struct hr_algorithm *row)
{
    return row->cls == HR_CLASS_RSA;
}

static const char *word_of(const struct hr_algorithm *row)
{
    return hr_class_op_word(hr_class_pk(hr_class_of(row), 0));
}

bool calibrate_unit_has(const struct hr_algorithm *row)
{
    return (is_rsa(row) || row->cls == HR_CLASS_SIGN || row->cls == HR_CLASS_AGREE) &&
           row->out_len <= LENT_TAG;
}

/* ---- what a process does ---- */

struct doer {
    const struct lent_key *key;
    struct hr_job job;
    struct hr_queue *queue; /* keeps the connection */
    EVP_PKEY_CTX *signer;
    uint8_t tag[LENT_TAG];
};

struct place {
    const struct lent_key *key;
    const struct bench_sides *sides;
};

static void call(void *ctx, uint64_t n)
{
    struct doer *d = ctx;
    while (n--)
        must(!hr_job_run(&d->job));
}

static void call_service(void *ctx, uint64_t n)
{
    struct doer *d = ctx;
    while (n--)
        must(!hr_accel_run(&d->job));
}

/* try_service signs here what the service does not sign. */
static void try_service(void *ctx, uint64_t n)
{
    struct doer *d = ctx;
    while (n--)
        if (hr_accel_try(&d->job))
            must(!hr_job_run(&d->job));
}

static void sign_by_openssl(void *ctx, uint64_t n)
{
    struct doer *d = ctx;
    while (n--) {
        size_t len = sizeof d->tag;
        must(d->key->openssl->ssl->EVP_PKEY_sign(d->signer, d->tag, &len, d->key->in,
                                                 d->key->in_len) == 1);
    }
}

static bool open_openssl(struct doer *d)
{
    const struct openssl *ssl = d->key->openssl->ssl;
    char padding[] = "pkcs1", digest[] = "SHA256";
    const OSSL_PARAM params[] = {
        ssl->OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_PAD_MODE, padding, 0),
        ssl->OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, digest, 0),
        ssl->OSSL_PARAM_construct_end()
    };
    d->signer =
        ssl->EVP_PKEY_CTX_new_from_pkey(d->key->openssl->libctx, d->key->openssl->key, NULL);
    return d->signer && ssl->EVP_PKEY_sign_init(d->signer) == 1 &&
           ssl->EVP_PKEY_CTX_set_params(d->signer, params) == 1;
}

enum { TRIES = 10000 };
static const struct timespec moment = { 0, 1000000 };

/* Offers the key, and waits until the service has it: the offer itself waits for nothing. */
static bool offer(struct doer *d)
{
    int error = hr_accel_offer_rsa(&d->job.handle, &d->key->numbers.parts);
    for (int i = 0; i < TRIES && !error && hr_accel_try(&d->job); i++)
        nanosleep(&moment, NULL);
    return !error;
}

/* Attaches, as soon as the service has seen that the processes of another measurement ended. */
static bool attach(struct doer *d, const char *socket)
{
    for (int i = 0; i < TRIES; i++) {
        if (!hr_queue_connect(&d->queue, socket) && hr_queue_connected(d->queue))
            return true;
        if (d->queue)
            hr_queue_close(d->queue);
        d->queue = NULL;
        nanosleep(&moment, NULL);
    }
    return false;
}

static bool open_unit(struct doer *d, const char *socket)
{
    return !setenv("HEADRACE_ACCEL", socket, 1) && attach(d, socket) &&
           (is_rsa(d->key->row) ? offer(d) : !lent_key_lend(&d->job.handle, d->key));
}

static struct doer *start(const struct place *place)
{
    struct doer *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->key = place->key;
    d->job = lent_key_job(d->key, 0, d->tag);
    return d;
}

static void end(void *opened)
{
    struct doer *d = opened;
    if (d->queue)
        hr_queue_close(d->queue);
    if (d->signer)
        d->key->openssl->ssl->EVP_PKEY_CTX_free(d->signer);
    free(d);
}

/* Returns the process, or NULL with an error printed. */
static void *judge(struct doer *d, bool good, const struct place *place, const char *what)
{
    if (good)
        return d;
    tool_error("accel calibrate: %s cannot be used for %s", what, place->key->row->name);
    if (d)
        end(d);
    return NULL;
}

static void *open_by_unit(struct contender *out, const void *arg)
{
    const struct place *place = arg;
    struct doer *d = start(place);
    *out = (struct contender){ is_rsa(place->key->row) ? try_service : call_service, d };
    return judge(d, d && open_unit(d, place->sides->service->socket), place, "the service");
}

static void *open_by_call(struct contender *out, const void *arg)
{
    struct doer *d = start(arg);
    *out = (struct contender){ call, d };
    return judge(d, d != NULL, arg, "the library");
}

static void *open_by_openssl(struct contender *out, const void *arg)
{
    struct doer *d = start(arg);
    *out = (struct contender){ sign_by_openssl, d };
    return judge(d, d && open_openssl(d), arg, "OpenSSL");
}

/* ---- one number of processes ---- */

/* struct counts is what the unit has counted of all operations, of which only one is used at a
 * time. */
struct counts {
    double requests, load;
};

static void add_counts(void *arg, const struct control_status *one)
{
    struct counts *sum = arg;
    if (one->kind != STATUS_OPERATION)
        return;
    sum->requests += (double)one->u.operation.requests;
    sum->load += (double)one->u.operation.load;
}

struct turns {
    struct crowd_turn of[NUM_SIDES][TURNS];
    struct counts unit;
};

static int take_turns(struct turns *t, struct crowd *const crowds[NUM_SIDES], unsigned num,
                      const struct plan *plan, const struct private_service *service)
{
    struct counts before = { 0 }, after = { 0 };
    int code = bench_status(service, add_counts, &before);
    for (unsigned r = 0; r < plan->turns; r++)
        for (int side = 0; side < NUM_SIDES && !code; side++) {
            const double cpu = bench_private_cpu(service);
            if (crowds[side])
                code = crowd_turn(&t->of[side][r], crowds[side], num, plan->ms);
            if (side == BY_UNIT)
                t->of[side][r].cpu_ns += bench_private_cpu(service) - cpu;
        }
    if (!code)
        code = bench_status(service, add_counts, &after);
    t->unit = (struct counts){ after.requests - before.requests, after.load - before.load };
    return code;
}

static double quotient(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static double cpu_each(const struct crowd_turn *turn)
{
    return quotient(turn->cpu_ns, turn->requests);
}

static double median_cpu(const struct crowd_turn *turns, unsigned num)
{
    double cpu[TURNS];
    for (unsigned i = 0; i < num; i++)
        cpu[i] = cpu_each(&turns[i]);
    return race_quantile(cpu, num, 0.5);
}

/* Compares with the way that takes the program less CPU time. If the unit had only some of the
 * requests, it is not what was measured. */
static void judge_turns(struct unit_load *out, const struct turns *t, bool has_openssl,
                        unsigned num)
{
    const double most = 0.9;
    const int theirs =
        has_openssl && median_cpu(t->of[BY_OPENSSL], num) < median_cpu(t->of[BY_CALL], num)
            ? BY_OPENSSL
            : BY_CALL;
    double cpu[TURNS], rate[TURNS], requests = 0;
    for (unsigned i = 0; i < num; i++) {
        const struct crowd_turn *unit = &t->of[BY_UNIT][i], *other = &t->of[theirs][i];
        cpu[i] = quotient(cpu_each(other), cpu_each(unit));
        rate[i] = quotient(unit->requests * other->ns, other->requests * unit->ns);
        requests += unit->requests;
    }
    const bool served = t->unit.requests >= most * requests;
    out->load = quotient(t->unit.load, t->unit.requests);
    out->cpu = served ? race_quantile(cpu, num, 0.25) : 0;
    out->rate = served ? race_quantile(rate, num, 0.5) : 0;
}

/* ---- all rows ---- */

/* The number of loads: with up to MANY processes, and twice as many as CPUs if that is more. */
static size_t num_loads(const struct private_service *service)
{
    const unsigned most = 2 * (unsigned)service->num_cpus;
    size_t n = 0;
    while (n < UNIT_LOADS && (processes[n] <= MANY || processes[n] <= most))
        n++;
    return n;
}

static int measure(struct unit_row *out, const struct lent_key *key, const struct plan *plan,
                   const struct bench_sides *sides)
{
    static void *(*const opens[NUM_SIDES])(
        struct contender *, const void *) = { open_by_unit, open_by_call, open_by_openssl };
    const struct place place = { key, sides };
    struct crowd *crowds[NUM_SIDES] = { NULL };
    int code = EXIT_SUCCESS;
    out->row = key->row;
    out->num = num_loads(sides->service);
    for (int side = 0; side < NUM_SIDES && !code; side++) {
        const struct crowd_work work = { .open = opens[side],
                                         .close = end,
                                         .arg = &place,
                                         .warm = WARM,
                                         .chunk = 1,
                                         .service = sides->service };
        if (side == BY_OPENSSL && !key->openssl)
            continue;
        crowds[side] = crowd_gather(&work, processes[out->num - 1]);
        code = crowds[side] ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    for (size_t i = 0; i < out->num && !code; i++) {
        struct turns turns = { 0 };
        out->loads[i].processes = processes[i];
        code = take_turns(&turns, crowds, processes[i], plan, sides->service);
        if (!code)
            judge_turns(&out->loads[i], &turns, key->openssl, plan->turns);
    }
    for (int side = 0; side < NUM_SIDES; side++)
        crowd_dismiss(crowds[side]);
    return code;
}

static void show_progress(const struct hr_algorithm *row, size_t i, size_t num)
{
    struct cell cell = { .row = row };
    for (unsigned op = 0; op < pk_num_directions(row); op++)
        if (!strcmp(pk_direction(row, op), word_of(row)))
            cell.op = (enum hr_op)op;
    speed_progress(&cell, i, num);
}

/* Measures a row, unless its operation has no lanes: then the unit can only lose. */
static int measure_row(struct unit_figures *out, const struct hr_algorithm *row,
                       const struct plan *plan, const struct bench_sides *sides)
{
    uint8_t tag[LENT_TAG];
    struct lent_key *key = lent_key_make(row, sides);
    if (!key)
        return tool_error("accel calibrate: cannot make a key of %s", row->name);
    const struct hr_job job = lent_key_job(key, 0, tag);
    const int code = hr_job_lanes(&job) > 1 && out->num < UNIT_ROWS
                         ? measure(&out->rows[out->num++], key, plan, sides)
                         : EXIT_SUCCESS;
    lent_key_close(key);
    return code;
}

static int measure_rows(struct unit_figures *out, const struct hr_algorithm *only,
                        const struct plan *plan, const struct bench_sides *sides)
{
    const struct hr_algorithm *row, *rows[UNIT_ROWS];
    size_t num = 0;
    int code = EXIT_SUCCESS;
    for (size_t i = 0; (row = hr_algorithm_at(i)) && num < UNIT_ROWS; i++)
        if (calibrate_unit_has(row) && (!only || row == only))
            rows[num++] = row;
    for (size_t i = 0; i < num && !code; i++) {
        show_progress(rows[i], i, num);
        code = measure_row(out, rows[i], plan, sides);
    }
    speed_progress(NULL, 0, 0);
    return code;
}

/* The table of the service that is measured: it gets all that can be lent. */
static const char *all_rules(char *out, size_t len)
{
    const struct hr_algorithm *row;
    size_t used = (size_t)snprintf(out, len, "# headrace accel crossover 1\n");
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        if (is_rsa(row) && used < len)
            used += (size_t)snprintf(out + used, len - used, "%s %s 1 0 %d\n", row->name,
                                     word_of(row), MESSAGE);
    return out;
}

int calibrate_unit(struct unit_figures *out, const struct hr_algorithm *only, bool quick)
{
    char rules[1024];
    struct private_service service = { 0 };
    struct bench_sides sides = { 0 };
    out->num = 0;
    int code = bench_private_rules(&service, all_rules(rules, sizeof rules));
    if (!code)
        code = bench_sides_open(&sides, NULL, &service);
    if (!code)
        code = measure_rows(out, only, quick ? &rough : &careful, &sides);
    bench_sides_close(&sides);
    bench_private_stop(&service);
    return code;
}

/* ---- results ---- */

void calibrate_unit_write(FILE *out, const struct unit_figures *figures)
{
    if (figures->num)
        fputs("# public key: the third word is the load, and 255 says never\n", out);
    for (const struct unit_row *r = figures->rows; r < figures->rows + figures->num; r++)
        tool_print(out, NULL, "%s %s %u 0 %d\n", r->row->name, word_of(r->row),
                   unit_rule(r->loads, r->num), MESSAGE);
}

json_t *calibrate_unit_json(const struct unit_figures *figures)
{
    json_t *list = json_array();
    for (const struct unit_row *r = figures->rows; r < figures->rows + figures->num; r++)
        for (const struct unit_load *l = r->loads; l < r->loads + r->num; l++)
            json_array_append_new(
                list, json_pack("{s:s, s:s, s:i, s:f, s:f, s:f, s:i}", "algorithm", r->row->name,
                                "operation", word_of(r->row), "processes", (int)l->processes,
                                "load", l->load, "cpu_ratio", l->cpu, "rate_ratio", l->rate, "rule",
                                (int)unit_rule(r->loads, r->num)));
    return list;
}
