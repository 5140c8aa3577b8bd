/* SPDX-License-Identifier: Apache-2.0 */
/* The token: its PINs and its key. */
#define _GNU_SOURCE
#include "token.h"
#include "../../common.h"
#include "pin.h"
#include <errno.h>
#include <sys/random.h>

int token_random(uint8_t *out, size_t len)
{
    while (len) {
        const ssize_t n = getrandom(out, len, 0);
        if (n < 0 && errno != EINTR)
            return STORE_SYSTEM;
        if (n > 0) {
            out += n;
            len -= (size_t)n;
        }
    }
    return 0;
}

/* ---- what is there ---- */

int token_read(struct format_token *out, int folder)
{
    uint8_t bytes[FORMAT_TOKEN + 1];
    size_t len = 0;
    const int error = files_read(bytes, &len, sizeof bytes, folder, FILES_TOKEN);
    if (error)
        return error == STORE_GONE       ? STORE_NO_TOKEN
               : error == STORE_TOO_LONG ? STORE_DAMAGED
                                         : error;
    return format_parse(out, bytes, len);
}

static void show(struct store *s, const struct format_token *token)
{
    s->is_there = true;
    s->has_user_pin = token->pins[1].is_set;
    memcpy(s->id, token->id, STORE_ID);
    memcpy(s->label, token->label, STORE_LABEL);
}

static void forget(struct store *s)
{
    store_logout(s);
    s->is_there = s->has_user_pin = false;
    s->num_objects = s->num_left_out = 0;
    memset(s->id, 0, sizeof s->id);
    memset(s->label, 0, sizeof s->label);
    memset(s->tries, 0, sizeof s->tries);
    memset(&s->seen, 0, sizeof s->seen);
    s->seen.generation = -1;
}

static void look_tries(struct store *s, int folder)
{
    uint8_t num[2] = { 0 };
    size_t len = 0;
    if (!files_read(num, &len, sizeof num, folder, FILES_TRIES)) {
        s->tries[STORE_SO] = num[0];
        s->tries[STORE_USER] = num[1];
    }
}

static int look(struct store *s, int folder)
{
    struct format_token token;
    const int error = token_read(&token, folder);
    if (error || (s->is_there && memcmp(token.id, s->id, STORE_ID)))
        forget(s);
    if (error)
        return error;
    show(s, &token);
    look_tries(s, folder);
    return 0;
}

int store_look(struct store *s)
{
    struct files f;
    int error = files_begin(&f, s->folder, FILES_READ, false);
    if (!error) {
        error = look(s, f.folder);
        files_end(&f);
    } else if (error == STORE_NO_TOKEN)
        forget(s);
    return error;
}

int store_open(struct store *s, const char *folder, uint8_t *scratch)
{
    memset(s, 0, sizeof *s);
    /* As `headrace encrypt` has them: 48 MiB, and in one thread some tenths of a second. */
    s->costs = (struct store_costs){ .lanes = 4, .memory = 48 * 1024, .passes = 4 };
    s->folder = folder;
    s->scratch = scratch;
    s->seen.generation = -1;
    if (strlen(folder) >= STORE_MAX_PATH)
        return STORE_TOO_LONG;
    const int error = store_look(s);
    return error == STORE_NO_TOKEN ? 0 : error;
}

int token_begin(struct files *f, struct format_token *out, struct store *s, enum files_lock how)
{
    int error = files_begin(f, s->folder, how, false);
    if (error)
        return error;
    error = token_read(out, f->folder);
    if (!error && s->is_there && memcmp(out->id, s->id, STORE_ID)) {
        forget(s);
        error = STORE_REPLACED;
    }
    if (error)
        files_end(f);
    else
        show(s, out);
    return error;
}

int token_done(struct store *s, const struct files *f, const struct store_state *before, int error)
{
    const bool was_up_to_date = files_is_same(before, &s->seen);
    struct store_state now;
    const int failed = files_changed(f);
    if (!failed && was_up_to_date && !files_settled(&now, f))
        s->seen = now;
    return error ? error : failed;
}

/* ---- PINs ---- */

/* seal makes the seal of a role anew.  Argon2id runs while the folder is not locked. */
static int seal(struct format_token *token, enum store_role role, const struct store *s,
                const uint8_t key[STORE_KEY], const void *pin, size_t pin_len)
{
    uint8_t stretched[32];
    struct format_pin *to = format_pin_of(token, role);
    to->costs = s->costs;
    int error = token_random(to->salt, sizeof to->salt);
    if (!error)
        error = pin_stretch(stretched, to, pin, pin_len);
    if (!error)
        error = format_seal(token, role, stretched, key);
    WIPE(&stretched);
    return error;
}

/* replace writes the file of the token, in a folder that is locked. */
static int replace(struct store *s, const struct files *f, const struct format_token *token)
{
    uint8_t bytes[FORMAT_TOKEN];
    struct store_state before;
    format_write(bytes, token);
    int error = files_settled(&before, f);
    if (!error)
        error = files_changing(f);
    if (error)
        return error;
    error = files_replace(f->folder, FILES_TOKEN, bytes, sizeof bytes);
    return token_done(s, f, &before, error);
}

static int reset_tries(struct store *s, enum store_role role)
{
    struct files_tries tries;
    int error = files_tries_begin(&tries, s->folder);
    if (error)
        return error;
    tries.num[role - 1] = 0;
    error = files_tries_write(&tries);
    files_tries_end(&tries);
    return error;
}

