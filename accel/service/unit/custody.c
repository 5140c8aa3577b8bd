/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "custody.h"
#include "../../config/pk_key.h"
#include "../secrets.h"
#include "pk_request.h"
#include <headrace/classes.h>
#include <string.h>

/* ---- making a key ---- */

static int make_public(struct custody_key *k)
{
    struct pk_parts parts;
    size_t len = sizeof k->public.spki;
    int error = pk_split(&parts, k->parts.bytes, k->parts.len);
    if (!error)
        error = pk_spki(k->public.spki, &len, k->made.alg, k->made.object, &parts);
    k->public.result_len = k->made.result_len;
    k->public.spki_len = (uint32_t)len;
    return error;
}

static int make(struct custody_key *k, const struct named_key *key,
                const struct keyfile_parts *parts)
{
    memcpy(k->name, key->name, sizeof k->name);
    memcpy(&k->terms, &key->terms, sizeof k->terms);
    memcpy(&k->parts, parts, sizeof k->parts);
    atomic_store(&k->users, 1);
    const int error = lent_make(&k->made, key->alg, parts->bytes, parts->len);
    if (error)
        return error;
    if (key->alg >> 8 == HR_CLASS_RSA && pk_rsa_row(k->made.result_len) != key->alg)
        return HR_EKEYLEN;
    return make_public(k);
}

int custody_make(struct custody_key **out, const struct named_key *key,
                 const struct keyfile_parts *parts)
{
    struct custody_key *k = secrets_alloc(sizeof *k);
    if (!k)
        return HR_ESYSTEM;
    const int error = make(k, key, parts);
    *out = error ? NULL : k;
    if (error)
        custody_put(k);
    return error;
}

void custody_keep(struct custody_key *k)
{
    atomic_fetch_add(&k->users, 1);
}

void custody_put(struct custody_key *k)
{
    if (!k || atomic_fetch_sub(&k->users, 1) != 1)
        return;
    lent_unmake(&k->made);
    secrets_free(k, sizeof *k);
}

bool custody_is(const struct custody_key *k, const struct named_key *file,
                const struct keyfile_parts *parts)
{
    unsigned different = k->parts.len ^ parts->len;
    for (size_t i = 0; i < parts->len; i++)
        different |= k->parts.bytes[i] ^ parts->bytes[i];
    return !different && k->made.alg == file->alg && !strcmp(k->name, file->name) &&
           !memcmp(&k->terms, &file->terms, sizeof k->terms);
}

struct lent_made custody_lend(struct custody_key *k)
{
    struct lent_made made = k->made;
    custody_keep(k);
    made.named = k;
    return made;
}

/* ---- a request ---- */

/* take_digest replaces a DigestInfo, which comes without a digest's name, by its digest. */
static void take_digest(struct pk_request *r)
{
    struct hr_rsa_options *o = &r->options.rsa;
    size_t at;
    if (r->q.op != HR_JOB_SIGN || o->padding != HR_RSA_PKCS1 || o->digest)
        return;
    o->digest = key_terms_digest_info(r->message, r->q.len, &at);
    if (!o->digest)
        return;
    r->job.in = r->message + at;
    r->job.len = r->q.len - at;
}

int custody_judge(struct pk_request *r, const struct custody_key *k)
{
    bool allowed = r->q.op == k->terms.op;
    if (allowed && r->q.alg >> 8 == HR_CLASS_RSA) {
        take_digest(r);
        allowed = key_terms_allow_rsa(&k->terms, &r->options.rsa);
    } else if (allowed) {
        allowed = key_terms_have_length(&k->terms, r->q.len);
    }
    return allowed ? 0 : HR_EACCESS;
}

/* ---- rates ---- */

enum { BURST = 50000000, SECOND = 1000000000 }; /* ns, as those of unit_share.c */

bool custody_throttled(const struct custody_key *k, uint64_t now)
{
    return k && k->terms.rate && k->until > now + BURST;
}

void custody_charge(struct custody_key *k, uint64_t now)
{
    if (k && k->terms.rate)
        k->until = (k->until > now ? k->until : now) + SECOND / k->terms.rate;
}
