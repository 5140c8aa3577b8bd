/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that changes while the service reads it: a thread flips one byte between two values, so
 * that there are two messages, two keys or two descriptors.  The result must be that of one of the
 * two. */
#define _GNU_SOURCE
#include "harness.h"
#include <headrace/algorithms.h>
#include <unistd.h>

enum { LEN = 8192, IN = 4096, OUT = 32768, KEY = 1024, MORE = 2048, ROUNDS = 300 };

static struct raw client;
static _Atomic(uint8_t *) flipped;
static atomic_int resting, stop;

static void *flipper(void *arg)
{
    while (!stop) {
        uint8_t *at = atomic_load(&flipped);
        if (at) {
            __atomic_fetch_xor(at, 1, __ATOMIC_RELAXED);
        } else {
            atomic_store(&resting, 1);
            usleep(50);
        }
    }
    return NULL;
}

/* rest ends the flipping.  The flipper may have read the address just before, and flip the byte
 * once more whenever it runs again, so rest waits until it has seen that there is none. */
static void rest(void)
{
    atomic_store(&flipped, NULL);
    atomic_store(&resting, 0);
    while (!atomic_load(&resting))
        usleep(50);
}

static struct ring_request request(hr_alg alg, int op, uint8_t iv_len, uint8_t tag_len)
{
    struct ring_request r = far_request(alg, op, IN, LEN, OUT, KEY, 16);
    r.iv_len = iv_len, r.tag_len = tag_len;
    return r;
}

/* struct two has the results for both values of a byte: want[0] as it is, want[1] flipped. */
struct two {
    uint8_t want[2][LEN + 64];
    size_t len;
};

static void direct(struct two *t, const struct ring_request *r, uint8_t *byte)
{
    uint8_t *window = raw_window(&client, 0);
    for (int i = 0; i < 2; i++, *byte ^= 1) {
        struct hr_job job = { .alg = r->alg,
                              .op = r->op,
                              .tag_len = r->tag_len,
                              .in = window + IN,
                              .len = r->len,
                              .iv = r->u.far.iv,
                              .iv_len = r->iv_len,
                              .key = window + KEY,
                              .key_len = r->key_len,
                              .key_form = HR_KEY_BYTES };
        const struct hr_algorithm *row = hr_algorithm((hr_alg)r->alg);
        const int has_tag = row->cls != HR_CLASS_CIPHER;
        job.out = has_tag ? NULL : t->want[i];
        job.tag = has_tag ? t->want[i] : NULL;
        if (hr_job_run(&job))
            abort();
        t->len = has_tag ? row->out_len : LEN;
    }
}

/* one_of_two checks that each result is completely one of the two. */
static void one_of_two(const char *name, const struct ring_request *r, uint32_t byte)
{
    static struct two two;
    struct ring_completion done;
    uint8_t *window = raw_window(&client, 0), *at = window + byte;
    int seen[2] = { 0 };
    direct(&two, r, at);
    atomic_store(&flipped, at);
    for (int i = 0; i < ROUNDS; i++) {
        if (raw_run(&client, 0, r, &done)) {
            complain("%s: result %d", name, done.result);
            break;
        }
        const uint8_t *got = two.len <= RING_INLINE ? done.bytes : window + OUT;
        const int which = !memcmp(got, two.want[0], two.len)   ? 0
                          : !memcmp(got, two.want[1], two.len) ? 1
                                                               : -1;
        if (which < 0) {
            complain("%s: the result of no message that ever was", name);
            break;
        }
        seen[which]++;
    }
    rest();
}

/* ---- authenticated decryption ---- */

static _Atomic uint64_t leaks;
static _Atomic int watching;

/* watcher reads the output while the service works on it, and counts the times that it shows the
 * plaintext in `leaks`. */
static void *watcher(void *arg)
{
    const uint8_t *secret = arg;
    const volatile uint8_t *out = raw_window(&client, 0) + OUT;
    while (!stop) {
        if (!watching) {
            usleep(50);
            continue;
        }
        unsigned same = 0;
        for (size_t i = 64; i < 96; i++)
            same += out[i] == secret[i];
        if (same > 16 && watching)
            leaks++;
    }
    return NULL;
}

static uint8_t plain[LEN];

static void seal(uint8_t *window, struct ring_request *r)
{
    random_bytes(plain, LEN);
    random_bytes(window + KEY, 16);
    struct hr_job job = { .alg = r->alg,
                          .tag_len = 16,
                          .in = plain,
                          .out = window + IN,
                          .len = LEN,
                          .iv = r->u.far.iv,
                          .iv_len = 12,
                          .key = window + KEY,
                          .key_len = 16,
                          .key_form = HR_KEY_BYTES,
                          .tag = window + IN + LEN };
    if (hr_job_run(&job))
        abort();
}

