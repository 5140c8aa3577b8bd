/* SPDX-License-Identifier: Apache-2.0 */
#include "key_list.h"
#include "../key_name.h"
#include <assert.h>
#include <headrace/classes.h>

static_assert(sizeof((struct hr_accel_key *)0)->name == CONTROL_NAME &&
                  sizeof((struct hr_accel_key *)0)->digests / sizeof(hr_alg) >= CONTROL_DIGESTS,
              "accel.h has room for what control.h has");

/* A list of all keys takes 8 answers; the others are for lists that begin anew. */
enum { MOST_ANSWERS = 32, ALL_PADDINGS = (2 << HR_RSA_TLS) - 1 };

/* take_one copies what is said of a key.  It leaves out keys and digests of rows that this library
 * does not know.  Returns 0 or HR_EGONE. */
static int take_one(struct key_list *list, const struct control_named *named)
{
    const struct hr_algorithm *row = hr_algorithm(named->alg);
    if (!memchr(named->name, 0, sizeof named->name) || !key_name_is_fine(named->name) ||
        named->num_digests > CONTROL_DIGESTS || list->num == CONTROL_KEYS)
        return HR_EGONE;
    if (!row)
        return 0;
    struct hr_accel_key *out = &list->at[list->num++];
    *out = (struct hr_accel_key){ .alg = row->alg,
                                  .uses = named->uses & HR_USE_ALL,
                                  .paddings = named->paddings & ALL_PADDINGS };
    strcpy(out->name, named->name);
    for (unsigned i = 0; i < named->num_digests; i++) {
        const struct hr_algorithm *digest = hr_algorithm(named->digests[i]);
        if (digest && digest->cls == HR_CLASS_DIGEST)
            out->digests[out->num_digests++] = digest->alg;
    }
    return 0;
}

static int take(struct key_list *list, const struct control_named *named, size_t len)
{
    int error = len % sizeof *named ? HR_EGONE : 0;
    for (size_t i = 0; !error && i < len / sizeof *named; i++)
        error = take_one(list, &named[i]);
    return error;
}

int key_list_ask(struct key_list *list, struct connection *c)
{
    struct control_request request = { .magic = CONTROL_MAGIC, .type = CONTROL_KEY_LIST };
    struct control_named named[CONTROL_LISTED];
    struct control_reply reply;
    int error = 0;
    list->num = 0;
    for (int i = 0; !error && i < MOST_ANSWERS; i++) {
        error = connection_exchange(c, &request, &reply, named, sizeof named);
        if (error == HR_ESTATE && request.handle) {
            list->num = 0;
            request.handle = 0;
            error = 0;
            continue;
        }
        if (!error)
            error = take(list, named, reply.more);
        if (!error && !reply.handle)
            return 0;
        request.handle = reply.handle;
    }
    if (!error)
        error = HR_EGONE; /* the list does not end */
    if (error == HR_EGONE)
        atomic_store(&c->lost, 1);
    return error;
}
