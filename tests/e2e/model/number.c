/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of the models of keys that are numbers: RSA, DSA, DH. */
#include "number.h"

/* ---- keys ---- */

/* part adds a part of a key, sometimes with a bit wrong, or of the other key. */
static void part(struct run *r, OSSL_PARAM **at, const struct number_source *from, const char *name,
                 unsigned char *place)
{
    const OSSL_PARAM *p = OSSL_PARAM_locate_const(from->pair[below(r, from->odd) == 0], name);
    const size_t fault = below(r, 60);
    if (!p || (fault == 1 && !from->whole))
        return;
    MUST(p->data_size <= MAX_NUMBER);
    memcpy(place, p->data, p->data_size);
    if (fault == 0) {
        const size_t bit = below(r, 8 * p->data_size);
        place[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    note(r, " %s%s", name, fault == 0 ? ", a bit wrong" : "");
    **at = *p;
    (*at)++->data = place;
}

EVP_PKEY *number_import(struct run *r, struct result *out, const struct number_source *from,
                        int *selection)
{
    static const int selections[] = { EVP_PKEY_KEYPAIR,
                                      EVP_PKEY_KEYPAIR,
                                      EVP_PKEY_KEYPAIR,
                                      EVP_PKEY_PUBLIC_KEY,
                                      OSSL_KEYMGMT_SELECT_PRIVATE_KEY,
                                      EVP_PKEY_KEY_PARAMETERS };
    static unsigned char memory[MAX_NUMBERS][MAX_NUMBER];
    OSSL_PARAM list[MAX_NUMBERS + 1], *at = list;
    EVP_PKEY *made = NULL;
    *selection = selections[below(r, 6)];
    const size_t count = from->counts[below(r, 6)];
    note(r, " selection 0x%x", *selection);
    for (size_t i = 0; i < count; i++)
        part(r, &at, from, from->names[i], memory[i]);
    *at = OSSL_PARAM_construct_end();
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(pkey_libctx(), from->type, pkey_properties(r));
    MUST(ctx && EVP_PKEY_fromdata_init(ctx) > 0);
    pkey_restart(r);
    pkey_said(out, EVP_PKEY_fromdata(ctx, &made, *selection, list));
    EVP_PKEY_CTX_free(ctx);
    return made;
}

void do_number_dup(struct run *r, struct result *out)
{
    EVP_PKEY **from = pkey_pick(r), **to = pkey_pick(r);
    EVP_PKEY *made = *from ? EVP_PKEY_dup(*from) : NULL;
    pkey_said(out, made != NULL);
    if (made)
        pkey_keep(r, to, made, 0);
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

/* ---- contexts ---- */

void number_choose(struct run *r, struct choice *c, const struct kind kinds[])
{
    c->num = below(r, MAX_LISTS + 1);
    for (size_t i = 0; i < c->num; i++)
        pick_params(r, &c->memory[i], kinds);
}

void number_set(struct result *out, EVP_PKEY_CTX *ctx, const struct choice *c)
{
    for (size_t i = 0; i < c->num; i++)
        pkey_said(out, EVP_PKEY_CTX_set_params(ctx, c->memory[i].list));
}

EVP_PKEY_CTX *number_begin(struct run *r, EVP_PKEY *key)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(pkey_libctx(), key, pkey_properties(r));
    MUST(ctx);
    pkey_restart(r);
    return ctx;
}

int number_duplicate(struct run *r, EVP_PKEY_CTX **ctx)
{
    if (below(r, 6))
        return 1;
    note(r, " copied");
    EVP_PKEY_CTX *copy = EVP_PKEY_CTX_dup(*ctx);
    if (!copy)
        return 0;
    EVP_PKEY_CTX_free(*ctx);
    *ctx = copy;
    return 1;
}

void say_list(struct result *out, const OSSL_PARAM *list)
{
    for (; list && list->key; list++) {
        pkey_say(out, list->key, strlen(list->key));
        pkey_say(out, &list->data_type, sizeof list->data_type);
    }
}
