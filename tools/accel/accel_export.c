/* SPDX-License-Identifier: Apache-2.0 */
/* headrace accel status --json and --prometheus. */
#include "../../cli/quote_json.h"
#include "accel_status.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- JSON ---- */

/* An array of the numbers up to the last one that is not 0. */
static json_t *numbers(const uint64_t *counts, size_t num)
{
    json_t *array = json_array();
    while (num && !counts[num - 1])
        num--;
    for (size_t i = 0; i < num; i++)
        json_array_append_new(array, json_integer((json_int_t)counts[i]));
    return array;
}

#define BIG(n) ((json_int_t)(n))

static json_t *service_object(const struct control_service_status *s)
{
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "version", s->version,
                     "up_s", BIG(s->up), "attached", BIG(s->attached), "refused", BIG(s->refused),
                     "revoked", BIG(s->revoked), "reloads", BIG(s->reloads), "kernels",
                     BIG(s->kernels), "named_keys", BIG(s->named_keys), "memory", BIG(s->memory),
                     "memory_limit", BIG(s->memory_limit));
}

static json_t *accelerator_object(const struct control_accelerator_status *a)
{
    return json_pack("{s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:I}", "accelerator", BIG(a->number),
                     "cpu", a->cpu < 0 ? json_null() : json_integer(a->cpu), "clients",
                     BIG(a->clients), "requests", BIG(a->requests), "bytes", BIG(a->bytes),
                     "busy_ns", BIG(a->busy_ns), "idle_ns", BIG(a->idle_ns), "asleep_ns",
                     BIG(a->asleep_ns));
}

static json_t *client_object(const struct control_client_status *c)
{
    return json_pack(
        "{s:I, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:I, s:o, s:I, s:I, "
        "s:I, s:I, s:I}",
        "client", BIG(c->number), "policy", c->rule, "pid", BIG(c->pid), "uid", BIG(c->uid),
        "accelerator", BIG(c->accelerator), "weight", BIG(c->weight), "keys", BIG(c->keys), "up_s",
        BIG(c->up), "requests", BIG(c->requests), "bytes", BIG(c->bytes), "rejected",
        BIG(c->rejected), "latency_log2_ns", numbers(c->latency, CONTROL_LATENCIES),
        "latency_sum_ns", BIG(c->latency_sum), "batch_log2", numbers(c->batch, CONTROL_BATCHES),
        "batch_sum", BIG(c->batch_sum), "queues_away", BIG(c->away), "times_left", BIG(c->left),
        "moves", BIG(c->moves), "spread", BIG(c->spread));
}

static json_t *unit_object(const struct control_unit_status *u)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "threads", BIG(u->threads),
                     "threads_asleep", BIG(u->asleep), "clients", BIG(u->clients), "keys",
                     BIG(u->keys), "requests", BIG(u->requests), "batches", BIG(u->batches),
                     "busy_ns", BIG(u->busy_ns), "idle_ns", BIG(u->idle_ns), "asleep_ns",
                     BIG(u->asleep_ns));
}

static json_t *operation_object(const struct control_operation_status *o)
{
    char name[64];
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "operation",
                     accel_status_operation(name, o), "requests", BIG(o->requests), "failed",
                     BIG(o->failed), "batches", BIG(o->batches), "ns", BIG(o->ns), "wait_sum_us",
                     BIG(o->wait_us), "load_sum", BIG(o->load), "batches_by_requests",
                     numbers(o->fill, CONTROL_UNIT_MANY), "wait_log2_us",
                     numbers(o->wait, CONTROL_LATENCIES));
}

int accel_status_json(const struct accel_status *s)
{
    json_t *accelerators = json_array(), *clients = json_array(), *operations = json_array();
    for (size_t i = 0; i < s->num_accelerators; i++)
        json_array_append_new(accelerators, accelerator_object(&s->accelerators[i]));
    for (size_t i = 0; i < s->num_clients; i++)
        json_array_append_new(clients, client_object(&s->clients[i]));
    for (size_t i = 0; i < s->num_operations; i++)
        json_array_append_new(operations, operation_object(&s->operations[i]));
    json_t *root =
        json_pack("{s:o, s:o, s:o, s:o, s:o}", "service", service_object(&s->service),
                  "accelerators", accelerators, "clients", clients, "unit",
                  s->has_unit ? unit_object(&s->unit) : json_null(), "operations", operations);
    const int failed = json_dumpf(root, stdout, JSON_INDENT(1) | QUOTE_JSON);
    putchar('\n');
    json_decref(root);
    return failed ? tool_error("cannot write the JSON text") : EXIT_SUCCESS;
}

