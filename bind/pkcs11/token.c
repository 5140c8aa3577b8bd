/* SPDX-License-Identifier: Apache-2.0 */
/* PINs and logins. */
#include "token.h"
#include "session.h"
#include "slot.h"
#include <stdio.h>

enum { MIN_PIN = 4 };

RV token_attach(struct module *m)
{
    struct token *t = secret_new(m, sizeof *t);
    if (!t)
        return CKR_HOST_MEMORY;
    m->token = t;
    t->is_usable = !store_folder(t->folder) && !store_open(&t->store, t->folder, t->scratch);
    return CKR_OK;
}

void token_detach(struct module *m)
{
    secret_free(m, m->token);
    m->token = NULL;
}

RV token_error(int error)
{
    static const struct {
        int error;
        CK_RV rv;
    } errors[] = {
        { 0, CKR_OK },
        { STORE_NO_TOKEN, CKR_TOKEN_NOT_INITIALIZED },
        { STORE_WRONG_PIN, CKR_PIN_INCORRECT },
        { STORE_LOCKED, CKR_PIN_LOCKED },
        { STORE_NO_PIN, CKR_USER_PIN_NOT_INITIALIZED },
        { STORE_CLOSED, CKR_USER_NOT_LOGGED_IN },
        { STORE_REPLACED, CKR_DEVICE_REMOVED },
        { STORE_DAMAGED, CKR_TOKEN_NOT_RECOGNIZED },
        { STORE_REFUSED, CKR_TOKEN_WRITE_PROTECTED },
        { STORE_FULL, CKR_DEVICE_MEMORY },
        { STORE_TOO_LONG, CKR_PIN_LEN_RANGE },
        { STORE_GONE, CKR_OBJECT_HANDLE_INVALID },
        { STORE_NO_ARGON2, CKR_FUNCTION_NOT_SUPPORTED },
    };
    for (size_t i = 0; i < COUNT(errors); i++)
        if (errors[i].error == error)
            return errors[i].rv;
    return CKR_DEVICE_ERROR;
}

/* ---- information ---- */

static CK_FLAGS tries_flags(unsigned tries, CK_FLAGS low, CK_FLAGS last, CK_FLAGS locked)
{
    return (tries ? low : 0) | (tries == STORE_TRIES - 1 ? last : 0) |
           (tries >= STORE_TRIES ? locked : 0);
}

void token_info(struct module *m, CK_TOKEN_INFO *info)
{
    struct token *t = m->token;
    pthread_mutex_lock(&m->token_lock);
    const struct store *s = &t->store;
    if (t->is_usable)
        (void)store_look(&t->store);
    if (t->is_usable && s->is_there) {
        char serial[17];
        for (int i = 0; i < 8; i++)
            snprintf(serial + 2 * i, 3, "%02x", s->id[i]);
        memcpy(info->serialNumber, serial, sizeof info->serialNumber);
        memcpy(info->label, s->label, sizeof info->label);
        info->flags |= CKF_TOKEN_INITIALIZED | CKF_LOGIN_REQUIRED |
                       (s->has_user_pin ? CKF_USER_PIN_INITIALIZED : 0) |
                       tries_flags(s->tries[STORE_USER], CKF_USER_PIN_COUNT_LOW,
                                   CKF_USER_PIN_FINAL_TRY, CKF_USER_PIN_LOCKED) |
                       tries_flags(s->tries[STORE_SO], CKF_SO_PIN_COUNT_LOW, CKF_SO_PIN_FINAL_TRY,
                                   CKF_SO_PIN_LOCKED);
    }
    if (!t->is_usable)
        info->flags |= CKF_WRITE_PROTECTED;
    pthread_mutex_unlock(&m->token_lock);
}

/* ---- C_InitToken ---- */

/* new_token makes a token; under token_lock. */
static RV new_token(struct token *t, const CK_BYTE *pin, CK_ULONG pin_len, const CK_BYTE *label)
{
    if (!t->is_usable)
        return CKR_TOKEN_WRITE_PROTECTED;
    int error = store_look(&t->store);
    if (!error)
        error = store_login(&t->store, STORE_SO, pin, pin_len);
    else if (error == STORE_NO_TOKEN)
        error = 0;
    if (!error)
        error = store_init(&t->store, label, pin, pin_len);
    store_logout(&t->store);
    t->is_loaded = false;
    return token_error(error);
}

static RV check_pin(const CK_BYTE *pin, CK_ULONG len)
{
    if (!pin)
        return CKR_ARGUMENTS_BAD; /* there is no other way to enter it */
    return len < MIN_PIN || len > STORE_MAX_PIN ? CKR_PIN_LEN_RANGE : CKR_OK;
}

