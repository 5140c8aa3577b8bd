/* SPDX-License-Identifier: Apache-2.0 */
/* MACs with a nonce, with any kernel: GMAC is GCM without text; Poly1305-AES adds the AES
 * encryption of the nonce to the polynomial's value; f9 is a CBC-MAC of KASUMI whose chain begins
 * with the nonce. */
#include "nmac.h"
#include <headrace/algorithms.h>

#define MAX_IN ((UINT64_C(1) << 61) - 1)

static const struct hr_algorithm *nmac_row(hr_alg alg)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    return row && row->cls == HR_CLASS_NMAC ? row : NULL;
}

/* The constructions that these MACs use. */
enum family { GMAC, POLY, F9 };

static inline enum family family(hr_alg alg)
{
    switch (alg) {
    case HR_POLY1305:
    case HR_POLY1305_AES:
        return POLY;
    case HR_KASUMI_F9:
        return F9;
    default:
        return GMAC;
    }
}

/* ---- keys ---- */

static const void *kernel_by_number(hr_alg alg, size_t i)
{
    struct hr_kernel kernel;
    if (hr_kernel_at(&kernel, alg, HR_OP_MAC, i) || kernel.needs & ~hr_cpu_features())
        return NULL;
    switch (family(alg)) {
    case GMAC:
        return &gcm_impl.kernels[i];
    case F9:
        return &kasumi_f9_impl.kernels[i];
    default:
        return &poly1305_row(alg)->kernels[i];
    }
}

static int key_init(struct nmac_key *key, hr_alg alg, const void *kernel, const uint8_t *bytes,
                    size_t bytes_len)
{
    const struct hr_algorithm *row = nmac_row(alg);
    if (!key || !bytes)
        return HR_EINVAL;
    if (bytes_len != row->key_len)
        return HR_EKEYLEN;
    if (family(alg) == GMAC) {
        aead_key_setup(&key->u.gcm, &gcm_impl, &aes_cipher, alg,
                       kernel ? kernel : aead_choose(&gcm_impl), bytes, bytes_len);
    } else if (family(alg) == F9) {
        kasumi_f9_setup(&key->u.f9, bytes, kernel ? kernel : kasumi_f9_choose(&kasumi_f9_impl));
    } else if (alg == HR_POLY1305_AES) {
        poly1305_aes_setup(&key->u.poly_aes, bytes,
                           kernel ? kernel : poly1305_choose(&poly1305_aes_impl));
    } else {
        poly1305_setup(&key->u.poly.poly, bytes, kernel ? kernel : poly1305_choose(&poly1305_impl));
        memcpy(key->u.poly.s, bytes + 16, 16);
    }
    key->alg = alg;
    return 0;
}

int hr_nmac_key_init(struct hr_nmac_key *key, hr_alg alg, const uint8_t *bytes, size_t bytes_len)
{
    return nmac_row(alg) ? key_init((struct nmac_key *)key, alg, NULL, bytes, bytes_len) : HR_EALG;
}

int hr_nmac_key_init_kernel(struct hr_nmac_key *key, hr_alg alg, size_t i, const uint8_t *bytes,
                            size_t bytes_len)
{
    if (!nmac_row(alg))
        return HR_EALG;
    if (!key || !bytes)
        return HR_EINVAL;
    const void *kernel = kernel_by_number(alg, i);
    return kernel ? key_init((struct nmac_key *)key, alg, kernel, bytes, bytes_len) : HR_ECPU;
}

void hr_nmac_key_wipe(struct hr_nmac_key *key)
{
    if (key)
        WIPE((struct nmac_key *)key);
}

size_t hr_nmac_key_size(hr_alg alg)
{
    return nmac_row(alg) ? sizeof(struct nmac_key) : 0;
}

size_t hr_nmac_size(hr_alg alg)
{
    return nmac_row(alg) ? sizeof(struct nmac_ctx) : 0;
}

/* ---- messages ---- */

static int bad_iv(const struct hr_algorithm *row, size_t iv_len)
{
    return family(row->alg) == GMAC ? !iv_len : iv_len != row->iv_len;
}

