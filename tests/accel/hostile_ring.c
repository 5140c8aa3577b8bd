/* SPDX-License-Identifier: Apache-2.0 */
/* Attacks in the ring: descriptors with wrong values, and words of the ring that a client must not
 * set so. */
#define _GNU_SOURCE
#include "harness.h"
#include <headrace/algorithms.h>
#include <unistd.h>

enum { W = 64 << 10, MORE = 4096, NEXT = 8192, MAX_BAD = 64 };

static struct raw client;

static void pattern(uint8_t *window)
{
    for (size_t i = 0; i < W; i++)
        window[i] = (uint8_t)(i * 13 + (i >> 8));
}

/* ---- requests that must be refused, and leave everything as it was ---- */

struct bad {
    const char *name;
    struct ring_request r;
    struct ring_more more, next_more;
    struct ring_request next;
};

static struct bad bad[MAX_BAD];
static size_t num_bad;

static struct bad *refuse(const char *name, struct ring_request r)
{
    bad[num_bad] = (struct bad){ .name = name, .r = r };
    return &bad[num_bad++];
}

static struct ring_request ctr(uint32_t in, uint32_t len, uint32_t out)
{
    struct ring_request r = far_request(HR_AES_128_CTR, HR_JOB_ENCRYPT, in, len, out, 1024, 16);
    r.iv_len = 16;
    return r;
}

static struct ring_request gcm(uint32_t in, uint32_t len, uint32_t out)
{
    struct ring_request r = far_request(HR_AES_128_GCM, HR_JOB_DECRYPT, in, len, out, 1024, 16);
    r.iv_len = 12;
    r.tag_len = 16;
    return r;
}

static struct ring_request with_more(struct ring_request r)
{
    r.flags |= RING_MORE;
    r.u.far.more = MORE;
    return r;
}

static void bad_places(void)
{
    struct ring_request r;
    refuse("input past the window", ctr(W - 8, 16, 0));
    refuse("input that wraps at 2^32", ctr(0xfffffff0, 32, 0));
    refuse("output past the window", ctr(0, 16, W - 15));
    refuse("output that wraps at 2^32", ctr(0, 32, 0xfffffff0));
    refuse("all of 2^32 bytes", ctr(0, 0xffffffff, 0));
    refuse("the window's length and one", ctr(0, W + 1, 0));
    refuse("output at the input", ctr(2048, 64, 2048));
    refuse("output one byte into the input", ctr(2048, 64, 2111));
    refuse("output that ends in the input", ctr(2048, 64, 1985));
    refuse("output over the key", ctr(4096, 64, 1039));
    r = ctr(4096, 16, 8192);
    r.u.far.key = 0xfffffff8;
    refuse("a key that wraps", r);
    r.u.far.key = W - 15;
    refuse("a key past the window", r);
    r = gcm(4096, 64, 8192);
    r.u.far.aad_len = 0xffffffff;
    refuse("additional data of 2^32 bytes", r);
    r.u.far.aad = 0xffffffff;
    r.u.far.aad_len = 2;
    refuse("additional data that wraps", r);
    r.u.far.aad = 8200;
    r.u.far.aad_len = 20;
    refuse("output over the additional data", r);
    refuse("a tag past the window", gcm(W - 64, 64, 4096));
    refuse("output over the tag", gcm(4096, 64, 4096 + 64));
    r = far_request(HR_SHA512, 0, 0, W, W - 63, 0, 0);
    refuse("a digest past the window", r);
    refuse("a digest over its input", far_request(HR_SHA512, 0, 0, 1024, 1000, 0, 0));
}

static void bad_numbers(void)
{
    struct ring_request r = ctr(4096, 16, 8192);
    r.alg = 0xffff;
    refuse("no algorithm", r);
    r.alg = 0x0300;
    refuse("no algorithm of a class", r);
    r = ctr(4096, 16, 8192);
    r.op = 2;
    refuse("no operation", r);
    r = ctr(4096, 16, 8192);
    r.flags = 0xff;
    refuse("flags that do not exist", r);
    r = ctr(4096, 16, 8192);
    r.key_len = 17;
    refuse("a key of 17 bytes", r);
    r.key_len = 0;
    refuse("no key", r);
    r = ctr(4096, 16, 8192);
    r.iv_len = 255;
    refuse("an IV longer than its place", r);
    r = gcm(4096, 64, 8192);
    r.tag_len = 17;
    refuse("a tag of 17 bytes", r);
    r.tag_len = 255;
    refuse("a tag of 255 bytes", r);
    r = far_request(HR_SHA256, 0, 0, 64, 8192, 0, 0);
    r.tag_len = 33;
    refuse("a digest longer than it is", r);
    r = far_request(HR_AES_128_CBC, 0, 4096, 17, 8192, 1024, 16);
    r.iv_len = 16;
    refuse("CBC of 17 bytes", r);
}