CK_RV C_InitToken(CK_SLOT_ID slot, CK_UTF8CHAR *pin, CK_ULONG pin_len, CK_UTF8CHAR *label)
{
    struct module *m = module_get();
    if (!m)
        return CKR_CRYPTOKI_NOT_INITIALIZED;
    if (!label)
        return CKR_ARGUMENTS_BAD;
    CK_RV rv = slot_check(m, slot);
    if (rv == CKR_OK)
        rv = slot == SLOT_TOKEN ? check_pin(pin, pin_len) : CKR_TOKEN_WRITE_PROTECTED;
    if (rv != CKR_OK)
        return rv;
    pthread_mutex_lock(&m->login_lock); /* a session that is opened from now on logs in after it */
    pthread_mutex_lock(&m->sessions_lock);
    const bool is_used = m->slots[slot].num_sessions;
    pthread_mutex_unlock(&m->sessions_lock);
    pthread_mutex_lock(&m->token_lock);
    rv = is_used ? CKR_SESSION_EXISTS : new_token(m->token, pin, pin_len, label);
    pthread_mutex_unlock(&m->token_lock);
    pthread_mutex_unlock(&m->login_lock);
    if (!is_used)
        token_refresh(m);
    return rv;
}

/* ---- C_InitPIN, C_SetPIN ---- */

/* token_session returns a session that may write, of the token of this process. */
static RV token_session(struct session **s, CK_SESSION_HANDLE session)
{
    const CK_RV rv = session_get(s, session);
    if (rv != CKR_OK)
        return rv;
    if ((*s)->slot != SLOT_TOKEN)
        return CKR_FUNCTION_NOT_SUPPORTED;
    return (*s)->is_rw ? CKR_OK : CKR_SESSION_READ_ONLY;
}

CK_RV C_InitPIN(CK_SESSION_HANDLE session, CK_UTF8CHAR *pin, CK_ULONG pin_len)
{
    struct session *s;
    CK_RV rv = token_session(&s, session);
    if (rv != CKR_OK)
        return rv;
    struct module *m = s->module;
    rv = check_pin(pin, pin_len);
    if (atomic_load(&m->slots[SLOT_TOKEN].who) != OFFICER)
        rv = CKR_USER_NOT_LOGGED_IN;
    if (rv != CKR_OK)
        return rv;
    pthread_mutex_lock(&m->login_lock);
    pthread_mutex_lock(&m->token_lock);
    rv = atomic_load(&m->slots[SLOT_TOKEN].who) == OFFICER
             ? token_error(store_set_pin(&m->token->store, STORE_USER, pin, pin_len))
             : CKR_USER_NOT_LOGGED_IN;
    pthread_mutex_unlock(&m->token_lock);
    pthread_mutex_unlock(&m->login_lock);
    return rv;
}

CK_RV C_SetPIN(CK_SESSION_HANDLE session, CK_UTF8CHAR *old, CK_ULONG old_len, CK_UTF8CHAR *pin,
               CK_ULONG pin_len)
{
    struct session *s;
    CK_RV rv = token_session(&s, session);
    if (rv != CKR_OK)
        return rv;
    rv = check_pin(pin, pin_len);
    if (rv != CKR_OK || !old)
        return rv != CKR_OK ? rv : CKR_ARGUMENTS_BAD;
    struct module *m = s->module;
    pthread_mutex_lock(&m->login_lock);
    const enum who who = (enum who)atomic_load(&m->slots[SLOT_TOKEN].who);
    const enum store_role role = who == OFFICER ? STORE_SO : STORE_USER;
    pthread_mutex_lock(&m->token_lock);
    struct store *store = &m->token->store;
    int error = store_login(store, role, old, old_len);
    if (!error)
        error = store_set_pin(store, role, pin, pin_len);
    if (who == NOBODY)
        store_logout(store);
    pthread_mutex_unlock(&m->token_lock);
    pthread_mutex_unlock(&m->login_lock);
    return token_error(error);
}

/* ---- C_Login ---- */

/* asks tells whether an operation waits for C_Login. */
static bool asks(const struct op *op)
{
    return op && op->stage != OP_NONE && op->always_auth;
}

/* who_asks returns the operation that a login is for: of those that wait the one begun last. */
static struct op *who_asks(const struct session *s)
{
    struct op *last = atomic_load(&s->ops[s->asks]);
    for (int i = 0; i < NUM_OPS && !asks(last); i++)
        last = atomic_load(&s->ops[i]);
    return asks(last) ? last : NULL;
}

static RV store_enter(struct module *m, enum store_role role, const CK_BYTE *pin, CK_ULONG pin_len)
{
    pthread_mutex_lock(&m->token_lock);
    const CK_RV rv = token_error(store_login(&m->token->store, role, pin, pin_len));
    pthread_mutex_unlock(&m->token_lock);
    return rv;
}

static void store_leave(struct module *m)
{
    pthread_mutex_lock(&m->token_lock);
    store_logout(&m->token->store);
    m->token->is_loaded = false;
    pthread_mutex_unlock(&m->token_lock);
}

void slot_logged_out(struct module *m, unsigned slot)
{
    if (slot == SLOT_TOKEN)
        store_leave(m);
    objects_of_slot_end(m, slot, true);
    if (slot == SLOT_TOKEN)
        store_leave(m); /* the objects of a refresh between these are gone too */
}

