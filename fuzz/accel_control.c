/* SPDX-License-Identifier: Apache-2.0 */
/* The service's control thread against two clients that send what the input says: messages of any
 * form and length, with descriptors.  Each message gets an answer as control.h describes or ends
 * the connection, and no descriptor or memory is left behind. */
#define _GNU_SOURCE
#include "descriptors.h"
#include "service/headraced.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum { MAX_STEPS = 48, NOBODY = 65534, WAIT_MS = 20000 };

/* ---- the service ---- */

#define SILENT(name) \
    void log_##name(const char *f, ...) {}
SILENT(error)
SILENT(warning)
SILENT(info)
SILENT(denial)
SILENT(verbose)
void log_watch(void) {}

static char folder[] = "/tmp/fuzz-control-XXXXXX";
/* The named keys: of a cipher, and of public key. */
static const char *const key_names[] = { "web", "sign" };
static const char *const key_texts[] = {
    "algorithm = AES-128-CTR\nuse = encrypt\nuid = 0-65534\nkey = "
    "000102030405060708090a0b0c0d0e0f\n",
    "algorithm = Ed25519\nuse = sign\nuid = 0\nprivate = "
    "000102030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f\n",
};

static const char *key_path(size_t i)
{
    static char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, key_names[i]);
    return path;
}

static struct sockaddr_un address = { .sun_family = AF_UNIX };
static socklen_t address_len = sizeof address;

static void *control(void *arg)
{
    sessions_hold_signals(); /* signals go to the fuzzer's other threads */
    CHECK(!sessions_begin(*(int *)arg));
    sessions_serve();
    return NULL;
}

static void clean_up(void)
{
    for (size_t i = 0; i < COUNT(key_names); i++)
        unlink(key_path(i));
    rmdir(folder);
}

static void write_keys(void)
{
    CHECK(mkdtemp(folder));
    for (size_t i = 0; i < COUNT(key_names); i++) {
        const ssize_t len = (ssize_t)strlen(key_texts[i]);
        const int fd = open(key_path(i), O_WRONLY | O_CREAT | O_EXCL, 0600);
        CHECK(fd >= 0 && write(fd, key_texts[i], (size_t)len) == len && !close(fd));
    }
    atexit(clean_up);
}

static void begin(void)
{
    static struct options options = { .policy = "/nonexistent/policy",
                                      .crossover = "/nonexistent/crossover",
                                      .num_accelerators = 1,
                                      .memory = 1 << 30,
                                      .cpus = { -1 } };
    static int listener;
    static pthread_t thread;
    write_keys();
    options.keys = folder;
    service.options = &options;
    service.max_sessions = 64;
    service.last_number = UINT32_MAX - 3; /* it wraps to 1 soon */
    quota_begin();
    CHECK(!reload_files() && service.keys->num == COUNT(key_names));
    service.policy.rules[0].attaches = 0; /* until a message reloads the policy */
    static const struct policy_unit unit = { .threads = 2 };
    service.accelerators[0] = accelerator_start(-1);
    service.unit = unit_start(&unit);
    listener = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    CHECK(service.accelerators[0] && service.unit && listener >= 0);
    /* binds to a name that the kernel chooses */
    CHECK(!bind(listener, (struct sockaddr *)&address, sizeof(sa_family_t)));
    CHECK(!getsockname(listener, (struct sockaddr *)&address, &address_len));
    CHECK(!listen(listener, 16) && !pthread_create(&thread, NULL, control, &listener));
}

/* ---- a client ---- */

struct side {
    int fd;
    bool attached;
    uint64_t handle;      /* the last handle that it was given, */
    uint64_t unit_handle; /* and the last one of the unit */
    uid_t uid;
};

/* Changes the user id of this thread only; the C library's call would change that of all threads.
 */
static void become(uid_t uid)
{
    if (!getuid())
        CHECK(!syscall(SYS_setresuid, -1, uid, -1));
}

static void join(struct side *s, uid_t uid)
{
    *s = (struct side){ .fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), .uid = uid };
    become(uid);
    CHECK(s->fd >= 0 && !connect(s->fd, (struct sockaddr *)&address, address_len));
    become(0);
}

static void leave(struct side *s)
{
    close(s->fd);
    s->fd = -1;
}

