/* SPDX-License-Identifier: Apache-2.0 */
#include "seqpacket.h"
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

enum { SPINS = 1000 }; /* some 100 us, because another contender may need the CPU */

struct message { /* followed by key, IV and data; in an answer, by output and tag */
    uint16_t alg;
    uint8_t op, key_len, iv_len, tag_len;
    int32_t result;
    uint32_t len;
};

struct packet {
    struct message head;
    uint8_t bytes[SEQPACKET_MAX];
};

/* The last key: a client is likely to use it again. */
struct kept_key {
    uint16_t alg;
    uint8_t bytes[UINT8_MAX];
    uint8_t len;
    union {
        struct hr_hmac_key hmac;
        struct hr_cipher_key cipher;
    } key;
};

static int is_cipher(uint16_t alg)
{
    const struct hr_algorithm *row = hr_algorithm((hr_alg)alg);
    return row && row->cls == HR_CLASS_CIPHER;
}

static int keep(struct kept_key *kept, uint16_t alg, const uint8_t *bytes, uint8_t len)
{
    if (kept->alg == alg && kept->len == len && !memcmp(kept->bytes, bytes, len))
        return 0;
    kept->alg = alg;
    kept->len = len;
    memcpy(kept->bytes, bytes, len);
    return is_cipher(alg) ? hr_cipher_key_init(&kept->key.cipher, (hr_alg)alg, bytes, len)
                          : hr_hmac_key_init(&kept->key.hmac, (hr_alg)alg, bytes, len);
}

/* Computes the answer. Returns its length. */
static size_t answer(struct packet *out, const struct packet *in, size_t in_len,
                     struct kept_key *kept)
{
    const struct message *m = &in->head;
    out->head = *m;
    out->head.result = HR_EINVAL;
    if (in_len < sizeof *m || in_len - sizeof *m != (size_t)m->key_len + m->iv_len + m->len)
        return sizeof out->head;
    const size_t out_len = is_cipher(m->alg) ? m->len : 0;
    struct hr_job job = { .alg = m->alg,
                          .op = m->op,
                          .iv_len = m->iv_len,
                          .iv = in->bytes + m->key_len,
                          .in = in->bytes + m->key_len + m->iv_len,
                          .len = m->len,
                          .out = out->bytes,
                          .tag_len = m->tag_len,
                          .tag = out->bytes + out_len };
    if (m->key_len) {
        if (keep(kept, m->alg, in->bytes, m->key_len))
            return sizeof out->head;
        job.key_form = HR_KEY_OBJECT;
        job.key = &kept->key;
    }
    out->head.result = hr_job_run(&job);
    return sizeof out->head + out_len + m->tag_len;
}

void seqpacket_serve(int fd, int spin)
{
    static struct packet in, out;
    struct kept_key kept = { 0 };
    for (unsigned idle = SPINS;;) {
        const ssize_t n = recv(fd, &in, sizeof in, spin && idle < SPINS ? MSG_DONTWAIT : 0);
        if (n < 0 && errno == EAGAIN) {
            idle++;
            continue;
        }
        idle = 0;
        if (n <= 0 || send(fd, &out, answer(&out, &in, (size_t)n, &kept), MSG_NOSIGNAL) < 0)
            return;
    }
}

static size_t tag_len(const struct hr_job *job)
{
    return !job->tag ? 0 : job->tag_len ? job->tag_len : hr_algorithm((hr_alg)job->alg)->out_len;
}

int seqpacket_send(int fd, const struct hr_job *job)
{
    struct message head = { .alg = job->alg,
                            .op = job->op,
                            .key_len = (uint8_t)job->key_len,
                            .iv_len = (uint8_t)job->iv_len,
                            .tag_len = (uint8_t)tag_len(job),
                            .len = (uint32_t)job->len };
    struct iovec parts[] = { { &head, sizeof head },
                             { (void *)job->key, job->key_len },
                             { (void *)job->iv, job->iv_len },
                             { (void *)job->in, job->len } };
    const struct msghdr message = { .msg_iov = parts, .msg_iovlen = 4 };
    return sendmsg(fd, &message, MSG_NOSIGNAL) < 0 ? HR_ESYSTEM : 0;
}

int seqpacket_receive(int fd, struct hr_job *job, int flags)
{
    struct message head;
    struct iovec parts[] = { { &head, sizeof head },
                             { job->out, job->out ? job->len : 0 },
                             { job->tag, tag_len(job) } };
    struct msghdr message = { .msg_iov = parts, .msg_iovlen = 3 };
    const ssize_t n = recvmsg(fd, &message, flags);
    if (n < 0 && errno == EAGAIN)
        return HR_EPENDING;
    if (n < (ssize_t)sizeof head)
        return HR_ESYSTEM;
    job->result = head.result;
    return 0;
}
