/* SPDX-License-Identifier: Apache-2.0 */
/* The service's decoder of descriptors (service/request.h): each bad one is refused with the right
 * error and nothing is written; good ones of every form give the results of direct calls. */
#include "service/request.h"
#include "../test.h"
#include <headrace/algorithms.h>

enum { WINDOW = 65536, IN = 4096, OUT = 8192, KEY = 1024, AAD = 1536, MORE = 2048, NEXT = 3072 };
enum { TAG = 12288, STATE = 12800, LONG_IV = 13312 };

static uint8_t memory[WINDOW] __attribute__((aligned(4096)));
static const struct view window = { memory, WINDOW };
static uint8_t private_memory[REQUEST_MAX_PRIVATE] __attribute__((aligned(64)));
static struct request request;

static struct ring_more *more_at(size_t at)
{
    return (struct ring_more *)(memory + at);
}

static struct ring_request *request_at(size_t at)
{
    return (struct ring_request *)(memory + at);
}

static int decode(const struct ring_request *q)
{
    struct arena arena = { private_memory, sizeof private_memory, 0 };
    request_copy(&request, q);
    return request_decode(&request, &window, &arena);
}

/* serve decodes and runs a request, and fills a completion. */
static void serve(const struct ring_request *q, struct ring_completion *done)
{
    if (!decode(q))
        do
            (void)hr_job_run(&request.job);
        while (request_step(&request, &window));
    request_complete(&request, done);
    request_wipe(&request);
}

/* ---- good descriptors, from which the bad ones are made ---- */

static struct ring_request inline_ctr(void)
{
    return (struct ring_request){ .alg = HR_AES_128_CTR, .key_len = 16, .iv_len = 16, .len = 16 };
}

static struct ring_request far_request(hr_alg alg, uint8_t key_len, uint8_t iv_len)
{
    struct ring_request q = {
        .alg = (uint16_t)alg, .flags = RING_FAR, .key_len = key_len, .iv_len = iv_len, .len = 256
    };
    q.u.far.in = IN;
    q.u.far.out = OUT;
    q.u.far.key = KEY;
    return q;
}

static struct ring_request far_cbc(void)
{
    return far_request(HR_AES_128_CBC, 16, 16);
}

static struct ring_request far_xts(void)
{
    return far_request(HR_AES_128_XTS, 32, 16);
}

static struct ring_request far_gcm(void)
{
    struct ring_request q = far_request(HR_AES_256_GCM, 32, 12);
    q.u.far.aad = AAD;
    q.u.far.aad_len = 20;
    return q;
}

static struct ring_request far_hmac(void)
{
    struct ring_request q = far_request(HR_HMAC_SHA256, 32, 0);
    q.u.far.out = 0;
    return q;
}

static struct ring_request far_sha512(void)
{
    return far_request(HR_SHA512, 0, 0);
}

static struct ring_request with_more(struct ring_request q)
{
    q.flags |= RING_MORE;
    q.u.far.more = MORE;
    return q;
}

static struct ring_request parts_of(struct ring_request q)
{
    q = with_more(q);
    q.u.far.in = q.u.far.out = 0;
    more_at(MORE)->num_parts = 2;
    more_at(MORE)->parts[0] = (struct ring_part){ IN, OUT, 100 };
    more_at(MORE)->parts[1] = (struct ring_part){ IN + 512, OUT + 512, 156 };
    return q;
}

static struct ring_request parts_gcm(void)
{
    return parts_of(far_gcm());
}

static struct ring_request state_sha512(void)
{
    struct ring_request q = with_more(far_sha512());
    q.u.far.out = 0;
    more_at(MORE)->state_out = STATE;
    return q;
}

static struct ring_request chain(void)
{
    struct ring_request q = with_more(far_cbc()), mac = far_hmac();
    more_at(MORE)->next = NEXT;
    mac.u.far.in = OUT;
    memcpy(request_at(NEXT), &mac, sizeof mac);
    return q;
}

