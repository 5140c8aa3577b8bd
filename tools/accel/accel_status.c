/* SPDX-License-Identifier: Apache-2.0 */
/* headrace accel status: shows the clients and their load. */
#define _GNU_SOURCE
#include "accel_status.h"
#include "accel.h"
#include <ctype.h>
#include <headrace/classes.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool json, prometheus;

/* ---- gathering ---- */

static void *grow(void *array, size_t num, size_t size)
{
    void *grown = realloc(array, (num + 1) * size);
    if (!grown)
        abort();
    return grown;
}

/* Whether a name ends, and has only characters that a version or a rule of the policy has: a name
 * becomes a label of Prometheus and a string of JSON. */
static bool is_name(const char *name, size_t size)
{
    const size_t len = strnlen(name, size);
    for (size_t i = 0; i < len; i++)
        if (!isgraph((unsigned char)name[i]) || strchr("\"\\", name[i]))
            return false;
    return len < size;
}

static int keep(struct accel_status *s, const struct control_status *one)
{
    switch (one->kind) {
    case STATUS_SERVICE:
        if (!is_name(one->u.service.version, sizeof one->u.service.version))
            break;
        s->service = one->u.service;
        return EXIT_SUCCESS;
    case STATUS_ACCELERATOR:
        s->accelerators = grow(s->accelerators, s->num_accelerators, sizeof *s->accelerators);
        s->accelerators[s->num_accelerators++] = one->u.accelerator;
        return EXIT_SUCCESS;
    case STATUS_CLIENT:
        if (!is_name(one->u.client.rule, sizeof one->u.client.rule))
            break;
        s->clients = grow(s->clients, s->num_clients, sizeof *s->clients);
        s->clients[s->num_clients++] = one->u.client;
        return EXIT_SUCCESS;
    case STATUS_UNIT:
        s->unit = one->u.unit;
        s->has_unit = true;
        return EXIT_SUCCESS;
    case STATUS_OPERATION:
        s->operations = grow(s->operations, s->num_operations, sizeof *s->operations);
        s->operations[s->num_operations++] = one->u.operation;
        return EXIT_SUCCESS;
    case STATUS_NOTHING:
        return EXIT_SUCCESS;
    default:
        break;
    }
    return tool_error("%s: an answer of another version", accel_socket);
}

int accel_status_gather(struct accel_status *s, int fd)
{
    struct control_request request = { .magic = CONTROL_MAGIC, .type = CONTROL_STATUS };
    do {
        struct control_reply reply;
        struct control_status one;
        int code = accel_ask(fd, &request, &reply, &one, sizeof one);
        if (!code && reply.more != sizeof one)
            code = tool_error("%s: an answer of another version", accel_socket);
        if (!code)
            code = keep(s, &one);
        if (code)
            return code;
        request.handle = reply.handle;
    } while (request.handle);
    return EXIT_SUCCESS;
}

void accel_status_free(struct accel_status *s)
{
    free(s->accelerators);
    free(s->clients);
    free(s->operations);
}

/* ---- for people ---- */

static const char *scaled(char out[16], double n)
{
    static const char *const units[] = { "", "K", "M", "G", "T", "P" };
    size_t unit = 0;
    while (n >= 9999.5 && unit + 1 < COUNT(units)) {
        n /= 1000;
        unit++;
    }
    snprintf(out, 16, "%.0f%s%s", n, *units[unit] ? " " : "", units[unit]);
    return out;
}

static const char *duration(char out[32], uint64_t seconds)
{
    if (seconds < 120)
        snprintf(out, 32, "%" PRIu64 " s", seconds);
    else if (seconds < 7200)
        snprintf(out, 32, "%" PRIu64 " min", seconds / 60);
    else if (seconds < UINT64_C(48) * 3600)
        snprintf(out, 32, "%" PRIu64 " h", seconds / 3600);
    else
        snprintf(out, 32, "%" PRIu64 " days", seconds / 86400);
    return out;
}

/* The bucket below whose end this part of all counts lies: bucket i ends at 2 << i. -1: nothing
 * was counted. */
