/* SPDX-License-Identifier: Apache-2.0 */
/* Published vectors in the neutral line format of readers/neutral.py, through direct, generic and
 * streaming calls on every kernel that this CPU can run.
 * vectors [--complete] [FILE...]: no file, or "-", is stdin; of a folder all .txt files;
 * --complete wants cases for every row.
 * vectors --rows: the registry's symbols, digest lengths and names, for the readers. */
#include "vectors.h"

static unsigned cases_of[256]; /* by place in the registry */

/* fits returns whether a case has the key and the IV that its row takes, and a result as long as
 * its input: what calls do not ask for they would read beyond. */
static int fits(const struct vector *v)
{
    const int is_cipher = v->row->cls == HR_CLASS_CIPHER || v->row->cls == HR_CLASS_XTS;
    if (is_cipher && (v->key.len != v->row->key_len || v->iv.len < v->row->iv_len))
        return 0;
    return !is_cipher || v->pad || v->result || v->in.len == v->out.len;
}

static const struct {
    const char *op;
    enum hr_class cls;
    void (*run)(const struct vector *v);
    int no_job; /* the operation has no form as a job */
} ops[] = {
    { "digest", HR_CLASS_DIGEST, run_digest, 0 },
    { "monte", HR_CLASS_DIGEST, run_digest_monte, 0 },
    { "mac", HR_CLASS_MAC, run_mac, 0 },
    { "derive", HR_CLASS_KDF, run_derive, 0 },
    { "extract", HR_CLASS_KDF, run_extract, 0 },
    { "expand", HR_CLASS_KDF, run_expand, 0 },
    { "encrypt", HR_CLASS_CIPHER, run_encrypt, 0 },
    { "decrypt", HR_CLASS_CIPHER, run_decrypt, 0 },
    { "both", HR_CLASS_CIPHER, run_both, 0 },
    { "monte_encrypt", HR_CLASS_CIPHER, run_monte_encrypt, 0 },
    { "monte_decrypt", HR_CLASS_CIPHER, run_monte_decrypt, 0 },
    { "aead", HR_CLASS_AEAD, run_aead, 0 },
    { "nmac", HR_CLASS_NMAC, run_nmac, 0 },
    { "bits", HR_CLASS_CIPHER, run_f8_bits, 1 },
    { "bits", HR_CLASS_NMAC, run_f9_bits, 1 },
    { "a53", HR_CLASS_CIPHER, run_a53, 1 },
    { "gea3", HR_CLASS_CIPHER, run_gea3, 1 },
    { "agree", HR_CLASS_AGREE, run_agree, 1 },
    { "public", HR_CLASS_AGREE, run_agree_public, 1 },
    { "ladder", HR_CLASS_AGREE, run_ladder, 1 },
    { "sign", HR_CLASS_SIGN, run_sign, 1 },
    { "public", HR_CLASS_SIGN, run_sign_public, 1 },
    { "verify", HR_CLASS_SIGN, run_verify, 1 },
    { "sign_der", HR_CLASS_SIGN, run_sign_der, 1 },
    { "verify", HR_CLASS_RSA, run_rsa_verify, 1 },
    { "verify", HR_CLASS_DSA, run_dsa_verify, 1 },
    { "agree", HR_CLASS_DH, run_dh_agree, 1 },
    { "verify_der", HR_CLASS_SIGN, run_verify_der, 1 },
    { "public", HR_CLASS_KEM, run_kem_public, 1 },
    { "encapsulate", HR_CLASS_KEM, run_encapsulate, 1 },
    { "decapsulate", HR_CLASS_KEM, run_decapsulate, 1 },
    { "xof", HR_CLASS_XOF, run_xof, 1 },
    { "kmac", HR_CLASS_XOF, run_kmac, 1 },
    { "monte", HR_CLASS_XOF, run_xof_monte, 1 },
    { "repeat", HR_CLASS_CIPHER, run_repeat, 1 },
    { "encrypt", HR_CLASS_XTS, run_xts_encrypt, 0 },
    { "decrypt", HR_CLASS_XTS, run_xts_decrypt, 0 },
    { "both", HR_CLASS_XTS, run_xts_both, 0 },
    { "wrap", HR_CLASS_WRAP, run_wrap, 1 },
};

static enum vector_end run_case(struct vector *v, const char *op)
{
    size_t i = 0;
    while (i < COUNT_OF(ops) && (strcmp(ops[i].op, op) || ops[i].cls != v->row->cls))
        i++;
    if (i == COUNT_OF(ops)) {
        if (!run_job(v, op))
            return VECTOR_WRONG;
    } else {
        if (!ops[i].no_job && !fits(v))
            return VECTOR_WRONG;
        ops[i].run(v);
        if (!ops[i].no_job)
            run_in_queue(v, op);
    }
    for (size_t k = 0; k < COUNT_OF(cases_of); k++)
        cases_of[k] += hr_algorithm_at(k) == v->row;
    return VECTOR_RAN;
}

static int print_rows(void)
{
    const struct hr_algorithm *row;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        printf("%s %u %s:%s\n", row->symbol, row->out_len, row->name, row->openssl_names);
    return 0;
}

static void check_complete(void)
{
    const struct hr_algorithm *row;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        if (i >= COUNT_OF(cases_of) || !cases_of[i])
            complain("%s has no vectors", row->name);
    tap(!complaints_so_far(), "every row of the registry has vectors");
}

int main(int argc, char **argv)
{
    int at = 1, good = 1;
    if (argc > 1 && !strcmp(argv[1], "--rows"))
        return print_rows();
    const int complete = argc > 1 && !strcmp(argv[1], "--complete");
    at += complete;
    for (; at < argc; at++)
        good &= vectors_read(argv[at], run_case);
    if (argc == 1 + complete)
        good &= vectors_read("-", run_case);
    if (complete)
        check_complete();
    vectors_print_total();
    return tap_done() || !good;
}
