/* SPDX-License-Identifier: Apache-2.0 */
#include "internal.h"
#include "keccak/keccak.h"
#include "vectors.h"

/* out_fn computes the output of a case by one kind of call, and returns its error or 0. */
typedef int out_fn(uint8_t *out, const struct vector *v);

static int init(struct hr_xof_ctx *ctx, const struct vector *v)
{
    if (v->row->flags & HR_KEYED)
        return hr_kmac_init(ctx, v->row->alg, v->key.p, v->key.len, v->salt.p, v->salt.len);
    return hr_xof_init_custom(ctx, v->row->alg, v->info.p, v->info.len, v->salt.p, v->salt.len);
}

static size_t piece(size_t left)
{
    const size_t n = random_below(300);
    return n < left ? n : left;
}

static int absorbed(struct hr_xof_ctx *ctx, const struct vector *v)
{
    int error = init(ctx, v);
    for (size_t at = 0, n; !error && at < v->in.len; at += n) {
        n = piece(v->in.len - at);
        error = hr_xof_update(ctx, v->in.p + at, n);
    }
    return error;
}

static int squeezed(uint8_t *out, const struct vector *v)
{
    struct hr_xof_ctx ctx;
    int error = absorbed(&ctx, v);
    for (size_t at = 0, n; !error && at < v->out.len; at += n) {
        n = piece(v->out.len - at);
        error = hr_xof_squeeze(&ctx, out + at, n);
    }
    if (!error && v->out.len && hr_xof_update(&ctx, "", 1) != HR_ESTATE)
        complain("case %u: %s goes on after an output", v->number, v->row->name);
    hr_xof_wipe(&ctx);
    return error;
}

static int whole(uint8_t *out, const struct vector *v)
{
    if (v->info.len || v->salt.len || v->row->flags & HR_KEYED)
        return squeezed(out, v);
    return hr_xof(out, v->out.len, v->row->alg, v->in.p, v->in.len);
}

static int mac_final(uint8_t *out, const struct vector *v)
{
    struct hr_xof_ctx ctx;
    const int error = absorbed(&ctx, v);
    return error ? error : hr_kmac_final(&ctx, out, v->out.len);
}

static int mac_whole(uint8_t *out, const struct vector *v)
{
    return hr_kmac(out, v->out.len, v->row->alg, v->key.p, v->key.len, v->salt.p, v->salt.len,
                   v->in.p, v->in.len);
}

/* Gives the tag itself if the calls that compare accept it, and refuse another. */
static int mac_verified(uint8_t *out, const struct vector *v)
{
    memcpy(out, v->out.p, v->out.len);
    out[v->out.len - 1] ^= 1;
    const int refused = hr_kmac_verify(out, v->out.len, v->row->alg, v->key.p, v->key.len,
                                       v->salt.p, v->salt.len, v->in.p, v->in.len) == HR_EMAC;
    out[v->out.len - 1] ^= 1;
    const int error = hr_kmac_verify(out, v->out.len, v->row->alg, v->key.p, v->key.len, v->salt.p,
                                     v->salt.len, v->in.p, v->in.len);
    return error || refused ? error : HR_EINVAL;
}

static void on_every_kernel(const struct vector *v, out_fn *fn, const char *how)
{
    uint8_t *out = malloc(v->out.len + 1);
    const uint64_t before = hr_cpu_features();
    for (size_t i = 0; i < keccak_impl.num_kernels; i++) {
        const struct hr_kernel *kernel = &keccak_impl.kernels[i].info;
        if (kernel->needs & ~before)
            continue;
        cpu_override(kernel->needs);
        const int error = fn(out, v);
        if (error || memcmp(out, v->out.p, v->out.len))
            complain("case %u: %s %s, kernel %s: %s", v->number, v->row->name, how, kernel->name,
                     error ? hr_strerror(error) : "wrong");
        cpu_override(before);
    }
    free(out);
}

void run_xof(const struct vector *v)
{
    on_every_kernel(v, squeezed, "squeezed");
    on_every_kernel(v, whole, "whole");
}

void run_kmac(const struct vector *v)
{
    if (v->result == MUST_FAIL) {
        if (!hr_kmac_verify(v->out.p, v->out.len, v->row->alg, v->key.p, v->key.len, v->salt.p,
                            v->salt.len, v->in.p, v->in.len))
            complain("case %u: %s accepts a wrong MAC", v->number, v->row->name);
        return;
    }
    on_every_kernel(v, mac_final, "final");
    on_every_kernel(v, mac_whole, "whole");
    on_every_kernel(v, mac_verified, "verified");
}

/* run_xof_monte checks one of SHA3VS section 6.3.3's checkpoints: `in` is the output before, and
 * `size` the length of the output before, in bytes; row's lengths are between aad[0..1] and
 * aad[2..3], big-endian.  Each of 1000 outputs is computed from the first 16 bytes of the one
 * before, filled up with zeros, and its last 16 bits choose the next length. */
void run_xof_monte(const struct vector *v)
{
    uint8_t message[16] = { 0 }, out[512];
    size_t len = v->size;
    if (v->aad.len != 4 || v->in.len > sizeof out || v->size > sizeof out) {
        complain("case %u: not a checkpoint", v->number);
        return;
    }
    const size_t least = load_be16(v->aad.p), most = load_be16(v->aad.p + 2);
    memcpy(out, v->in.p, v->in.len);
    size_t out_len = v->in.len;
    for (unsigned i = 0; i < 1000; i++) {
        memset(message, 0, sizeof message);
        memcpy(message, out, out_len < 16 ? out_len : 16);
        if (hr_xof(out, len, v->row->alg, message, sizeof message))
            complain("case %u: fails", v->number);
        out_len = len;
        len = least + load_be16(out + out_len - 2) % (most - least + 1);
    }
    if (out_len != v->out.len || memcmp(out, v->out.p, out_len))
        complain("case %u: %s Monte Carlo", v->number, v->row->name);
}