/* ---- bad ones ---- */

enum place { DESCRIPTOR, IN_MORE, IN_NEXT };
struct change {
    enum place place;
    size_t at, size;
    uint64_t value;
};
#define D(field, value)                                         \
    {                                                           \
        DESCRIPTOR, offsetof(struct ring_request, field),       \
            sizeof(((struct ring_request *)NULL)->field), value \
    }
#define M(field, value)                                                                           \
    {                                                                                             \
        IN_MORE, offsetof(struct ring_more, field), sizeof(((struct ring_more *)0)->field), value \
    }
#define N(field, value)                                         \
    {                                                           \
        IN_NEXT, offsetof(struct ring_request, field),          \
            sizeof(((struct ring_request *)NULL)->field), value \
    }

static const struct bad {
    const char *name;
    struct ring_request (*base)(void);
    int error;
    struct change changes[4];
} bad[] = {
    { "no such row", inline_ctr, HR_EALG, { D(alg, 0x0777) } },
    { "a row without jobs", inline_ctr, HR_EALG, { D(alg, HR_PBKDF2) } },
    { "unknown flag", inline_ctr, HR_EINVAL, { D(flags, 8) } },
    { "more of an inline request", inline_ctr, HR_EINVAL, { D(flags, RING_MORE) } },
    { "no such operation", inline_ctr, HR_EINVAL, { D(op, 2) } },
    { "a digest is not verified", far_sha512, HR_EINVAL, { D(op, 1) } },
    { "a copy has one direction", inline_ctr, HR_EINVAL, { D(alg, 0), D(op, 1) } },
    { "a copy has no key", inline_ctr, HR_EINVAL, { D(alg, 0) } },
    { "inline data too long", inline_ctr, HR_ELENGTH, { D(len, 17) } },
    { "inline length that wraps", inline_ctr, HR_ELENGTH, { D(len, 0xfffffff0) } },
    { "inline key too long", inline_ctr, HR_ELENGTH, { D(key_len, 255) } },
    { "inline digest too long",
      inline_ctr,
      HR_ELENGTH,
      { D(alg, HR_SHA512), D(key_len, 0), D(iv_len, 0) } },
    { "a tag of a cipher", inline_ctr, HR_EINVAL, { D(tag_len, 16) } },
    { "a tag too long", far_gcm, HR_ETAGLEN, { D(tag_len, 17) } },
    { "a digest with a key", far_sha512, HR_EINVAL, { D(key_len, 16) } },
    { "a digest under a handle", far_sha512, HR_EINVAL, { D(flags, RING_FAR | RING_HANDLE) } },
    { "an IV of a MAC", far_hmac, HR_EINVAL, { D(iv_len, 16) } },
    { "AAD of a cipher", far_cbc, HR_EINVAL, { D(u.far.aad_len, 1) } },
    { "a handle and a key", far_cbc, HR_EINVAL, { D(flags, RING_FAR | RING_HANDLE) } },
    { "a handle without its flag", far_cbc, HR_EINVAL, { D(u.far.handle, 1) } },
    { "more without its flag", far_cbc, HR_EINVAL, { D(u.far.more, MORE) } },
    { "input behind the window", far_cbc, HR_EINVAL, { D(u.far.in, WINDOW) } },
    { "input across its end", far_cbc, HR_EINVAL, { D(u.far.in, WINDOW - 255) } },
    { "input that wraps", far_cbc, HR_EINVAL, { D(u.far.in, 0xffffff80) } },
    { "output across its end", far_cbc, HR_EINVAL, { D(u.far.out, WINDOW - 255) } },
    { "output that wraps", far_cbc, HR_EINVAL, { D(u.far.out, 0xffffff80) } },
    { "the longest length", far_cbc, HR_EINVAL, { D(len, 0xffffffff) } },
    { "key behind the window", far_cbc, HR_EINVAL, { D(u.far.key, WINDOW - 15) } },
    { "AAD that wraps", far_gcm, HR_EINVAL, { D(u.far.aad_len, 0xffffffff) } },
    { "tag across the end", far_gcm, HR_EINVAL, { D(op, 1), D(u.far.in, WINDOW - 264) } },
    { "long digest across the end", far_sha512, HR_EINVAL, { D(u.far.out, WINDOW - 63) } },
    { "a long IV without a place", far_gcm, HR_EIVLEN, { D(iv_len, 17) } },
    { "in place", far_cbc, HR_EOVERLAP, { D(u.far.out, IN) } },
    { "output a byte into the input", far_cbc, HR_EOVERLAP, { D(u.far.out, IN - 255) } },
    { "output on the key", far_cbc, HR_EOVERLAP, { D(u.far.out, KEY - 255) } },
    { "output on the AAD", far_gcm, HR_EOVERLAP, { D(u.far.out, AAD + 19) } },
    { "output on the tag", far_gcm, HR_EOVERLAP, { D(op, 1), D(u.far.out, IN + 271) } },
    { "digest on its input", far_sha512, HR_EOVERLAP, { D(u.far.out, IN + 255) } },
    { "more at no multiple of 8", parts_gcm, HR_EINVAL, { D(u.far.more, MORE + 4) } },
    { "more across the end", parts_gcm, HR_EINVAL, { D(u.far.more, WINDOW - 64) } },
    { "reserved field", parts_gcm, HR_EINVAL, { M(reserved, 1) } },
    { "nothing in it", parts_gcm, HR_EINVAL, { M(num_parts, 0) } },
    { "too many parts", parts_gcm, HR_EINVAL, { M(num_parts, RING_MAX_PARTS + 1) } },
    { "far too many parts", parts_gcm, HR_EINVAL, { M(num_parts, 0xffffffff) } },
    { "an empty part", parts_gcm, HR_ELENGTH, { M(parts[1].len, 0), D(len, 100) } },
    { "parts of another sum", parts_gcm, HR_ELENGTH, { D(len, 255) } },
    { "parts whose sum wraps",
      parts_gcm,
      HR_ELENGTH,
      { M(parts[0].len, 0xffffffff), D(len, 155) } },
    { "parts and input", parts_gcm, HR_EINVAL, { D(u.far.in, IN) } },
    { "parts and output", parts_gcm, HR_EINVAL, { D(u.far.out, OUT) } },
    { "parts of XTS with AAD", parts_gcm, HR_EINVAL, { D(alg, HR_AES_128_XTS), D(iv_len, 16) } },
    { "a part behind the window", parts_gcm, HR_EINVAL, { M(parts[1].in, WINDOW - 100) } },
    { "a part's output on another's input", parts_gcm, HR_EOVERLAP, { M(parts[1].out, IN + 99) } },
    { "two parts' outputs", parts_gcm, HR_EOVERLAP, { M(parts[1].out, OUT + 99) } },
    { "a part's output on the list", parts_gcm, HR_EOVERLAP, { M(parts[1].out, MORE + 415) } },
    { "parts, and no place for a tag", parts_gcm, HR_EINVAL, { D(op, 1) } },
    { "a tag on an output", parts_gcm, HR_EOVERLAP, { M(tag, OUT + 50) } },
    { "a tag of a copy",
      parts_gcm,
      HR_EINVAL,
      { D(alg, 0), D(key_len, 0), D(iv_len, 0), M(tag, TAG) } },
    { "a long IV of no bytes", state_sha512, HR_EINVAL, { M(iv, LONG_IV) } },
    { "a state of a cipher", parts_gcm, HR_EINVAL, { M(state_out, STATE) } },
    { "a state and a tag", state_sha512, HR_EINVAL, { D(tag_len, 64) } },
    { "a state and a tag's place", state_sha512, HR_EINVAL, { M(tag, TAG) } },
    { "a state without length", state_sha512, HR_EFORMAT, { M(state_in, STATE + 512) } },
    { "a length without state", state_sha512, HR_EFORMAT, { M(state_in_len, 80) } },
    { "a state too long",
      state_sha512,
      HR_EFORMAT,
      { M(state_in, STATE + 512), M(state_in_len, HR_DIGEST_MAX_EXPORT + 1) } },
    { "a state behind the window", state_sha512, HR_EINVAL, { M(state_out, WINDOW - 100) } },
    { "a state on the input", state_sha512, HR_EOVERLAP, { M(state_out, IN + 255) } },
    { "a state under a handle",
      state_sha512,
      HR_EHANDLE,
      { D(alg, HR_HMAC_SHA512), D(flags, RING_FAR | RING_MORE | RING_HANDLE) } },
    { "next at no multiple of 8", chain, HR_EINVAL, { M(next, NEXT + 4) } },
    { "next across the end", chain, HR_EINVAL, { M(next, WINDOW - 56) } },
    { "next with a number", chain, HR_EINVAL, { N(seq, 1) } },
    { "a bad one in a chain", chain, HR_EALG, { N(alg, 0x0777) } },
    { "an endless chain",
      chain,
      HR_EINVAL,
      { N(flags, RING_FAR | RING_MORE), N(u.far.more, MORE) } },
    { "more than a completion holds",
      chain,
      HR_ELENGTH,
      { D(alg, HR_SHA384), D(key_len, 0), D(iv_len, 0) } },
};

