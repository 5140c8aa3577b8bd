/* SPDX-License-Identifier: Apache-2.0
 *
 * Names and other text that somebody else chose, in JSON. JSON has its own escapes: texts are
 * written with QUOTE_JSON among the flags of json_dumpf, so that no byte reaches a terminal as a
 * control character.
 */
#ifndef QUOTE_JSON_H
#define QUOTE_JSON_H

#include <jansson.h>

/* Jansson's flag for text that is ASCII: others leave U+0080 to U+009F and U+202E as they are. */
#define QUOTE_JSON JSON_ENSURE_ASCII

/* quote_json returns text as a JSON string, and NULL if there is no memory. Only text that no
 * string holds, because it is invalid UTF-8, or that Jansson writes as it is, DEL, is quoted as
 * quote_text() does. */
json_t *quote_json(const char *text);

#endif
