/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an inventory from the tracer's cache: they are refused, or become a well-formed
 * inventory that is encoded again to an equal one. */
#include "fuzz.h"
#include "object/object_private.h"

static struct object *decode(const uint8_t *data, size_t size)
{
    struct object_private *p = calloc(1, sizeof *p);
    CHECK(p);
    p->fd = -1;
    const int ok = object_decode(p, data, size);
    p->object.segments = p->segments;
    p->object.sites = p->sites;
    p->object.functions = p->functions;
    if (ok)
        return &p->object;
    object_free(&p->object);
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct object *o = decode(data, size);
    if (!o)
        return 0;
    for (size_t i = 0; i < o->num_functions; i++) {
        const struct function *f = &o->functions[i];
        CHECK(f->end >= f->start && (!i || f->start >= f[-1].end));
        CHECK(!(f->marks >> NUM_MARKS) && !(f->constants >> NUM_CONSTANTS));
        CHECK(object_code(o, f).len == 0);
    }
    size_t len, again_len;
    uint8_t *bytes = object_encode(o, &len);
    struct object *again = decode(bytes, len);
    CHECK(again);
    uint8_t *again_bytes = object_encode(again, &again_len);
    CHECK(again_len == len && !memcmp(again_bytes, bytes, len));
    free(bytes);
    free(again_bytes);
    object_free(o);
    object_free(again);
    return 0;
}