static void apply(struct ring_request *q, const struct change *c)
{
    uint8_t *at = c->place == DESCRIPTOR ? (uint8_t *)q
                  : c->place == IN_MORE  ? memory + MORE
                                         : memory + NEXT;
    for (size_t i = 0; i < c->size; i++)
        at[c->at + i] = (uint8_t)(c->value >> 8 * i);
}

static void reset(void)
{
    random_bytes(memory, sizeof memory);
    memset(memory + MORE, 0, sizeof(struct ring_more));
}

/* test_bad decodes with the same struct as for the good descriptor, whose cached checks must not
 * make a bad one pass. */
static void test_bad(void)
{
    static uint8_t before[WINDOW];
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct ring_completion done;
        reset();
        struct ring_request q = bad[i].base();
        if (decode(&q))
            complain("%s: the base is refused: %d", bad[i].name, request.result);
        for (size_t k = 0; k < COUNT_OF(bad[i].changes) && bad[i].changes[k].size; k++)
            apply(&q, &bad[i].changes[k]);
        memcpy(before, memory, sizeof before);
        const int error = decode(&q);
        request_complete(&request, &done);
        if (error != bad[i].error || done.result != error)
            complain("%s: %d", bad[i].name, error);
        if (memcmp(before, memory, sizeof before) || done.len || !is_zero(done.bytes, RING_INLINE))
            complain("%s: something was written", bad[i].name);
        request_wipe(&request);
    }
    tap(1, "%zu bad descriptors are refused, each by its error", COUNT_OF(bad));
}

