/* SPDX-License-Identifier: Apache-2.0 */
/* Attacks at the socket: malformed messages, unwanted descriptors, and more of everything than one
 * user may have. */
#define _GNU_SOURCE
#include "harness.h"
#include <headrace/algorithms.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct control_request attach = { .magic = CONTROL_MAGIC, .type = CONTROL_ATTACH };

/* hangs_up waits up to a minute for the service to hang up, and drops its messages before that.  It
 * returns 1 if the service hung up. */
static int hangs_up(int fd)
{
    char bytes[1024];
    struct pollfd p = { .fd = fd, .events = POLLIN | POLLRDHUP };
    for (int i = 0; i < 300 && poll(&p, 1, 200) >= 0; i++)
        if (p.revents && recv(fd, bytes, sizeof bytes, MSG_DONTWAIT) <= 0)
            return 1;
    return 0;
}

/* ---- messages ---- */

static void is_hung_up_on(const char *what, const void *message, size_t len)
{
    const int fd = raw_connect(&service);
    if (fd < 0 || (send(fd, message, len, MSG_NOSIGNAL) >= 0 && !hangs_up(fd)))
        complain("%s: not hung up on", what);
    close(fd);
}

static void malformed(void)
{
    static uint8_t bytes[65536];
    struct control_request r = attach;
    is_hung_up_on("one byte", &r, 1);
    is_hung_up_on("a byte too few", &r, sizeof r - 1);
    is_hung_up_on("nothing", &r, 0);
    memcpy(bytes, &r, sizeof r);
    is_hung_up_on("a byte too many", bytes, sizeof r + 1);
    is_hung_up_on("64 KiB", bytes, sizeof bytes);
    r.magic ^= 1;
    is_hung_up_on("another version", &r, sizeof r);
    r = attach;
    for (r.type = CONTROL_ATTACH; r.type <= CONTROL_KEY_LIST; r.type++) {
        memcpy(bytes, &r, sizeof r);
        is_hung_up_on("a type whose message is a byte shorter", bytes, sizeof r - 1);
        is_hung_up_on("a type whose message is a byte longer", bytes, sizeof r + 1);
    }
    r.type = 0;
    is_hung_up_on("no type", &r, sizeof r);
    r.type = 0xffffffff;
    is_hung_up_on("no such type", &r, sizeof r);
    for (int i = 0; i < 200; i++) {
        random_bytes(bytes, sizeof r);
        is_hung_up_on("random bytes", bytes, random_below(sizeof r + 64));
    }
}

/* nonsense sends messages of the right form with wrong contents, before and after it attaches.  The
 * service must answer or hang up. */
static void nonsense(void)
{
    struct raw c;
    for (uint32_t i = 0; i < 400; i++) {
        struct control_request r;
        struct control_reply reply;
        random_bytes(&r, sizeof r);
        r.magic = CONTROL_MAGIC;
        r.type = i % 8; /* all but reload */
        if (r.type == CONTROL_STATUS || r.type == CONTROL_REVOKE)
            r.handle = UINT64_MAX;
        r.alg = i & 8 ? HR_AES_128_CTR : r.alg;
        const int error = raw_attach(&c, &service);
        if (error) {
            complain("attaching gives %d", error);
            return;
        }
        (void)raw_ask(c.socket, &r, sizeof r, &reply, NULL, 0);
        raw_detach(&c);
    }
}

static void attach_twice(void)
{
    struct raw c;
    struct ring_completion done;
    struct control_reply reply = { .result = 0 };
    const struct ring_request copy = { .len = 16 };
    if (raw_attach(&c, &service)) {
        complain("attaching fails");
        return;
    }
    const int hung_up = raw_ask(c.socket, &attach, sizeof attach, &reply, NULL, 0);
    if (!hung_up && !reply.result)
        complain("a client attaches twice");
    if (!hung_up && raw_run(&c, 0, &copy, &done))
        complain("after a second attempt to attach: %d", done.result);
    raw_detach(&c);
}

/* ---- descriptors ---- */

static int send_descriptors(int fd, int num, const void *bytes, size_t len)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(253 * sizeof(int))];
    } control = { .space = { 0 } };
    struct iovec part = { (void *)bytes, len };
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = control.space,
                              .msg_controllen = CMSG_SPACE((size_t)num * sizeof(int)) };
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN((size_t)num * sizeof(int));
    int *fds = (int *)CMSG_DATA(&control.header);
    const int event = eventfd(0, EFD_CLOEXEC);
    for (int i = 0; i < num; i++)
        fds[i] = event;
    const int sent = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
    close(event);
    return sent;
}

