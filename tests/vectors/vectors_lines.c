/* SPDX-License-Identifier: Apache-2.0 */
/* Files of vectors in the neutral line format of readers/neutral.py: their sections, and the words
 * of a line. */
#include "vectors.h"
#include <dirent.h>

static struct {
    char name[256];
    unsigned cases, skipped;
    char reasons[16][160]; /* of skipped cases, each once */
    unsigned counts[16], num_reasons;
    const char *unread;
} section;

static unsigned total_cases, total_skipped, files;
static case_fn *run_vector;

static void begin_section(const char *name)
{
    memset(&section, 0, sizeof section);
    snprintf(section.name, sizeof section.name, "%s", name);
}

static void end_section(void)
{
    if (!section.name[0])
        return;
    files++;
    total_cases += section.cases;
    total_skipped += section.skipped;
    if (!section.cases && !section.skipped && !complaints_so_far())
        complain("no case in this file");
    const int unknown = !section.cases && section.skipped && !complaints_so_far();
    if (unknown)
        tap_skip(section.reasons[0], "%s", section.name);
    else
        tap(1, "%s: %u cases ran, %u skipped", section.name, section.cases, section.skipped);
    for (unsigned i = (unsigned)unknown; i < section.num_reasons; i++)
        printf("#   skipped %u: %s\n", section.counts[i], section.reasons[i]);
    section.name[0] = '\0';
}

void vectors_skip(const char *reason)
{
    unsigned i = 0;
    section.skipped++;
    while (i < section.num_reasons && strcmp(section.reasons[i], reason))
        i++;
    if (i == COUNT_OF(section.counts))
        i--; /* the last line stands for all further reasons */
    if (i == section.num_reasons) {
        snprintf(section.reasons[i], sizeof section.reasons[0], "%s", reason);
        section.num_reasons++;
    }
    section.counts[i]++;
}

/* ---- one line ---- */

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c | 0x20) : NULL;
    return at && (c < '0' || c > '9' ? c >= 'A' : 1) ? (int)(at - digits) : -1;
}

/* parse_bytes reads bytes such as "0a0b*3+ff": hex digits, `*` and how often they are repeated, `+`
 * and further bytes. */
static int parse_bytes(struct bytes *out, const char *text)
{
    *out = (struct bytes){ malloc(1), 0 };
    while (*text) {
        const char *hex = text;
        size_t n = 0, repeat = 1;
        while (hex_digit(text[0]) >= 0 && hex_digit(text[1]) >= 0)
            text += 2;
        n = (size_t)(text - hex) / 2;
        if (*text == '*')
            repeat = strtoul(text + 1, (char **)&text, 10);
        if (*text == '+')
            text++;
        else if (*text)
            return 0;
        out->p = realloc(out->p, out->len + n * repeat + 1);
        for (size_t i = 0; i < n * repeat; i++)
            out->p[out->len++] =
                (uint8_t)(hex_digit(hex[i % n * 2]) << 4 | hex_digit(hex[i % n * 2 + 1]));
    }
    return 1;
}

