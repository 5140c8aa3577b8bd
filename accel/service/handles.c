/* SPDX-License-Identifier: Apache-2.0 */
/* The messages about keys.  Each client has handles of its own, which its keytable makes. */
#define _GNU_SOURCE
#include "../key_name.h"
#include "headraced.h"
#include "sealing.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- named keys ---- */

/* take_custody gives a key of public key what the unit computes with.  A key that a reload does not
 * change stays what it is, with its handles.  Returns 0 or HR_E.... */
static int take_custody(struct named_key *key, const struct keyfile_parts *parts)
{
    const struct named_key *before = keyfile_find(service.keys, key->name);
    if (!before || !before->custody || !custody_is(before->custody, key, parts))
        return custody_make(&key->custody, key, parts);
    key->custody = before->custody;
    custody_keep(key->custody);
    return 0;
}

static int parse_one(struct named_key *key, const char *name, const char *text, size_t len)
{
    struct keyfile_parts parts;
    char why[LINES_ERROR];
    int error = keyfile_parse(key, &parts, text, len, file_who, why);
    strcpy(key->name, name);
    if (error)
        log_error("key %s: %s", name, why);
    else if (parts.len && (error = take_custody(key, &parts)) != 0)
        log_error("key %s: its numbers are no key of this algorithm: %s", name, hr_strerror(error));
    explicit_bzero(&parts, sizeof parts);
    return error ? -1 : 0;
}

/* A folder of keys: what their files' names begin with, and the permissions that a file must not
 * have.  Credentials of systemd are the service's by an access list, whose mask is the group's
 * permissions. */
struct place {
    DIR *folder;
    const char *prefix;
    mode_t secret;
};

static const char *why_not(const struct named_keys *keys, const char *name)
{
    return !key_name_is_fine(name)    ? "no such names"
           : keys->num == KEYS_MAX    ? "too many keys"
           : keyfile_find(keys, name) ? "there are two of this name"
                                      : NULL;
}

/* warn_of_twins warns of a key that has another purpose under another name: what it signs may then
 * be what it must not decrypt. */
static void warn_of_twins(const struct named_keys *keys, const struct named_key *key)
{
    for (unsigned i = 0; key->custody && i < keys->num; i++) {
        const struct custody_key *other = keys->at[i].custody;
        if (other && other->terms.op != key->custody->terms.op &&
            other->public.spki_len == key->custody->public.spki_len &&
            !memcmp(other->public.spki, key->custody->public.spki, other->public.spki_len))
            log_warning("the keys %s and %s are one key, which signs and decrypts: use two",
                        keys->at[i].name, key->name);
    }
}

/* keep_before keeps a key that is in use, until the new seal of its file is unlocked: else a reload
 * between `accel key passphrase` and `accel key unlock` would take every sealed key away. */
static void keep_before(struct named_keys *keys, const char *name)
{
    const struct named_key *before = keyfile_find(service.keys, name);
    if (!before) {
        log_error("key %s is not offered: it is sealed under another sealing key", name);
        return;
    }
    log_warning("key %s stays as it was: its file is sealed under another sealing key", name);
    keys->at[keys->num++] = *before;
    if (before->custody)
        custody_keep(before->custody);
}

static int load_one(struct named_keys *keys, const struct place *place, const char *file,
                    char *text)
{
    bool missing;
    const char *name = file + strlen(place->prefix), *why = why_not(keys, name);
    if (why) {
        log_error("key %.64s: %s", name, why);
        return -1;
    }
    const ssize_t read =
        file_read(dirfd(place->folder), file, text, KEYS_MAX_FILE, place->secret, &missing);
    size_t len = (size_t)read;
    if (read < 0)
        return -1;
    const int sealed = sealing_open(text, &len, name);
    if (sealed == SEALING_ANOTHER)
        keep_before(keys, name);
    if (sealed)
        return 0; /* perhaps until an administrator unlocks it: the others can be used */
    if (parse_one(&keys->at[keys->num], name, text, len))
        return -1;
    warn_of_twins(keys, &keys->at[keys->num]);
    keys->num++;
    return 0;
}

void handles_clear(struct named_keys *keys)
{
    for (unsigned i = 0; i < keys->num; i++)
        custody_put(keys->at[i].custody);
    explicit_bzero(keys, sizeof *keys);
}

