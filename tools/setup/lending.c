/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "lending.h"
#include "../../accel/control.h"
#include "../../accel/crossover.h"
#include "findings.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { ANSWER_MOST = 8 }; /* seconds: a service that listens first tests its kernels */

static const char *socket_path(void)
{
    const char *env = secure_getenv("HEADRACE_ACCEL");
    return env && *env ? env : CONTROL_PATH;
}

/* Returns a connection, or -1 with errno. */
static int dial(const char *path)
{
    const struct timeval most = { .tv_sec = ANSWER_MOST };
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0 || (!setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most) &&
                   !connect(fd, (struct sockaddr *)&address, sizeof address)))
        return fd;
    const int error = errno;
    close(fd);
    errno = error;
    return -1;
}

/* Asks the service, and returns its result, or HR_EGONE. The descriptors of an answer are not
 * received: there is no room for them. */
static int ask(int fd, enum control_type type, void *more, size_t *len)
{
    const struct control_request request = { .magic = CONTROL_MAGIC, .type = type };
    struct control_reply reply;
    struct iovec parts[] = { { &reply, sizeof reply }, { more, *len } };
    struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
    if (send(fd, &request, sizeof request, MSG_NOSIGNAL) != sizeof request)
        return HR_EGONE;
    const ssize_t n = recvmsg(fd, &message, 0);
    if (n < (ssize_t)sizeof reply || reply.magic != CONTROL_MAGIC || reply.type != type)
        return HR_EGONE;
    *len = (size_t)n - sizeof reply;
    return reply.result;
}

/* What the crossover table says of signatures of RSA. */
enum rules { NO_RULES, NEVER_BY_RULES, SOME_BY_RULES };

/* Lists the rules by which the service signs: "RSA-2048 from a load of 2 on". */
static enum rules list_rules(char *out, size_t out_len, int fd)
{
    static struct crossover_rule rules[CROSSOVER_MAX];
    size_t len = sizeof rules, used = 0;
    enum rules found = NO_RULES;
    *out = '\0';
    if (ask(fd, CONTROL_CROSSOVER, rules, &len))
        return NO_RULES;
    for (size_t i = 0; i < len / sizeof *rules && used < out_len; i++) {
        const struct hr_algorithm *row = hr_algorithm(rules[i].alg);
        if (!row || row->cls != HR_CLASS_RSA || rules[i].op != HR_JOB_SIGN)
            continue;
        found = found == NO_RULES ? NEVER_BY_RULES : found;
        if (rules[i].depth == UINT8_MAX)
            continue;
        found = SOME_BY_RULES;
        used += (size_t)snprintf(out + used, out_len - used, "%s%s from a load of %u on",
                                 used ? ", " : "", row->name, rules[i].depth);
    }
    return found;
}

#define ALONE "programs sign by themselves"

static void check_rules(struct findings *f, int fd)
{
    char rules[400];
    struct finding *found;
    switch (list_rules(rules, sizeof rules, fd)) {
    case NO_RULES:
        found = findings_add(f, NOTE, "lending",
                             "on, but the service's crossover table has no "
                             "rule for signatures of RSA: " ALONE);
        finding_advise(found, "headrace accel calibrate --output /var/lib/headrace/accel-crossover "
                              "&& headrace accel reload");
        break;
    case NEVER_BY_RULES:
        findings_add(f, NOTE, "lending",
                     "on, but by the service's crossover table it signs with RSA "
                     "keys at no load faster than programs: " ALONE);
        break;
    case SOME_BY_RULES:
        findings_add(f, FINE, "lending",
                     "on: the accelerator may sign with RSA keys of programs: %s", rules);
    }
}

static void check_service(struct findings *f, const char *path, int fd)
{
    size_t none = 0;
    struct finding *found;
    int error = ask(fd, CONTROL_ATTACH, NULL, &none);
    if (error) {
        found = findings_add(f, NOTE, "lending",
                             "on, but the service at %s refuses this user, "
                             "whose " ALONE ": %s",
                             path, hr_strerror(error));
        finding_advise(found, "see [client] in /etc/headrace/accel.conf (headraced(8))");
        return;
    }
    none = 0;
    error = ask(fd, CONTROL_UNIT, NULL, &none);
    if (!error) {
        check_rules(f, fd);
        return;
    }
    found =
        findings_add(f, NOTE, "lending", "on, but the service has no unit for public keys: " ALONE);
    finding_advise(found, "see threads of [unit public-key] in /etc/headrace/accel.conf");
}

void lending_check(struct findings *f, bool is_on)
{
    const char *path = socket_path();
    if (!is_on) {
        findings_add(f, FINE, "lending",
                     "off: RSA keys of programs stay in them (lend = yes in the "
                     "provider's section of openssl.cnf lends them to the accelerator)");
        return;
    }
    const bool off = !strcmp(path, "off");
    const int fd = off ? -1 : dial(path);
    if (fd >= 0) {
        check_service(f, path, fd);
        close(fd);
        return;
    }
    struct finding *found =
        findings_add(f, NOTE, "lending", "on, but there is no service at %s: " ALONE ": %s", path,
                     off ? "HEADRACE_ACCEL=off" : strerror(errno));
    finding_advise(found, off ? "unset HEADRACE_ACCEL" : "systemctl start headraced.socket");
}