static void bad_inline(void)
{
    struct ring_request r = { .alg = HR_AES_128_CTR, .key_len = 16, .iv_len = 16, .len = 17 };
    refuse("one byte more than fits", r);
    r.len = 0xffffffff;
    refuse("inline, all of 2^32 bytes", r);
    r.len = 0xffffffe0;
    refuse("inline lengths that sum to 0", r);
    r = (struct ring_request){ .alg = HR_HMAC_SHA512, .key_len = 16, .len = 16 };
    refuse("an inline MAC longer than a completion", r);
    r = (struct ring_request){ .alg = HR_SHA512, .tag_len = 64 };
    refuse("an inline digest longer than a completion", r);
    r = (struct ring_request){ .alg = HR_HMAC_SHA256, .op = 1, .tag_len = 32, .len = 17 };
    refuse("an inline tag past the end", r);
    r = (struct ring_request){ .alg = HR_AES_128_GCM, .key_len = 16, .iv_len = 12, .tag_len = 16 };
    r.len = 33;
    refuse("inline data and tag longer than a completion", r);
}

static void bad_handles(void)
{
    static const uint64_t handles[] = { 0, 1, 0x100000000, 0x1ffffffff, UINT64_MAX, 1ull << 63 };
    for (size_t i = 0; i < COUNT_OF(handles); i++) {
        struct ring_request r = ctr(4096, 16, 8192);
        r.flags |= RING_HANDLE;
        r.key_len = 0;
        r.u.far.handle = handles[i];
        refuse("a handle that names nothing", r);
    }
    struct ring_request r = { .alg = HR_HMAC_SHA256, .flags = RING_HANDLE, .len = 16 };
    memset(r.u.bytes, 0xff, sizeof r.u.bytes);
    refuse("an inline handle that names nothing", r);
}

static void bad_more(void)
{
    const struct ring_request hash = far_request(HR_SHA256, 0, 0, 64, 0, 0, 0);
    struct ring_request r = with_more(hash);
    struct bad *b;
    r.u.far.more = W - 8;
    refuse("more, past the window", r);
    r.u.far.more = 0xfffffff8;
    refuse("more, that wraps", r);
    r.u.far.more = MORE + 4;
    refuse("more, not at a multiple of 8", r);
    refuse("more, of which there is nothing", with_more(hash))->more.reserved = 0;
    refuse("too many parts", with_more(hash))->more.num_parts = RING_MAX_PARTS + 1;
    refuse("2^32 - 1 parts", with_more(hash))->more.num_parts = 0xffffffff;
    b = refuse("parts that are empty", with_more(far_request(HR_SHA256, 0, 0, 0, 0, 0, 0)));
    b->more.num_parts = RING_MAX_PARTS;
    b = refuse("a part that wraps", with_more(far_request(HR_SHA256, 0, 0, 32, 0, 0, 0)));
    b->more.num_parts = 1;
    b->more.parts[0] = (struct ring_part){ .in = 0xfffffff0, .len = 32 };
    b = refuse("parts whose sum wraps", with_more(far_request(HR_SHA256, 0, 0, 16, 0, 0, 0)));
    b->more.num_parts = 2;
    b->more.parts[0] = (struct ring_part){ .in = 0, .len = 0xfffffff0 };
    b->more.parts[1] = (struct ring_part){ .in = 0, .len = 32 };
    b = refuse("an imported state past the window", with_more(hash));
    b->more.state_in = W - 4, b->more.state_in_len = 100;
    b = refuse("an imported state of 2^32 bytes", with_more(hash));
    b->more.state_in = 64, b->more.state_in_len = 0xffffffff;
    b = refuse("a state's place past the window", with_more(hash));
    b->more.state_out = W - 4;
    b = refuse("a state out over the input", with_more(hash));
    b->more.state_out = 32;
    b = refuse("an IV past the window", with_more(gcm(4096 + 512, 64, 8192 + 512)));
    b->r.iv_len = 255, b->more.iv = W - 254;
    b = refuse("an input tag past the window", with_more(gcm(16384, 64, 20480)));
    b->more.tag = W - 15;
    b = refuse("a next request past the window", with_more(hash));
    b->more.next = W - 8;
    b = refuse("a next request not at a multiple of 8", with_more(hash));
    b->more.next = NEXT + 1;
    b = refuse("a chain into itself", with_more(hash));
    b->more.next = NEXT, b->next = with_more(hash), b->next_more = b->more;
    b = refuse("a next request with a number", with_more(hash));
    b->more.next = NEXT, b->next = hash, b->next.seq = 1;
}

