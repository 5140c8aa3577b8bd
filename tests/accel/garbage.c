/* SPDX-License-Identifier: Apache-2.0 */
/* garbage HEADRACED [OPTION...]: processes that send random requests and control messages for some
 * seconds (HEADRACE_TEST_SECONDS), change and punch holes into their memory, and attach again.
 * After it the service must live, and all results of a neighbour must have been right. */
#define _GNU_SOURCE
#include "harness.h"
#include <fcntl.h>
#include <headrace/algorithms.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    PROCESSES = 5,
    RINGS = 4,
    W = 64 << 10,
    SESSION = 20000,
    BUNCH = 200,
    ENOUGH = PROCESSES * 1000
};

struct service service;
struct neighbour neighbour;
/* How many requests were put and answered, by all processes. */
static _Atomic uint64_t *put, *answered;

static const char policy[] = "[client test]\n"
                             "clients = 40\n"
                             "attaches = 0\n"
                             "rings = 4\n"
                             "window = 64K\n";

/* near returns an offset that is often near a border of the window. */
static uint32_t near(void)
{
    static const uint32_t borders[] = { 0, W / 2, W - 4096, W - 64, W, UINT32_MAX - 64 };
    return borders[random_below(COUNT_OF(borders))] + random_below(128) * (1 + random_below(8));
}

/* meant makes a request that is right but for some of its members. */
static struct ring_request meant(void)
{
    const struct hr_algorithm *row;
    do
        row = hr_algorithm_at(random_below(256));
    while (!row);
    struct ring_request r =
        far_request(row->alg, (int)random_below(4), random_below(W / 2), random_below(4096),
                    W / 2 + random_below(W / 4), near(), (uint8_t)row->key_len);
    r.iv_len = random_below(4) ? (uint8_t)row->iv_len : (uint8_t)random_below(256);
    r.tag_len = (uint8_t)(random_below(3) ? 16 : random_below(256));
    r.flags |= (uint8_t)(random_below(8) ? 0 : random_below(256));
    r.u.far.more = random_below(4) ? 0 : near() & ~UINT32_C(7);
    switch (random_below(6)) {
    case 0:
        r.u.far.in = near();
        break;
    case 1:
        r.u.far.out = near();
        break;
    case 2:
        r.len = near();
        break;
    }
    return r;
}

/* The keys that a session has lent; some handles are made up. */
enum { LENT = 6, UNIT_W = RING_UNIT_WINDOW };
static uint64_t lent[LENT];
static const hr_alg lent_rows[LENT] = { HR_ECDSA_P256, HR_ED25519,   HR_X25519,
                                        HR_MLKEM768,   HR_ECDH_P256, HR_RSA1024 };

static void lend(const struct raw *c)
{
    static uint8_t n[128], seed[64];
    for (size_t i = 0; i < LENT; i++) {
        const int rsa = lent_rows[i] == HR_RSA1024;
        const uint8_t e[] = { 1, 0, (uint8_t)(1 + 2 * random_below(2)) };
        const struct hr_number parts[] = { { rsa ? n : seed, rsa ? sizeof n : 32 },
                                           { e, rsa ? sizeof e : 0 } };
        random_bytes(n, sizeof n);
        random_bytes(seed, sizeof seed);
        n[0] |= 0x80;
        n[sizeof n - 1] |= random_below(4) > 0; /* even moduli too */
        const struct hr_number kem[] = { { seed, sizeof seed }, { NULL, 0 } };
        (void)raw_lend(c, &lent[i], lent_rows[i], lent_rows[i] == HR_MLKEM768 ? kem : parts,
                       random_below(8) ? 2 : random_below(3));
    }
}

/* meant_for_unit makes a request of public key that is right but for some of its members. */
static struct ring_request meant_for_unit(void)
{
    const size_t i = random_below(LENT);
    struct ring_options options = { .padding = random_below(4) ? 0 : (uint8_t)random_below(8) };
    struct ring_request r =
        pk_request(lent_rows[i], (int)random_below(4), lent[i], random_below(UNIT_W / 2),
                   random_below(200), UNIT_W / 2 + random_below(UNIT_W / 4), &options);
    if (lent_rows[i] == HR_MLKEM768)
        r.len = r.op ? 1088 : 0;
    if (lent_rows[i] == HR_RSA1024) {
        options.padding = (uint8_t)random_below(6);
        options.digest = random_below(2) ? HR_SHA256 : (uint16_t)random_below(65536);
        memcpy(r.u.far.iv, &options, sizeof options);
    }
    switch (random_below(8)) {
    case 0:
        r.u.far.in = near();
        break;
    case 1:
        r.u.far.out = UNIT_W - random_below(600);
        break;
    case 2:
        r.u.far.aad = near();
        r.u.far.aad_len = random_below(2000);
        break;
    case 3:
        r.u.far.handle = lent[random_below(LENT)] + random_below(3) - 1;
        break;
    case 4:
        random_bytes(r.u.far.iv, sizeof r.u.far.iv);
        break;
    }
    return r;
}