int store_set_pin(struct store *s, enum store_role role, const void *pin, size_t pin_len)
{
    struct format_token token, fresh;
    struct files f;
    if (s->role == STORE_NOBODY)
        return STORE_CLOSED;
    memcpy(fresh.id, s->id, STORE_ID);
    memcpy(fresh.label, s->label, STORE_LABEL);
    memset(fresh.pins, 0, sizeof fresh.pins);
    int error = seal(&fresh, role, s, s->key, pin, pin_len);
    if (!error)
        error = reset_tries(s, role);
    if (!error)
        error = token_begin(&f, &token, s, FILES_WRITE);
    if (error)
        return error;
    *format_pin_of(&token, role) = *format_pin_of(&fresh, role);
    error = format_sign(&token, s->key);
    if (!error)
        error = replace(s, &f, &token);
    files_end(&f);
    s->tries[role] = error ? s->tries[role] : 0;
    s->has_user_pin |= !error && role == STORE_USER;
    return error;
}

/* ---- login ---- */

/* unseal opens the token key by a PIN. */
static int unseal(uint8_t key[STORE_KEY], struct format_token *token, enum store_role role,
                  const void *pin, size_t pin_len)
{
    uint8_t stretched[32];
    int error = pin_stretch(stretched, format_pin_of(token, role), pin, pin_len);
    if (!error)
        error = format_unseal(key, token, role, stretched);
    if (!error)
        error = format_verify(token, key);
    WIPE(&stretched);
    return error;
}

/* get_token reads the token for a login, whose PINs another process may have changed. */
static int get_token(struct format_token *token, struct store *s)
{
    struct files f;
    const int error = token_begin(&f, token, s, FILES_READ);
    if (!error)
        files_end(&f);
    return error;
}

/* try_pin counts the try on disk, and ends the count if the PIN is right.  An error that is not the
 * PIN's gives the try back. */
static int try_pin(struct store *s, struct files_tries *tries, enum store_role role,
                   const void *pin, size_t pin_len)
{
    struct format_token token;
    uint8_t key[STORE_KEY], *num = &tries->num[role - 1];
    int error = get_token(&token, s);
    if (!error && !format_pin_of(&token, role)->is_set)
        error = STORE_NO_PIN;
    if (!error && *num >= STORE_TRIES)
        error = STORE_LOCKED;
    if (error)
        return error;
    ++*num;
    error = files_tries_write(tries);
    if (error)
        return error;
    error = unseal(key, &token, role, pin, pin_len);
    if (error != STORE_WRONG_PIN) {
        *num = error ? *num - 1 : 0;
        const int failed = files_tries_write(tries);
        error = error ? error : failed;
    }
    if (!error) {
        memcpy(s->key, key, STORE_KEY);
        s->role = role;
    }
    s->tries[role] = *num;
    WIPE(&key);
    return error;
}

int store_login(struct store *s, enum store_role role, const void *pin, size_t pin_len)
{
    struct files_tries tries;
    if (!pin_len || pin_len > STORE_MAX_PIN)
        return STORE_TOO_LONG;
    int error = store_look(s); /* whether there is a token, before a file is made */
    if (!error)
        error = files_tries_begin(&tries, s->folder);
    if (error)
        return error;
    error = try_pin(s, &tries, role, pin, pin_len);
    files_tries_end(&tries);
    return error;
}

void store_logout(struct store *s)
{
    s->role = STORE_NOBODY;
    WIPE(&s->key);
}

/* ---- a new token ---- */

/* may_init looks whether there is a token that the SO has not opened. */
static int may_init(struct store *s, int folder)
{
    struct format_token old;
    const int error = token_read(&old, folder);
    if (error)
        return error == STORE_NO_TOKEN ? 0 : error;
    return s->role == STORE_SO && !memcmp(old.id, s->id, STORE_ID) ? 0 : STORE_CLOSED;
}

static int make(struct format_token *token, struct store *s, const uint8_t label[STORE_LABEL],
                const void *pin, size_t pin_len)
{
    uint8_t key[STORE_KEY];
    memset(token, 0, sizeof *token);
    memcpy(token->label, label, STORE_LABEL);
    int error = token_random(token->id, STORE_ID);
    if (!error)
        error = token_random(key, sizeof key);
    if (!error)
        error = seal(token, STORE_SO, s, key, pin, pin_len);
    if (!error)
        error = format_sign(token, key);
    WIPE(&key);
    return error;
}

/* begin_init locks all there is of a token, and makes what is not there. */
static int begin_init(struct files *f, struct files_tries *tries, const char *path)
{
    int error = files_create(path);
    if (!error)
        error = files_tries_begin(tries, path);
    if (error)
        return error;
    error = files_begin(f, path, FILES_WRITE, true);
    if (error)
        files_tries_end(tries);
    return error;
}

static int init(struct store *s, struct files *f, struct files_tries *tries,
                const struct format_token *token)
{
    int error = may_init(s, f->folder);
    memset(tries->num, 0, sizeof tries->num);
    if (!error)
        error = files_tries_write(tries);
    if (!error)
        error = replace(s, f, token);
    if (error)
        return error;
    /* From here on the objects are of another token, whether they are there or not. */
    forget(s);
    show(s, token);
    return token_delete_objects(f->folder, token->id);
}

int store_init(struct store *s, const uint8_t label[STORE_LABEL], const void *pin, size_t pin_len)
{
    struct format_token token;
    struct files_tries tries;
    struct files f;
    int error = make(&token, s, label, pin, pin_len);
    if (!error)
        error = begin_init(&f, &tries, s->folder);
    if (error)
        return error;
    error = init(s, &f, &tries, &token);
    files_end(&f);
    files_tries_end(&tries);
    return error;
}