/* ---- good ones ---- */

static void seal(uint8_t *out, uint8_t *tag, const uint8_t *in, size_t len)
{
    static const uint8_t iv[12];
    struct hr_aead_key key;
    if (hr_aead_key_init(&key, HR_AES_256_GCM, memory + KEY, 32) ||
        hr_aead_encrypt(out, tag, 16, in, len, memory + AAD, 20, &key, iv, 12))
        complain("hr_aead_encrypt");
}

static void test_parts(void)
{
    uint8_t whole[256], want[256], tag[16];
    struct ring_completion done;
    reset();
    struct ring_request q = parts_gcm();
    serve(&q, &done);
    memcpy(whole, memory + IN, 100);
    memcpy(whole + 100, memory + IN + 512, 156);
    seal(want, tag, whole, 256);
    if (done.result || done.len != 16 || memcmp(done.bytes, tag, 16) ||
        memcmp(memory + OUT, want, 100) || memcmp(memory + OUT + 512, want + 100, 156))
        complain("%d", done.result);
    tap(1, "an AEAD over parts");

    struct ring_request open = parts_gcm();
    open.op = HR_JOB_DECRYPT;
    more_at(MORE)->tag = TAG;
    more_at(MORE)->parts[0] = (struct ring_part){ OUT, IN, 100 };
    more_at(MORE)->parts[1] = (struct ring_part){ OUT + 512, IN + 512, 156 };
    memcpy(memory + TAG, tag, 16);
    memset(memory + IN, 0xa5, 1024);
    memory[TAG] ^= 1;
    serve(&open, &done);
    if (done.result != HR_EMAC || memory[IN] != 0xa5 || memory[IN + 600] != 0xa5)
        complain("a wrong tag: %d", done.result);
    memory[TAG] ^= 1;
    serve(&open, &done);
    if (done.result || memcmp(memory + IN, whole, 100) ||
        memcmp(memory + IN + 512, whole + 100, 156))
        complain("the right tag: %d", done.result);
    tap(1, "what an AEAD opens is written when its tag was right, and not before");
}

