/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "confblock.h"
#include "../../cli/file.h"
#include "../../cli/tool.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The newline belongs to the block, because the file's last line may not end with one. */
#define BEGIN "\n# >>> headrace >>>"
#define END "\n# <<< headrace <<<\n"

int confblock_find(const char *text, size_t *begin, size_t *end)
{
    const char *first = strstr(text, BEGIN), *last = strstr(text, END);
    if (!first && !last)
        return 0;
    if (!first || !last || last < first || strstr(first + 1, BEGIN) || strstr(last + 1, END))
        return -1;
    *begin = (size_t)(first - text);
    *end = (size_t)(last - text) + strlen(END);
    return 1;
}

char *confblock_read_base(const char *path, char **whole)
{
    size_t len, begin, end;
    char *base = NULL, *text = *whole = file_read(path, &len);
    const int found = text ? confblock_find(text, &begin, &end) : 0;
    if (text && strlen(text) != len)
        tool_error("%s contains zero bytes, so it is not an OpenSSL configuration", path);
    else if (found < 0)
        tool_error("%s: one of the two lines around headrace's block is missing; repair the file",
                   path);
    else if (text && (base = strdup(text)) && found)
        memmove(base + begin, base + end, len - end + 1);
    if (!base) {
        free(text);
        *whole = NULL;
    }
    return base;
}

/* ---- what is in the file ---- */

/* The last value of a key in the section itself; NCONF_get_string would also look in [default]. */
static const char *value_of(const struct openssl *ssl, const CONF *conf, const char *section,
                            const char *key)
{
    const OPENSSL_STACK *list =
        section ? (const OPENSSL_STACK *)ssl->NCONF_get_section(conf, section) : NULL;
    const char *value = NULL;
    for (int i = 0; list && i < ssl->OPENSSL_sk_num(list); i++) {
        const CONF_VALUE *v = ssl->OPENSSL_sk_value(list, i);
        if (!strcmp(v->name, key))
            value = v->value;
    }
    return value;
}

static bool is_off(const char *value)
{
    static const char *const words[] = { "0", "no", "false", "off" };
    for (size_t i = 0; i < COUNT(words); i++)
        if (!strcasecmp(value, words[i]))
            return true;
    return false;
}

/* Whether any provider is activated by name: only if none is, OpenSSL activates the default
 * provider by itself. */
static bool any_activated(const struct openssl *ssl, const CONF *conf, const char *providers)
{
    const OPENSSL_STACK *list =
        providers ? (const OPENSSL_STACK *)ssl->NCONF_get_section(conf, providers) : NULL;
    for (int i = 0; list && i < ssl->OPENSSL_sk_num(list); i++) {
        const CONF_VALUE *v = ssl->OPENSSL_sk_value(list, i);
        const char *activate = value_of(ssl, conf, v->value, "activate");
        if (activate && !is_off(activate))
            return true;
    }
    return false;
}

/* The last section header of the text, with its brackets, to which later lines belong. An
 * .include may have changed to a section that is not in the text. */
static const char *last_header(const char *text, size_t text_len, size_t *len)
{
    const char *header = NULL, *end = text + text_len;
    for (const char *line = text; line < end;) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        const char *close;
        next = next ? next : end;
        line += strspn(line, " \t");
        if (line < next && *line == '[' && (close = memchr(line, ']', (size_t)(next - line)))) {
            header = line;
            *len = (size_t)(close + 1 - line);
        } else if (next - line > 8 && !strncmp(line, ".include", 8)) {
            header = NULL;
        }
        line = next + 1;
    }
    return header;
}

/* ---- the block ---- */

/* Prints a value such that OpenSSL reads back the same: quotes and other special characters are
 * escaped. */
static void print_escaped(FILE *out, const char *value, size_t len)
{
    for (const char *end = value + len; value < end; value++) {
        if (strchr("\\#$\"'`;", *value))
            fputc('\\', out);
        fputc(*value, out);
    }
}

/* Prints the init section with the entries that it lacks. Sets the names of the two lists. */
static void print_init(FILE *out, const struct openssl *ssl, const CONF *conf,
                       const char **providers, const char **algorithms)
{
    const char *init = value_of(ssl, conf, "default", "openssl_conf");
    *providers = value_of(ssl, conf, init, "providers");
    *algorithms = value_of(ssl, conf, init, "alg_section");
    if (!init)
        fputs("[ default ]\nopenssl_conf = headrace_init\n\n", out);
    if (*providers && *algorithms)
        return;
    fprintf(out, "[ %s ]\n", init ? init : "headrace_init");
    if (!*providers)
        fputs("providers = headrace_providers\n", out);
    if (!*algorithms)
        fputs("alg_section = headrace_algorithms\n", out);
    fputc('\n', out);
}

/* What the file that is included says in the section of the block. */
struct earlier {
    bool has_win_all, has_without;
};

static struct earlier earlier_of(const struct openssl *ssl, const char *under)
{
    struct earlier found = { .has_win_all = false };
    CONF *conf = under ? ssl->NCONF_new(NULL) : NULL;
    BIO *bio = under ? ssl->BIO_new_mem_buf(under, (int)strlen(under)) : NULL;
    if (conf && bio && ssl->NCONF_load_bio(conf, bio, &(long){ 0 }) > 0) {
        const char *win = value_of(ssl, conf, "headrace_module", "win");
        found.has_win_all = win && !strcmp(win, "all");
        found.has_without = value_of(ssl, conf, "headrace_module", "without");
    }
    ssl->BIO_free(bio);
    ssl->NCONF_free(conf);
    return found;
}

