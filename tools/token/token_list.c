/* SPDX-License-Identifier: Apache-2.0 */
/* headrace token list: tokens, and the objects in them. */
#include "../../cli/quote_json.h"
#include "token.h"
#include <stdlib.h>
#include <string.h>

/* ---- a table ---- */

static const struct {
    CK_FLAGS flag;
    const char *text;
} states[] = {
    { CKF_WRITE_PROTECTED, "read only" },
    { CKF_USER_PIN_LOCKED, "the user's PIN is locked" },
    { CKF_USER_PIN_FINAL_TRY, "the next wrong PIN of the user locks it" },
    { CKF_SO_PIN_LOCKED, "the security officer's PIN is locked" },
    { CKF_SO_PIN_FINAL_TRY, "the next wrong PIN of the security officer locks it" },
};

static void print_token(CK_SLOT_ID slot, const CK_TOKEN_INFO *info)
{
    char label[65], maker[65], model[65];
    if (!(info->flags & CKF_TOKEN_INITIALIZED)) {
        tool_say("slot %lu: not initialised (headrace token init)\n", slot);
        return;
    }
    tool_say("slot %lu: \"%s\" (%s, %s)", slot, TOKEN_TEXT(label, info->label),
             TOKEN_TEXT(maker, info->manufacturerID), TOKEN_TEXT(model, info->model));
    if (info->flags & CKF_LOGIN_REQUIRED && !(info->flags & CKF_USER_PIN_INITIALIZED))
        tool_say("; the user has no PIN");
    for (size_t i = 0; i < COUNT(states); i++)
        if (info->flags & states[i].flag)
            tool_say("; %s", states[i].text);
    tool_say("\n");
}

static void uses_text(char out[96], const struct token_object *object)
{
    *out = '\0';
    for (unsigned i = 0; i < TOKEN_USES; i++)
        if (object->uses >> i & 1) {
            strcat(out, *out ? "," : "");
            strcat(out, token_uses[i].name);
        }
    if (!*out)
        strcpy(out, "-");
}

static int print_object(const struct token_object *object, void *arg)
{
    unsigned *num = arg;
    char uses[96], id[129];
    if (!(*num)++)
        tool_say("  %-11s  %-18s  %-24s  %-16s  %s\n", "type", "algorithm", "label", "uses", "id");
    uses_text(uses, object);
    token_id_text(id, object);
    tool_say("  %-11s  %-18s  %-24s  %-16s  %s%s\n", token_class_name(object->cls),
             object->algorithm, object->label, uses, id,
             object->is_extractable ? "  (extractable)" : "");
    return EXIT_SUCCESS;
}

/* ---- JSON ---- */

static void set(json_t *to, const char *name, json_t *value)
{
    if (json_object_set_new(to, name, value))
        abort(); /* no memory */
}

static int add_object(const struct token_object *object, void *arg)
{
    json_t *list = arg, *o = json_object(), *uses = json_array();
    char id[129];
    token_id_text(id, object);
    for (unsigned i = 0; i < TOKEN_USES; i++)
        if (object->uses >> i & 1)
            json_array_append_new(uses, json_string(token_uses[i].name));
    set(o, "type", json_string(token_class_name(object->cls)));
    set(o, "algorithm", quote_json(object->algorithm));
    set(o, "label", quote_json(object->label));
    set(o, "id", json_string(id));
    set(o, "uses", uses);
    set(o, "private", json_boolean(object->is_private));
    set(o, "sensitive", json_boolean(object->is_sensitive));
    set(o, "extractable", json_boolean(object->is_extractable));
    return json_array_append_new(list, o) ? EXIT_FAILURE : EXIT_SUCCESS;
}

static json_t *token_json(CK_SLOT_ID slot, const CK_TOKEN_INFO *info)
{
    static const struct {
        const char *name;
        CK_FLAGS flag;
    } flags[] = { { "initialized", CKF_TOKEN_INITIALIZED },
                  { "read_only", CKF_WRITE_PROTECTED },
                  { "user_pin", CKF_USER_PIN_INITIALIZED },
                  { "user_pin_locked", CKF_USER_PIN_LOCKED },
                  { "so_pin_locked", CKF_SO_PIN_LOCKED } };
    char text[65];
    json_t *o = json_object();
    set(o, "slot", json_integer((json_int_t)slot));
    set(o, "label", quote_json(TOKEN_TEXT(text, info->label)));
    set(o, "manufacturer", quote_json(TOKEN_TEXT(text, info->manufacturerID)));
    set(o, "model", quote_json(TOKEN_TEXT(text, info->model)));
    set(o, "serial", quote_json(TOKEN_TEXT(text, info->serialNumber)));
    for (size_t i = 0; i < COUNT(flags); i++)
        set(o, flags[i].name, json_boolean(info->flags & flags[i].flag));
    return o;
}