static void check_memories(const struct control_reply *reply, const int fds[3])
{
    const int all = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    const size_t lens[] = { ring_requests_len(&reply->geometry),
                            ring_completions_len(&reply->geometry) };
    for (int i = 0; i < 2; i++) {
        struct stat s;
        CHECK(!fstat(fds[i], &s) && (size_t)s.st_size == lens[i]);
        CHECK((fcntl(fds[i], F_GET_SEALS) & all) == all);
    }
    CHECK(mmap(NULL, lens[1], PROT_READ | PROT_WRITE, MAP_SHARED, fds[1], 0) == MAP_FAILED);
    CHECK(reply->client && reply->client != UINT32_MAX);
}

struct answer {
    struct control_reply reply;
    uint8_t more[16384];
};

/* A list names keys that may be opened, by names that end. */
static void check_list(const struct answer *a, uid_t uid)
{
    const size_t one = sizeof(struct control_named), num = a->reply.more / one;
    CHECK(a->reply.more % one == 0 && num <= CONTROL_LISTED && a->reply.handle == 0);
    for (size_t i = 0; i < num; i++) {
        struct control_named named;
        memcpy(&named, a->more + i * one, one);
        CHECK(!strcmp(named.name, "web") || (!strcmp(named.name, "sign") && !uid));
        CHECK(hr_algorithm(named.alg) && named.uses && named.num_digests <= CONTROL_DIGESTS);
    }
}

static void check_answer(struct side *s, const struct answer *a, size_t n, uint32_t type,
                         const int *fds, size_t num_fds)
{
    const struct control_reply *reply = &a->reply;
    CHECK(n >= sizeof *reply && n == sizeof *reply + reply->more);
    CHECK(reply->magic == CONTROL_MAGIC && reply->type == type && reply->spread <= RING_MAX_SPREAD);
    CHECK(reply->result <= 0 && reply->result >= HR_ESYSTEM);
    const bool rings = type == CONTROL_ATTACH || type == CONTROL_UNIT;
    CHECK(num_fds == (rings && !reply->result ? 3 : 0));
    CHECK(!reply->result || (!reply->more && !reply->handle && !reply->client));
    if (num_fds)
        check_memories(reply, fds);
    s->attached |= num_fds != 0;
    if (type == CONTROL_KEY_LIST && !reply->result)
        check_list(a, s->uid);
    if (((type >= CONTROL_KEY_IMPORT && type <= CONTROL_KEY_OPEN) || type == CONTROL_KEY_LEND) &&
        !reply->result) {
        const bool of_unit = type == CONTROL_KEY_LEND || reply->more;
        uint64_t *last = of_unit ? &s->unit_handle : &s->handle;
        CHECK(s->attached && reply->handle && reply->handle != *last);
        *last = reply->handle;
    }
}

/* Every client gets an answer or a hang-up.  libFuzzer's alarm may interrupt the wait. */
static void wait_for_answer(const struct side *s)
{
    struct pollfd p = { s->fd, POLLIN, 0 };
    int n = 0;
    do
        n = poll(&p, 1, WAIT_MS);
    while (n < 0 && errno == EINTR);
    CHECK(n == 1);
}

/* Waits for the answer, or for the end of the connection. */
static void receive(struct side *s, uint32_t type)
{
    static struct answer a;
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(8 * sizeof(int))];
    } space;
    struct iovec part = { &a, sizeof a };
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = space.space,
                              .msg_controllen = sizeof space };
    wait_for_answer(s);
    const ssize_t n = recvmsg(s->fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (n <= 0) {
        leave(s);
        return;
    }
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    const size_t num = header ? (header->cmsg_len - CMSG_LEN(0)) / sizeof(int) : 0;
    int fds[8];
    memcpy(fds, header ? CMSG_DATA(header) : (const void *)"", num * sizeof *fds);
    check_answer(s, &a, (size_t)n, type, fds, num);
    for (size_t i = 0; i < num; i++)
        close(fds[i]);
}

static void send_message(struct side *s, const void *bytes, size_t len, size_t num_fds)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(16 * sizeof(int))];
    } space = { .space = { 0 } };
    struct iovec part = { (void *)bytes, len };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
    if (num_fds) {
        message.msg_control = space.space;
        message.msg_controllen = CMSG_SPACE(num_fds * sizeof(int));
        space.header.cmsg_level = SOL_SOCKET;
        space.header.cmsg_type = SCM_RIGHTS;
        space.header.cmsg_len = CMSG_LEN(num_fds * sizeof(int));
        for (size_t i = 0; i < num_fds; i++)
            memcpy(CMSG_DATA(&space.header) + i * sizeof(int), &(int){ s->fd }, sizeof(int));
    }
    if (sendmsg(s->fd, &message, MSG_NOSIGNAL) < 0) /* the client has been revoked meanwhile */
        leave(s);
}

/* ---- steps ---- */

