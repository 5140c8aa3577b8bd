/* SPDX-License-Identifier: Apache-2.0
 *
 * `headrace speed --html`: writes speed.html, which draws a measurement, with the measurement's
 * JSON text in it.
 */
#define _GNU_SOURCE
#include "../cli/file.h"
#include "../cli/quote_json.h"
#include "speed.h"
#include "speed_html_template.h"
#include <stdlib.h>
#include <string.h>

static const char mark[] = "{{json}}";

/* Writes JSON inside a script element, where "</" would end the element, and "<!--" would change
 * its end. '<' occurs only in strings, where it can be escaped. */
static void put_json(FILE *out, const char *json)
{
    for (; *json; json++)
        if (*json == '<')
            fputs("\\u003c", out);
        else
            putc(*json, out);
}

/* Prints the page's whole path, which a browser on this machine can be given. */
static void say_where(const char *path)
{
    char *whole = realpath(path, NULL);
    tool_say("The page is %s\n", whole ? whole : path);
    free(whole);
}

int speed_html(const char *path, const json_t *root, bool quiet)
{
    const char *hole = strstr(speed_html_template, mark);
    char *json = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(6) | QUOTE_JSON), *page = NULL;
    size_t page_len = 0;
    FILE *out = open_memstream(&page, &page_len);
    int code;
    if (json && out) {
        fwrite(speed_html_template, 1, (size_t)(hole - speed_html_template), out);
        put_json(out, json);
        fputs(hole + strlen(mark), out);
    }
    const bool whole = out && !fclose(out) && json;
    code = whole ? file_replace(path, page, page_len, NULL) : tool_error("out of memory");
    if (!code && !quiet)
        say_where(path);
    free(page);
    free(json);
    return code;
}

int speed_html_from(const char *path, const char *from)
{
    json_error_t error;
    json_t *root = json_load_file(from, 0, &error);
    int code;
    if (!root)
        return tool_error("%s: %s (line %d)", from, error.text, error.line);
    code = json_is_array(json_object_get(root, "cells"))
               ? speed_html(path, root, false)
               : tool_error("%s is not what `headrace speed --json` writes", from);
    json_decref(root);
    return code;
}
