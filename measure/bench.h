/* SPDX-License-Identifier: Apache-2.0
 *
 * `headrace accel bench` and `calibrate`: the same jobs through the ring, a socket, OpenSSL and
 * direct calls; each way is a contender of race.h.
 */
#ifndef MEASURE_ACCEL_BENCH_H
#define MEASURE_ACCEL_BENCH_H

#include "../cli/openssl.h"
#include "../cli/tool.h"
#include "race.h"
#include <headrace/accel.h>
#include <jansson.h>
#include <limits.h>
#include <sys/types.h>

extern const struct command accel_bench_command, accel_calibrate_command;

/* ---- bench_private.c: a service for one measurement ---- */

struct private_service {
    char folder[64], socket[108], policy[108], keys[108], rules[108];
    pid_t pid; /* 0: a service that was already running, at `socket` */
    int cpu;   /* CPU of its accelerator; this process does not run on it */
    int num_cpus;
    int schedstat; /* descriptor of its accelerator's schedstat; 0: not opened yet; -1: none */
};

/* Starts headraced on the last CPU, with a socket in a new folder; or uses the service at
 * `socket`, if that is not NULL. Then moves this process off the last CPU. `crossover`: the
 * service's crossover table, or NULL for none. Returns 0, or prints an error. */
int bench_private_start(struct private_service *s, const char *socket, const char *crossover);
/* The same for a new service with this crossover table. */
int bench_private_rules(struct private_service *s, const char *text);
void bench_private_stop(struct private_service *s);
/* How many ns the accelerator has waited for its CPU so far (it should have the CPU to itself);
 * 0 if the kernel does not tell. */
double bench_private_delay(void *service);
/* Moves the calling process to the i-th of all CPUs that this program may use. */
void bench_run_on_cpu(const struct private_service *s, int i);
/* Lets the calling process run on each of them. */
void bench_run_anywhere(void);
/* How many ns of CPU time the threads of a service that was started here have taken. */
double bench_private_cpu(const struct private_service *s);

/* ---- bench_ways.c ---- */

enum { BENCH_DEPTH = 64 };

/* Messages of one row and size, which lie one after the other and are used in turn. */
struct bench_work {
    const struct hr_algorithm *row;
    uint8_t op;
    size_t size, num;
    unsigned depth; /* depth of the ways named -64 instead of 64, if not 0 */
};

enum bench_way {
    BENCH_RING,     /* one request at a time */
    BENCH_RING_64,  /* 64 requests in flight */
    BENCH_SEQ,      /* the service of measure/seqpacket.h */
    BENCH_SEQ_SPIN, /* the same, but the client polls, and the service polls before it sleeps */
    BENCH_SEQ_64,
    BENCH_EVP,     /* OpenSSL in this process: fetched objects, kept contexts and keys */
    BENCH_EVP_KEY, /* the same with a new key for each message, as a request has one */
    BENCH_LOCAL,   /* this thread's own queue, one job at a time */
    BENCH_LOCAL_64,
    BENCH_DIRECT, /* hr_digest(), or hr_hmac() or hr_cipher_encrypt() with a kept key */
    BENCH_FLOOR,  /* a system call that does nothing, and the direct call */
    NUM_BENCH_WAYS
};
extern const char *const bench_way_names[NUM_BENCH_WAYS];
extern const char *const bench_way_titles[NUM_BENCH_WAYS];

struct bench_side; /* a way that is set up for a piece of work */

struct bench_sides {
    const struct openssl *ssl;
    OSSL_LIB_CTX *libctx; /* with the default provider only */
    OSSL_PROVIDER *provider;
    const struct private_service *service;
};

int bench_sides_open(struct bench_sides *sides, const char *libcrypto,
                     const struct private_service *service);
void bench_sides_close(struct bench_sides *sides);

/* Sets up a way for the work, and fills the contender. On failure prints an error and returns
 * NULL. */
struct bench_side *bench_open(struct contender *out, enum bench_way way,
                              const struct bench_work *work, const struct bench_sides *sides);
/* Gets the output for the first message, to compare ways; 64 bytes are enough for any digest. */
void bench_output(const struct bench_side *s, uint8_t out[64]);
void bench_close(struct bench_side *s);
/* Makes a side use the messages of `with`, which must have the same work and be closed later. */
void bench_share(struct bench_side *s, const struct bench_side *with);
/* Whether 64 messages are in flight at once. */
bool bench_is_batch(enum bench_way way);

/* ---- bench_crowd.c: many processes at once ---- */

enum { BENCH_ROUNDS = 31 };

struct crowd_plan {
    enum bench_way way;
    unsigned processes;
    int num_cpus; /* the processes are spread over the first num_cpus CPUs */
};

struct crowd_result {
    double cpu_ns[BENCH_ROUNDS]; /* CPU time of the processes for each request */
    double rate[BENCH_ROUNDS];   /* requests per second */
};

/* Measures two crowds, which take turns of `ms` milliseconds. To be called before this process
 * has connected to the service. Returns 0, or prints an error. */
int bench_crowd_race(struct crowd_result out[2], const struct crowd_plan plans[2],
                     const struct bench_work *work, const struct bench_sides *sides,
                     unsigned rounds, unsigned ms);

/* ---- bench_report.c ---- */

enum bench_bar { BAR_NONE, BAR_LEAST, BAR_MOST };

/* A line of the table: `ours` compared with `theirs`, and the ratio. */
struct bench_line {
    enum bench_part {
        PART_PAIRS,
        PART_PROCESSES,
        PART_TOGETHER,
        PART_PEAK,
        PART_MACHINE,
        PART_MATRIX, /* the column's heading is `group` */
        NUM_PARTS
    } part;
    const char *group; /* a heading, printed before the first line of the group */
    struct bench_work work;
    const char *note;
    const char *unit; /* unit of ours and theirs: "ns", "requests/s", "bytes/ns" */
    const char *ours_name, *theirs_name;
    double ours, theirs, ratio, low, high; /* medians, and quartiles of the ratio */
    enum bench_bar bar_is;
    double bar; /* required least or greatest ratio, or `ours` if there is no other side */
};

enum { BENCH_MAX_LINES = 500 };

struct bench_report {
    const struct bench_sides *sides;
    size_t num;
    struct bench_line lines[BENCH_MAX_LINES];
};

void bench_print(const struct bench_report *report);
int bench_print_json(const struct bench_report *report);
/* bench_facts and bench_print_facts say what was measured, and on what: as JSON, and for people. */
json_t *bench_facts(const struct bench_sides *sides);
void bench_print_facts(const struct bench_sides *sides);
/* Writes a value with its unit, with about three digits whatever its size. */
const char *bench_value(double x, const char *unit, char out[32]);
/* The number of decimals of a ratio, enough that small losses do not look like 0.00. */
int bench_decimals(double ratio);

/* ---- bench_profile.c ---- */

/* Measures what the unit of a profile, t1, t2 or rf, brings this program, and prints it. */
int bench_profile(const char *name, const char *libcrypto, bool quick, bool json);

#endif
