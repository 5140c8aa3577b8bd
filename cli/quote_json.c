/* SPDX-License-Identifier: Apache-2.0 */
#include "quote_json.h"
#include "quote.h"
#include <stdlib.h>
#include <string.h>

json_t *quote_json(const char *text)
{
    json_t *string = strchr(text, '\x7f') ? NULL : json_string(text); /* NULL: invalid UTF-8 */
    char *clean = string ? NULL : quote_new(text, 0);
    if (clean)
        string = json_string(clean);
    free(clean);
    return string;
}
