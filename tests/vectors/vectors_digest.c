/* SPDX-License-Identifier: Apache-2.0 */
#include "internal.h"
#include "vectors.h"

static void compare(const struct vector *v, const uint8_t *got, const char *how,
                    const struct hr_kernel *kernel)
{
    if (v->out.len != v->row->out_len || memcmp(got, v->out.p, v->out.len))
        complain("case %u: %s, %s %s", v->number, v->row->name, kernel->name, how);
}

static void streamed(uint8_t *out, const struct vector *v, size_t index)
{
    struct hr_digest_ctx ctx;
    int error = hr_digest_init_kernel(&ctx, v->row->alg, index);
    for (size_t at = 0, n; !error && at < v->in.len; at += n) {
        n = random_below(random_below(8) ? 200 : 20000);
        n = n < v->in.len - at ? n : v->in.len - at;
        error = hr_digest_update(&ctx, v->in.p + at, n);
    }
    if (error || hr_digest_final(&ctx, out))
        complain("case %u: stream: %s", v->number, hr_strerror(error));
}

typedef void run_fn(const struct vector *v, size_t index, const struct hr_kernel *kernel);

/* on_every_kernel makes the CPU one for which each kernel is the best, so that direct calls use it
 * too. */
static void on_every_kernel(const struct vector *v, run_fn *run)
{
    struct hr_kernel kernel;
    const uint64_t before = hr_cpu_features();
    for (size_t i = 0; hr_kernel_at(&kernel, v->row->alg, HR_OP_DIGEST, i) == 0; i++) {
        if (kernel.needs & ~before)
            continue;
        cpu_override(kernel.needs);
        run(v, i, &kernel);
        cpu_override(before);
    }
}

static void digest_on(const struct vector *v, size_t index, const struct hr_kernel *kernel)
{
    uint8_t out[HR_DIGEST_MAX_OUT];
    streamed(out, v, index);
    compare(v, out, "streamed", kernel);
    direct_digest(v->row->alg)(out, v->in.p, v->in.len);
    compare(v, out, "direct", kernel);
    if (hr_digest(out, v->row->alg, v->in.p, v->in.len))
        complain("case %u: generic call fails", v->number);
    compare(v, out, "generic", kernel);
}

void run_digest(const struct vector *v)
{
    on_every_kernel(v, digest_on);
}

/* monte_on checks one of SHAVS section 6.4's checkpoints: MD[0], MD[1] and MD[2] are the seed, and
 * MD[i] = SHA(MD[i-3] || MD[i-2] || MD[i-1]), 1000 times; or of SHA3VS section 6.2.3's, where MD[0]
 * is the seed and MD[i] = SHA3(MD[i-1]). */
static void monte_on(const struct vector *v, size_t index, const struct hr_kernel *kernel)
{
    const size_t len = v->row->out_len;
    const size_t hashed = digest_impl(v->row->alg)->sponge ? len : 3 * len;
    uint8_t last[4 * HR_DIGEST_MAX_OUT];
    if (v->in.len != len) {
        complain("case %u: a seed of %zu bytes", v->number, v->in.len);
        return;
    }
    for (size_t i = 0; i < 3; i++)
        memcpy(last + i * len, v->in.p, len);
    for (unsigned i = 0; i < 1000; i++) {
        if (i & 1) {
            direct_digest(v->row->alg)(last + 3 * len, last + 3 * len - hashed, hashed);
        } else {
            const struct vector one = { .row = v->row,
                                        .number = v->number,
                                        .in = { last + 3 * len - hashed, hashed } };
            streamed(last + 3 * len, &one, index);
        }
        memmove(last, last + len, 3 * len);
    }
    compare(v, last + 2 * len, "Monte Carlo", kernel);
}

void run_digest_monte(const struct vector *v)
{
    on_every_kernel(v, monte_on);
}
