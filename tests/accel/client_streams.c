/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of ciphers under handles, compared with streams under the same keys in memory: with
 * random pieces, each call must return and write the same. */
#include "client.h"
#include <headrace/accel_stream.h>

enum { MOST = 40000, PAD = 16, NUM_MESSAGES = 24, F8_MOST = HR_ACCEL_MAX_F8 };

/* One message, under a key in memory (`here`) and under a handle (`there`). */
struct both {
    const struct hr_algorithm *row;
    enum hr_op op;
    unsigned flags;
    struct hr_cipher_key key;
    uint64_t handle;
    struct hr_cipher_ctx here;
    struct hr_accel_cipher_ctx there;
    uint8_t iv[HR_CIPHER_MAX_IV];
};

static uint8_t in[MOST + PAD], out[2][MOST + 2 * PAD];

static void begin(struct both *b)
{
    uint8_t key[64];
    random_bytes(key, sizeof key);
    random_bytes(b->iv, sizeof b->iv);
    if (hr_cipher_key_init(&b->key, b->row->alg, key, b->row->key_len) ||
        hr_accel_key_import(&b->handle, b->row->alg, key, b->row->key_len) ||
        hr_cipher_init(&b->here, &b->key, b->op, b->iv, b->row->iv_len, b->flags) ||
        hr_accel_cipher_init(&b->there, b->row->alg, b->handle, b->op, b->iv, b->row->iv_len,
                             b->flags))
        complain("no stream");
}

static void end(struct both *b)
{
    hr_accel_key_close(b->handle);
    hr_cipher_key_wipe(&b->key);
}

/* same_place checks that both export the same position. */
static void same_place(const struct both *b)
{
    uint8_t iv[2][16] = { { 0 } };
    const int here = hr_cipher_get_iv(&b->here, iv[0], b->row->iv_len);
    const int there = hr_accel_cipher_get_iv(&b->there, iv[1], b->row->iv_len);
    if (here != there || memcmp(iv[0], iv[1], 16))
        complain("another IV");
    if (b->row->mode != HR_MODE_F8 &&
        hr_cipher_get_num(&b->here) != hr_accel_cipher_get_num(&b->there))
        complain("another place in the block");
}

/* piece gives both the same update, whose output begins at `at`.  It returns how many bytes that
 * wrote. */
static size_t piece(struct both *b, const uint8_t *from, size_t len, size_t at, int in_place)
{
    const int waits = b->row->block_len > 1 ? hr_cipher_get_num(&b->here) : 0;
    const size_t size = random_below(8) ? len + PAD : random_below((uint32_t)len + PAD);
    size_t out_len[2] = { 1, 1 };
    int error[2];
    for (int i = 0; i < 2; i++) {
        uint8_t *to = out[i] + at;
        const uint8_t *bytes = in_place ? memcpy(to + waits, from, len) : from;
        error[i] = i ? hr_accel_cipher_update(&b->there, to, size, &out_len[i], bytes, len)
                     : hr_cipher_update(&b->here, to, size, &out_len[i], bytes, len);
    }
    if (error[0] != error[1] || out_len[0] != out_len[1] ||
        memcmp(out[0] + at, out[1] + at, out_len[0]))
        complain("an update of %zu bytes for %zu: %s and %zu, not %s and %zu", len, size,
                 hr_strerror(error[1]), out_len[1], hr_strerror(error[0]), out_len[0]);
    same_place(b);
    if (error[0] == HR_EBUFFER)
        return piece(b, from, len, at, in_place);
    return out_len[0];
}

static void copy_both(struct both *b)
{
    struct hr_accel_cipher_ctx copy;
    if (hr_accel_cipher_copy(&copy, &b->there))
        complain("no copy");
    hr_accel_cipher_wipe(&b->there);
    if (!is_zero(&b->there, sizeof b->there))
        complain("a wipe leaves something in the context");
    b->there = copy;
}

/* swap continues both messages from the position that the one under the handle exported. */
static void swap(struct both *b)
{
    uint8_t iv[16];
    const size_t iv_len = b->row->iv_len;
    const int num = hr_accel_cipher_get_num(&b->there);
    const int whole = b->row->mode != HR_MODE_CFB128 && b->row->mode != HR_MODE_OFB;
    if ((whole && num) || hr_accel_cipher_get_iv(&b->there, iv, iv_len))
        return;
    if (hr_cipher_init(&b->here, &b->key, b->op, iv, iv_len, b->flags) ||
        hr_accel_cipher_init(&b->there, b->row->alg, b->handle, b->op, iv, iv_len, b->flags) ||
        hr_cipher_set_num(&b->here, (unsigned)num) ||
        hr_accel_cipher_set_num(&b->there, (unsigned)num))
        complain("no way to go on");
}

static void turn_padding(struct both *b)
{
    b->flags ^= HR_CIPHER_PADDING;
    if (hr_cipher_set_padding(&b->here, (int)b->flags) ||
        hr_accel_cipher_set_padding(&b->there, (int)b->flags))
        complain("no padding");
}