static void make_s(uint8_t s[16], const struct nmac_key *key, const uint8_t *iv)
{
    if (key->alg == HR_POLY1305)
        memcpy(s, key->u.poly.s, 16);
    else
        poly1305_aes_nonce(s, &key->u.poly_aes, iv);
}

static void gmac(uint8_t out[16], const uint8_t *in, size_t in_len, const struct aead_key *key,
                 const uint8_t *iv, size_t iv_len)
{
    aead_direct_fn *const direct = key->kernel->direct[HR_OP_ENCRYPT];
    if (LIKELY(direct && iv_len == 12)) {
        /* There is no text, but its pointers are of mapped memory, since a masked access at NULL
         * costs some CPUs 90 ns. */
        (void)direct(out, out, 16, iv, 0, in, in_len, key, iv, 12);
        return;
    }
    aead_in_pieces(NULL, out, 16, NULL, 0, in, in_len, key, iv, iv_len, HR_OP_ENCRYPT);
}

static void f9(uint8_t *out, const uint8_t *in, size_t in_len, const struct kasumi_f9_key *key,
               const uint8_t *iv)
{
    struct kasumi_f9_state state;
    kasumi_f9_start(&state, key, iv);
    kasumi_f9_update(&state, key, in, in_len);
    kasumi_f9_final(out, &state, key, 8u * state.waiting);
}

static inline int direct(uint8_t *out, const void *in, size_t in_len, const struct nmac_key *key,
                         const uint8_t *iv, size_t iv_len, const struct hr_algorithm *row)
{
    if (UNLIKELY(bad_iv(row, iv_len)))
        return HR_EIVLEN;
    if (UNLIKELY(in_len > MAX_IN))
        return HR_ELENGTH;
    if (family(row->alg) == GMAC) {
        gmac(out, in, in_len, &key->u.gcm, iv, iv_len);
        return 0;
    }
    if (family(row->alg) == F9)
        f9(out, in, in_len, &key->u.f9, iv);
    else if (row->alg == HR_POLY1305_AES)
        poly1305_aes_direct(out, in, in_len, &key->u.poly_aes, iv);
    else
        poly1305_direct(out, in, in_len, &key->u.poly.poly, key->u.poly.s);
    return 0;
}