static void descriptor_flood(void)
{
    const long before = service_descriptors(&service);
    static const int nums[] = { 1, 3, 16, 253 };
    for (int i = 0; i < 200; i++) {
        const int fd = raw_connect(&service);
        if (fd < 0 || !send_descriptors(fd, nums[i % 4], &attach, sizeof attach))
            complain("cannot send descriptors");
        else if (!hangs_up(fd))
            complain("%d descriptors with a message: not hung up on", nums[i % 4]);
        close(fd);
    }
    neighbour_goes_on(&neighbour, 2);
    const long after = service_descriptors(&service);
    if (after > before + 4)
        complain("the service has %ld descriptors, %ld before", after, before);
}

/* ---- more than one may have ---- */

static void attach_flood(void)
{
    static struct raw all[64];
    int n = 0, error = 0;
    while (n < 64 && !(error = raw_attach(&all[n], &service)))
        n++;
    if (n > 40 || error != HR_EBUFFER)
        complain("%d clients of one user, of 40 that the policy allows; then %d", n, error);
    while (n-- > 0)
        raw_detach(&all[n]);
}

enum { FLOOD = 100, NOBODY = 65534 };

/* be_silent opens connections as another user, and sends nothing.  Its exit status is the number
 * that the service keeps. */
static void be_silent(void)
{
    const struct control_request ask = { .magic = CONTROL_MAGIC, .type = CONTROL_CROSSOVER };
    struct control_reply reply;
    int fds[FLOOD], kept = 0;
    if (setegid(NOBODY) || seteuid(NOBODY))
        _exit(255);
    for (int i = 0; i < FLOOD; i++)
        fds[i] = raw_connect(&service);
    /* root's connection comes last: when it is answered, the service has accepted or refused all
     * others */
    if (seteuid(0) || setegid(0) ||
        raw_ask(raw_connect(&service), &ask, sizeof ask, &reply, NULL, 0))
        _exit(255);
    for (int i = 0; i < FLOOD; i++) {
        struct pollfd p = { .fd = fds[i], .events = POLLIN | POLLRDHUP };
        kept += fds[i] >= 0 && poll(&p, 1, 0) == 0;
    }
    /* the service times out before hangs_up does */
    for (int i = 0; i < FLOOD; i++)
        if (fds[i] >= 0 && !hangs_up(fds[i]))
            kept = 254;
    _exit(kept);
}

static pid_t silent_begin(void)
{
    if (geteuid())
        return 0;
    fflush(stdout);
    const pid_t pid = fork();
    if (!pid)
        be_silent();
    return pid;
}

static void silent_end(pid_t pid)
{
    const char *name = "connections that say nothing: few of one user's, and not for long";
    int status = 0;
    if (!pid) {
        tap_skip("needs root, to be another user", "%s", name);
        return;
    }
    waitpid(pid, &status, 0);
    const int kept = WIFEXITED(status) ? WEXITSTATUS(status) : 255;
    if (kept > 32)
        complain(kept < 253 ? "%d are kept" : "they are kept for ever (%d)", kept);
    unharmed("%s", name);
}

/* impatient asks and closes the connection before the answer; and asks without ever reading an
 * answer. */
static void impatient(void)
{
    for (int i = 0; i < 400; i++) {
        const int fd = raw_connect(&service);
        for (int n = 0; n < i % 5; n++)
            (void)!send(fd, &attach, sizeof attach, MSG_NOSIGNAL | MSG_DONTWAIT);
        close(fd);
    }
    const int fd = raw_connect(&service);
    for (int n = 0; n < 20000; n++)
        if (send(fd, &attach, sizeof attach, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && n > 1000)
            break;
    close(fd);
}

void hostile_control(void)
{
    const pid_t silent = silent_begin();
    malformed();
    unharmed("messages that are none are hung up on");
    nonsense();
    unharmed("messages of nonsense are answered or hung up on");
    attach_twice();
    unharmed("a client attaches once");
    descriptor_flood();
    unharmed("descriptors sent with messages are not kept");
    attach_flood();
    unharmed("no more clients of a user than the policy allows");
    impatient();
    unharmed("clients that do not wait for an answer");
    silent_end(silent);
}