/* test_cut_parts also changes the window after the service has looked at it. */
static void test_cut_parts(void)
{
    struct ring_completion done;
    for (int i = 0; i < 4; i++) {
        reset();
        struct ring_request whole = i / 2 ? far_xts() : far_cbc();
        whole.op = i % 2 ? HR_JOB_DECRYPT : HR_JOB_ENCRYPT;
        struct ring_request q = parts_of(whole);
        memcpy(memory + IN + 100, memory + IN + 512, 156);
        whole.u.far.out = OUT + 1024;
        serve(&whole, &done);
        if (done.result || decode(&q))
            complain("%d: refused", i);
        memset(memory + IN, 0x5a, 1024);
        if (hr_job_run(&request.job) || request_step(&request, &window) ||
            memcmp(memory + OUT, memory + OUT + 1024, 100) ||
            memcmp(memory + OUT + 512, memory + OUT + 1124, 156))
            complain("%d: %d", i, request.job.result);
        request_wipe(&request);
    }
    tap(1, "parts that cut a cipher's blocks, which are copied before they are computed");
}

static void test_chains(void)
{
    uint8_t want[256], tag[32];
    struct ring_completion done;
    struct hr_cipher_key cipher;
    struct hr_hmac_key mac;
    reset();
    struct ring_request q = chain();
    serve(&q, &done);
    if (hr_cipher_key_init(&cipher, HR_AES_128_CBC, memory + KEY, 16) ||
        hr_hmac_key_init(&mac, HR_HMAC_SHA256, memory + KEY, 32) ||
        hr_cipher_encrypt(want, memory + IN, 256, &cipher, q.u.far.iv, 16) ||
        hr_hmac(tag, want, 256, &mac))
        complain("direct calls");
    if (done.result || done.done != 2 || done.len != 32 || memcmp(done.bytes, tag, 32) ||
        memcmp(memory + OUT, want, 256))
        complain("encrypt, then MAC: %d", done.result);

    /* the MAC goes behind the data and is encrypted with it */
    struct ring_request first = with_more(far_hmac()), second = far_cbc();
    memset(more_at(MORE), 0, sizeof(struct ring_more));
    more_at(MORE)->tag = IN + 256;
    more_at(MORE)->next = NEXT;
    second.len = 288;
    memcpy(request_at(NEXT), &second, sizeof second);
    serve(&first, &done);
    if (hr_hmac(tag, memory + IN, 256, &mac) || memcmp(memory + IN + 256, tag, 32) || done.result ||
        done.done != 2 || done.len)
        complain("MAC, then encrypt: %d", done.result);
    uint8_t both[288];
    if (hr_cipher_encrypt(both, memory + IN, 288, &cipher, second.u.far.iv, 16) ||
        memcmp(memory + OUT, both, 288))
        complain("the MAC is not what was encrypted");

    first.op = HR_JOB_VERIFY;
    memory[IN + 3] ^= 1;
    memset(memory + OUT, 0xa5, 288);
    serve(&first, &done);
    if (done.result != HR_EMAC || done.done || memory[OUT] != 0xa5)
        complain("a wrong MAC: %d", done.result);
    tap(1, "chains: encrypt then MAC, MAC then encrypt, and an error that ends one");
}