static struct ring_request any_request(bool for_unit)
{
    struct ring_request r = for_unit ? meant_for_unit() : meant();
    if (!random_below(3))
        random_bytes(&r, sizeof r);
    else if (!random_below(3))
        random_bytes((uint8_t *)&r + random_below(sizeof r - 4), 4);
    return r;
}

/* spoil changes memory behind the service's back. */
static void spoil(struct raw *c)
{
    const size_t len = ring_requests_len(&c->geometry);
    uint8_t *at = (uint8_t *)c->requests + random_below((uint32_t)len - 256);
    if (!random_below(50) &&
        fallocate(c->fds[0], FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  random_below((uint32_t)len) & ~4095, 4096 * (1 + random_below(8))))
        return;
    random_bytes(at, 1 + random_below(255));
}

/* room waits until the ring has a place, and counts what was answered; it returns 0 if none comes,
 * since the service has ended the session, or waits for a request that was overwritten. */
static int room(struct raw *c, uint32_t ring)
{
    struct ring_completion *all = (void *)ring_completions(c->completions, ring);
    for (int tries = 0; tries < 2000; tries++) {
        while (ring_look(&all[c->completed[ring] % RING_DEPTH].seq) == c->completed[ring] + 1) {
            c->completed[ring]++;
            atomic_fetch_add(answered, 1);
        }
        if (c->next[ring] - c->completed[ring] < RING_DEPTH)
            return 1;
        sched_yield();
    }
    return 0;
}

/* The processes go on for their time, and until enough is answered, but a minute longer at most. */
static int is_over(time_t end)
{
    const time_t now = time(NULL);
    return now >= end && (*answered >= ENOUGH || now >= end + 60);
}

/* put_some puts requests into one of the client's rings.  Returns 0 if the session is over. */
static int put_some(struct raw *c, bool for_unit, time_t end)
{
    for (uint32_t i = 0; i < BUNCH && !is_over(end); i++) {
        const struct ring_request r = any_request(for_unit);
        const uint32_t ring = random_below(RINGS);
        if (!room(c, ring))
            return 0;
        raw_put(c, ring, &r);
        if (!random_below(64))
            spoil(c);
        atomic_fetch_add(put, 1);
    }
    return !is_over(end);
}

/* session is what one connection sends.  The service may end it at any time. */
static void session(time_t end)
{
    struct raw c, unit;
    uint8_t message[sizeof(struct control_request)];
    if (raw_attach(&c, &service))
        return;
    const bool has_unit = !raw_attach_unit(&unit, &c);
    if (has_unit)
        lend(&c);
    for (uint32_t i = 0; i < SESSION / BUNCH; i++)
        if (!put_some(has_unit && i % 2 ? &unit : &c, has_unit && i % 2, end))
            break;
    random_bytes(message, sizeof message);
    if (random_below(2))
        memcpy(message,
               &(struct control_request){ .magic = CONTROL_MAGIC, .type = random_below(32) },
               offsetof(struct control_request, handle));
    if (send(c.socket, message, 1 + random_below(sizeof message), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        perror("send"); /* the service has hung up */
    if (has_unit)
        raw_detach(&unit);
    raw_detach(&c);
}

static void process(unsigned number, time_t end)
{
    for (unsigned i = 0; i < number * 1000; i++)
        random_below(2); /* each process has other bytes */
    while (!is_over(end))
        session(end);
    _exit(0);
}

int main(int argc, char **argv)
{
    const char *seconds = getenv("HEADRACE_TEST_SECONDS");
    pid_t children[PROCESSES];
    if (argc < 2)
        return 2;
    signal(SIGPIPE, SIG_IGN);
    put = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    answered = put + 1;
    if (put == MAP_FAILED)
        return 1;
    service_begin(&service, argv + 1, policy);
    const time_t end = time(NULL) + (seconds ? atoi(seconds) : 4);
    for (unsigned i = 0; i < PROCESSES; i++)
        if (!(children[i] = fork()))
            process(i, end);
    neighbour_begin(&neighbour, &service);
    for (unsigned i = 0; i < PROCESSES; i++) {
        int status = 0;
        if (waitpid(children[i], &status, 0) != children[i] || status)
            complain("process %u ended with %#x", i, (unsigned)status);
    }
    service_alive(&service);
    neighbour_goes_on(&neighbour, 6);
    printf("# %" PRIu64 " requests put, %" PRIu64 " answered\n", (uint64_t)*put,
           (uint64_t)*answered);
    tap(*answered >= ENOUGH, "the service has answered random requests");
    neighbour_end(&neighbour);
    tap(!complaints_so_far(), "and lives, and a neighbour's results were right");
    service_end(&service);
    return tap_done();
}