static int unchanged(const uint8_t *out)
{
    for (size_t i = 0; i < LEN; i++)
        if (out[i] != 0xee && out[i])
            return 0;
    return 1;
}

/* open_flipped flips ciphertext or tag between right and wrong: a decryption must give the whole
 * plaintext or none of it. */
static void open_flipped(hr_alg alg, size_t byte)
{
    struct ring_completion done;
    struct ring_request r = request(alg, HR_JOB_DECRYPT, 12, 16);
    uint8_t *window = raw_window(&client, 0);
    seal(window, &r);
    atomic_store(&flipped, window + IN + byte);
    for (int i = 0; i < ROUNDS; i++) {
        memset(window + OUT, 0xee, LEN);
        const int result = raw_run(&client, 0, &r, &done);
        if (result && result != HR_EMAC)
            complain("alg %#x: result %d", alg, result);
        if (result ? !unchanged(window + OUT) : memcmp(window + OUT, plain, LEN))
            complain("alg %#x: %s", alg,
                     result ? "unverified plaintext is released" : "what was not verified is out");
    }
    rest();
}

static void open_watched(hr_alg alg)
{
    struct ring_completion done;
    struct ring_request r = request(alg, HR_JOB_DECRYPT, 12, 16);
    uint8_t *window = raw_window(&client, 0);
    seal(window, &r);
    window[IN + LEN] ^= 1;
    memset(window + OUT, 0xee, LEN);
    leaks = 0;
    watching = 1;
    for (int i = 0; i < ROUNDS; i++)
        if (raw_run(&client, 0, &r, &done) != HR_EMAC)
            complain("alg %#x: a wrong tag gives %d", alg, done.result);
    watching = 0;
    if (leaks)
        complain("alg %#x: unverified plaintext was seen %d times", alg, (int)leaks);
}

/* ---- descriptors ---- */

/* descriptors_flipped accepts any result, as long as nobody is harmed. */
static void descriptors_flipped(void)
{
    struct ring_completion done;
    struct ring_request r = request(HR_AES_128_CTR, 0, 16, 0);
    uint8_t *window = raw_window(&client, 0);
    struct ring_more more = { .num_parts = 1, .next = MORE + 1024 };
    more.parts[0] = (struct ring_part){ IN, OUT, LEN };
    for (size_t byte = 0; byte < 64 + sizeof more; byte++) {
        if (byte >= offsetof(struct ring_request, seq) && byte < offsetof(struct ring_request, u))
            continue;
        r.flags = RING_FAR | (byte < 64 ? 0 : RING_MORE);
        r.u.far.more = byte < 64 ? 0 : MORE;
        memcpy(window + MORE, &more, sizeof more);
        atomic_store(&flipped, byte < 64 ? (uint8_t *)raw_slot(&client, 0, client.next[0]) + byte
                                         : window + MORE + byte - 64);
        for (int i = 0; i < 4; i++) {
            if (raw_run(&client, 0, &r, &done) == HR_EGONE)
                complain("byte %zu: no answer", byte);
            if (byte < 64)
                atomic_store(&flipped, (uint8_t *)raw_slot(&client, 0, client.next[0]) + byte);
        }
        rest();
    }
}

void hostile_fetch(void)
{
    pthread_t threads[2];
    if (raw_attach(&client, &service)) {
        tap(0, "a client attaches");
        return;
    }
    stop = 0;
    random_bytes(raw_window(&client, 0), client.geometry.window_len);
    if (pthread_create(&threads[0], NULL, flipper, NULL) ||
        pthread_create(&threads[1], NULL, watcher, plain))
        abort();
    struct ring_request r = request(HR_HMAC_SHA256, HR_JOB_MAC, 0, 0);
    one_of_two("HMAC, its message", &r, IN + LEN / 2);
    one_of_two("HMAC, its key", &r, KEY + 5);
    r = request(HR_AES_128_GMAC, HR_JOB_MAC, 12, 0);
    one_of_two("GMAC, its message", &r, IN + LEN / 2);
    r = request(HR_AES_128_CTR, HR_JOB_ENCRYPT, 16, 0);
    one_of_two("a cipher, its key", &r, KEY + 5);
    unharmed("a message or a key that flips: the result of the one or of the other");
    open_flipped(HR_AES_128_GCM, 100);
    open_flipped(HR_AES_128_GCM, LEN + 3);
    open_flipped(HR_AES_128_CCM, LEN - 1);
    unharmed("ciphertexts and tags that flip: plaintext that was verified, or none");
    open_watched(HR_AES_128_GCM);
    open_watched(HR_AES_128_CCM);
    unharmed("plaintext under a wrong tag is never seen");
    descriptors_flipped();
    unharmed("descriptors and parts that flip");
    stop = 1;
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    raw_detach(&client);
}
