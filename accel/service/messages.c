/* SPDX-License-Identifier: Apache-2.0 */
/* Answers the messages of control.h. */
#define _GNU_SOURCE
#include "../ticks.h"
#include "headraced.h"
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* An answer: the reply, the bytes that follow it, and the descriptors that go with it. */
struct answer {
    struct control_reply reply;
    const void *more;
    const uint8_t *lent; /* what came with CONTROL_KEY_LEND */
    int fds[3];
    size_t num_fds;
};

static int answer_send(int socket, struct answer *a)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof a->fds)];
    } control = { .space = { 0 } };
    struct iovec parts[] = { { &a->reply, sizeof a->reply }, { (void *)a->more, a->reply.more } };
    struct msghdr message = { .msg_iov = parts, .msg_iovlen = a->reply.more ? 2 : 1 };
    if (a->num_fds) {
        message.msg_control = control.space;
        message.msg_controllen = CMSG_SPACE(a->num_fds * sizeof *a->fds);
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(a->num_fds * sizeof *a->fds);
        memcpy(CMSG_DATA(&control.header), a->fds, a->num_fds * sizeof *a->fds);
    }
    /* A client that does not read its answers is hung up on. */
    return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -1 : 0;
}

static const struct policy_rule *rule_of(const struct session *c)
{
    return peer_rule(&c->peer);
}

/* ---- the messages: each function returns the reply's result, 0 or HR_E... ---- */

static int do_attach(struct session *c, const struct control_request *q, struct answer *a)
{
    const struct policy_rule *rule = rule_of(c);
    if (c->attached)
        return HR_ESTATE;
    if (!rule || !rule->attach) {
        log_denial("user %u (process %d) may not attach", c->peer.uid, (int)c->peer.pid);
        service.refused++;
        return HR_EACCESS;
    }
    const int error = session_attach(c, rule, a->fds);
    if (error)
        return error;
    a->num_fds = 3;
    a->reply.geometry = c->client.geometry;
    a->reply.client = c->client.number;
    a->reply.spread = c->client.num_parts;
    return 0;
}

static int do_unit(struct session *c, const struct control_request *q, struct answer *a)
{
    const struct policy_rule *rule = rule_of(c);
    if (c->unit)
        return HR_ESTATE;
    if (!rule || !rule->attach)
        return HR_EACCESS;
    const int error = session_attach_unit(c, rule, a->fds);
    if (error)
        return error;
    a->num_fds = 3;
    a->reply.geometry = c->unit->ring.geometry;
    a->reply.client = c->client.number;
    return 0;
}

static int do_key_lend(struct session *c, const struct control_request *q, struct answer *a)
{
    if (!c->unit)
        return HR_ESTATE;
    a->reply.alg = q->alg;
    const int error =
        unit_lend(service.unit, c->unit, &a->reply.handle, (hr_alg)q->alg, a->lent, q->key_len);
    if (error)
        a->reply.alg = 0;
    return error;
}

static int do_key_take_back(struct session *c, const struct control_request *q, struct answer *a)
{
    return c->unit ? unit_take_back(service.unit, c->unit, q->handle) : HR_ESTATE;
}

#define DO_HANDLE(verb)                                                                            \
    static int do_key_##verb(struct session *c, const struct control_request *q, struct answer *a) \
    {                                                                                              \
        return handle_##verb(c, q, &a->reply);                                                     \
    }
DO_HANDLE(import)
DO_HANDLE(generate)
DO_HANDLE(close)

static int do_key_open(struct session *c, const struct control_request *q, struct answer *a)
{
    return handle_open(c, q, &a->reply, &a->more);
}

static int do_key_public(struct session *c, const struct control_request *q, struct answer *a)
{
    return handle_public(c, q, &a->reply, &a->more);
}

static int do_key_list(struct session *c, const struct control_request *q, struct answer *a)
{
    return handle_list(c, q, &a->reply, &a->more);
}

static int do_crossover(struct session *c, const struct control_request *q, struct answer *a)
{
    a->more = service.crossover.rules;
    a->reply.more = (uint16_t)(service.crossover.num * sizeof *service.crossover.rules);
    return service.crossover.measured ? 0 : HR_EHANDLE;
}

static int do_status(struct session *c, const struct control_request *q, struct answer *a)
{
    static struct control_status status;
    a->reply.handle = status_get(&status, q->handle);
    a->reply.more = sizeof status;
    a->more = &status;
    return 0;
}

