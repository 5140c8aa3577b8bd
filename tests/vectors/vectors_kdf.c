/* SPDX-License-Identifier: Apache-2.0 */
#include "internal.h"
#include "vectors.h"
#include <headrace/algorithms.h>

/* COPIES passwords fill the lanes of any kernel (16 at most) and leave one over. A case of more
 * than FEW_ITERATIONS has one copy only, to save time. */
enum { COPIES = 17, FEW_ITERATIONS = 5000 };

/* derive_fn derives `out_len` bytes for a case by one kind of call, and returns its error or 0. */
typedef int derive_fn(uint8_t *out, size_t out_len, const struct vector *v);

static int pbkdf2(uint8_t *out, size_t out_len, const struct vector *v)
{
    return hr_pbkdf2(out, out_len, v->mac->alg, v->key.p, v->key.len, v->salt.p, v->salt.len,
                     v->iterations);
}

static int pbkdf2_many(uint8_t *out, size_t out_len, const struct vector *v)
{
    struct hr_pbkdf2_job jobs[COPIES];
    uint8_t *outs = malloc(COPIES * out_len + 1);
    const size_t num = v->iterations > FEW_ITERATIONS ? 1 : COPIES;
    for (size_t i = 0; i < num; i++)
        jobs[i] = (struct hr_pbkdf2_job){ outs + i * out_len, out_len,   v->key.p,
                                          v->key.len,         v->salt.p, v->salt.len };
    const int error = hr_pbkdf2_many(jobs, num, v->mac->alg, v->iterations);
    for (size_t i = 1; !error && i < num; i++)
        if (memcmp(outs, outs + i * out_len, out_len))
            complain("case %u: copy %zu of many is another", v->number, i);
    if (!error)
        memcpy(out, outs, out_len);
    free(outs);
    return error;
}

static int hkdf(uint8_t *out, size_t out_len, const struct vector *v)
{
    return hr_hkdf(out, out_len, v->mac->alg, v->salt.p, v->salt.len, v->key.p, v->key.len,
                   v->info.p, v->info.len);
}

static int extract(uint8_t *out, size_t out_len, const struct vector *v)
{
    uint8_t prk[HR_DIGEST_MAX_OUT];
    if (out_len != v->mac->out_len)
        return HR_ELENGTH;
    const int error =
        hr_hkdf_extract(prk, v->mac->alg, v->salt.p, v->salt.len, v->key.p, v->key.len);
    memcpy(out, prk, out_len);
    return error;
}

static int expand(uint8_t *out, size_t out_len, const struct vector *v)
{
    return hr_hkdf_expand(out, out_len, v->mac->alg, v->key.p, v->key.len, v->info.p, v->info.len);
}

static void compare(const struct vector *v, derive_fn *derive, const char *kernel)
{
    const size_t len = v->result == MUST_WORK ? v->out.len : v->size;
    uint8_t *out = malloc(len + 1);
    const int error = derive(out, len, v);
    if (v->result == MUST_WORK && (error || memcmp(out, v->out.p, len)))
        complain("case %u: %s %s %s: %s", v->number, v->row->name, v->mac->name, kernel,
                 error ? hr_strerror(error) : "wrong");
    if (v->result == MUST_FAIL && !error)
        complain("case %u: %s accepts %zu bytes", v->number, v->row->name, len);
    free(out);
}

/* on_every_kernel runs the case on made-up CPUs: for each kernel of an operation, one that has just
 * what this kernel needs. */
static void on_every_kernel(const struct vector *v, enum hr_op op, derive_fn *derive)
{
    struct hr_kernel kernel;
    const uint64_t before = hr_cpu_features();
    if (!v->mac || v->mac->cls != HR_CLASS_MAC) {
        complain("case %u: no MAC", v->number);
        return;
    }
    for (size_t i = 0; hr_kernel_at(&kernel, v->mac->alg, op, i) == 0; i++) {
        if (kernel.needs & ~before)
            continue;
        cpu_override(kernel.needs);
        compare(v, derive, kernel.name);
        cpu_override(before);
    }
    compare(v, derive, "all kernels");
}

void run_derive(const struct vector *v)
{
    if (v->row->alg == HR_HKDF) {
        on_every_kernel(v, HR_OP_MAC, hkdf);
        return;
    }
    on_every_kernel(v, HR_OP_ITERATE, pbkdf2);
    on_every_kernel(v, HR_OP_ITERATE, pbkdf2_many);
}

void run_extract(const struct vector *v)
{
    on_every_kernel(v, HR_OP_MAC, extract);
}

void run_expand(const struct vector *v)
{
    on_every_kernel(v, HR_OP_MAC, expand);
}