static int load_all(struct named_keys *keys, const struct place *place)
{
    int result = 0;
    char text[KEYS_MAX_FILE];
    for (const struct dirent *entry; (entry = readdir(place->folder)) && !result;)
        if (entry->d_name[0] != '.' &&
            !strncmp(entry->d_name, place->prefix, strlen(place->prefix)))
            result = load_one(keys, place, entry->d_name, text);
    explicit_bzero(text, sizeof text);
    return result;
}

/* load_folder reads the keys of one folder. */
static int load_folder(struct named_keys *keys, const char *path, bool needed, struct place place)
{
    place.folder = opendir(path);
    if (!place.folder && (needed || errno != ENOENT)) {
        log_error("%s: %s", path, strerror(errno));
        return -1;
    }
    if (!place.folder)
        return 0;
    int result = file_folder(dirfd(place.folder), path);
    if (!result)
        result = load_all(keys, &place);
    closedir(place.folder);
    return result;
}

int handles_load(struct named_keys *keys, const struct options *options, bool needed)
{
    const struct place usual = { .prefix = "", .secret = S_IRGRP | S_IROTH },
                       credentials = { .prefix = "key.", .secret = S_IROTH };
    memset(keys, 0, sizeof *keys);
    int result = load_folder(keys, options->keys, needed, usual);
    if (!result && options->credentials)
        result = load_folder(keys, options->credentials, true, credentials);
    if (result)
        handles_clear(keys);
    return result;
}

/* ---- handles ---- */

static struct handle *find(struct session *c, uint64_t handle)
{
    for (size_t i = 0; i < KEYTABLE_MAX; i++)
        if (c->handles[i].handle == handle)
            return &c->handles[i];
    return NULL;
}

static int add(struct session *c, const char *name, hr_alg alg, unsigned uses, const uint8_t *bytes,
               size_t bytes_len, struct control_reply *reply)
{
    struct handle *slot = find(c, 0);
    struct keytable *keys = atomic_load(&c->client.keys);
    if (!slot)
        return HR_EBUFFER;
    if (!limits_allow(&c->client.limits, alg))
        return HR_EACCESS;
    if (!keys) {
        keys = keytable_new();
        if (!keys)
            return HR_ESYSTEM;
        atomic_store(&c->client.keys, keys);
    }
    const int error = keytable_add(keys, &slot->handle, alg, uses, bytes, bytes_len);
    if (error) {
        slot->handle = 0;
        return error;
    }
    strcpy(slot->name, name);
    reply->alg = (uint16_t)alg;
    reply->handle = slot->handle;
    return 0;
}

static void forget(struct session *c, struct handle *h)
{
    if (!keytable_remove(atomic_load(&c->client.keys), h->handle))
        accelerator_kick(service.accelerators[c->accelerators[0]]); /* to wipe the key */
    memset(h, 0, sizeof *h);
}

int handle_import(struct session *c, const struct control_request *q, struct control_reply *reply)
{
    if (q->key_len > CONTROL_KEY)
        return HR_EKEYLEN;
    return add(c, "", (hr_alg)q->alg, HR_USE_ALL, q->key, q->key_len, reply);
}

int handle_generate(struct session *c, const struct control_request *q, struct control_reply *reply)
{
    const struct hr_algorithm *row = hr_algorithm((hr_alg)q->alg);
    uint8_t bytes[CONTROL_KEY];
    if (!row)
        return HR_EALG;
    const size_t len = q->key_len ? q->key_len : row->key_len ? row->key_len : row->out_len;
    if (len > sizeof bytes)
        return HR_EKEYLEN;
    int error = HR_ESYSTEM;
    if (getrandom(bytes, len, 0) == (ssize_t)len)
        error = add(c, "", (hr_alg)q->alg, HR_USE_ALL, bytes, len, reply);
    explicit_bzero(bytes, sizeof bytes);
    return error;
}

static bool may_open(const struct session *c, const struct named_key *key)
{
    return peer_is_one_of(&c->peer, &key->who);
}

/* say_public makes the answer about a key of public key. */
static void say_public(const struct custody_key *key, struct control_reply *reply,
                       const void **more)
{
    reply->alg = key->made.alg;
    reply->more = (uint16_t)(offsetof(struct control_public, spki) + key->public.spki_len);
    *more = &key->public;
}

static int open_public(struct session *c, const struct named_key *key, struct control_reply *reply,
                       const void **more)
{
    if (!c->unit)
        return HR_ESTATE;
    const int error = unit_open(service.unit, c->unit, &reply->handle, key->custody);
    if (!error)
        say_public(key->custody, reply, more);
    return error;
}