static int part_below(const uint64_t *counts, int num, double part)
{
    uint64_t all = 0, below = 0;
    int i = 0;
    for (int j = 0; j < num; j++)
        all += counts[j];
    if (!all)
        return -1;
    while (i + 1 < num && (double)(below += counts[i]) < (double)all * part)
        i++;
    return i;
}

static const char *latency(char out[16], const struct control_client_status *c, double part)
{
    const int i = part_below(c->latency, CONTROL_LATENCIES, part);
    if (i < 0)
        return "-";
    const double ns = (double)(UINT64_C(2) << i);
    if (ns < 1e4)
        snprintf(out, 16, "%.0f ns", ns);
    else
        snprintf(out, 16, ns < 1e7 ? "%.0f us" : "%.0f ms", ns < 1e7 ? ns / 1e3 : ns / 1e6);
    return out;
}

/* The highest number of requests that were computed together, for half of the requests. */
static const char *batch(char out[16], const struct control_client_status *c)
{
    const int i = part_below(c->batch, CONTROL_BATCHES, 0.5);
    if (i < 0)
        return "-";
    snprintf(out, 16, "%u", (2U << i) - 1);
    return out;
}

static const char *user_name(char out[16], uint32_t uid)
{
    const struct passwd *user = getpwuid(uid);
    if (user)
        snprintf(out, 16, "%.12s", user->pw_name);
    else
        snprintf(out, 16, "%u", uid);
    return out;
}

static void print_accelerator(const struct control_accelerator_status *a)
{
    char requests[16], bytes[16], cpu[16] = "any";
    const double all = (double)(a->busy_ns + a->idle_ns + a->asleep_ns);
    const double percent = all > 0 ? 100 / all : 0;
    if (a->cpu >= 0)
        snprintf(cpu, sizeof cpu, "%d", a->cpu);
    tool_say("%11u  %3s  %7u  %8s  %8s  %4.0f %%  %4.0f %%  %4.0f %%\n", a->number, cpu, a->clients,
             scaled(requests, (double)a->requests), scaled(bytes, (double)a->bytes),
             (double)a->busy_ns * percent, (double)a->idle_ns * percent,
             (double)a->asleep_ns * percent);
}

static void print_client(const struct control_client_status *c)
{
    char requests[16], bytes[16], rejected[16], together[16], half[16], most[16], user[16];
    tool_say("%6u %-8.8s %-8.8s %7u %2u %8s %6s %6s %5s %7s %7s\n", c->number, c->rule,
             user_name(user, c->uid), c->pid, c->accelerator, scaled(requests, (double)c->requests),
             scaled(bytes, (double)c->bytes), scaled(rejected, (double)c->rejected),
             batch(together, c), latency(half, c, 0.5), latency(most, c, 0.99));
}

const char *accel_status_operation(char out[64], const struct control_operation_status *o)
{
    const struct hr_algorithm *row = hr_algorithm((hr_alg)o->alg);
    const struct hr_class_op *op = row ? hr_class_pk(hr_class_of(row), o->op) : NULL;
    if (op)
        snprintf(out, 64, "%s %s", row->name, hr_class_op_word(op));
    else
        snprintf(out, 64, "%u/%u", o->alg, o->op);
    return out;
}

static double ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0;
}

/* The time below which this part of all requests waited in their ring. */
static const char *waited(char out[16], const struct control_operation_status *o, double part)
{
    const int i = part_below(o->wait, CONTROL_LATENCIES, part);
    const double us = i < 0 ? 0 : (double)(UINT64_C(2) << i);
    if (i < 0)
        return "-";
    snprintf(out, 16, us < 1e4 ? "%.0f us" : "%.0f ms", us < 1e4 ? us : us / 1e3);
    return out;
}

static void print_operation(const struct control_operation_status *o)
{
    char name[64], requests[16], failed[16], half[16], most[16];
    tool_say("%-25.25s %8s %6s %5.2f %5.2f %5.1f %% %9.1f %8s %8s\n",
             accel_status_operation(name, o), scaled(requests, (double)o->requests),
             scaled(failed, (double)o->failed), ratio(o->load, o->requests),
             ratio(o->requests, o->batches),
             100 * ratio(o->fill[CONTROL_UNIT_MANY - 1], o->batches),
             ratio(o->ns, o->requests) / 1000, waited(half, o, 0.5), waited(most, o, 0.99));
}

