/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes the digest or the MAC of a file.
 */
#include "../stream.h"
#include "sums.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Bytes that stay in a core's second-level cache between reading and computing. */
enum { PIECE = 128 * 1024 };

/* ---- a message of any class ---- */

struct message {
    const struct calls *calls;
    union {
        struct hr_digest_ctx digest;
        struct hr_hmac_ctx hmac;
        struct hr_nmac_ctx nmac;
        struct hr_cmac_ctx cmac;
    } ctx;
};

struct calls {
    int (*begin)(struct message *m, const struct sums_kind *kind);
    int (*add)(struct message *m, const void *in, size_t in_len);
    int (*end)(struct message *m, uint8_t *out);
};

static int begin_digest(struct message *m, const struct sums_kind *kind)
{
    return hr_digest_init(&m->ctx.digest, kind->row->alg);
}

static int begin_hmac(struct message *m, const struct sums_kind *kind)
{
    return hr_hmac_init(&m->ctx.hmac, &kind->key->hmac);
}

static int begin_nmac(struct message *m, const struct sums_kind *kind)
{
    return hr_nmac_init(&m->ctx.nmac, &kind->key->nmac, kind->nonce, kind->nonce_len);
}

static int begin_cmac(struct message *m, const struct sums_kind *kind)
{
    return hr_cmac_init(&m->ctx.cmac, &kind->key->cmac);
}

#define CALLS(stem)                                                         \
    static int add_##stem(struct message *m, const void *in, size_t in_len) \
    {                                                                       \
        return hr_##stem##_update(&m->ctx.stem, in, in_len);                \
    }                                                                       \
    static int end_##stem(struct message *m, uint8_t *out)                  \
    {                                                                       \
        return hr_##stem##_final(&m->ctx.stem, out);                        \
    }                                                                       \
    static const struct calls stem##_calls = { begin_##stem, add_##stem, end_##stem };
CALLS(digest)
CALLS(hmac)
CALLS(nmac)
CALLS(cmac)

static int begin(struct message *m, const struct sums_kind *kind)
{
    static const struct calls *const of_class[] = {
        [HR_CLASS_DIGEST] = &digest_calls,
        [HR_CLASS_MAC] = &hmac_calls,
        [HR_CLASS_NMAC] = &nmac_calls,
        [HR_CLASS_CMAC] = &cmac_calls,
    };
    m->calls = of_class[kind->row->cls];
    return m->calls->begin(m, kind);
}

/* ---- a file ---- */

/* Reads ahead while earlier bytes are processed. One stream serves all files, so that its pages
 * were touched before. */
static bool add_ahead(struct message *message, int fd)
{
    static struct stream *in;
    struct stream_slot *slot;
    int got, wrong = 0;
    if (!in && !(in = stream_new(STREAM_SLOT, 0)))
        return false;
    stream_start(in, fd, STREAM_NO_OUTPUT);
    while ((got = stream_next(in, &slot)) > 0) {
        wrong |= message->calls->add(message, slot->data, slot->len);
        stream_pass(in, slot);
    }
    const bool finished = stream_finish(in) >= 0;
    if (wrong)
        errno = EINVAL;
    return finished && !wrong;
}

/* Reads and computes in turn: a checksum takes less time than handing data from thread to
 * thread. */
static bool add_in_turn(struct message *message, int fd)
{
    static uint8_t piece[PIECE] __attribute__((aligned(4096)));
    posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL); /* only advice, which a pipe refuses */
    for (;;) {
        const ssize_t n = read(fd, piece, sizeof piece);
        if (n == 0)
            return true;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || message->calls->add(message, piece, (size_t)n))
            return false;
    }
}

static bool digest_fd(uint8_t *out, const struct sums_kind *kind, int fd)
{
    const bool quick = kind->row->flags & HR_CHECKSUM_ONLY;
    struct message message;
    errno = EINVAL;
    return !begin(&message, kind) && (quick ? add_in_turn : add_ahead)(&message, fd) &&
           !message.calls->end(&message, out);
}

enum sums_read sums_file(uint8_t out[HR_DIGEST_MAX_OUT], const struct sums_kind *kind,
                         const char *path, bool missing_is_fine)
{
    const bool standard = !strcmp(path, "-");
    const int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT && missing_is_fine)
        return SUMS_MISSING;
    if (fd < 0) {
        sums_complain(path, "%s", strerror(errno));
        return SUMS_FAILED;
    }
    const bool good = digest_fd(out, kind, fd);
    if (!good)
        sums_complain(path, "%s", strerror(errno));
    if (!standard)
        close(fd);
    return good ? SUMS_READ : SUMS_FAILED;
}

void sums_hex(char hex[2 * HR_DIGEST_MAX_OUT + 1], const uint8_t *digest, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < len; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
    hex[2 * len] = '\0';
}
