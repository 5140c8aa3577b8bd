/* SPDX-License-Identifier: Apache-2.0 */
/* Cipher streams: any division of any message into pieces, with any two kernels, gives the same
 * bytes and the same errors, and so does a job in segments. */
#include "segments.h"

enum { MAX = 4096 };

struct stream {
    const struct hr_algorithm *row;
    enum hr_op op;
    unsigned flags;
    uint8_t key[32], iv[16];
};

/* Gives the message in pieces whose lengths `splits` says, or as a whole if that is empty. */
static int run(uint8_t *out, size_t *out_len, const struct stream *s, size_t kernel,
               struct input message, struct input splits)
{
    struct hr_cipher_key key;
    struct hr_cipher_ctx ctx;
    size_t wrote = 0;
    *out_len = 0;
    CHECK(!hr_cipher_key_init_kernel(&key, s->row->alg, s->op, kernel, s->key, s->row->key_len));
    CHECK(!hr_cipher_init(&ctx, &key, s->op, s->iv, s->row->iv_len, s->flags));
    while (message.len) {
        size_t n = splits.len ? take_byte(&splits) : message.len;
        n = n < message.len ? n : message.len;
        CHECK(!hr_cipher_update(&ctx, out + *out_len, n + 15, &wrote, message.p, n));
        message.p += n;
        message.len -= n;
        *out_len += wrote;
    }
    int error = hr_cipher_final(&ctx, out + *out_len, 16, &wrote);
    *out_len += wrote;
    for (size_t i = 0; i < sizeof ctx; i++)
        CHECK(((const uint8_t *)&ctx)[i] == 0);
    return error;
}

static void in_segments(const struct stream *s, size_t kernel, struct input message,
                        struct input splits)
{
    struct hr_cipher_key key;
    CHECK(!hr_cipher_key_init_kernel(&key, s->row->alg, s->op, kernel, s->key, s->row->key_len));
    const struct hr_job job = { .alg = (uint16_t)s->row->alg,
                                .op = (uint8_t)s->op,
                                .key_form = HR_KEY_OBJECT,
                                .key = &key,
                                .iv = s->iv,
                                .iv_len = s->row->iv_len,
                                .in = message.p,
                                .len = message.len };
    check_segments(&job, &splits);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t a[MAX + 64], b[MAX + 64];
    struct input in = { data, size };
    struct stream s = { .row = take_row(&in, HR_CLASS_CIPHER) };
    const uint8_t choice = take_byte(&in);
    s.op = choice & 1 ? HR_OP_DECRYPT : HR_OP_ENCRYPT;
    s.flags = choice & 2 ? HR_CIPHER_PADDING : 0;
    const size_t first = take_kernel(&in, s.row, s.op), second = take_kernel(&in, s.row, s.op);
    take(&in, s.key, s.row->key_len);
    take(&in, s.iv, s.row->iv_len);
    struct input splits = { in.p, in.len < 32 ? in.len : 32 };
    in.p += splits.len;
    in.len -= splits.len;
    if (in.len > MAX)
        in.len = MAX;
    size_t a_len, b_len;
    int error = run(a, &a_len, &s, first, in, splits);
    CHECK(run(b, &b_len, &s, second, in, (struct input){ NULL, 0 }) == error);
    CHECK(a_len == b_len && !memcmp(a, b, a_len));
    in_segments(&s, first, in, splits);
    return 0;
}
