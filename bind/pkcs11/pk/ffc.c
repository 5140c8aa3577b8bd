/* SPDX-License-Identifier: Apache-2.0 */
/* DSA and DH modulo a prime. */
#include "pk.h"
#include <headrace/algorithms.h>

CK_RV pk_make_dsa(struct module *m, const struct pk_source *from, void **form, hr_alg *alg)
{
    struct hr_dsa_parts parts = { .p = pk_value(from, CKA_PRIME),
                                  .q = pk_value(from, CKA_SUBPRIME),
                                  .g = pk_value(from, CKA_BASE) };
    const bool is_private = from->cls == CKO_PRIVATE_KEY;
    *(is_private ? &parts.x : &parts.y) = pk_value(from, CKA_VALUE);
    *form = secret_new(m, sizeof(struct hr_dsa_key));
    if (!*form)
        return CKR_HOST_MEMORY;
    *alg = pk_row_of_size(HR_CLASS_DSA, parts.p.len);
    return pk_finish_make(m, form,
                          is_private ? hr_dsa_key_init(*form, &parts)
                                     : hr_dsa_key_init_public(*form, &parts));
}

/* A public key of DH is only looked at as a number: the peer's comes with the mechanism. */
CK_RV pk_make_dh(struct module *m, const struct pk_source *from, void **form, hr_alg *alg)
{
    const struct hr_dh_params params = { .p = pk_value(from, CKA_PRIME),
                                         .g = pk_value(from, CKA_BASE) };
    const struct hr_number x = pk_value(from, CKA_VALUE);
    *alg = pk_row_of_size(HR_CLASS_DH, params.p.len);
    *form = NULL;
    if (from->cls == CKO_PUBLIC_KEY)
        return CKR_OK;
    *form = secret_new(m, sizeof(struct hr_dh_key));
    return *form ? pk_finish_make(m, form, hr_dh_key_init(*form, &params, &x)) : CKR_HOST_MEMORY;
}

/* ---- DSA ---- */

CK_RV pk_sign_dsa(struct op *op, const CK_BYTE *in, size_t len, CK_BYTE *out, size_t *out_len)
{
    return error_of(hr_dsa_sign(out, out_len, in, len, op->form, NULL));
}

CK_RV pk_verify_dsa(struct op *op, const CK_BYTE *in, size_t len, const CK_BYTE *sig,
                    size_t sig_len)
{
    return pk_verdict(hr_dsa_verify(sig, sig_len, in, len, op->form), sig_len,
                      hr_dsa_size(op->form));
}

PK_FORM(dsa_form, pk_make_dsa)

static RV dsa_init(struct op *op, const CK_MECHANISM *mechanism)
{
    return no_parameter(mechanism);
}

static size_t dsa_size(const struct op *op, size_t len, enum op_stage stage)
{
    return hr_dsa_size(op->form);
}

const struct engine engine_dsa = { .init = dsa_init,
                                   .form = dsa_form,
                                   .size = dsa_size,
                                   .whole = pk_sign_dsa,
                                   .verify = pk_verify_dsa };
const struct engine engine_dsa_hashed = {
    .init = dsa_init, .form = dsa_form, .size = dsa_size, PK_HASHED
};
