/* SPDX-License-Identifier: Apache-2.0 */
#include "unnamed.h"
#include "../escape.h"
#include "shares.h"
#include <inttypes.h>
#include <string.h>

static const struct {
    enum family family;
    const char *text;
} kinds[] = {
    { FAMILY_UNNAMED, "unrecognised code that looks like crypto" },
    { FAMILY_AESBASED, "a cipher on AES instructions, not AES" },
};
enum { NUM_KINDS = sizeof kinds / sizeof *kinds };

static const char *text_of(enum family family)
{
    for (size_t i = 0; i < NUM_KINDS; i++)
        if (kinds[i].family == family)
            return kinds[i].text;
    return NULL;
}

bool unnamed_verdict(struct verdict *v, enum family family, const struct report *r)
{
    const struct report_row *most = NULL;
    const char *text = text_of(family);
    uint64_t samples = 0, functions = 0;
    for (size_t i = 0; text && i < r->num_rows; i++) {
        const struct report_row *row = &r->rows[i];
        if (row->finding.family != family || row->finding.how != HOW_UNCLASSIFIED)
            continue;
        samples += row->samples;
        functions++;
        if (!most || row->samples > most->samples)
            most = row;
    }
    *v = (struct verdict){ .family = family, .how = HOW_UNCLASSIFIED };
    v->share = verdict_share_of(samples, r);
    if (v->share <= UNNAMED_TOLERATED)
        return false;
    char library[ESCAPE_MAX];
    snprintf(v->text, sizeof v->text, "%.1f%% of CPU in %s: %.120s+0x%" PRIx64 "%s", 100 * v->share,
             text, escape_clean(library, most->library, true), most->offset,
             functions > 1 ? " and others" : "");
    return true;
}

bool unnamed_may_be(struct verdict *v, enum family family, const struct report *r)
{
    for (size_t i = 0; i < NUM_KINDS; i++)
        if (!(kinds[i].family == FAMILY_AESBASED && family == FAMILY_AES) &&
            unnamed_verdict(v, kinds[i].family, r))
            return true;
    return false;
}