#define HR_NMAC(number, sym, SYM, ...)                                                       \
    ALIGNED int hr_##sym(uint8_t *out, const void *in, size_t in_len,                        \
                         const struct hr_nmac_key *public, const uint8_t *iv, size_t iv_len) \
    {                                                                                        \
        const struct nmac_key *key = (const struct nmac_key *)public;                        \
        if (UNLIKELY(key->alg != HR_##SYM))                                                  \
            return HR_ESTATE;                                                                \
        return direct(out, in, in_len, key, iv, iv_len, hr_algorithm(HR_##SYM));             \
    }
#include <headrace/algorithms.def>

int hr_nmac(uint8_t *out, const void *in, size_t in_len, const struct hr_nmac_key *public,
            const uint8_t *iv, size_t iv_len)
{
    const struct nmac_key *key = (const struct nmac_key *)public;
    if (!out || !key || (in_len && !in) || (iv_len && !iv))
        return HR_EINVAL;
    const struct hr_algorithm *row = nmac_row((hr_alg)key->alg);
    return row ? direct(out, in, in_len, key, iv, iv_len, row) : HR_ESTATE;
}

int hr_nmac_verify(const uint8_t *mac, size_t mac_len, const void *in, size_t in_len,
                   const struct hr_nmac_key *key, const uint8_t *iv, size_t iv_len)
{
    uint8_t full[HR_NMAC_MAX_OUT];
    if (!mac || !key)
        return HR_EINVAL;
    const struct hr_algorithm *row = nmac_row((hr_alg)((const struct nmac_key *)key)->alg);
    if (mac_len < 1 || mac_len > (row ? row->out_len : sizeof full))
        return HR_ETAGLEN;
    int error = hr_nmac(full, in, in_len, key, iv, iv_len);
    if (!error)
        error = aead_compare(mac, full, mac_len);
    WIPE(&full);
    return error;
}

/* ---- streams ---- */

int hr_nmac_init(struct hr_nmac_ctx *public, const struct hr_nmac_key *public_key,
                 const uint8_t *iv, size_t iv_len)
{
    struct nmac_ctx *ctx = (struct nmac_ctx *)public;
    const struct nmac_key *key = (const struct nmac_key *)public_key;
    if (!ctx || !key || (iv_len && !iv))
        return HR_EINVAL;
    const struct hr_algorithm *row = nmac_row((hr_alg)key->alg);
    if (!row)
        return HR_ESTATE;
    if (bad_iv(row, iv_len))
        return HR_EIVLEN;
    ctx->key = key;
    ctx->len = 0;
    if (family(row->alg) == GMAC) {
        aead_start(&ctx->u.gcm, &key->u.gcm, HR_OP_ENCRYPT, iv, iv_len);
    } else if (family(row->alg) == F9) {
        kasumi_f9_start(&ctx->u.f9, &key->u.f9, iv);
    } else {
        memset(&ctx->u.poly.state, 0, sizeof ctx->u.poly.state);
        make_s(ctx->u.poly.s, key, iv);
    }
    return 0;
}

int hr_nmac_update(struct hr_nmac_ctx *public, const void *in, size_t in_len)
{
    struct nmac_ctx *ctx = (struct nmac_ctx *)public;
    if (!ctx || (in_len && !in))
        return HR_EINVAL;
    if (!ctx->key)
        return HR_ESTATE;
    if (in_len > MAX_IN - ctx->len)
        return HR_ELENGTH;
    ctx->len += in_len;
    if (!in_len)
        return 0;
    const enum family kind = family((hr_alg)ctx->key->alg);
    if (kind == GMAC)
        gcm_mode.absorb(&ctx->u.gcm, in, in_len);
    else if (kind == F9)
        kasumi_f9_update(&ctx->u.f9, &ctx->key->u.f9, in, in_len);
    else
        poly1305_update(&ctx->u.poly.state, in, in_len, &ctx->key->u.poly.poly);
    return 0;
}

int hr_nmac_final(struct hr_nmac_ctx *public, uint8_t *out)
{
    struct nmac_ctx *ctx = (struct nmac_ctx *)public;
    if (!ctx || !out)
        return HR_EINVAL;
    if (!ctx->key)
        return HR_ESTATE;
    const enum family kind = family((hr_alg)ctx->key->alg);
    if (kind == GMAC) {
        ctx->u.gcm.aad_len = ctx->len;
        gcm_mode.tag(&ctx->u.gcm, out);
    } else if (kind == F9) {
        kasumi_f9_final(out, &ctx->u.f9, &ctx->key->u.f9, 8u * ctx->u.f9.waiting);
    } else {
        poly1305_final(out, &ctx->u.poly.state, &ctx->key->u.poly.poly, ctx->u.poly.s);
    }
    WIPE(ctx);
    return 0;
}

static const void *kernel_of(const struct nmac_key *key)
{
    switch (family((hr_alg)key->alg)) {
    case GMAC:
        return key->u.gcm.kernel;
    case F9:
        return key->u.f9.kernel;
    default:
        return key->u.poly.poly.kernel;
    }
}

int hr_nmac_set_key(struct hr_nmac_ctx *public, const struct hr_nmac_key *public_key)
{
    struct nmac_ctx *ctx = (struct nmac_ctx *)public;
    const struct nmac_key *key = (const struct nmac_key *)public_key;
    if (!ctx || !key)
        return HR_EINVAL;
    if (!ctx->key || key->alg != ctx->key->alg)
        return HR_ESTATE;
    if (kernel_of(key) != kernel_of(ctx->key))
        return HR_ESTATE;
    ctx->key = key;
    if (family((hr_alg)key->alg) == GMAC)
        ctx->u.gcm.key = &key->u.gcm;
    return 0;
}