static int do_revoke(struct session *c, const struct control_request *q, struct answer *a)
{
    int found = HR_EHANDLE;
    for (struct session *each = service.sessions, *next; each; each = next) {
        next = each->next;
        if (!each->attached || (q->handle && q->handle != each->client.number) || each == c)
            continue;
        log_info("client %u is revoked by user %u", each->client.number, c->peer.uid);
        session_revoke(each);
        found = 0;
    }
    return q->handle ? found : 0;
}

static struct session *attached_client(uint64_t number)
{
    struct session *c = service.sessions;
    while (c && !(c->attached && c->client.number == number))
        c = c->next;
    return c;
}

/* While a move waits, nobody else is answered: so clients get less time than administrators, and
 * that not often. */
enum { ADMIN_MOST = 50, CLIENT_MOST = 2, MOVES_APART = 1000 }; /* ms */

/* may_move tells whether a client may move itself again now. */
static bool may_move(struct session *c)
{
    const uint64_t now = ticks_clock();
    if (now < c->may_move)
        return false;
    c->may_move = now + MOVES_APART * UINT64_C(1000000);
    return true;
}

/* is_at tells whether an accelerator serves all parts of a client. */
static bool is_at(struct session *c, unsigned accelerator)
{
    for (uint32_t i = 0; i < c->client.num_parts; i++)
        if (c->accelerators[i] != accelerator)
            return false;
    return true;
}

/* do_move: a client may choose among the accelerators of its rule. */
static int do_move(struct session *c, const struct control_request *q, struct answer *a)
{
    struct session *moved = q->handle ? attached_client(q->handle) : c;
    if (moved != c && !peer_is_admin(&c->peer))
        return HR_EACCESS;
    if (!moved || !moved->attached)
        return HR_EHANDLE;
    if (q->number >= service.options->num_accelerators)
        return HR_EINVAL;
    const struct policy_rule *rule = rule_of(moved);
    const bool admin = peer_is_admin(&c->peer);
    if (!admin && !(rule && policy_serves(rule, q->number)))
        return HR_EACCESS;
    if (!admin && !is_at(c, q->number) && !(may_move(c) && quota_allows_move(rule, &c->peer)))
        return HR_EBUFFER;
    const int error = session_move(moved, q->number, admin ? ADMIN_MOST : CLIENT_MOST);
    if (error == HR_ESYSTEM && moved == c)
        c->leaving = true;
    else if (error == HR_ESYSTEM)
        session_revoke(moved);
    return error;
}

static int do_reload(struct session *c, const struct control_request *q, struct answer *a)
{
    if (reload_files())
        return HR_EINVAL;
    reload_clients(c);
    return 0;
}

static const struct message {
    uint32_t type;
    bool attached, admin; /* only for attached clients; only for administrators */
    int (*answer)(struct session *c, const struct control_request *q, struct answer *a);
} messages[] = {
    /* clang-format off */
    { CONTROL_ATTACH, false, false, do_attach },
    { CONTROL_KEY_IMPORT, true, false, do_key_import },
    { CONTROL_KEY_GENERATE, true, false, do_key_generate },
    { CONTROL_KEY_OPEN, true, false, do_key_open },
    { CONTROL_KEY_CLOSE, true, false, do_key_close },
    { CONTROL_CROSSOVER, false, false, do_crossover },
    { CONTROL_STATUS, false, true, do_status },
    { CONTROL_REVOKE, false, true, do_revoke },
    { CONTROL_RELOAD, false, true, do_reload },
    { CONTROL_UNIT, true, false, do_unit },
    { CONTROL_KEY_LEND, true, false, do_key_lend },
    { CONTROL_KEY_TAKE_BACK, true, false, do_key_take_back },
    { CONTROL_KEY_PUBLIC, false, false, do_key_public },
    { CONTROL_MOVE, false, false, do_move },
    { CONTROL_KEY_LIST, false, false, do_key_list },
    /* clang-format on */
};

int message_answer(struct session *c, const struct control_request *request, const uint8_t *lent)
{
    struct answer a = { .reply = { .magic = CONTROL_MAGIC, .type = request->type }, .lent = lent };
    const struct message *m = NULL;
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
        if (messages[i].type == request->type)
            m = &messages[i];
    if (!m || (m->attached && !c->attached))
        return -1;
    a.reply.result = m->admin && !peer_is_admin(&c->peer) ? HR_EACCESS : m->answer(c, request, &a);
    const int error = answer_send(c->client.socket, &a);
    /* The doorbell stays open, because both sides use it. */
    for (size_t i = 0; i < a.num_fds && i < 2; i++)
        close(a.fds[i]);
    return c->leaving ? -1 : error;
}