static void finish(struct both *b, size_t at)
{
    size_t out_len[2] = { 1, 1 };
    const size_t size = random_below(4) ? PAD : random_below(PAD + 1);
    const int here = hr_cipher_final(&b->here, out[0] + at, size, &out_len[0]);
    const int there = hr_accel_cipher_final(&b->there, out[1] + at, size, &out_len[1]);
    if (here != there || out_len[0] != out_len[1] || memcmp(out[0] + at, out[1] + at, out_len[0]))
        complain("final for %zu: %s, not %s", size, hr_strerror(there), hr_strerror(here));
    if (here == HR_EBUFFER)
        finish(b, at);
    else if (!is_zero(&b->there, sizeof b->there))
        complain("final leaves something in the context");
}

/* piece_len returns mostly short lengths, and now and then one that needs several requests. */
static size_t piece_len(size_t left)
{
    const uint32_t most = random_below(3) ? 40 : (uint32_t)left;
    const size_t len = random_below(most + 1);
    return len < left ? len : left;
}

static void message(const struct hr_algorithm *row, int i)
{
    struct both b = { .row = row, .op = random_below(2) ? HR_OP_DECRYPT : HR_OP_ENCRYPT };
    const size_t len = random_below(i % 8 ? 200 : MOST);
    size_t done = 0, written = 0;
    b.flags = random_below(2) ? HR_CIPHER_PADDING : 0;
    random_bytes(in, len);
    begin(&b);
    while (done < len) {
        const size_t part = piece_len(len - done);
        written += piece(&b, in + done, part, written, random_below(2) && written + PAD < MOST);
        done += part;
        copy_both(&b);
        if (!random_below(6))
            swap(&b);
        if (!random_below(6))
            turn_padding(&b);
    }
    finish(&b, written);
    end(&b);
}

/* message_f8 checks that the one update of f8 is right and that another is refused. */
static void message_f8(const struct hr_algorithm *row, int i)
{
    struct both b = { .row = row, .op = (enum hr_op)(i & 1) };
    size_t out_len;
    const size_t len = 1 + random_below(i % 8 ? 200 : F8_MOST);
    random_bytes(in, len);
    begin(&b);
    if (hr_accel_cipher_update(&b.there, out[1], sizeof out[1], &out_len, in, F8_MOST + 1) !=
        HR_ELENGTH)
        complain("a long message");
    piece(&b, in, len, 0, i & 2);
    if (hr_accel_cipher_update(&b.there, out[1], sizeof out[1], &out_len, in, 1) != HR_ELENGTH)
        complain("a second update");
    finish(&b, len);
    end(&b);
}

/* message_back decrypts a message, whose padding is wrong every other time. */
static void message_back(const struct hr_algorithm *row, int i)
{
    struct both b = { .row = row, .op = HR_OP_ENCRYPT, .flags = HR_CIPHER_PADDING };
    const size_t len = random_below(100);
    size_t sealed_len = 0, last = 0;
    random_bytes(out[0], len);
    begin(&b);
    if (hr_cipher_update(&b.here, in, sizeof in, &sealed_len, out[0], len) ||
        hr_cipher_final(&b.here, in + sealed_len, PAD, &last))
        complain("nothing to decrypt");
    sealed_len += last;
    if (i & 1)
        in[sealed_len - 1 - random_below(row->block_len)] ^= (uint8_t)(1 + random_below(255));
    if (hr_cipher_init(&b.here, &b.key, HR_OP_DECRYPT, b.iv, row->iv_len, b.flags) ||
        hr_accel_cipher_init(&b.there, row->alg, b.handle, HR_OP_DECRYPT, b.iv, row->iv_len,
                             b.flags))
        complain("no stream");
    const size_t part = random_below((uint32_t)sealed_len);
    const size_t written = piece(&b, in, part, 0, 0);
    finish(&b, written + piece(&b, in + part, sealed_len - part, written, 0));
    end(&b);
}

/* overlap checks that overlapping buffers are refused if and only if they are with a key in memory.
 */
static void overlap(const struct hr_algorithm *row)
{
    struct both b = { .row = row };
    for (int shift = -20; shift <= 20; shift++) {
        size_t out_len[2];
        uint8_t memory[2][100] = { { 0 } };
        const size_t waits = row->mode == HR_MODE_F8 ? 0 : random_below(8);
        begin(&b);
        (void)piece(&b, in, waits, 0, 0);
        const int here =
            hr_cipher_update(&b.here, memory[0] + 30 + shift, 40, &out_len[0], memory[0] + 30, 17);
        const int there = hr_accel_cipher_update(&b.there, memory[1] + 30 + shift, 40, &out_len[1],
                                                 memory[1] + 30, 17);
        if (here != there || out_len[0] != out_len[1] || memcmp(memory[0], memory[1], 100))
            complain("an output %d bytes behind its input, %zu wait: %s, not %s", shift, waits,
                     hr_strerror(there), hr_strerror(here));
        end(&b);
    }
}

static void check_row(const struct hr_algorithm *row)
{
    for (int i = 0; i < NUM_MESSAGES && !complaints_suffice(); i++) {
        if (row->mode == HR_MODE_F8) {
            message_f8(row, i);
            continue;
        }
        message(row, i);
        if (row->block_len > 1)
            message_back(row, i);
    }
    overlap(row);
    tap(1, "%s", row->name);
}

void client_streams(void)
{
    const struct hr_algorithm *row;
    struct hr_queue *queue;
    if (hr_queue_connect(&queue, service.socket) || !hr_queue_connected(queue))
        complain("not connected");
    hr_queue_close(queue);
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++) {
        if (hr_cipher_size(row->alg))
            check_row(row);
        else
            client_stream_tags(row);
    }
}
