/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads /proc/crypto, which has one paragraph for each driver, with lines "key : value"
 * (crypto/proc.c in the kernel). A driver is in use if its reference count is higher than the one
 * reference of its registration.
 */
#define _GNU_SOURCE
#include "kernel.h"
#include "kernel_names.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

enum { MAX_TEXT = 1 << 20, MAX_DRIVERS = 4096 };

/* ---- one line ---- */

struct value {
    const char *at;
    size_t len;
};

static void copy(char *out, size_t max, struct value v)
{
    const size_t len = v.len < max ? v.len : max - 1;
    memcpy(out, v.at, len);
    out[len] = '\0';
}

static void set_name(struct report_driver *d, struct value v)
{
    copy(d->name, sizeof d->name, v);
}

static void set_driver(struct report_driver *d, struct value v)
{
    copy(d->driver, sizeof d->driver, v);
    d->hardware = kernel_is_device(d->driver);
    d->either = !d->hardware && kernel_is_library(d->driver);
}

static void set_module(struct report_driver *d, struct value v)
{
    copy(d->module, sizeof d->module, v);
}

static int number(struct value v)
{
    char text[12];
    copy(text, sizeof text, v);
    return (int)strtol(text, NULL, 10);
}

static void set_priority(struct report_driver *d, struct value v)
{
    d->priority = number(v);
}

static void set_refcnt(struct report_driver *d, struct value v)
{
    d->in_use = number(v) > 1;
}

/* Empties the name of a driver of compression or random numbers, which are no crypto; drop_unnamed
 * removes it. */
static void set_type(struct report_driver *d, struct value v)
{
    static const char *const others[] = { "compression", "scomp", "acomp", "rng" };
    for (size_t i = 0; i < COUNT(others); i++)
        if (v.len == strlen(others[i]) && !memcmp(v.at, others[i], v.len))
            d->name[0] = '\0';
}

static const struct key {
    const char *name;
    void (*set)(struct report_driver *, struct value);
} keys[] = {
    { "driver", set_driver }, { "module", set_module }, { "priority", set_priority },
    { "refcnt", set_refcnt }, { "type", set_type },
};

static struct value trimmed(const char *at, size_t len)
{
    while (len && *at == ' ') {
        at++;
        len--;
    }
    while (len && at[len - 1] == ' ')
        len--;
    return (struct value){ at, len };
}

static bool is_key(struct value key, const char *name)
{
    return key.len == strlen(name) && !memcmp(key.at, name, key.len);
}

/* ---- the text ---- */

struct list {
    struct report_driver *at;
    size_t num, max;
    bool failed;
};

static void begin_driver(struct list *l, struct value name)
{
    if (l->num == l->max) {
        l->max = l->max ? 2 * l->max : 128;
        struct report_driver *more = reallocarray(l->at, l->max, sizeof *more);
        l->failed |= !more;
        if (!more)
            return;
        l->at = more;
    }
    l->at[l->num] = (struct report_driver){ .samples = 0 };
    set_name(&l->at[l->num++], name);
}

static void take_line(struct list *l, const char *line, size_t len)
{
    const char *colon = memchr(line, ':', len);
    if (!colon)
        return;
    const struct value key = trimmed(line, (size_t)(colon - line));
    const struct value value = trimmed(colon + 1, len - (size_t)(colon + 1 - line));
    if (is_key(key, "name"))
        begin_driver(l, value);
    for (size_t i = 0; l->num && !l->failed && i < COUNT(keys); i++)
        if (is_key(key, keys[i].name))
            keys[i].set(&l->at[l->num - 1], value);
}

static void drop_unnamed(struct list *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->num; i++)
        if (l->at[i].name[0])
            l->at[kept++] = l->at[i];
    l->num = kept;
}

ssize_t kernel_drivers_parse(struct report_driver **drivers, const char *text, size_t len)
{
    struct list l = { .at = NULL };
    while (len && !l.failed && l.num < MAX_DRIVERS) {
        const char *end = memchr(text, '\n', len);
        const size_t line = end ? (size_t)(end - text) : len;
        take_line(&l, text, line);
        text += line + (end != NULL);
        len -= line + (end != NULL);
    }
    drop_unnamed(&l);
    if (l.failed) {
        free(l.at);
        l.at = NULL;
    }
    *drivers = l.at;
    return l.failed ? -1 : (ssize_t)l.num;
}

ssize_t kernel_drivers(struct report_driver **drivers)
{
    char *text = malloc(MAX_TEXT);
    const int fd = open("/proc/crypto", O_RDONLY | O_CLOEXEC);
    size_t len = 0;
    ssize_t n = -1;
    *drivers = NULL;
    while (text && fd >= 0 && len < MAX_TEXT && (n = read(fd, text + len, MAX_TEXT - len)) > 0)
        len += (size_t)n;
    if (fd >= 0)
        close(fd);
    const ssize_t num = n >= 0 ? kernel_drivers_parse(drivers, text, len) : -1;
    free(text);
    return num;
}

/* ---- samples ---- */

/* Whether a row's library names the driver's module: "[aesni_intel]", or "[kernel]" for code
 * that is built into the kernel. */
static bool is_module(const char *library, const char *module)
{
    const size_t len = strlen(module);
    return library[0] == '[' && !strncmp(library + 1, module, len) &&
           !strcmp(library + 1 + len, "]");
}

static bool is_of(const struct report_row *row, const struct report_driver *d)
{
    struct finding of_driver;
    if (!is_module(row->library, d->module))
        return false;
    kernel_classify(&of_driver, d->driver, d->module);
    const char *mode = row->finding.mode, *its_mode = of_driver.mode;
    return of_driver.family == row->finding.family &&
           (!mode || (its_mode && !strcmp(mode, its_mode)));
}

void kernel_attribute(struct report *r)
{
    for (size_t i = 0; i < r->num_rows; i++)
        for (size_t d = 0; r->rows[i].source == NAME_KERNEL && d < r->num_drivers; d++)
            if (is_of(&r->rows[i], &r->drivers[d])) {
                r->drivers[d].samples += r->rows[i].samples;
                break; /* drivers of one module may share code: the first gets the samples */
            }
}
