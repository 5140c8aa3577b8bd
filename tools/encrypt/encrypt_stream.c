/* SPDX-License-Identifier: Apache-2.0
 *
 * Input and output, which all formats of encrypted files share.
 */
#include "../../cli/tool.h"
#include "encrypt.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

ssize_t encrypt_read(struct crypt *c, uint8_t *out, size_t out_size)
{
    size_t n = 0;
    while (n < out_size) {
        const ssize_t got = read(c->in, out + n, out_size - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return tool_error("%s: %s", c->in_path, strerror(errno)), -1;
        if (got == 0)
            break;
        n += (size_t)got;
    }
    return (ssize_t)n;
}

int encrypt_write(struct crypt *c, const uint8_t *in, size_t in_len)
{
    for (size_t n = 0; n < in_len;) {
        const ssize_t put = write(c->out.fd, in + n, in_len - n);
        if (put < 0 && errno != EINTR)
            return tool_error("%s: %s", c->out.path, strerror(errno)), -1;
        if (put > 0)
            n += (size_t)put;
    }
    return 0;
}

/* Whether a terminal shows the slot as text, without interpreting a part of it. The control
 * characters U+0080 to U+009F have two bytes in UTF-8; a slot that ends between such bytes is no
 * text. */
static bool is_text(const struct stream_slot *slot)
{
    const uint8_t *const text = slot->data, *const end = text + slot->len;
    for (const uint8_t *p = text; p < end; p++)
        if ((*p < ' ' && !memchr("\t\n\r", *p, 3)) || *p == 0x7f ||
            (*p == 0xc2 && (p + 1 == end || (p[1] >= 0x80 && p[1] < 0xa0))))
            return false;
    return true;
}

static int finish(const struct crypt *c, struct stream *s, const char *wrong)
{
    const int result = stream_finish(s), error = errno;
    if (wrong)
        tool_error("%s: %s", c->in_path, wrong);
    else if (result)
        tool_error("%s: %s", stream_side(s) == STREAM_OUTPUT ? c->out.path : c->in_path,
                   strerror(error));
    stream_free(s);
    return wrong || result ? -1 : 0;
}

int crypt_stream(struct crypt *c, size_t slot_len, crypt_slot *each, void *state)
{
    struct stream *s = stream_new(slot_len, HR_CIPHER_MAX_BLOCK);
    struct stream_slot *slot;
    struct progress progress;
    const char *wrong = NULL;
    if (!s)
        return tool_error("%s", strerror(errno)), -1;
    progress_start(&progress, c->in, c->progress);
    stream_start(s, c->in, c->out.fd);
    while (!wrong && stream_next(s, &slot) > 0) {
        const size_t len = slot->len;
        wrong = each(state, slot);
        if (!wrong && c->to_terminal && !is_text(slot))
            wrong = "not text, and only text is written to a terminal: see --output";
        if (!wrong)
            stream_pass(s, slot);
        progress_add(&progress, len);
    }
    progress_end(&progress, !wrong);
    return finish(c, s, wrong);
}