static int parse_word(struct vector *v, char *word)
{
    static const struct {
        const char *name;
        size_t at;
    } fields[] = {
        { "msg", offsetof(struct vector, in) },
        { "in", offsetof(struct vector, in) },
        { "out", offsetof(struct vector, out) },
        { "key", offsetof(struct vector, key) },
        { "iv", offsetof(struct vector, iv) },
        { "next_iv", offsetof(struct vector, next_iv) },
        { "salt", offsetof(struct vector, salt) },
        { "info", offsetof(struct vector, info) },
        { "custom", offsetof(struct vector, salt) },
        { "name", offsetof(struct vector, info) },
        { "aad", offsetof(struct vector, aad) },
        { "tag", offsetof(struct vector, tag) },
    };
    char *value = strchr(word, '=');
    if (!value)
        return 0;
    *value++ = '\0';
    for (size_t i = 0; i < COUNT_OF(fields); i++)
        if (!strcmp(word, fields[i].name))
            return parse_bytes((struct bytes *)((char *)v + fields[i].at), value);
    if (!strcmp(word, "pad"))
        v->pad = !strcmp(value, "1");
    else if (!strcmp(word, "chain"))
        v->chain = !strcmp(value, "1");
    else if (!strcmp(word, "mac"))
        return (v->mac = hr_algorithm_by_name(value)) != NULL;
    else if (!strcmp(word, "iterations"))
        v->iterations = strtoull(value, NULL, 10);
    else if (!strcmp(word, "flags"))
        v->flags = (uint32_t)strtoul(value, NULL, 10);
    else if (!strcmp(word, "size"))
        v->size = strtoull(value, NULL, 10);
    else if (!strcmp(word, "result"))
        v->result = !strcmp(value, "fail") ? MUST_FAIL : MAY_FAIL;
    else
        return 0;
    return 1;
}

static void free_vector(struct vector *v)
{
    free(v->in.p);
    free(v->out.p);
    free(v->key.p);
    free(v->iv.p);
    free(v->next_iv.p);
    free(v->salt.p);
    free(v->info.p);
    free(v->aad.p);
    free(v->tag.p);
}

/* run_case runs the case of a line; a case that is skipped is none. */
static void run_case(char *symbol, char *rest)
{
    struct vector v = { .row = hr_algorithm_by_name(symbol), .number = section.cases + 1 };
    char *save, *op = strtok_r(rest, " ", &save);
    int good = v.row && op;
    for (char *word; good && (word = strtok_r(NULL, " ", &save));)
        good = parse_word(&v, word);
    section.cases++;
    switch (good ? run_vector(&v, op) : VECTOR_WRONG) {
    case VECTOR_WRONG:
        complain("case %u: not a neutral line for a row of the registry", section.cases);
        break;
    case VECTOR_SKIPPED:
        section.cases--;
        break;
    case VECTOR_RAN:
        break;
    }
    free_vector(&v);
}

static void run_line(char *line)
{
    line[strcspn(line, "\r\n")] = '\0';
    if (line[0] == '#' || line[0] == '\0')
        return;
    char *rest = strchr(line, ' ');
    if (!rest) {
        complain("a line of one word: %.40s", line);
        return;
    }
    *rest++ = '\0';
    if (!strcmp(line, "file")) {
        end_section();
        begin_section(rest);
    } else if (!strcmp(line, "skip")) {
        vectors_skip(rest);
    } else if (!strcmp(line, "unread")) {
        complain("unread: %s", rest);
    } else if (!strcmp(line, "folder")) {
        end_section();
        char *reason = strchr(rest, ' ');
        *reason++ = '\0';
        tap_skip(reason, "%s", rest);
    } else {
        run_case(line, rest);
    }
}

static int run_file(const char *path)
{
    FILE *file = strcmp(path, "-") ? fopen(path, "r") : stdin;
    char *line = NULL;
    size_t size = 0;
    if (!file) {
        perror(path);
        return 0;
    }
    if (file != stdin)
        begin_section(strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
    while (getline(&line, &size, file) > 0)
        run_line(line);
    end_section();
    free(line);
    return file == stdin || !fclose(file);
}

static int is_text(const struct dirent *entry)
{
    const size_t len = strlen(entry->d_name);
    return len > 4 && !strcmp(entry->d_name + len - 4, ".txt");
}

int vectors_read(const char *path, case_fn *run)
{
    struct dirent **entries;
    const int num = scandir(path, &entries, is_text, alphasort);
    run_vector = run;
    int good = num < 0 ? run_file(path) : num > 0;
    for (int i = 0; i < num; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        good &= run_file(name);
        free(entries[i]);
    }
    if (num >= 0)
        free(entries);
    return good;
}

void vectors_print_total(void)
{
    printf("# %u files, %u cases ran, %u skipped\n", files, total_cases, total_skipped);
}