/* log_out ends a login, and returns whether there was one; under login_lock. */
static bool log_out(struct module *m, unsigned slot)
{
    pthread_mutex_lock(&m->sessions_lock);
    const bool was = slot_set_nobody(&m->slots[slot]);
    pthread_mutex_unlock(&m->sessions_lock);
    if (was)
        slot_logged_out(m, slot);
    return was;
}

/* login_again is CKU_CONTEXT_SPECIFIC: one operation with a key that always asks; under
 * login_lock. */
static RV login_again(struct session *s, const CK_BYTE *pin, CK_ULONG pin_len)
{
    struct module *m = s->module;
    struct op *op = who_asks(s);
    if (!op)
        return CKR_OPERATION_NOT_INITIALIZED;
    if (atomic_load(&m->slots[SLOT_TOKEN].who) != USER)
        return CKR_USER_NOT_LOGGED_IN;
    const CK_RV rv = store_enter(m, STORE_USER, pin, pin_len);
    if (rv == CKR_OK)
        op->always_auth = 0;
    if (rv == CKR_PIN_LOCKED) /* as the specification says */
        (void)log_out(m, SLOT_TOKEN);
    return rv;
}

/* may_login tells whether a user may log in now; under sessions_lock. */
static RV may_login(const struct slot *slot, CK_USER_TYPE user)
{
    const uint32_t who = atomic_load(&slot->who);
    if (who != NOBODY)
        return (who == OFFICER) == (user == CKU_SO) ? CKR_USER_ALREADY_LOGGED_IN
                                                    : CKR_USER_ANOTHER_ALREADY_LOGGED_IN;
    const bool only_reads = slot->num_sessions != slot->num_rw_sessions;
    return user == CKU_SO && only_reads ? CKR_SESSION_READ_ONLY_EXISTS : CKR_OK;
}

/* log_in logs in if the session is still open, and what may_login says of other sessions still
 * holds: before the PIN is tried, which takes long, and as the login begins; under login_lock. */
static RV log_in(struct session *s, CK_SESSION_HANDLE session, CK_USER_TYPE user,
                 const CK_BYTE *pin, CK_ULONG pin_len)
{
    struct module *m = s->module;
    struct slot *slot = &m->slots[SLOT_TOKEN];
    pthread_mutex_lock(&m->sessions_lock);
    CK_RV rv = may_login(slot, user);
    pthread_mutex_unlock(&m->sessions_lock);
    if (rv == CKR_OK)
        rv = store_enter(m, user == CKU_SO ? STORE_SO : STORE_USER, pin, pin_len);
    if (rv != CKR_OK)
        return rv;
    pthread_mutex_lock(&m->sessions_lock);
    rv = atomic_load(&s->handle) == session ? may_login(slot, user) : CKR_SESSION_CLOSED;
    if (rv == CKR_OK)
        atomic_store(&slot->who, user == CKU_SO ? OFFICER : USER);
    pthread_mutex_unlock(&m->sessions_lock);
    if (rv != CKR_OK)
        store_leave(m);
    return rv;
}

static bool is_there(struct module *m)
{
    const struct token *t = m->token;
    pthread_mutex_lock(&m->token_lock);
    const bool is = t->is_usable && t->store.is_there;
    pthread_mutex_unlock(&m->token_lock);
    return is;
}

CK_RV C_Login(CK_SESSION_HANDLE session, CK_USER_TYPE user, CK_UTF8CHAR *pin, CK_ULONG pin_len)
{
    struct session *s;
    CK_RV rv = session_get(&s, session);
    if (rv != CKR_OK)
        return rv;
    struct module *m = s->module;
    if (!pin)
        return CKR_ARGUMENTS_BAD;
    if (s->slot != SLOT_TOKEN || !is_there(m))
        return CKR_USER_PIN_NOT_INITIALIZED;
    if (user != CKU_SO && user != CKU_USER && user != CKU_CONTEXT_SPECIFIC)
        return CKR_USER_TYPE_INVALID;
    const bool is_again = user == CKU_CONTEXT_SPECIFIC;
    pthread_mutex_lock(&m->login_lock);
    rv = is_again ? login_again(s, pin, pin_len) : log_in(s, session, user, pin, pin_len);
    pthread_mutex_unlock(&m->login_lock);
    if (rv == CKR_OK && !is_again)
        token_refresh(m);
    return rv;
}

CK_RV C_LoginUser(CK_SESSION_HANDLE session, CK_USER_TYPE user, CK_UTF8CHAR *pin, CK_ULONG pin_len,
                  CK_UTF8CHAR *name, CK_ULONG name_len)
{
    struct session *s;
    const CK_RV rv = session_get(&s, session);
    return rv != CKR_OK ? rv : name_len ? CKR_ARGUMENTS_BAD : C_Login(session, user, pin, pin_len);
}

CK_RV C_Logout(CK_SESSION_HANDLE session)
{
    struct session *s;
    const CK_RV rv = session_get(&s, session);
    if (rv != CKR_OK)
        return rv;
    struct module *m = s->module;
    pthread_mutex_lock(&m->login_lock);
    const bool was = log_out(m, s->slot);
    pthread_mutex_unlock(&m->login_lock);
    return was ? CKR_OK : CKR_USER_NOT_LOGGED_IN;
}
