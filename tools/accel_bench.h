/* SPDX-License-Identifier: Apache-2.0
 *
 * `headrace accel bench` and `calibrate`: the same jobs by way of the ring, of a socket, of OpenSSL
 * and of direct calls, each a contender of timing.h.
 */
#ifndef TOOLS_ACCEL_BENCH_H
#define TOOLS_ACCEL_BENCH_H

#include "openssl.h"
#include "timing.h"
#include "tool.h"
#include <headrace/accel.h>
#include <jansson.h>
#include <limits.h>
#include <sys/types.h>

/* ---- accel_private.c: a service of one's own ---- */

struct private_service {
    char folder[64], socket[108], policy[108];
    pid_t pid; /* 0: somebody else's service, at `socket` */
    int cpu;   /* that its accelerator has to itself; the caller and its children have the others */
    int num_cpus;
    int schedstat; /* of its accelerator, once it is asked for */
};

/* Starts headraced on the last CPU, with a socket in a new folder, and leaves that CPU; or uses
 * `socket`, where that is not NULL.  `crossover`: the service's table, or NULL for none.  0, or
 * prints why not. */
int private_service_start(struct private_service *s, const char *socket, const char *crossover);
void private_service_stop(struct private_service *s);
/* How many ns its accelerator has waited for its CPU so far, which it should have to itself; 0
 * where the kernel does not tell. */
double private_service_delay(void *service);
/* Puts the calling process on the i-th of all CPUs that this program may use. */
void run_on_cpu(const struct private_service *s, int i);

/* ---- accel_ways.c ---- */

enum { BENCH_DEPTH = 64 };

/* Messages of one row and size, that lie one after the other and are taken in turns. */
struct bench_work {
    const struct hr_algorithm *row;
    uint8_t op;
    size_t size, num;
    unsigned depth; /* of ring-64 and local-64 instead of 64, where it is not 0 */
};

enum bench_way {
    BENCH_RING,     /* one request at a time */
    BENCH_RING_64,  /* 64 in flight */
    BENCH_SEQ,      /* the service of bench/seqpacket.h */
    BENCH_SEQ_SPIN, /* both sides of it look again and again, and never sleep */
    BENCH_SEQ_64,
    BENCH_EVP,     /* OpenSSL in this process: fetched objects, kept contexts and keys */
    BENCH_EVP_KEY, /* and with a key for each message, as a request has one */
    BENCH_LOCAL,   /* this thread's own queue, one job at a time */
    BENCH_LOCAL_64,
    BENCH_DIRECT, /* hr_hmac() on a kept key */
    BENCH_FLOOR,  /* a system call that does nothing, and the direct call */
    NUM_BENCH_WAYS
};
extern const char *const bench_way_names[NUM_BENCH_WAYS];
extern const char *const bench_way_titles[NUM_BENCH_WAYS];

struct bench_side; /* a way set up for work */

struct bench_sides {
    const struct openssl *ssl;
    OSSL_LIB_CTX *libctx; /* the default provider alone */
    OSSL_PROVIDER *provider;
    const struct private_service *service;
};

int bench_sides_open(struct bench_sides *sides, const char *libcrypto,
                     const struct private_service *service);
void bench_sides_close(struct bench_sides *sides);

/* NULL, and prints why: no memory, no service, the row is not there. */
struct bench_side *bench_open(struct contender *out, enum bench_way way,
                              const struct bench_work *work, const struct bench_sides *sides);
/* The first message's output, to compare: enough for any digest. */
void bench_output(const struct bench_side *s, uint8_t out[64]);
void bench_close(struct bench_side *s);
/* Its messages lie where those of `with` do, of the same work, which is closed after it. */
void bench_share(struct bench_side *s, const struct bench_side *with);
/* Whether 64 messages are under way at once. */
bool bench_is_batch(enum bench_way way);

/* ---- accel_crowd.c: many processes ---- */

enum { CROWD_MAX = 64, CROWD_ROUNDS = 31 };

struct crowd_plan {
    enum bench_way way;
    unsigned processes;
    int num_cpus; /* they are spread over the first so many */
};

struct crowd_result {
    double cpu_ns[CROWD_ROUNDS]; /* of the processes, a request */
    double rate[CROWD_ROUNDS];   /* requests a second */
};

/* Two crowds take turns of `ms` milliseconds.  Before this process has connected.  0, or prints why
 * not. */
int crowd_race(struct crowd_result out[2], const struct crowd_plan plans[2],
               const struct bench_work *work, const struct bench_sides *sides, unsigned rounds,
               unsigned ms);

/* ---- accel_report.c ---- */

enum bench_bar { BAR_NONE, BAR_LEAST, BAR_MOST };

/* A line of the table: `ours` beside `theirs`, and how many times better. */
struct bench_line {
    enum bench_part {
        PART_PAIRS,
        PART_PROCESSES,
        PART_TOGETHER,
        PART_PEAK,
        PART_MACHINE,
        PART_MATRIX, /* `group` is the column's heading */
        NUM_PARTS
    } part;
    const char *group; /* a heading stands before the first line of each */
    struct bench_work work;
    const char *note;
    const char *unit; /* of ours and theirs: "ns", "requests/s", "bytes/ns" */
    const char *ours_name, *theirs_name;
    double ours, theirs, ratio, low, high; /* medians; quartiles of the ratio */
    enum bench_bar bar_is;
    double bar; /* of the ratio, or of `ours` where there is no other side */
};

enum { BENCH_MAX_LINES = 500 };

struct bench_report {
    const struct bench_sides *sides;
    size_t num;
    struct bench_line lines[BENCH_MAX_LINES];
};

void bench_print(const struct bench_report *report);
int bench_print_json(const struct bench_report *report);

#endif