/* ---- Prometheus ---- */

static void family(const char *name, const char *type, const char *help)
{
    tool_say("# HELP headrace_accel_%s %s\n# TYPE headrace_accel_%s %s\n", name, help, name, type);
}

static void single(const char *name, const char *type, const char *help, uint64_t value)
{
    family(name, type, help);
    tool_say("headrace_accel_%s %" PRIu64 "\n", name, value);
}

static void print_service(const struct control_service_status *s)
{
    family("info", "gauge", "The service's version.");
    tool_say("headrace_accel_info{version=\"%s\"} 1\n", s->version);
    single("uptime_seconds", "gauge", "Since the service's start.", s->up);
    single("clients", "gauge", "Clients attached now.", s->clients);
    single("kernels", "gauge", "Kernels that passed the self-test.", s->kernels);
    single("named_keys", "gauge", "Long-term keys.", s->named_keys);
    single("memory_bytes", "gauge", "Memory counted for clients.", s->memory);
    single("memory_limit_bytes", "gauge", "What clients may take.", s->memory_limit);
    single("attached_total", "counter", "Clients that were attached.", s->attached);
    single("refused_total", "counter", "Connections that were refused.", s->refused);
    single("revoked_total", "counter", "Clients that were revoked.", s->revoked);
}

static void print_accelerators(const struct accel_status *s)
{
    family("time_seconds_total", "counter", "An accelerator's time, by what it did.");
    for (size_t i = 0; i < s->num_accelerators; i++) {
        const struct control_accelerator_status *a = &s->accelerators[i];
        const struct {
            const char *state;
            uint64_t ns;
        } times[] = { { "busy", a->busy_ns }, { "idle", a->idle_ns }, { "asleep", a->asleep_ns } };
        for (size_t j = 0; j < COUNT(times); j++)
            tool_say("headrace_accel_time_seconds_total{accelerator=\"%u\",state=\"%s\"} %.9f\n",
                     a->number, times[j].state, (double)times[j].ns / 1e9);
    }
    family("accelerator_requests_total", "counter", "Requests answered by an accelerator.");
    for (size_t i = 0; i < s->num_accelerators; i++)
        printf("headrace_accel_accelerator_requests_total{accelerator=\"%u\"} %" PRIu64 "\n",
               s->accelerators[i].number, s->accelerators[i].requests);
}

static void print_operations(const struct accel_status *s, const char *name, const char *help,
                             size_t offset)
{
    char operation[64];
    family(name, "counter", help);
    for (size_t i = 0; i < s->num_operations; i++)
        tool_say("headrace_accel_%s{operation=\"%s\"} %" PRIu64 "\n", name,
                 accel_status_operation(operation, &s->operations[i]),
                 *(const uint64_t *)((const char *)&s->operations[i] + offset));
}

/* print_fills prints how many requests the unit's batches have. */
static void print_fills(const struct accel_status *s)
{
    char name[64];
    family("unit_batch_requests", "histogram", "How many requests of public key ran together.");
    for (size_t i = 0; i < s->num_operations; i++) {
        const struct control_operation_status *o = &s->operations[i];
        uint64_t below = 0;
        accel_status_operation(name, o);
        for (size_t k = 0; k < CONTROL_UNIT_MANY; k++)
            tool_say(
                "headrace_accel_unit_batch_requests_bucket{operation=\"%s\",le=\"%zu\"} %" PRIu64
                "\n",
                name, k + 1, below += o->fill[k]);
        tool_say("headrace_accel_unit_batch_requests_bucket{operation=\"%s\",le=\"+Inf\"} %" PRIu64
                 "\nheadrace_accel_unit_batch_requests_sum{operation=\"%s\"} %" PRIu64
                 "\nheadrace_accel_unit_batch_requests_count{operation=\"%s\"} %" PRIu64 "\n",
                 name, o->batches, name, o->requests, name, o->batches);
    }
}

