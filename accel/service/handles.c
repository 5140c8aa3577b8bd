/* SPDX-License-Identifier: Apache-2.0 */
/* The messages about keys.  Each client has handles of its own, which its keytable makes. */
#define _GNU_SOURCE
#include "headraced.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* ---- named keys ---- */

static int load_one(struct named_keys *keys, int folder, const char *name, char *text)
{
    char error[LINES_ERROR];
    bool missing;
    struct named_key *key = &keys->at[keys->num];
    if (!keyfile_name_is_fine(name) || keys->num == KEYS_MAX) {
        log_error("key %.64s: %s", name, keys->num == KEYS_MAX ? "too many keys" : "no such names");
        return -1;
    }
    const ssize_t len = file_read(folder, name, text, KEYS_MAX_FILE, true, &missing);
    if (len < 0)
        return -1;
    if (keyfile_parse(key, text, (size_t)len, file_who, error)) {
        log_error("key %s: %s", name, error);
        return -1;
    }
    strcpy(key->name, name);
    keys->num++;
    return 0;
}

static int load_all(struct named_keys *keys, DIR *folder)
{
    int result = 0;
    char text[KEYS_MAX_FILE];
    for (const struct dirent *entry; (entry = readdir(folder)) && !result;)
        if (entry->d_name[0] != '.')
            result = load_one(keys, dirfd(folder), entry->d_name, text);
    explicit_bzero(text, sizeof text);
    return result;
}

int handles_load(struct named_keys *keys, const char *path, bool needed)
{
    DIR *folder = opendir(path);
    memset(keys, 0, sizeof *keys);
    if (!folder && (needed || errno != ENOENT)) {
        log_error("%s: %s", path, strerror(errno));
        return -1;
    }
    int result = folder ? file_folder(dirfd(folder), path) : 0;
    if (folder && !result)
        result = load_all(keys, folder);
    if (folder)
        closedir(folder);
    if (result)
        explicit_bzero(keys, sizeof *keys);
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
        accelerator_kick(service.accelerators[c->accelerator]); /* to wipe the key */
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

int handle_open(struct session *c, const struct control_request *q, struct control_reply *reply)
{
    const struct named_key *key = keyfile_find(service.keys, q->name);
    if (!key)
        return HR_EHANDLE;
    if (!may_open(c, key)) {
        log_denial("user %u (process %d) may not use the key %s", c->peer.uid, (int)c->peer.pid,
                   key->name);
        return HR_EACCESS;
    }
    return add(c, key->name, (hr_alg)key->alg, key->uses, key->bytes, key->len, reply);
}

int handle_close(struct session *c, const struct control_request *q, struct control_reply *reply)
{
    struct handle *h = q->handle ? find(c, q->handle) : NULL;
    if (!h)
        return HR_EHANDLE;
    forget(c, h);
    return 0;
}

void handles_review(struct session *c, const struct named_keys *before)
{
    for (struct handle *h = c->handles; h < c->handles + KEYTABLE_MAX; h++) {
        const struct named_key *was = h->handle && *h->name ? keyfile_find(before, h->name) : NULL;
        const struct named_key *is = was ? keyfile_find(service.keys, h->name) : NULL;
        if (was && (!is || !may_open(c, is) || !keyfile_is_same(was, is)))
            forget(c, h);
    }
}