/* ---- both ---- */

static CK_OBJECT_CLASS wanted; /* if --type says one */

static CK_ULONG fill_template(CK_ATTRIBUTE template[2])
{
    static CK_BBOOL is_on_token = CK_TRUE;
    CK_ULONG num = 0;
    template[num++] = (CK_ATTRIBUTE){ CKA_TOKEN, &is_on_token, sizeof is_on_token };
    if (token_settings.type)
        template[num++] = (CK_ATTRIBUTE){ CKA_CLASS, &wanted, sizeof wanted };
    return num;
}

/* Opens a session, in which private objects are seen if a PIN is given. */
static int begin_session(CK_SESSION_HANDLE *session, CK_SLOT_ID slot)
{
    const int code = token_begin_session(session, slot, false);
    return !code && (token_settings.login || token_settings.pin_file)
               ? token_login(*session, slot, CKU_USER)
               : code;
}

static int list_objects(CK_SESSION_HANDLE session, token_object_fn *each, void *arg)
{
    CK_ATTRIBUTE template[2];
    const int code = token_find(session, template, fill_template(template), each, arg);
    token_module->C_CloseSession(session);
    return code;
}

static int list_one(CK_SLOT_ID slot, const CK_TOKEN_INFO *info, json_t *tokens)
{
    const bool has_objects = info->flags & CKF_TOKEN_INITIALIZED;
    unsigned num = 0;
    CK_SESSION_HANDLE session;
    int code = has_objects ? begin_session(&session, slot) : EXIT_SUCCESS;
    if (code)
        return code;
    if (!tokens) {
        print_token(slot, info);
        return has_objects ? list_objects(session, print_object, &num) : EXIT_SUCCESS;
    }
    json_t *token = token_json(slot, info), *objects = json_array();
    code = has_objects ? list_objects(session, add_object, objects) : EXIT_SUCCESS;
    set(token, "objects", objects);
    json_array_append_new(tokens, token);
    return code;
}

/* One token if the options name one or a PIN is given, which is that of one; else all. */
static int list(json_t *tokens)
{
    const bool one = token_settings.slot || token_settings.token || token_settings.login ||
                     token_settings.pin_file;
    CK_SLOT_ID slot = 0, *slots = NULL;
    CK_ULONG num = 1;
    CK_TOKEN_INFO info;
    int code = one ? token_select(&slot, &info, false) : token_slots(&slots, &num);
    for (CK_ULONG i = 0; i < num && !code; i++) {
        slot = slots ? slots[i] : slot;
        const CK_RV rv = token_module->C_GetTokenInfo(slot, &info);
        code = rv == CKR_OK ? list_one(slot, &info, tokens) : token_says("token", rv);
    }
    if (!code && !num && !tokens)
        tool_say("no tokens\n");
    free(slots);
    return code;
}

static int list_main(int argc, char **argv)
{
    if (token_settings.type && !token_class_of(&wanted, token_settings.type))
        return tool_usage("token list: --type is private, public, secret, certificate or data");
    json_t *tokens = token_settings.json ? json_array() : NULL;
    int code = token_begin();
    if (!code)
        code = list(tokens);
    if (!code && tokens) {
        json_dumpf(tokens, stdout, JSON_INDENT(2) | QUOTE_JSON);
        putchar('\n');
    }
    json_decref(tokens);
    return token_end(code);
}

static const struct tool_option options[] = {
    { "login", 0, NULL, "asks for the PIN, to list private objects", &token_settings.login, NULL },
    { "type", 0, "TYPE", "only private, public, secret, certificate or data", NULL,
      &token_settings.type },
    { "json", 0, NULL, "prints JSON", &token_settings.json, NULL },
    TOKEN_OPTIONS,
    TOKEN_PIN_OPTION,
    { .name = NULL },
};

const struct command token_list_command = {
    .name = "token list",
    .operands = "",
    .summary = "list the tokens, and their objects",
    .options = options,
    .main = list_main,
    .no_operands = true,
};
