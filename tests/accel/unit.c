/* SPDX-License-Identifier: Apache-2.0 */
/* unit RSA_KEYS HEADRACED [OPTION...]: the service's unit for public keys, against direct calls.
 * RSA_KEYS is a file of tests/pk. */
#define _GNU_SOURCE
#include "harness.h"
#include "unit_keys.h"
#include <headrace/algorithms.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct service service;

static const char policy[] = "[unit public-key]\nthreads = 3\nnice = 1\n"
                             "[client all]\nattach = yes\nadmin = yes\nattaches = 0\n";

/* ---- what the service says ---- */

/* unit_status asks for the status, and adds up what is said of the unit.  `fills` gets the numbers
 * of batches by their requests. */
static uint64_t unit_status(uint64_t fills[CONTROL_UNIT_MANY])
{
    struct control_request request = { .magic = CONTROL_MAGIC, .type = CONTROL_STATUS };
    struct {
        struct control_reply reply;
        struct control_status status;
    } answer;
    uint64_t requests = 0;
    int fd;
    while ((fd = raw_connect(&service)) < 0) /* until it listens */
        usleep(1000);
    memset(fills, 0, CONTROL_UNIT_MANY * sizeof *fills);
    do {
        if (send(fd, &request, sizeof request, MSG_NOSIGNAL) != sizeof request ||
            recv(fd, &answer, sizeof answer, 0) != sizeof answer || answer.reply.result) {
            complain("no status");
            break;
        }
        const struct control_operation_status *o = &answer.status.u.operation;
        if (answer.status.kind == STATUS_UNIT)
            requests = answer.status.u.unit.requests;
        for (size_t i = 0; i < CONTROL_UNIT_MANY && answer.status.kind == STATUS_OPERATION; i++)
            fills[i] += o->fill[i];
        request.handle = answer.reply.handle;
    } while (request.handle);
    close(fd);
    return requests;
}

/* ---- results ---- */

static void check_results(void)
{
    uint64_t fills[CONTROL_UNIT_MANY];
    uint64_t jobs = 0;
    for (size_t i = 0; i < num_pairs; i++) {
        pair_check(&pairs[i], hr_accel_run);
        jobs += 1 + (pairs[i].back.key != NULL);
    }
    const uint64_t requests = unit_status(fills);
    if (requests != jobs)
        complain("of %d jobs, %d ran in the service", (int)jobs, (int)requests);
    tap(1, "%zu keys and paddings give what direct calls give", num_pairs);
}

/* check_wrong checks that a wrong signature or ciphertext gets the result of a direct call. */
static void check_wrong(void)
{
    for (size_t i = 0; i < num_pairs; i++) {
        struct pair *p = &pairs[i];
        struct hr_job back = p->back;
        uint8_t direct[PAIR_MOST] = { 0 };
        if (!back.key || hr_job_run(&p->job))
            continue;
        uint8_t *in =
            back.op == HR_JOB_VERIFY && p->row->cls != HR_CLASS_KEM ? p->tag : (uint8_t *)back.in;
        in[p->want_len / 2] ^= 1;
        back.tag_len = 0;
        memset(p->back_tag, 0, sizeof p->back_tag); /* the message may be empty */
        const int want = hr_job_run(&back);
        memcpy(direct, p->back_tag, sizeof direct);
        const uint32_t len = back.tag_len;
        memset(p->back_tag, 0, sizeof p->back_tag);
        back.tag_len = 0;
        if (hr_accel_run(&back) != want || back.tag_len != len ||
            (!want && back.tag == p->back_tag &&
             memcmp(direct, p->back_tag, len ? len : HR_KEM_SECRET_LEN)))
            complain("%s, operation %d: %s instead of %s", p->row->name, back.op,
                     hr_strerror(back.result), hr_strerror(want));
    }
    tap(1, "and so do wrong signatures and ciphertexts");
}

/* ---- several processes ---- */

