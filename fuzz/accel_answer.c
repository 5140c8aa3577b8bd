/* SPDX-License-Identifier: Apache-2.0 */
/* The accelerator's client against a service that lies, both in its answers over the socket, which
 * carry descriptors, and in the completions that it writes.  The client accepts them or hangs up;
 * it writes nothing but the outputs of its jobs, which lie in memory of exactly their length, and
 * keeps no descriptor. */
#define _GNU_SOURCE
#include "../accel/client/keys.c" /* for its add(), which makes a handle without a service */
#include "../accel/key_name.h"
#include "descriptors.h"
#include <headrace/algorithms.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RINGS = 2, WINDOW = 8192, MAX_FDS = 5, MAX_STEPS = 64, MAX_LIVE = 24, LINKS = 3 };
static const struct ring_geometry geometry = { RINGS, WINDOW };

/* ---- descriptors ---- */

static int memory(size_t len, int seals)
{
    const int fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    CHECK(fd >= 0 && !ftruncate(fd, (off_t)len) && !fcntl(fd, F_ADD_SEALS, seals));
    return fd;
}

/* Makes the descriptor that belongs at `place`, or a wrong one, as `kind` says. */
static int make_fd(uint8_t kind, int place)
{
    const size_t len = place ? ring_completions_len(&geometry) : ring_requests_len(&geometry);
    int both[2];
    switch (kind) {
    case 1:
        return memory(len, 0); /* without a seal, so the service could shrink it */
    case 2:
        return memory(len - 1, F_SEAL_SHRINK);
    case 3:
        return eventfd(0, EFD_CLOEXEC);
    case 4:
        return open("/dev/null", O_RDWR | O_CLOEXEC);
    case 5:
        CHECK(!pipe2(both, O_CLOEXEC));
        close(both[0]);
        return both[1];
    case 6:
        return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    case 7:
        return open("/", O_PATH | O_CLOEXEC);
    case 8:
        return memory(2 * len, F_SEAL_SHRINK | F_SEAL_GROW);
    case 9:
        return open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    default:
        return place == 2 ? eventfd(0, EFD_CLOEXEC) : memory(len, F_SEAL_SHRINK | F_SEAL_GROW);
    }
}

/* ---- the socket ---- */

struct liar {
    struct input in;
    int fd;
    struct ring_completion *completions; /* the ring's completions, for writing; NULL: there are
                                          * none */
};

static void say(struct liar *l, const void *bytes, size_t len, const int *fds, size_t num_fds)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(MAX_FDS * sizeof(int))];
    } space = { .space = { 0 } };
    struct iovec part = { (void *)bytes, len };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
    if (num_fds) {
        message.msg_control = space.space;
        message.msg_controllen = CMSG_SPACE(num_fds * sizeof *fds);
        space.header.cmsg_level = SOL_SOCKET;
        space.header.cmsg_type = SCM_RIGHTS;
        space.header.cmsg_len = CMSG_LEN(num_fds * sizeof *fds);
        memcpy(CMSG_DATA(&space.header), fds, num_fds * sizeof *fds);
    }
    CHECK(sendmsg(l->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)len);
}

/* Sends an answer that is correct except for some bytes, its length, and the number of bytes that
 * it announces. */
static void answer(struct liar *l, enum control_type type, size_t more, const int *fds,
                   size_t num_fds)
{
    struct {
        struct control_reply reply;
        uint8_t more[4096];
    } message = { { CONTROL_MAGIC, type, 0, 0, (uint16_t)more, 7, geometry, 1, 0 }, { 0 } };
    const uint8_t how = take_byte(&l->in);
    take(&l->in, message.more, more);
    if (how & 0x20)
        message.reply.result = -(int32_t)(take_byte(&l->in) % 24);
    for (int i = how & 3; i; i--)
        ((uint8_t *)&message.reply)[take_byte(&l->in) % sizeof message.reply] = take_byte(&l->in);
    size_t len = sizeof message.reply + more;
    if (how & 0x40)
        len = take_byte(&l->in) * len / 128 % sizeof message;
    say(l, &message, len, fds, num_fds);
}

