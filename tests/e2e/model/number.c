/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of the models of keys that are numbers: RSA, DSA, DH. */
#include "number.h"

void do_number_dup(struct run *r, struct result *out)
{
    EVP_PKEY **from = pkey_pick(r), **to = pkey_pick(r);
    EVP_PKEY *made = *from ? EVP_PKEY_dup(*from) : NULL;
    pkey_said(out, made != NULL);
    if (made)
        pkey_keep(r, to, made, 0);
}

void do_number_check(struct run *r, struct result *out)
{
    EVP_PKEY **key = pkey_pick(r);
    EVP_PKEY_CTX *ctx =
        *key ? EVP_PKEY_CTX_new_from_pkey(pkey_libctx(), *key, pkey_properties(r)) : NULL;
    if (!ctx)
        return;
    pkey_restart(r);
    pkey_said(out, EVP_PKEY_param_check(ctx));
    pkey_said(out, EVP_PKEY_public_check(ctx));
    pkey_said(out, EVP_PKEY_private_check(ctx));
    pkey_said(out, EVP_PKEY_pairwise_check(ctx));
    pkey_said(out, EVP_PKEY_public_check_quick(ctx));
    EVP_PKEY_CTX_free(ctx);
}

/* number_get asks for one parameter, in a buffer of any length, or in none. */
void number_get(struct run *r, struct result *out, EVP_PKEY *key, const struct asked *a)
{
    static unsigned char memory[MAX_NUMBER];
    if (!key)
        return;
    note(r, " %s, %zu bytes%s", a->name, a->len, a->with ? "" : " of NULL");
    memset(memory, 0xa5, sizeof memory);
    OSSL_PARAM list[] = { { a->name, a->type, a->with ? memory : NULL, a->len,
                            OSSL_PARAM_UNMODIFIED },
                          OSSL_PARAM_construct_end() };
    const int good = EVP_PKEY_get_params(key, list);
    pkey_said(out, good);
    pkey_say(out, memory, sizeof memory);
    pkey_say(out, &list[0].return_size, sizeof list[0].return_size);
}

void number_export(struct run *r, struct result *out, const char *const names[], size_t num)
{
    static const int selections[] = { EVP_PKEY_KEYPAIR, EVP_PKEY_PUBLIC_KEY,
                                      OSSL_KEYMGMT_SELECT_PRIVATE_KEY, EVP_PKEY_KEY_PARAMETERS };
    EVP_PKEY **key = pkey_pick(r);
    OSSL_PARAM *list = NULL;
    const int selection = selections[below(r, 4)];
    if (!*key)
        return;
    note(r, " selection 0x%x", selection);
    pkey_said(out, EVP_PKEY_todata(*key, selection, &list));
    for (size_t i = 0; list && i < num; i++) {
        const OSSL_PARAM *p = OSSL_PARAM_locate_const(list, names[i]);
        pkey_say(out, p ? p->data : NULL, p ? p->data_size : 0);
    }
    OSSL_PARAM_free(list);
}

void say_list(struct result *out, const OSSL_PARAM *list)
{
    for (; list && list->key; list++) {
        pkey_say(out, list->key, strlen(list->key));
        pkey_say(out, &list->data_type, sizeof list->data_type);
    }
}
