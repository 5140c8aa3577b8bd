/* SPDX-License-Identifier: Apache-2.0 */
/* The neighbour, a well-behaved client: it compares every result with that of a direct call. */
#define _GNU_SOURCE
#include "harness.h"
#include <headrace/algorithms.h>
#include <time.h>
#include <unistd.h>

enum { KEY = 0, DATA = 256, OUT = 2048, LEN = 1000, PATIENCE_MS = 60000 };

/* struct sample is a request with its right result, which comes at OUT in the window or in the
 * completion. */
struct sample {
    struct ring_request request;
    uint8_t want[LEN];
    size_t want_len;
};

static void make_samples(struct sample s[3], uint8_t *window)
{
    struct hr_hmac_key hmac;
    struct hr_cipher_key cipher;
    for (size_t i = 0; i < DATA + LEN; i++)
        window[i] = (uint8_t)(i * 7 + 3);
    s[0].request = far_request(HR_SHA512, HR_JOB_DIGEST, DATA, LEN, OUT, 0, 0);
    s[0].want_len = 64;
    hr_sha512(s[0].want, window + DATA, LEN);
    s[1].request = (struct ring_request){ .alg = HR_HMAC_SHA256, .key_len = 16, .len = 32 };
    memcpy(s[1].request.u.bytes, window, 48);
    s[1].want_len = 32;
    int failed = hr_hmac_key_init(&hmac, HR_HMAC_SHA256, window, 16) ||
                 hr_hmac_sha256(s[1].want, window + 16, 32, &hmac);
    s[2].request = far_request(HR_AES_128_CTR, HR_JOB_ENCRYPT, DATA, LEN, OUT, KEY, 16);
    s[2].request.iv_len = 16;
    s[2].want_len = LEN;
    failed |= hr_cipher_key_init(&cipher, HR_AES_128_CTR, window, 16) ||
              hr_aes_128_ctr_encrypt(s[2].want, window + DATA, LEN, &cipher, s[2].request.u.far.iv);
    if (failed)
        abort();
}

static void once(struct neighbour *n, struct raw *c, const struct sample *s)
{
    struct ring_completion done;
    uint8_t *out = raw_window(c, 0) + OUT;
    memset(out, 0, LEN);
    raw_put(c, 0, &s->request);
    if (raw_take(c, 0, &done) || done.result)
        n->failed++;
    else if (memcmp(s->want_len == 32 ? done.bytes : out, s->want, s->want_len))
        n->wrong++;
    n->done++;
}

static void *loop(void *arg)
{
    static struct sample samples[3];
    struct neighbour *n = arg;
    struct raw c;
    if (raw_attach(&c, n->service)) {
        n->failed++;
        return NULL;
    }
    make_samples(samples, raw_window(&c, 0));
    for (size_t i = 0; !n->stop && !n->failed; i++) {
        once(n, &c, &samples[i % 3]);
        usleep(100); /* leaves the processors to the others */
    }
    raw_detach(&c);
    return NULL;
}

void neighbour_begin(struct neighbour *n, const struct service *s)
{
    memset(n, 0, sizeof *n);
    n->service = s;
    if (pthread_create(&n->thread, NULL, loop, n))
        abort();
}

void neighbour_goes_on(struct neighbour *n, uint64_t min)
{
    const uint64_t from = n->done;
    for (int ms = 0; n->done - from < min && !n->failed && ms < PATIENCE_MS; ms++)
        usleep(1000);
    if (n->done - from < min || n->failed || n->wrong)
        complain("of a neighbour's requests %d ended, %d wrong, %d failed", (int)(n->done - from),
                 (int)n->wrong, (int)n->failed);
}

void neighbour_end(struct neighbour *n)
{
    n->stop = 1;
    pthread_join(n->thread, NULL);
}