static void refused(const struct bad *b)
{
    static uint8_t before[W];
    struct ring_completion done;
    uint8_t *window = raw_window(&client, 0);
    pattern(window);
    if (b->r.flags & RING_MORE)
        memcpy(window + MORE, &b->more, sizeof b->more);
    if (b->more.next == NEXT)
        memcpy(window + NEXT, &b->next, sizeof b->next);
    memcpy(before, window, W);
    const int result = raw_run(&client, 0, &b->r, &done);
    if (result == HR_EGONE)
        complain("%s: no answer", b->name);
    else if (!result)
        complain("%s: it was done", b->name);
    if (memcmp(before, window, W))
        complain("%s: something was written", b->name);
}

/* ---- allowed requests write all of their output and nothing else ---- */

struct good {
    struct ring_request r;
    uint32_t out_len;
};

static void exact(const struct good *g)
{
    static uint8_t before[W];
    struct ring_completion done;
    uint8_t *window = raw_window(&client, 1);
    const uint32_t out = g->r.u.far.out;
    pattern(window);
    memcpy(before, window, W);
    const int result = raw_run(&client, 1, &g->r, &done);
    if (result)
        complain("alg %#x: result %d", g->r.alg, result);
    if (memcmp(before, window, out) ||
        memcmp(before + out + g->out_len, window + out + g->out_len, W - out - g->out_len))
        complain("alg %#x: something beside the output was written", g->r.alg);
    if (g->out_len && !memcmp(before + out, window + out, g->out_len))
        complain("alg %#x: nothing was written", g->r.alg);
}

static void exact_outputs(void)
{
    struct good all[] = {
        { ctr(4096, 16, 8192), 16 },
        { ctr(4096, 61, 8193), 61 },
        { ctr(0x2001, 3, 0), 3 },
        { ctr(4096, 1000, W - 1000), 1000 },
        { far_request(HR_SHA512, 0, 1, 5000, 8192, 0, 0), 64 },
        { far_request(HR_SHA256, 0, 1, 5000, 8192, 0, 0), 0 },
        { far_request(HR_HMAC_SHA512, 0, 1, 77, 8192, 64, 32), 64 },
        { far_request(HR_ALG_NONE, 0, 4096, 4095, 16384, 0, 0), 4095 },
    };
    for (size_t i = 0; i < COUNT_OF(all); i++)
        exact(&all[i]);
}

/* ---- words ---- */

static void numbers_that_jump(void)
{
    struct ring_completion done;
    const struct ring_request copy = { .len = 16, .u.bytes = "0123456789abcdef" };
    static const uint32_t wrong[] = { 0, 2, 128, 129, 0x7fffffff, 0x80000000, 0xffffffff };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        for (uint32_t slot = 0; slot < RING_DEPTH; slot++)
            ring_publish(&raw_slot(&client, 2, slot)->seq,
                         client.next[2] + 1 + wrong[i] + slot * 2);
        raw_ring(&client);
        neighbour_goes_on(&neighbour, 2);
        /* the service may have served some by chance; the ring continues at the next number */
        for (uint32_t slot = 0; slot < RING_DEPTH; slot++)
            ring_publish(&raw_slot(&client, 2, slot)->seq, 0);
        neighbour_goes_on(&neighbour, 2);
        client.next[2] = client.completed[2] = 0;
        const struct ring_completion *all = ring_completions(client.completions, 2);
        for (uint32_t slot = 0; slot < RING_DEPTH; slot++)
            if (all[slot].seq > client.completed[2])
                client.next[2] = client.completed[2] = all[slot].seq;
        if (raw_run(&client, 2, &copy, &done) || memcmp(done.bytes, copy.u.bytes, 16))
            complain("after numbers from %u on: the next request fails", wrong[i]);
    }
}

