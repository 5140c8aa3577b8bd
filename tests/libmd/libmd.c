/* SPDX-License-Identifier: Apache-2.0 */
/* libmd LIBRARY [--quick] VECTORS...: tests every digest of our libmd.so.0 by published vectors,
 * with messages of up to 276 bytes (140 with --quick) in every split in two, and against the
 * system's libmd.so.0 if there is one. */
#define _GNU_SOURCE /* dladdr */
#include "digests.h"
#include <dlfcn.h>

enum { MAX_LEN = 2 * 128 + 20 };

static size_t max_len = MAX_LEN;

/* reference computes the expected digest: by libheadrace if it has the digest, else by the libmd
 * under test in one update. */
static void reference(const struct calls *calls, const struct digest *d, uint8_t *out,
                      const uint8_t *in, size_t len)
{
    if (!d->alg)
        whole(calls, out, in, len);
    else if (hr_digest(out, d->alg, in, len))
        complain("no reference");
}

static void one_split(const struct calls *calls, const struct digest *d, const uint8_t *want,
                      const uint8_t *in, size_t len, size_t split)
{
    struct context ctx;
    uint8_t out[MAX_OUT];
    new_context(&ctx);
    calls->init(&ctx);
    calls->update(&ctx, in, split);
    calls->update(&ctx, in + split, len - split);
    calls->final(out, &ctx);
    if (memcmp(out, want, d->out_len))
        complain("%zu bytes, the first %zu of them alone", len, split);
    if (!is_zero((uint8_t *)&ctx + (d->count_len ? 0 : 4), d->ctx_len - (d->count_len ? 0 : 4)))
        complain("Final leaves something of %zu bytes", len);
    check_guard(&ctx, d);
}

/* splits tries every length up to max_len and every split in two, with messages that end directly
 * before a page that cannot be read. */
static void splits(const struct calls *calls, const struct digest *d, const struct guarded *page)
{
    unsigned cases = 0;
    for (size_t len = 0; len <= max_len && !complaints_so_far(); len++) {
        const uint8_t *in = page->end - len;
        uint8_t want[MAX_OUT];
        reference(calls, d, want, in, len);
        for (size_t split = 0; split <= len; split++, cases++)
            one_split(calls, d, want, in, len, split);
    }
    tap(1, "%s: every length to %zu in every split of two, %u cases", d->name, max_len, cases);
}

/* parts checks that Pad leaves the state that Final without an output leaves, that Transform does
 * what Update does with one block, and that Final can write into the context. */
static void parts(const struct calls *calls, const struct digest *d, const uint8_t *in)
{
    struct context a, b;
    uint8_t out[MAX_OUT], state[64];
    for (size_t len = 0; len < d->block_len; len++) {
        new_context(&a);
        calls->init(&a);
        calls->update(&a, in, len);
        b = a;
        calls->pad(&a);
        memcpy(state, &a, d->state_len);
        calls->final(NULL, &b);
        if (memcmp(state, &b, d->state_len) && !is_zero(&b, d->ctx_len)) /* SHA384's is wiped */
            complain("Final without an output does not pad as Pad does: %zu bytes", len);
        check_guard(&a, d);
        check_guard(&b, d);
    }
    calls->init(&a);
    calls->init(&b);
    calls->transform(&a, in);
    calls->update(&b, in, d->block_len);
    calls->update(&b, NULL, 0);
    if (memcmp(&a, &b, d->state_len))
        complain("Transform is not Update of a block");
    whole(calls, out, in, 3);
    calls->init(&a);
    calls->update(&a, in, 3);
    calls->final((uint8_t *)&a + 8, &a);
    if (!is_zero(&a, d->ctx_len))
        complain("Final into the context itself leaves something");
    tap(1, "%s: Pad, Transform, Final without an output and into the context", d->name);
}

/* other_library loads the system's libmd.so.0, before ours is loaded under the same soname. It
 * returns NULL if there is none, or if the name leads to ours. */
static void *other_library(const char *ours)
{
    Dl_info info;
    void *library = dlopen("libmd.so.0", RTLD_NOW | RTLD_LOCAL);
    void *call = library ? dlsym(library, "MD5Init") : NULL;
    char *theirs = call && dladdr(call, &info) ? realpath(info.dli_fname, NULL) : NULL;
    char *path = realpath(ours, NULL);
    const int other = theirs && path && strcmp(theirs, path);
    free(theirs);
    free(path);
    return other ? library : NULL;
}

int main(int argc, char **argv)
{
    struct calls calls, theirs;
    const struct guarded page = guarded_new(MAX_LEN);
    void *system = argc > 1 ? other_library(argv[1]) : NULL;
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
        fprintf(stderr, "libmd: %s\n", argc > 1 ? dlerror() : "no library named");
        return 2;
    }
    random_bytes(page.start, (size_t)(page.end - page.start));
    for (size_t i = 0; i < num_digests; i++) {
        const struct digest *d = &digests[i];
        if (!find_calls(&calls, library, d)) {
            tap(0, "%s: all calls are there", d->name);
            continue;
        }
        unsigned vectors = 0;
        for (int a = 2; a < argc; a++)
            if (!strcmp(argv[a], "--quick"))
                max_len = 140;
            else
                vectors += run_vectors(&calls, d, argv[a]);
        if (!vectors)
            complain("no published vectors");
        splits(&calls, d, &page);
        if (d->count_len)
            parts(&calls, d, page.start);
        run_text(&calls, d);
        if (!system || !find_calls(&theirs, system, d))
            tap_skip(system ? "the system's libmd.so.0 lacks it" : "no libmd.so.0 in this system",
                     "%s: contexts pass between the two libraries", d->name);
        else
            run_exchange(&calls, &theirs, d);
    }
    return tap_done();
}