static void print_unit(const struct accel_status *s)
{
    const struct control_unit_status *u = &s->unit;
    if (!s->has_unit)
        return;
    single("unit_threads", "gauge", "Threads of the unit for public keys.", u->threads);
    single("unit_keys", "gauge", "Keys that clients have lent to it.", u->keys);
    family("unit_time_seconds_total", "counter", "Time of the unit's threads, by what they did.");
    tool_say("headrace_accel_unit_time_seconds_total{state=\"busy\"} %.9f\n"
             "headrace_accel_unit_time_seconds_total{state=\"idle\"} %.9f\n"
             "headrace_accel_unit_time_seconds_total{state=\"asleep\"} %.9f\n",
             (double)u->busy_ns / 1e9, (double)u->idle_ns / 1e9, (double)u->asleep_ns / 1e9);
#define OF(member) offsetof(struct control_operation_status, member)
    print_operations(s, "unit_requests_total", "Requests of public key answered.", OF(requests));
    print_operations(s, "unit_failed_total", "Those with an error, such as a wrong signature.",
                     OF(failed));
    print_operations(s, "unit_busy_nanoseconds_total", "Time in which they were computed.", OF(ns));
    print_operations(s, "unit_wait_microseconds_total", "Time for which they waited.", OF(wait_us));
    print_operations(s, "unit_load_total", "How many waited when each was taken, added up.",
                     OF(load));
#undef OF
    print_fills(s);
}

static void print_labels(const struct control_client_status *c)
{
    tool_say("{client=\"%u\",policy=\"%s\",uid=\"%u\",pid=\"%u\"", c->number, c->rule, c->uid,
             c->pid);
}

static void print_count(const struct accel_status *s, const char *name, const char *help,
                        size_t offset)
{
    family(name, strstr(name, "_total") ? "counter" : "gauge", help);
    for (size_t i = 0; i < s->num_clients; i++) {
        tool_say("headrace_accel_%s", name);
        print_labels(&s->clients[i]);
        printf("} %" PRIu64 "\n", *(const uint64_t *)((const char *)&s->clients[i] + offset));
    }
}

/* A histogram of each client. `counts` and `sum` are offsets in the client's status; `num` is the
 * number of buckets, whose limits are powers of two, less `less`, in units of `unit`. */
struct histogram {
    const char *name, *help;
    size_t counts, sum, num;
    double unit, less;
};

static void print_buckets(const struct histogram *h, const struct control_client_status *c)
{
    const uint64_t *counts = (const uint64_t *)((const char *)c + h->counts);
    const uint64_t sum = *(const uint64_t *)((const char *)c + h->sum);
    uint64_t below = 0;
    double end = 2;
    for (size_t i = 0; i + 1 < h->num; i++, end *= 2) { /* the last bucket has no upper limit */
        below += counts[i];
        tool_say("headrace_accel_%s_bucket", h->name);
        print_labels(c);
        printf(",le=\"%.9g\"} %" PRIu64 "\n", (end - h->less) * h->unit, below);
    }
    below += counts[h->num - 1];
    tool_say("headrace_accel_%s_bucket", h->name);
    print_labels(c);
    tool_say(",le=\"+Inf\"} %" PRIu64 "\nheadrace_accel_%s_sum", below, h->name);
    print_labels(c);
    tool_say("} %.9g\nheadrace_accel_%s_count", (double)sum * h->unit, h->name);
    print_labels(c);
    printf("} %" PRIu64 "\n", below);
}

static void print_histogram(const struct accel_status *s, const struct histogram *h)
{
    family(h->name, "histogram", h->help);
    for (size_t i = 0; i < s->num_clients; i++)
        print_buckets(h, &s->clients[i]);
}

#define AT(member) offsetof(struct control_client_status, member)
static const struct histogram histograms[] = {
    { "latency_seconds", "Time from taking a request to answering it.", AT(latency),
      AT(latency_sum), CONTROL_LATENCIES, 1e-9, 0 },
    { "batch_requests", "How many requests ran together.", AT(batch), AT(batch_sum),
      CONTROL_BATCHES, 1, 1 },
};

void accel_status_prometheus(const struct accel_status *s)
{
    print_service(&s->service);
    print_accelerators(s);
    print_unit(s);
    print_count(s, "requests_total", "Requests answered.", AT(requests));
    print_count(s, "bytes_total", "Bytes of payload in answered requests.", AT(bytes));
    print_count(s, "rejected_total", "Requests that were rejected as invalid.", AT(rejected));
    print_count(s, "left_total", "Times that a queue found the service slower than itself.",
                AT(left));
    print_count(s, "away_queues", "Queues that compute their jobs themselves for that reason.",
                AT(away));
    print_count(s, "moves_total", "Times that a client was given to another accelerator.",
                AT(moves));
    for (size_t i = 0; i < COUNT(histograms); i++)
        print_histogram(s, &histograms[i]);
}
#undef AT