static void claims_and_sleepers(void)
{
    struct ring_client_words *words = client.requests;
    struct ring_completion done;
    const struct ring_request copy = { .len = 16 };
    for (size_t i = 0; i < 2000; i++) {
        random_bytes(&words->claimed, sizeof words->claimed);
        for (uint32_t ring = 0; ring < RING_MAX_RINGS; ring++)
            atomic_store(&words->ring[ring].sleeping, i % 3 ? 0xffffffff : 1);
        if (raw_run(&client, 3, &copy, &done))
            complain("no answer under claims %zu", i);
    }
    atomic_store(&words->claimed, 15);
}

static void doorbells(void)
{
    const uint64_t most = UINT64_MAX - 1;
    uint64_t count;
    for (int i = 0; i < 20000; i++)
        raw_ring(&client);
    if (write(client.doorbell, &most, sizeof most) >= 0)
        complain("a doorbell takes 2^64 - 2 more");
    while (read(client.doorbell, &count, sizeof count) > 0)
        if (write(client.doorbell, &most, sizeof most) < 0 || count == most)
            break;
}

static void full_rings(void)
{
    const struct ring_request hash = far_request(HR_SHA512, 0, 0, 32768, 40960, 0, 0);
    struct ring_completion done;
    for (int round = 0; round < 3; round++) {
        for (uint32_t ring = 0; ring < client.geometry.num_rings; ring++)
            for (uint32_t n = 0; n < RING_DEPTH; n++)
                raw_put(&client, ring, &hash);
        neighbour_goes_on(&neighbour, 2);
        for (uint32_t ring = 0; ring < client.geometry.num_rings; ring++)
            for (uint32_t n = 0; n < RING_DEPTH; n++)
                if (raw_take(&client, ring, &done) || done.result)
                    complain("ring %u, request %u: %d", ring, n, done.result);
    }
}

/* nothing_to_do sends requests without data: each must end, and cost the other clients nothing. */
static void nothing_to_do(void)
{
    struct ring_completion done;
    const struct ring_request empty[] = {
        { 0 },
        ctr(0, 0, 0),
        far_request(HR_SHA256, 0, 0, 0, 0, 0, 0),
        { .flags = RING_FAR },
        { .flags = RING_FAR | RING_MORE },
    };
    for (int i = 0; i < 2000; i++)
        if (raw_run(&client, 0, &empty[i % 5], &done) == HR_EGONE) {
            complain("empty request %d: no answer", i % 5);
            return;
        }
}

static void random_descriptors(void)
{
    struct ring_completion done;
    struct ring_request r;
    pattern(raw_window(&client, 1));
    for (int i = 0; i < 20000; i++) {
        random_bytes(&r, sizeof r);
        const struct hr_algorithm *row = hr_algorithm_at(random_below(70));
        r.alg = row ? (uint16_t)row->alg : 0;
        r.op &= 1;
        r.flags &= 7;
        r.len &= i & 1 ? 63 : 0x1ffff;
        r.iv_len &= 15, r.tag_len &= 31;
        if (i & 2)
            r.u.far.in &= 0x3fff, r.u.far.out &= 0xffff, r.u.far.key &= 0xfff,
                r.u.far.aad_len &= 63;
        r.u.far.aad &= 0x3fff;
        r.u.far.more &= 0xfff8;
        if (raw_run(&client, 1, &r, &done) == HR_EGONE) {
            complain("no answer to descriptor %d", i);
            return;
        }
    }
}

void hostile_ring(void)
{
    if (raw_attach(&client, &service)) {
        tap(0, "a client attaches");
        return;
    }
    bad_places(), bad_numbers(), bad_inline(), bad_handles(), bad_more();
    for (size_t i = 0; i < num_bad; i++)
        refused(&bad[i]);
    unharmed("%zu kinds of requests are refused, and nothing is written", num_bad);
    exact_outputs();
    unharmed("an output is written whole, and nothing beside it");
    nothing_to_do();
    unharmed("requests that ask for nothing end");
    random_descriptors();
    unharmed("20,000 descriptors of random bytes are answered");
    numbers_that_jump();
    unharmed("numbers that jump and go back");
    claims_and_sleepers();
    unharmed("any claims, and everyone says to sleep");
    doorbells();
    unharmed("doorbells, rung, filled and read");
    full_rings();
    unharmed("all rings full");
    raw_detach(&client);
}
