/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a program: they are refused with a reason, or give functions that are sorted and lie
 * within the program. */
#include "fuzz.h"
#include "object/object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct object_options options = { 0 };
    const char *why;
    struct object *o = object_parse(data, size, "fuzz", &options, &why);
    CHECK(!o == !!why);
    for (size_t i = 0; o && i < o->num_functions; i++) {
        const struct function *f = &o->functions[i];
        const struct code code = object_code(o, f);
        CHECK(f->end >= f->start && (!i || f->start >= f[-1].end) && code.len <= size);
        CHECK(!code.len || (code.bytes >= o->image && code.bytes + code.len <= o->image + size));
        CHECK(f->end == f->start || object_function(o, f->start) == f);
        CHECK(!f->name == (f->source == NAME_NONE) && (!f->name || strlen(f->name) < 4096));
    }
    for (size_t i = 0; o && i < o->num_sites; i++)
        CHECK(o->sites[i].bit < NUM_CONSTANTS &&
              (!i || o->sites[i].address >= o->sites[i - 1].address));
    object_free(o);
    return 0;
}