static void form(struct control_request *r, const struct side *s, struct input *in)
{
    static const char *const names[] = { "", "web", "sign", "nobody" };
    const uint8_t what = take_byte(in);
    *r = (struct control_request){ .magic = CONTROL_MAGIC,
                                   .type = take_byte(in) % (CONTROL_KEY_LIST + 1) };
    r->alg = (uint16_t)take_row(in, what & 1 ? HR_CLASS_CIPHER : HR_CLASS_MAC)->alg;
    r->key_len = take_byte(in);
    r->handle = what & 2 ? s->handle : what & 8 ? s->unit_handle : take_byte(in);
    strcpy(r->name, names[what >> 2 & 3]);
    if (what & 0x10)
        take(in, (uint8_t *)r + offsetof(struct control_request, handle), 12);
    if (what & 0x20)
        memset(r->name, 'a', sizeof r->name); /* a name without a terminating zero */
    if (what & 0x40)
        r->magic ^= take_byte(in);
    take_many(in, r->key, sizeof r->key);
}

/* Writes the components of a key, of a row that may be lent, behind the message. */
static void lend(struct control_request *r, uint8_t *behind, size_t most, struct input *in)
{
    static const enum hr_class classes[] = { HR_CLASS_RSA, HR_CLASS_SIGN, HR_CLASS_AGREE,
                                             HR_CLASS_KEM };
    const uint8_t what = take_byte(in);
    const struct hr_algorithm *row = take_row(in, classes[what & 3]);
    size_t at = 0;
    r->alg = (uint16_t)row->alg;
    for (int parts = what & 4 ? 2 : what >> 3 & 15; parts && at + 2 < most; parts--) {
        const uint8_t len = take_byte(in);
        const size_t own = len < 0x80 ? len : row->key_len;
        behind[at++] = (uint8_t)own;
        behind[at++] = (uint8_t)(own >> 8);
        for (size_t i = 0; i < own && at < most; i++)
            behind[at++] = take_byte(in);
    }
    r->key_len = (uint16_t)(what & 0x80 && at ? at - 1 : at);
}

static void ask(struct side *s, struct input *in)
{
    struct {
        struct control_request r;
        uint8_t behind[512];
    } message = { .behind = { 0 } };
    form(&message.r, s, in);
    const uint8_t odd = take_byte(in);
    const bool lends = message.r.type == CONTROL_KEY_LEND;
    if (lends)
        lend(&message.r, message.behind, sizeof message.behind, in);
    const size_t whole = sizeof message.r + (lends ? message.r.key_len : 0);
    const size_t len = odd < 240 || whole > sizeof message.r ? whole : whole + odd - 248;
    send_message(s, &message, len, odd >= 230 && odd < 240 ? odd - 229 : 0);
    if (s->fd >= 0)
        receive(s, message.r.type);
}

/* Sends several requests at once, and leaves before they are answered. */
static void ask_and_go(struct side *s, struct input *in)
{
    struct control_request r;
    for (int i = take_byte(in) % 4; i >= 0 && s->fd >= 0; i--) {
        form(&r, s, in);
        send_message(s, &r, sizeof r, 0);
    }
    if (s->fd >= 0)
        leave(s);
}

static void attach(struct side *s, struct input *in)
{
    const struct control_request r = { .magic = CONTROL_MAGIC, .type = CONTROL_ATTACH };
    send_message(s, &r, sizeof r, 0);
    if (s->fd >= 0)
        receive(s, r.type);
}

static void (*const steps[])(struct side *, struct input *) = { ask, ask, ask, attach, ask_and_go };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned descriptors;
    struct input in = { data, size };
    struct side sides[2];
    if (!descriptors) {
        begin();
        while (!__atomic_load_n(&service.epoll, __ATOMIC_ACQUIRE))
            usleep(100);
        descriptors = count_descriptors();
    }
    const uint8_t who = take_byte(&in);
    const uid_t uids[] = { who & 1 ? NOBODY : 0, who & 2 ? NOBODY : 0 };
    join(&sides[0], uids[0]);
    join(&sides[1], uids[1]);
    for (int i = 0; i < MAX_STEPS && in.len; i++) {
        const uint8_t step = take_byte(&in), side = step >> 7;
        steps[step % COUNT(steps)](&sides[side], &in);
        if (sides[side].fd < 0)
            join(&sides[side], uids[side]);
    }
    leave(&sides[0]);
    leave(&sides[1]);
    for (int ms = 0; count_descriptors() > descriptors; ms++) {
        CHECK(ms < WAIT_MS);
        usleep(ms ? 1000 : 50);
    }
    return 0;
}
