/* SPDX-License-Identifier: Apache-2.0 */
/* The engines of MACs: HMAC, CMAC, GMAC. */
#include "mechanism.h"

enum { MAX_MAC = 64 };

/* read_length reads the parameter of a ..._GENERAL mechanism, or finds that there is none. */
static RV read_length(struct op *op, const CK_MECHANISM *mechanism)
{
    const uint32_t most = hr_algorithm(op->alg)->out_len;
    op->out_len = most;
    if (!(op->mech->detail & MECH_GENERAL))
        return no_parameter(mechanism);
    CK_MAC_GENERAL_PARAMS len;
    if (mechanism->ulParameterLen != sizeof len)
        return CKR_MECHANISM_PARAM_INVALID;
    memcpy(&len, mechanism->pParameter, sizeof len);
    op->out_len = (uint32_t)len;
    return len && len <= most ? CKR_OK : CKR_MECHANISM_PARAM_INVALID;
}

static size_t mac_size(const struct op *op, size_t len, enum op_stage stage)
{
    return op->out_len;
}

/* give hands out the first bytes of a MAC. */
static RV give(struct op *op, const uint8_t mac[MAX_MAC], CK_BYTE *out, size_t *out_len)
{
    memcpy(out, mac, op->out_len);
    *out_len = op->out_len;
    return CKR_OK;
}

/* compare compares a MAC in constant time. */
static RV compare(const struct op *op, const uint8_t mac[MAX_MAC], const CK_BYTE *sig,
                  size_t sig_len)
{
    if (sig_len != op->out_len)
        return CKR_SIGNATURE_LEN_RANGE;
    unsigned differ = 0;
    for (size_t i = 0; i < sig_len; i++)
        differ |= mac[i] ^ sig[i];
    return differ ? CKR_SIGNATURE_INVALID : CKR_OK;
}

/* The functions of one kind of MAC; STEM is that of its calls in the library. */
#define P11_MAC_ENGINE(STEM, BEGIN, WHOLE)                                                    \
    static RV STEM##_update(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out,       \
                            size_t *out_len)                                                  \
    {                                                                                         \
        if (!op->is_context) {                                                                \
            const int error = BEGIN;                                                          \
            if (error)                                                                        \
                return error_of(error);                                                       \
            op->is_context = 1;                                                               \
        }                                                                                     \
        return error_of(hr_##STEM##_update(&op->u.STEM, in, len));                            \
    }                                                                                         \
    static RV STEM##_end(struct op *op, uint8_t mac[MAX_MAC])                                 \
    {                                                                                         \
        const CK_RV rv = STEM##_update(op, (const CK_BYTE *)"", 0, NULL, NULL);               \
        return rv != CKR_OK ? rv : error_of(hr_##STEM##_final(&op->u.STEM, mac));             \
    }                                                                                         \
    static RV STEM##_whole(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out,        \
                           size_t *out_len)                                                   \
    {                                                                                         \
        uint8_t mac[MAX_MAC];                                                                 \
        const CK_RV rv = error_of(WHOLE);                                                     \
        return rv != CKR_OK ? rv : give(op, mac, out, out_len);                               \
    }                                                                                         \
    static RV STEM##_final(struct op *op, CK_BYTE *out, size_t *out_len)                      \
    {                                                                                         \
        uint8_t mac[MAX_MAC];                                                                 \
        const CK_RV rv = STEM##_end(op, mac);                                                 \
        return rv != CKR_OK ? rv : give(op, mac, out, out_len);                               \
    }                                                                                         \
    static RV STEM##_verify(struct op *op, const CK_BYTE *in, size_t len, const CK_BYTE *sig, \
                            size_t sig_len)                                                   \
    {                                                                                         \
        uint8_t mac[MAX_MAC];                                                                 \
        CK_RV rv = error_of(WHOLE);                                                           \
        if (rv == CKR_OK)                                                                     \
            rv = compare(op, mac, sig, sig_len);                                              \
        WIPE(&mac);                                                                           \
        return rv;                                                                            \
    }                                                                                         \
    static RV STEM##_verify_final(struct op *op, const CK_BYTE *sig, size_t sig_len)          \
    {                                                                                         \
        uint8_t mac[MAX_MAC];                                                                 \
        CK_RV rv = STEM##_end(op, mac);                                                       \
        if (rv == CKR_OK)                                                                     \
            rv = compare(op, mac, sig, sig_len);                                              \
        WIPE(&mac);                                                                           \
        return rv;                                                                            \
    }

/* clang-format off */
P11_VALUE_FORM(hmac)
P11_VALUE_FORM(cmac)
P11_VALUE_FORM(nmac)
P11_MAC_ENGINE(hmac, hr_hmac_init(&op->u.hmac, op->form), hr_hmac(mac, in, len, op->form))
P11_MAC_ENGINE(cmac, hr_cmac_init(&op->u.cmac, op->form), hr_cmac(mac, in, len, op->form))
P11_MAC_ENGINE(nmac, hr_nmac_init(&op->u.nmac, op->form, op->iv, op->iv_len),
               hr_nmac(mac, in, len, op->form, op->iv, op->iv_len))
/* clang-format on */

#define P11_MAC_FUNCTIONS(STEM)                                                            \
    .form = STEM##_form, .size = mac_size, .whole = STEM##_whole, .update = STEM##_update, \
    .final = STEM##_final, .verify = STEM##_verify, .verify_final = STEM##_verify_final

const struct engine engine_hmac = { .init = read_length, P11_MAC_FUNCTIONS(hmac) };
const struct engine engine_cmac = { .init = read_length, P11_MAC_FUNCTIONS(cmac) };

/* The parameter of GMAC is the IV. */
static RV gmac_init(struct op *op, const CK_MECHANISM *mechanism)
{
    op->out_len = hr_algorithm(op->alg)->out_len;
    op->iv_len = (uint32_t)mechanism->ulParameterLen;
    if (!op->iv_len || mechanism->ulParameterLen > sizeof op->iv)
        return CKR_MECHANISM_PARAM_INVALID;
    memcpy(op->iv, mechanism->pParameter, op->iv_len);
    return CKR_OK;
}

const struct engine engine_gmac = { .init = gmac_init, P11_MAC_FUNCTIONS(nmac) };