static void deny(const struct session *c, const struct named_key *key)
{
    log_denial("user %u (process %d) may not use the key %s", c->peer.uid, (int)c->peer.pid,
               key->name);
}

int handle_open(struct session *c, const struct control_request *q, struct control_reply *reply,
                const void **more)
{
    const struct named_key *key = keyfile_find(service.keys, q->name);
    if (!key)
        return HR_EHANDLE;
    if (!may_open(c, key)) {
        deny(c, key);
        return HR_EACCESS;
    }
    return key->custody
               ? open_public(c, key, reply, more)
               : add(c, key->name, (hr_alg)key->alg, key->uses, key->bytes, key->len, reply);
}

int handle_public(struct session *c, const struct control_request *q, struct control_reply *reply,
                  const void **more)
{
    const struct named_key *key = keyfile_find(service.keys, q->name);
    if (!key || !key->custody)
        return HR_EHANDLE;
    if (!may_open(c, key) && !peer_is_admin(&c->peer)) {
        deny(c, key);
        return HR_EACCESS;
    }
    say_public(key->custody, reply, more);
    return 0;
}

/* ---- the list of named keys ---- */

/* may_list tells whether a process of this rule can open a key. */
static bool may_list(const struct session *c, const struct policy_rule *rule,
                     const struct named_key *key)
{
    return may_open(c, key) && policy_allows(rule, key->alg) && (!key->custody || service.unit);
}

static void describe(struct control_named *out, const struct named_key *key)
{
    memset(out, 0, sizeof *out);
    memcpy(out->name, key->name, sizeof out->name);
    out->alg = key->alg;
    out->uses = (uint16_t)keyfile_uses(key);
    if (key->alg >> 8 == HR_CLASS_RSA)
        out->paddings = key->terms.paddings;
    out->num_digests = (uint16_t)key_terms_digests(&key->terms, out->digests, CONTROL_DIGESTS);
}

/* A cursor has the number of the next key, and above it that of the last reload. */
int handle_list(struct session *c, const struct control_request *q, struct control_reply *reply,
                const void **more)
{
    static struct control_named list[CONTROL_LISTED];
    const struct policy_rule *rule = peer_rule(&c->peer);
    const struct named_keys *keys = service.keys;
    const uint64_t reload = service.reloads << 32;
    uint32_t at = (uint32_t)q->handle, num = 0;
    if (!rule || !rule->attach)
        return HR_EACCESS;
    if (q->handle && (q->handle ^ reload) >> 32)
        return HR_ESTATE;
    for (uint32_t looked = 0; looked < CONTROL_LISTED && at < keys->num; looked++, at++)
        if (may_list(c, rule, &keys->at[at]))
            describe(&list[num++], &keys->at[at]);
    reply->handle = at < keys->num ? reload | at : 0;
    reply->more = (uint16_t)(num * sizeof *list);
    *more = list;
    return 0;
}

int handle_close(struct session *c, const struct control_request *q, struct control_reply *reply)
{
    struct handle *h = q->handle ? find(c, q->handle) : NULL;
    if (!h)
        return HR_EHANDLE;
    forget(c, h);
    return 0;
}

void handles_log(const struct unit_client *c, const struct hr_job *job,
                 const struct custody_key *key)
{
    log_info("key %s: %s for user %u (process %d): %s", key->name,
             job->op == HR_JOB_SIGN ? "sign" : "decrypt", c->uid, (int)c->pid,
             job->result ? hr_strerror(job->result) : "done");
}

/* stays tells whether a client keeps a key of public key that it has opened. */
static bool stays(void *session, const struct custody_key *key)
{
    const struct named_key *is = keyfile_find(service.keys, key->name);
    return is && is->custody == key && may_open(session, is);
}

void handles_review(struct session *c, const struct named_keys *before)
{
    for (struct handle *h = c->handles; h < c->handles + KEYTABLE_MAX; h++) {
        const struct named_key *was = h->handle && *h->name ? keyfile_find(before, h->name) : NULL;
        const struct named_key *is = was ? keyfile_find(service.keys, h->name) : NULL;
        if (was && (!is || !may_open(c, is) || !keyfile_is_same(was, is)))
            forget(c, h);
    }
    if (c->unit)
        unit_review(service.unit, c->unit, stays, c);
}
