/* SPDX-License-Identifier: Apache-2.0 */
#include "internal.h"
#include "vectors.h"
#include <headrace/algorithms.h>

enum { OUT = HR_NMAC_MAX_OUT };

static void wrong(const struct vector *v, const char *kernel, const char *how, int error)
{
    complain("case %u: %s, %s %s: %s", v->number, v->row->name, kernel, how,
             error ? hr_strerror(error) : "another MAC");
}

/* compare compares as many bytes of the MAC as the case has: it may be truncated. */
static void compare(const struct vector *v, const uint8_t *got, int error, const char *kernel,
                    const char *how)
{
    if (error || memcmp(got, v->out.p, v->out.len))
        wrong(v, kernel, how, error);
}

static int streamed(uint8_t *out, const struct vector *v, const struct hr_nmac_key *key)
{
    struct hr_nmac_ctx ctx;
    int error = hr_nmac_init(&ctx, key, v->iv.p, v->iv.len);
    for (size_t at = 0, n; !error && at < v->in.len; at += n) {
        n = random_below(random_below(4) ? 40 : 600);
        n = n < v->in.len - at ? n : v->in.len - at;
        error = hr_nmac_update(&ctx, v->in.p + at, n);
    }
    if (!error)
        error = hr_nmac_final(&ctx, out);
    if (!error && !is_zero(&ctx, hr_nmac_size(v->row->alg)))
        complain("case %u: a context is left", v->number);
    return error;
}

/* run_on checks that the case's MAC is accepted, and refused with one wrong bit. A case that must
 * fail is refused for its MAC or for its nonce's length. */
static void run_on(const struct vector *v, const struct hr_nmac_key *key, const char *kernel)
{
    uint8_t out[OUT], forged[OUT];
    int error = hr_nmac_verify(v->out.p, v->out.len, v->in.p, v->in.len, key, v->iv.p, v->iv.len);
    if (v->result == MUST_FAIL) {
        if (error != HR_EMAC && error != HR_EIVLEN)
            wrong(v, kernel, "must fail", error);
        return;
    }
    if (error)
        wrong(v, kernel, "verify", error);
    memcpy(forged, v->out.p, v->out.len);
    forged[random_below((uint32_t)v->out.len)] ^= (uint8_t)(1u << random_below(8));
    error = hr_nmac_verify(forged, v->out.len, v->in.p, v->in.len, key, v->iv.p, v->iv.len);
    if (error != HR_EMAC)
        wrong(v, kernel, "verify a forgery", error);
    compare(v, out, streamed(out, v, key), kernel, "streamed");
    error = direct_nmac(v->row->alg)(out, v->in.p, v->in.len, key, v->iv.p, v->iv.len);
    compare(v, out, error, kernel, "direct");
    error = hr_nmac(out, v->in.p, v->in.len, key, v->iv.p, v->iv.len);
    compare(v, out, error, kernel, "generic");
}

static void on_every_kernel(const struct vector *v)
{
    const uint64_t have = hr_cpu_features();
    struct hr_kernel kernel;
    struct hr_nmac_key key;
    for (size_t i = 0; hr_kernel_at(&kernel, v->row->alg, HR_OP_MAC, i) == 0; i++) {
        if (kernel.needs & ~have)
            continue;
        if (nmac_key_on_its_cpu(&key, v->row->alg, i, v->key.p, v->key.len))
            complain("case %u: the key is refused", v->number);
        else
            run_on(v, &key, kernel.name);
        hr_nmac_key_wipe(&key);
    }
}

/* run_as_poly1305_aes turns a case of Poly1305 under (r, s) into one of Poly1305-AES under (k, r)
 * with a random k: its nonce is s decrypted with k. */
static void run_as_poly1305_aes(const struct vector *v)
{
    uint8_t kr[32], nonce[16];
    struct hr_cipher_key key;
    struct vector other = *v;
    random_bytes(kr, 16);
    memcpy(kr + 16, v->key.p, 16);
    if (hr_cipher_key_init(&key, HR_AES_128_ECB, kr, 16) ||
        hr_aes_128_ecb_decrypt(nonce, v->key.p + 16, 16, &key, NULL))
        complain("case %u: no nonce", v->number);
    other.row = hr_algorithm(HR_POLY1305_AES);
    other.key = (struct bytes){ kr, sizeof kr };
    other.iv = (struct bytes){ nonce, sizeof nonce };
    on_every_kernel(&other);
}

void run_nmac(const struct vector *v)
{
    if (v->out.len == 0 || v->out.len > OUT || v->result == MAY_FAIL) {
        complain("case %u: a MAC of %zu bytes, or no result", v->number, v->out.len);
        return;
    }
    on_every_kernel(v);
    if (v->row->alg == HR_POLY1305 && v->key.len == 32)
        run_as_poly1305_aes(v);
}