/* print_unit prints the unit for public keys, and its operations: how many requests wait, the load
 * of the crossover table's rules, and how many a batch has; how many batches are full; the time for
 * a request in its batch, and in its ring. */
static void print_unit(const struct accel_status *s)
{
    const struct control_unit_status *u = &s->unit;
    char requests[16], batches[16];
    const double all = (double)(u->busy_ns + u->idle_ns + u->asleep_ns);
    const double percent = all > 0 ? 100 / all : 0;
    if (!s->has_unit)
        return;
    puts("\npublic keys  threads  asleep  clients  keys  requests   batches  busy  idle  asleep");
    tool_say("             %7u  %6u  %7u  %4u  %8s  %8s  %2.0f %%  %2.0f %%  %4.0f %%\n",
             u->threads, u->asleep, u->clients, u->keys, scaled(requests, (double)u->requests),
             scaled(batches, (double)u->batches), (double)u->busy_ns * percent,
             (double)u->idle_ns * percent, (double)u->asleep_ns * percent);
    if (s->num_operations)
        puts("\noperation                 requests failed  load batch  full   us each wait 50% "
             "wait 99%");
    for (size_t i = 0; i < s->num_operations; i++)
        print_operation(&s->operations[i]);
}

/* print_away prints which clients found the service slower than themselves. */
static void print_away(const struct accel_status *s)
{
    const char *before = "\n";
    for (size_t i = 0; i < s->num_clients; i++) {
        const struct control_client_status *c = &s->clients[i];
        if (!c->left)
            continue;
        tool_say("%sclient %u found the service slower than itself %" PRIu64 " times: %" PRIu64
                 " of its queues compute there now\n",
                 before, c->number, c->left, c->away);
        before = "";
    }
}

static void print_people(const struct accel_status *s)
{
    char up[32];
    tool_say("headraced %.15s, up %s\nclients: %" PRIu64 " attached so far, %" PRIu64
             " refused, %" PRIu64 " revoked; memory for them: %" PRIu64 " of %" PRIu64
             " MiB\nkernels that passed the self-test: %u, named keys: %u\n\n",
             s->service.version, duration(up, s->service.up), s->service.attached,
             s->service.refused, s->service.revoked, s->service.memory >> 20,
             s->service.memory_limit >> 20, s->service.kernels, s->service.named_keys);
    puts("accelerator  cpu  clients  requests     bytes    busy    idle  asleep");
    for (size_t i = 0; i < s->num_accelerators; i++)
        print_accelerator(&s->accelerators[i]);
    print_unit(s);
    if (s->num_clients)
        puts("\nclient policy   user     process on requests  bytes reject batch 50 % in 99 % in");
    for (size_t i = 0; i < s->num_clients; i++)
        print_client(&s->clients[i]);
    print_away(s);
}

static int status_main(int argc, char **argv)
{
    struct accel_status s = { .accelerators = NULL };
    if (json && prometheus)
        return tool_usage("accel status: --json or --prometheus");
    const int fd = accel_dial();
    int code = fd < 0 ? EXIT_FAILURE : accel_status_gather(&s, fd);
    if (!code && json)
        code = accel_status_json(&s);
    else if (!code && prometheus)
        accel_status_prometheus(&s);
    else if (!code)
        print_people(&s);
    if (fd >= 0)
        close(fd);
    accel_status_free(&s);
    return tool_finish(code);
}

static const struct tool_option options[] = {
    { "json", 'j', NULL, "print JSON, with the histograms", &json, NULL },
    { "prometheus", 'p', NULL, "print Prometheus' text format", &prometheus, NULL },
    ACCEL_SOCKET_OPTION,
    { .name = NULL },
};

const struct command accel_status_command = {
    .name = "accel status",
    .summary = "show which clients are served, and how busy the service is",
    .options = options,
    .main = status_main,
    .no_operands = true,
};