static int attach(struct liar *l, struct connection *c, const struct descriptor *socket)
{
    int fds[MAX_FDS], num = take_byte(&l->in), kinds = take_byte(&l->in);
    num = num < 240 ? 3 : num % (MAX_FDS + 1);
    for (int i = 0; i < num; i++)
        fds[i] = make_fd(kinds & 1 << i ? take_byte(&l->in) % 10 : 0, i);
    answer(l, CONTROL_ATTACH, 0, fds, (size_t)num);
    const int error = dial_finish(c, socket, 0);
    CHECK(error <= 0 && error >= HR_ESYSTEM);
    if (!error) { /* what the client accepted is what it asked for */
        struct stat s;
        CHECK(num >= 3 && !fstat(fds[2], &s) && !(s.st_mode & S_IFMT)); /* not a regular file */
        CHECK(c->geometry.num_rings && c->geometry.num_rings <= RING_MAX_RINGS);
        void *map = mmap(NULL, ring_completions_len(&geometry), PROT_READ | PROT_WRITE, MAP_SHARED,
                         fds[1], 0);
        l->completions = map == MAP_FAILED ? NULL : map;
    }
    for (int i = 0; i < num; i++)
        close(fds[i]);
    return error;
}

static void crossover(struct liar *l, struct connection *c)
{
    static struct crossover table;
    const struct control_request request = { .magic = CONTROL_MAGIC, .type = CONTROL_CROSSOVER };
    struct crossover_rule rules[64];
    struct control_reply reply;
    answer(l, CONTROL_CROSSOVER, take_byte(&l->in) * 4u, NULL, 0);
    const int error = connection_exchange(c, &request, &reply, rules, sizeof rules);
    CHECK(error <= 0 && error >= HR_ESYSTEM && error != HR_EPENDING);
    if (!error && !crossover_take(&table, rules, reply.more / sizeof *rules))
        (void)crossover_wins(&table, HR_SHA256, 0, 100, 1);
    c->lost = 0;
}

/* Opens a named key, which the answer says is one of public key. */
static void open_named(struct liar *l, struct connection *c)
{
    const struct control_request request = { .magic = CONTROL_MAGIC, .type = CONTROL_KEY_OPEN };
    struct control_reply reply;
    struct public_key public;
    c->unit_error = HR_EALG; /* it would wait for an answer */
    answer(l, CONTROL_KEY_OPEN, 8 + take_byte(&l->in), NULL, 0);
    const int error = open_key(c, &request, &reply, &public);
    CHECK(error <= 0 && error >= HR_ESYSTEM && error != HR_EPENDING);
    CHECK(error || !reply.more ||
          (hr_algorithm((uint16_t) public.row_and_len) && public.row_and_len >> 16 <= PK_RESULT));
    c->lost = 0;
}

/* Asks for the list of keys, which takes all answers that are there. */
static void list_keys(struct liar *l, struct connection *c)
{
    static struct key_list list;
    for (int i = 1 + take_byte(&l->in) % 3; i; i--)
        answer(l, CONTROL_KEY_LIST, take_byte(&l->in) * 8u, NULL, 0);
    /* the answer after the last one is none, so that the client does not wait for it */
    say(l, "", 1, NULL, 0);
    const int error = key_list_ask(&list, c);
    CHECK(error <= 0 && error >= HR_ESYSTEM && error != HR_EPENDING && list.num <= CONTROL_KEYS);
    for (size_t i = 0; i < list.num; i++) {
        const struct hr_accel_key *key = &list.at[i];
        CHECK(key_name_is_fine(key->name) && hr_algorithm(key->alg) && !(key->uses & ~HR_USE_ALL));
        CHECK(key->num_digests <= COUNT(key->digests));
        for (uint32_t k = 0; k < key->num_digests; k++)
            CHECK(hr_algorithm(key->digests[k])->cls == HR_CLASS_DIGEST);
    }
    c->lost = 1; /* answers may be left */
}

/* ---- jobs, whose outputs end where their memory ends ---- */

struct live {
    struct hr_job jobs[LINKS];
    struct hr_segment segments[2];
    void *blocks[8 * LINKS];
    size_t num_blocks;
};

static void *block(struct live *l, size_t len)
{
    void *p = malloc(len);
    CHECK(p && l->num_blocks < COUNT(l->blocks));
    memset(p, 0x5a, len);
    return l->blocks[l->num_blocks++] = p;
}

static void make_job(struct live *l, struct hr_job *job, struct input *in, uint64_t handle)
{
    static const hr_alg algs[] = { HR_AES_128_CTR, HR_AES_128_CBC, HR_SHA256,  HR_HMAC_SHA512,
                                   HR_AES_256_GCM, HR_SHA512,      HR_ALG_NONE };
    const uint8_t what = take_byte(in);
    const hr_alg alg = algs[what % COUNT(algs)];
    const struct hr_algorithm *row = alg ? hr_algorithm(alg) : NULL;
    const int digest = row && row->cls == HR_CLASS_DIGEST, mac = row && row->cls == HR_CLASS_MAC;
    job->alg = (uint16_t)alg;
    job->op = !digest && alg && what & 0x80;
    job->len = (what & 0x40 ? take_byte(in) * 16u : take_byte(in) % 3 * 16u);
    job->in = block(l, job->len);
    job->out = digest || mac ? NULL : block(l, job->len);
    if (row && !digest) {
        job->key_len = row->key_len ? row->key_len : 20;
        job->key = block(l, job->key_len);
        job->key_form = HR_KEY_BYTES;
        if (what & 0x20) {
            job->key_form = HR_KEY_HANDLE;
            job->handle = handle;
        }
    }
    job->iv_len = row ? row->iv_len : 0;
    job->iv = block(l, job->iv_len);
    if (row && row->out_len)
        job->tag = block(l, row->out_len);
    if (digest && what & 0x80) {
        job->state_out = block(l, HR_DIGEST_MAX_EXPORT);
        job->tag = NULL;
    }
}