/* Prints which algorithms are served.  An empty value takes back what the included file says. */
static void print_choice(FILE *out, const struct confblock *what, struct earlier earlier)
{
    const bool keeps = what->keeps_wins && !what->all && !what->win && !earlier.has_win_all;
    if (what->win)
        fprintf(out, "win = %s\n", *what->win ? what->win : "none");
    else if (what->all)
        fputs("win = all\n", out); /* keys of all sizes, too */
    else if (what->under && !keeps)
        fputs("win =\n", out);
    if (what->win && what->measured && *what->measured)
        fprintf(out, "measured = %s\n", what->measured);
    else if (what->under && !keeps)
        fputs("measured =\n", out);
    if (!what->all && !(keeps && earlier.has_without))
        fprintf(out, "without = lost_pkey%s%s\n", what->without && *what->without ? " " : "",
                what->without ? what->without : "");
    else if (what->all && what->under)
        fputs("without =\n", out);
}

static void print_providers(FILE *out, const struct openssl *ssl, const CONF *conf,
                            const char *providers, const struct confblock *what)
{
    const bool need_default = !any_activated(ssl, conf, providers);
    const char *standard = value_of(ssl, conf, providers, "default");
    fprintf(out, "[ %s ]\n", providers ? providers : "headrace_providers");
    if (need_default && !standard)
        fputs("default = headrace_default\n", out);
    fputs("headrace = headrace_module\n\n", out);
    if (need_default)
        fprintf(out, "[ %s ]\nactivate = 1\n\n", standard ? standard : "headrace_default");
    fputs("[ headrace_module ]\n", out);
    if (what->module) {
        fputs("module = ", out);
        print_escaped(out, what->module, strlen(what->module));
        fputc('\n', out);
    }
    print_choice(out, what, earlier_of(ssl, what->under));
    fputs("soft_load = 1\nactivate = 1\n\n", out);
}

static const char *const our_terms[] = { "?headrace.win=yes", "?provider=headrace" };

/* Prints the property query: the existing one without our terms, and our present terms. */
static void print_query(FILE *out, const char *had, bool all)
{
    while (had && *had) {
        had += strspn(had, ", ");
        const size_t len = strcspn(had, ",");
        bool ours = false;
        for (size_t i = 0; i < COUNT(our_terms); i++)
            ours |= len == strlen(our_terms[i]) && !memcmp(had, our_terms[i], len);
        if (len && !ours) {
            print_escaped(out, had, len);
            fputc(',', out);
        }
        had += len;
    }
    fprintf(out, "%s\n", our_terms[all]);
}

static void print_algorithms(FILE *out, const struct openssl *ssl, const CONF *conf,
                             const char *algorithms, const struct confblock *what)
{
    fprintf(out, "[ %s ]\ndefault_properties = ", algorithms ? algorithms : "headrace_algorithms");
    print_query(out, value_of(ssl, conf, algorithms, "default_properties"), what->all);
}

/* Prints the block for Node.js, which reads the section that `nodejs_conf` names. It has a
 * libcrypto of its own, so it gets a list of its own: providers that are listed for other
 * programs may not fit it. */
static void print_node(FILE *out, const struct openssl *ssl, const CONF *conf, bool all)
{
    if (value_of(ssl, conf, "default", "nodejs_conf"))
        return;
    fprintf(out,
            "\n[ default ]\nnodejs_conf = headrace_node\n\n"
            "[ headrace_node ]\nproviders = headrace_node_providers\n"
            "alg_section = headrace_node_algorithms\n\n"
            "[ headrace_node_providers ]\ndefault = headrace_node_default\n"
            "headrace = headrace_module\n\n"
            "[ headrace_node_default ]\nactivate = 1\n\n"
            "[ headrace_node_algorithms ]\ndefault_properties = %s\n",
            our_terms[all]);
}

static void print_block(FILE *out, const struct openssl *ssl, const CONF *conf, const char *base,
                        size_t base_len, const struct confblock *what)
{
    const char *providers, *algorithms;
    size_t header_len = 0;
    const char *header = last_header(base, base_len, &header_len);
    fputs(BEGIN " put here by headrace enable; headrace disable takes it out\n", out);
    print_init(out, ssl, conf, &providers, &algorithms);
    print_providers(out, ssl, conf, providers, what);
    print_algorithms(out, ssl, conf, algorithms, what);
    print_node(out, ssl, conf, what->all);
    if (header)
        fprintf(out, "\n%.*s", (int)header_len, header);
    fputs(END, out);
}

char *confblock_make(const struct openssl *ssl, const char *base, size_t base_len,
                     const struct confblock *what, char *reason, size_t reason_len)
{
    char *block = NULL;
    size_t block_len;
    snprintf(reason, reason_len, "out of memory");
    CONF *conf = ssl->NCONF_new(NULL);
    BIO *bio = ssl->BIO_new_mem_buf(base, (int)base_len);
    FILE *out = open_memstream(&block, &block_len);
    if (!conf || !bio || !out)
        goto out;
    /* Loading an empty BIO would return an error. */
    if (base_len && ssl->NCONF_load_bio(conf, bio, &(long){ 0 }) <= 0) {
        openssl_reason(ssl, reason, reason_len);
        fclose(out);
        out = NULL;
        free(block);
        block = NULL;
        goto out;
    }
    print_block(out, ssl, conf, base, base_len, what);
out:
    if (out)
        fclose(out);
    ssl->BIO_free(bio);
    ssl->NCONF_free(conf);
    return block;
}