static void test_states(void)
{
    uint8_t want[64];
    struct ring_completion done;
    reset();
    struct ring_request q = state_sha512();
    memset(memory + STATE, 0xa5, HR_DIGEST_MAX_EXPORT);
    serve(&q, &done);
    if (done.result || !done.state_len || done.len || memory[STATE + done.state_len] != 0xa5)
        complain("first: %d, state of %u", done.result, done.state_len);
    memset(more_at(MORE), 0, sizeof(struct ring_more));
    more_at(MORE)->state_in = STATE;
    more_at(MORE)->state_in_len = done.state_len;
    q.u.far.in = IN + 256;
    q.u.far.out = OUT;
    serve(&q, &done);
    hr_sha512(want, memory + IN, 512);
    if (done.result || done.len || memcmp(memory + OUT, want, 64))
        complain("last: %d", done.result);
    tap(1, "a digest in two requests");
}

static void test_long_iv(void)
{
    uint8_t want[256], tag[16];
    struct hr_aead_key key;
    struct ring_completion done;
    reset();
    struct ring_request q = with_more(far_gcm());
    q.iv_len = 200;
    more_at(MORE)->iv = LONG_IV;
    serve(&q, &done);
    if (hr_aead_key_init(&key, HR_AES_256_GCM, memory + KEY, 32) ||
        hr_aead_encrypt(want, tag, 16, memory + IN, 256, memory + AAD, 20, &key, memory + LONG_IV,
                        200))
        complain("hr_aead_encrypt");
    if (done.result || memcmp(memory + OUT, want, 256) || memcmp(done.bytes, tag, 16))
        complain("%d", done.result);
    tap(1, "an IV longer than a descriptor holds");
}

/* test_again serves descriptors with the struct of the one before, whose algorithm and operation
 * are often the same. */
static void test_again(void)
{
    for (int i = 0; i < 200; i++) {
        struct ring_completion done;
        struct ring_request q = inline_ctr();
        struct hr_cipher_key key;
        uint8_t want[16];
        random_bytes(q.u.bytes, RING_INLINE);
        q.alg = (uint16_t)(random_below(3) ? HR_AES_128_CTR : HR_AES_128_CBC);
        q.op = (uint8_t)(random_below(4) == 0);
        serve(&q, &done);
        if (hr_cipher_key_init(&key, (hr_alg)q.alg, q.u.bytes, 16) ||
            (q.op ? hr_cipher_decrypt : hr_cipher_encrypt)(want, q.u.bytes + 32, 16, &key,
                                                           q.u.bytes + 16, 16))
            complain("direct call");
        if (done.result || done.len != 16 || memcmp(done.bytes, want, 16) ||
            !is_zero(done.bytes + 16, 32))
            complain("round %d: %d", i, done.result);
    }
    tap(1, "inline requests with the last one's head, and with others");
}

static void test_room(void)
{
    struct arena arena = { private_memory, 256, 0 };
    reset();
    struct ring_request q = far_gcm();
    request_copy(&request, &q);
    if (request_decode(&request, &window, &arena) != REQUEST_LATER)
        complain("taken");
    tap(1, "a request for which there is no memory yet comes later");
}

int main(void)
{
    test_bad();
    test_parts();
    test_cut_parts();
    test_chains();
    test_states();
    test_long_iv();
    test_again();
    test_room();
    return tap_done();
}