static struct live *make_live(struct input *in, uint64_t handle)
{
    struct live *l = calloc(1, sizeof *l);
    CHECK(l);
    const uint8_t links = take_byte(in);
    const size_t num = links < 200 ? 1 : 1 + links % LINKS;
    for (size_t i = 0; i < num; i++) {
        make_job(l, &l->jobs[i], in, handle);
        l->jobs[i].next = i + 1 < num ? &l->jobs[i + 1] : NULL;
    }
    struct hr_job *job = &l->jobs[0];
    if (links >= 100 && links < 130 && job->len >= 32) {
        const size_t half = job->len * (links - 99u) / 32;
        l->segments[0] = (struct hr_segment){ job->in, job->out, half };
        l->segments[1] =
            (struct hr_segment){ (const uint8_t *)job->in + half,
                                 job->out ? (uint8_t *)job->out + half : NULL, job->len - half };
        job->segments = l->segments;
        job->num_segments = 2;
    }
    l->jobs[0].user = l;
    return l;
}

static void free_live(struct live *l)
{
    for (size_t i = 0; i < l->num_blocks; i++)
        free(l->blocks[i]);
    free(l);
}

/* Makes a job of public key, which is encoded as if `facts` described its key. */
static struct live *make_pk(struct input *in, struct lent_facts *facts)
{
    static const struct hr_rsa_options options = { .padding = HR_RSA_OAEP };
    static const struct {
        hr_alg alg;
        uint8_t op;
        uint32_t len, result, cipher;
    } kinds[] = { { HR_ECDSA_P256, HR_JOB_SIGN, 32, 64, 0 },
                  { HR_ECDSA_P256, HR_JOB_VERIFY, 32, 64, 0 },
                  { HR_RSA2048, HR_JOB_PK_DECRYPT, 256, 256, 0 },
                  { HR_X25519, HR_JOB_DERIVE, 32, 32, 0 },
                  { HR_MLKEM768, HR_JOB_ENCAPSULATE, 1088, 32, 1088 } };
    struct live *l = calloc(1, sizeof *l);
    CHECK(l);
    struct hr_job *job = &l->jobs[0];
    const uint8_t what = take_byte(in);
    const size_t i = what % COUNT(kinds);
    *facts = (struct lent_facts){ .alg = (uint16_t)kinds[i].alg,
                                  .result_len = kinds[i].result,
                                  .cipher_len = kinds[i].cipher };
    job->alg = (uint16_t)kinds[i].alg;
    job->op = kinds[i].op;
    const bool named = what & 0x80 && (job->op == HR_JOB_SIGN || job->op == HR_JOB_PK_DECRYPT);
    job->key_form = named ? HR_KEY_HANDLE : HR_KEY_OBJECT;
    job->key = named ? NULL : "no key"; /* a job that comes back to be run here is not */
    job->len = kinds[i].len;
    job->in = block(l, job->len);
    job->out = kinds[i].cipher ? block(l, job->len) : NULL;
    job->tag_len = kinds[i].op == HR_JOB_PK_DECRYPT ? what : 0;
    job->tag = block(l, job->tag_len ? job->tag_len : kinds[i].result);
    job->options = kinds[i].alg == HR_RSA2048 ? &options : NULL;
    return l;
}

/* ---- completions ---- */

