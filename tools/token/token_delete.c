/* SPDX-License-Identifier: Apache-2.0 */
/* headrace token delete. */
#include "token.h"
#include <stdlib.h>
#include <string.h>

struct deletion {
    CK_SESSION_HANDLE session;
    unsigned num;
};

static int count(const struct token_object *object, void *arg)
{
    struct deletion *d = arg;
    (void)object;
    d->num++;
    return EXIT_SUCCESS;
}

static int delete (const struct token_object *object, void *arg)
{
    struct deletion *d = arg;
    const CK_RV rv = token_module->C_DestroyObject(d->session, object->handle);
    if (rv != CKR_OK)
        return token_says(object->label, rv);
    tool_say("deleted: %s %s \"%s\"\n", token_class_name(object->cls), object->algorithm,
             object->label);
    return EXIT_SUCCESS;
}

/* A template of the objects that the options name. */
static int fill_template(CK_ATTRIBUTE template[4], CK_ULONG *num, CK_OBJECT_CLASS *cls,
                         CK_BYTE id[64])
{
    static CK_BBOOL is_on_token = CK_TRUE;
    const struct token_settings *s = &token_settings;
    *num = 0;
    template[(*num)++] = (CK_ATTRIBUTE){ CKA_TOKEN, &is_on_token, sizeof is_on_token };
    if (!s->label && !s->id)
        return tool_usage("token delete: name objects by --label or --id");
    if (s->label)
        template[(*num)++] =
            (CK_ATTRIBUTE){ CKA_LABEL, (void *)(size_t)s->label, strlen(s->label) };
    if (s->type && !token_class_of(cls, s->type))
        return tool_usage("token delete: --type is private, public, secret, certificate or data");
    if (s->type)
        template[(*num)++] = (CK_ATTRIBUTE){ CKA_CLASS, cls, sizeof *cls };
    if (!s->id)
        return EXIT_SUCCESS;
    CK_ATTRIBUTE *by_id = &template[(*num)++];
    *by_id = (CK_ATTRIBUTE){ CKA_ID, id, 0 };
    return token_id_parse(id, &by_id->ulValueLen, s->id);
}

static int delete_from(CK_SLOT_ID slot, CK_ATTRIBUTE *template, CK_ULONG num)
{
    struct deletion d = { 0 };
    int code = token_begin_session(&d.session, slot, true);
    if (!code)
        code = token_login(d.session, slot, CKU_USER);
    if (!code)
        code = token_find(d.session, template, num, count, &d);
    if (code)
        return code;
    if (!d.num)
        return tool_error("there is no such object: headrace token list --login");
    if (d.num > 1 && !token_settings.all)
        return tool_error("%u objects; name one by --type and --id, or say --all", d.num);
    return token_find(d.session, template, num, delete, &d);
}

static int delete_main(int argc, char **argv)
{
    CK_ATTRIBUTE template[4];
    CK_ULONG num;
    CK_OBJECT_CLASS cls;
    CK_BYTE id[64];
    CK_SLOT_ID slot;
    CK_TOKEN_INFO info;
    int code = fill_template(template, &num, &cls, id);
    if (!code)
        code = token_begin();
    if (!code)
        code = token_select(&slot, &info, false);
    return token_end(code ? code : delete_from(slot, template, num));
}

static const struct tool_option options[] = {
    { "label", 'l', "NAME", "objects of this label", NULL, &token_settings.label },
    { "id", 'i', "HEX", "objects of this id", NULL, &token_settings.id },
    { "type", 0, "TYPE", "only private, public, secret, certificate or data", NULL,
      &token_settings.type },
    { "all", 0, NULL, "deletes several objects, as of a pair of keys", &token_settings.all, NULL },
    TOKEN_OPTIONS,
    TOKEN_PIN_OPTION,
    { .name = NULL },
};

const struct command token_delete_command = {
    .name = "token delete",
    .operands = "",
    .summary = "delete keys and certificates",
    .options = options,
    .main = delete_main,
    .no_operands = true,
};
