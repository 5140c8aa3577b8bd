/* SPDX-License-Identifier: Apache-2.0 */
#include "internal.h"
#include "vectors.h"

/* compare compares as many bytes of the MAC as the case has: it may be truncated. */
static void compare(const struct vector *v, const uint8_t *got, const char *how,
                    const struct hr_kernel *kernel)
{
    if (memcmp(got, v->out.p, v->out.len))
        complain("case %u: %s, %s %s", v->number, v->row->name, kernel->name, how);
}

static void streamed(uint8_t *out, const struct vector *v, const struct hr_hmac_key *key)
{
    struct hr_hmac_ctx ctx;
    int error = hr_hmac_init(&ctx, key);
    for (size_t at = 0, n; !error && at < v->in.len; at += n) {
        n = random_below(200);
        n = n < v->in.len - at ? n : v->in.len - at;
        error = hr_hmac_update(&ctx, v->in.p + at, n);
    }
    if (error || hr_hmac_final(&ctx, out))
        complain("case %u: stream: %s", v->number, hr_strerror(error));
}

/* mac_on checks a case on one kernel. If its MAC is wrong, verification must refuse it and nothing
 * else is checked; else all calls must accept or compute it. */
static void mac_on(const struct vector *v, const struct hr_hmac_key *key,
                   const struct hr_kernel *kernel)
{
    uint8_t out[HR_DIGEST_MAX_OUT];
    const int wanted = v->result == MUST_FAIL ? HR_EMAC : 0;
    const int error = hr_hmac_verify(v->out.p, v->out.len, v->in.p, v->in.len, key);
    if (error != wanted)
        complain("case %u: %s verify: %s", v->number, kernel->name, hr_strerror(error));
    if (wanted)
        return;
    streamed(out, v, key);
    compare(v, out, "streamed", kernel);
    if (direct_mac(v->row->alg)(out, v->in.p, v->in.len, key))
        complain("case %u: direct call fails", v->number);
    compare(v, out, "direct", kernel);
    if (hr_hmac(out, v->in.p, v->in.len, key))
        complain("case %u: generic call fails", v->number);
    compare(v, out, "generic", kernel);
}

/* run_mac makes the CPU one for which each kernel is the best, so that long keys are digested by it
 * too. */
void run_mac(const struct vector *v)
{
    struct hr_kernel kernel;
    const uint64_t before = hr_cpu_features();
    if (v->out.len == 0 || v->out.len > v->row->out_len || v->result == MAY_FAIL) {
        complain("case %u: a MAC of %zu bytes, or no result", v->number, v->out.len);
        return;
    }
    for (size_t i = 0; hr_kernel_at(&kernel, v->row->alg, HR_OP_MAC, i) == 0; i++) {
        struct hr_hmac_key key;
        if (kernel.needs & ~before)
            continue;
        cpu_override(kernel.needs);
        if (hr_hmac_key_init(&key, v->row->alg, v->key.p, v->key.len))
            complain("case %u: key_init fails", v->number);
        else
            mac_on(v, &key, &kernel);
        cpu_override(before);
    }
}