static struct pair *pair_of(hr_alg alg, uint8_t op)
{
    for (size_t i = 0; i < num_pairs; i++)
        if (pairs[i].row->alg == alg && pairs[i].job.op == op && !pairs[i].is_random)
            return &pairs[i];
    complain("no such pair");
    return pairs;
}

/* What the processes of a load have in common. */
struct load {
    _Atomic int go, stop;
    _Atomic uint64_t signatures;
};
static struct load *load;

/* sign_often is a process that signs `num` times, or if that is 0 until it is to stop, and exits
 * with 1 if a result is wrong. */
static void sign_often(struct pair *p, int num)
{
    pair_check(p, hr_accel_run);
    while (!load->go)
        usleep(100);
    for (int i = 0; num ? i < num : !load->stop; i++) {
        memset(p->tag, 0, p->want_len);
        if (hr_accel_run(&p->job) || memcmp(p->tag, p->want, p->want_len))
            complain("wrong");
        load->signatures++;
    }
    _exit(complaints_so_far() != 0);
}

/* wait_for returns how many of the processes failed. */
static int wait_for(int processes)
{
    int wrong = 0;
    for (int status; processes; processes--)
        wrong += wait(&status) < 0 || status;
    load->go = load->stop = 0;
    return wrong;
}

enum { PROCESSES = 12, EACH = 40, ROUNDS = 20 };

/* sign_together lets processes sign at the same time.  It returns the number of those that failed.
 */
static int sign_together(struct pair *p)
{
    for (int i = 0; i < PROCESSES; i++)
        if (!fork())
            sign_often(p, EACH);
    load->go = 1;
    return wait_for(PROCESSES);
}

/* check_crowd goes on until a batch had requests of several processes. */
static void check_crowd(hr_alg alg)
{
    struct pair *p = pair_of(alg, HR_JOB_SIGN);
    uint64_t before[CONTROL_UNIT_MANY], after[CONTROL_UNIT_MANY], several = 0;
    int wrong = 0;
    unit_status(before);
    for (int round = 0; round < ROUNDS && !several; round++) {
        wrong += sign_together(p);
        unit_status(after);
        for (int i = 1; i < CONTROL_UNIT_MANY; i++)
            several += after[i] - before[i];
        if (hr_job_lanes(&p->job) == 1)
            break;
    }
    if (hr_job_lanes(&p->job) > 1 && !several)
        complain("no batch has two requests");
    tap(!wrong, "%d processes that sign one %s at a time share lanes: %d batches of several",
        PROCESSES, p->row->name, (int)several);
}

/* ---- a service that is slow ---- */

/* check_slow lets the policy allow few requests a second.  So many jobs would take minutes if they
 * did not stay in this process. */
static void check_slow(void)
{
    enum { JOBS = 3000 };
    struct pair *p = pair_of(HR_ECDSA_P256, HR_JOB_SIGN);
    uint64_t fills[CONTROL_UNIT_MANY];
    FILE *file = fopen(service.policy, "w");
    if (!file || fputs(policy, file) < 0 || fputs("rate = 10\n", file) < 0 || fclose(file) ||
        kill(service.pid, SIGHUP))
        complain("no policy");
    const uint64_t before = unit_status(fills);
    for (int i = 0; i < JOBS; i++) {
        memset(p->tag, 0, p->want_len);
        if (hr_accel_run(&p->job) || memcmp(p->tag, p->want, p->want_len))
            complain("wrong");
    }
    const uint64_t there = unit_status(fills) - before;
    tap(there < JOBS, "of %d jobs of a service that is slow, %d stay here", JOBS,
        (int)(JOBS - there));
}

/* ---- the service ends ---- */