static void complete(struct liar *l, const struct subring *s, bool for_unit)
{
    const uint8_t which = take_byte(&l->in), how = take_byte(&l->in);
    const uint32_t number = s->completed + which % 4;
    const struct pending *p = &s->pending[number % RING_DEPTH];
    struct ring_completion *slot =
        l->completions + (RING_PAGE / sizeof *slot + s->ring * RING_DEPTH);
    struct ring_completion c = { .request = number, .done = 1 };
    if (for_unit) {
        c.len = sizeof p->at[0].tag;
        memcpy(c.bytes, &p->at[0].tag, c.len); /* the length that is expected */
    } else {
        c.len = p->inline_len;
        c.state_len = p->far && p->state != NOWHERE ? 104 : 0;
    }
    if (how & 1)
        c.result = -(int32_t)(take_byte(&l->in) % 24);
    if (how & 2)
        c.done = take_byte(&l->in) % 5;
    for (int i = how >> 2 & 3; i; i--)
        ((uint8_t *)&c)[take_byte(&l->in) % sizeof c] = take_byte(&l->in);
    slot += (s->completed + (how >> 6 == 3)) % RING_DEPTH;
    memcpy(slot, &c, offsetof(struct ring_completion, seq));
    memcpy(slot->bytes, c.bytes, sizeof c.bytes);
    ring_publish(&slot->seq, how & 0x20 ? take_byte(&l->in) : s->completed + 1);
}

/* Checks the result of a job that has come back. */
static void check_result(const struct hr_job *job)
{
    for (; job; job = job->next)
        CHECK(job->result <= 0 && job->result >= HR_ESYSTEM && job->result != HR_EPENDING);
}

static void run(struct liar *l, struct connection *c)
{
    static struct subring s;
    struct live *lives[MAX_LIVE];
    struct hr_job *job;
    uint64_t handle = 0;
    size_t num = 0;
    c->next[0] = c->completed[0] = take_byte(&l->in) & 1 ? UINT32_MAX - 2 : 0; /* they wrap soon */
    static const char no_name[CONTROL_NAME];
    static const struct public_key none;
    CHECK(!subring_claim(&s, c) && !add(&handle, 9, no_name, &none, c));
    for (int i = 0; i < MAX_STEPS && l->in.len; i++) {
        const uint8_t step = take_byte(&l->in);
        if (step % 3 == 0 && num < MAX_LIVE) {
            lives[num] = make_live(&l->in, handle);
            (void)encode_job(&s, &lives[num++]->jobs[0]);
            continue;
        }
        complete(l, &s, false);
        const enum taken taken = decode_completion(&s, &job);
        if (taken == TAKEN_BROKEN)
            break;
        if (taken == TAKEN_DONE)
            check_result(job);
        if (taken == TAKEN_HERE)
            (void)hr_job_run(job);
    }
    subring_release(&s, 1);
    keys_forget();
    while (num)
        free_live(lives[--num]);
}

/* run_unit does the same with a sub-ring that the unit for public keys serves. */
static void run_unit(struct liar *l, struct connection *c)
{
    static struct subring s;
    struct lent_facts facts;
    struct lent_pace pace = { 0 };
    struct live *lives[MAX_LIVE];
    struct hr_job *job;
    size_t num = 0;
    CHECK(!subring_claim(&s, c) && take_byte(&l->in) == 0xff);
    for (int i = 0; i < MAX_STEPS && l->in.len; i++) {
        if (take_byte(&l->in) % 3 == 0 && num < MAX_LIVE) {
            lives[num] = make_pk(&l->in, &facts);
            s.pending[s.next % RING_DEPTH].pace = &pace;
            (void)unit_encode_job(&s, &lives[num++]->jobs[0], 9, &facts);
            continue;
        }
        complete(l, &s, true);
        const enum taken taken = unit_decode(&s, &job);
        if (taken == TAKEN_BROKEN)
            break;
        if (taken == TAKEN_DONE)
            check_result(job);
    }
    subring_release(&s, 1);
    while (num)
        free_live(lives[--num]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct connection *c = calloc(1, sizeof *c);
    struct liar liar = { { data, size }, -1, NULL };
    struct descriptor socket;
    int ends[2];
    const unsigned before = count_descriptors();
    CHECK(c && !socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends));
    CHECK(!descriptor_note(&socket, ends[0]));
    liar.fd = ends[1];
    c->id = 1;
    c->references = 2;
    if (attach(&liar, c, &socket)) {
        close(ends[0]);
    } else {
        crossover(&liar, c);
        if (liar.in.len && *liar.in.p == 0xfe)
            open_named(&liar, c);
        const bool lists = liar.in.len && *liar.in.p == 0xfd;
        if (lists)
            list_keys(&liar, c);
        if (!lists && liar.completions && c->geometry.num_rings == RINGS &&
            c->geometry.window_len == WINDOW)
            (liar.in.len && *liar.in.p == 0xff ? run_unit : run)(&liar, c);
        if (liar.completions)
            munmap(liar.completions, ring_completions_len(&geometry));
        dial_unmap(c);
        descriptor_close(&c->doorbell);
        descriptor_close(&c->socket);
    }
    close(ends[1]);
    CHECK(count_descriptors() == before);
    free(c);
    return 0;
}