static void check_kills(void)
{
    enum { LOADS = 6, KILLS = 4 };
    const char *text = getenv("HEADRACE_TEST_RESTARTS");
    const int kills = text ? atoi(text) : KILLS;
    for (int i = 0; i < LOADS; i++)
        if (!fork())
            sign_often(pair_of(i % 2 ? HR_RSA2048 : HR_ECDSA_P256, HR_JOB_SIGN), 0);
    load->go = 1;
    const uint64_t before = load->signatures;
    for (int i = 0; i < kills; i++) {
        usleep(random_below(40000));
        service_kill(&service);
        service_listens(&service);
        uint64_t fills[CONTROL_UNIT_MANY];
        while (i % 2 && !unit_status(fills)) /* until it has signed something */
            usleep(1000);
    }
    load->stop = 1;
    const int wrong = wait_for(LOADS);
    tap(!wrong, "%d kills under load: none of %d signatures is wrong or missing", kills,
        (int)(load->signatures - before));
    service_kill(&service);
    service_again(&service);
    for (size_t i = 0; i < num_pairs; i++)
        pair_check(&pairs[i], hr_accel_run);
    tap(1, "keys are lent to the next service");
    service_kill(&service);
    for (size_t i = 0; i < num_pairs; i++)
        pair_check(&pairs[i], hr_accel_run);
    tap(1, "without a service the jobs run here");
    service_again(&service);
}

/* ---- the crossover table ---- */

static char rules[] = "/tmp/headraced-rules-XXXXXX";

/* service_with_rules begins the service with the table at `rules`, which is not there yet. */
static void service_with_rules(char **arguments)
{
    static char option[sizeof rules + 16], *with[16];
    const int fd = mkstemp(rules);
    if (fd < 0)
        complain("no file for rules");
    close(fd);
    unlink(rules);
    snprintf(option, sizeof option, "--crossover=%s", rules);
    with[0] = arguments[0];
    with[1] = option;
    for (int i = 1; arguments[i] && i < 14; i++)
        with[i + 1] = arguments[i];
    service_begin(&service, with, policy);
}

/* check_rules: a rule for a load that is never reached keeps jobs in this process. */
static void check_rules(void)
{
    enum { JOBS = 50, MOST = 10000 };
    uint64_t fills[CONTROL_UNIT_MANY], before = 0;
    struct pair *rsa = pair_of(HR_RSA2048, HR_JOB_SIGN), *other = pair_of(HR_ED25519, HR_JOB_SIGN);
    FILE *file = fopen(rules, "w");
    if (!file || fputs("# headrace accel crossover 1\nRSA-2048 sign 255 0 4096\n", file) < 0 ||
        fclose(file) || chmod(rules, 0644))
        complain("no rules");
    service_kill(&service);
    service_again(&service);
    for (int i = 0; !before && i < MOST; i++) { /* until this process has the new service */
        pair_check(other, hr_accel_run);
        usleep(1000);
        before = unit_status(fills);
    }
    for (int i = 0; i < JOBS; i++) {
        memset(rsa->tag, 0, rsa->want_len);
        if (hr_accel_run(&rsa->job) || memcmp(rsa->tag, rsa->want, rsa->want_len))
            complain("wrong");
    }
    const uint64_t after = unit_status(fills);
    if (!before || after != before)
        complain("%llu requests, then %llu", (unsigned long long)before, (unsigned long long)after);
    unlink(rules);
    tap(1, "a rule of the crossover table keeps jobs under lent keys here");
}

int main(int argc, char **argv)
{
    struct hr_queue *queue;
    if (argc < 3)
        return 2;
    signal(SIGPIPE, SIG_IGN);
    load = mmap(NULL, sizeof *load, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (load == MAP_FAILED)
        return 1;
    pairs_make(argv[1]);
    tap(num_pairs > 0, "%zu keys", num_pairs);
    service_with_rules(argv + 2);
    if (hr_queue_connect(&queue, service.socket) || !hr_queue_connected(queue))
        complain("not connected");
    pairs_lend();
    check_results();
    check_wrong();
    check_crowd(HR_RSA2048);
    check_crowd(HR_ECDSA_P256);
    check_kills();
    check_slow();
    check_rules();
    hr_queue_close(queue);
    service_end(&service);
    tap(1, "the service ends well");
    return tap_done();
}
