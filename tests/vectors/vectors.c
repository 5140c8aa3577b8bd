/* SPDX-License-Identifier: Apache-2.0 */
/* Published vectors in the neutral line format of readers/neutral.py, through direct, generic and
 * streaming calls on every kernel that this CPU can run.
 * vectors [--complete] [FILE...]: no file, or "-", is stdin; of a folder all .txt files;
 * --complete wants cases for every row.
 * vectors --rows: the registry's symbols, digest lengths and names, for the readers. */
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
static unsigned cases_of[256]; /* by place in the registry */

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

static void note_skip(const char *reason)
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

/* fits returns whether a case has the key and the IV that its row takes, and a result as long as
 * its input: what calls do not ask for they would read beyond. */
static int fits(const struct vector *v)
{
    const int is_cipher = v->row->cls == HR_CLASS_CIPHER || v->row->cls == HR_CLASS_XTS;
    if (is_cipher && (v->key.len != v->row->key_len || v->iv.len < v->row->iv_len))
        return 0;
    return !is_cipher || v->pad || v->result || v->in.len == v->out.len;
}

static const struct {
    const char *op;
    enum hr_class cls;
    void (*run)(const struct vector *v);
    int no_job; /* the operation has no form as a job */
} ops[] = {
    { "digest", HR_CLASS_DIGEST, run_digest, 0 },
    { "monte", HR_CLASS_DIGEST, run_digest_monte, 0 },
    { "mac", HR_CLASS_MAC, run_mac, 0 },
    { "derive", HR_CLASS_KDF, run_derive, 0 },
    { "extract", HR_CLASS_KDF, run_extract, 0 },
    { "expand", HR_CLASS_KDF, run_expand, 0 },
    { "encrypt", HR_CLASS_CIPHER, run_encrypt, 0 },
    { "decrypt", HR_CLASS_CIPHER, run_decrypt, 0 },
    { "both", HR_CLASS_CIPHER, run_both, 0 },
    { "monte_encrypt", HR_CLASS_CIPHER, run_monte_encrypt, 0 },
    { "monte_decrypt", HR_CLASS_CIPHER, run_monte_decrypt, 0 },
    { "aead", HR_CLASS_AEAD, run_aead, 0 },
    { "nmac", HR_CLASS_NMAC, run_nmac, 0 },
    { "bits", HR_CLASS_CIPHER, run_f8_bits, 1 },
    { "bits", HR_CLASS_NMAC, run_f9_bits, 1 },
    { "a53", HR_CLASS_CIPHER, run_a53, 1 },
    { "gea3", HR_CLASS_CIPHER, run_gea3, 1 },
    { "agree", HR_CLASS_AGREE, run_agree, 1 },
    { "public", HR_CLASS_AGREE, run_agree_public, 1 },
    { "ladder", HR_CLASS_AGREE, run_ladder, 1 },
    { "sign", HR_CLASS_SIGN, run_sign, 1 },
    { "public", HR_CLASS_SIGN, run_sign_public, 1 },
    { "verify", HR_CLASS_SIGN, run_verify, 1 },
    { "sign_der", HR_CLASS_SIGN, run_sign_der, 1 },
    { "verify", HR_CLASS_RSA, run_rsa_verify, 1 },
    { "verify", HR_CLASS_DSA, run_dsa_verify, 1 },
    { "agree", HR_CLASS_DH, run_dh_agree, 1 },
    { "verify_der", HR_CLASS_SIGN, run_verify_der, 1 },
    { "public", HR_CLASS_KEM, run_kem_public, 1 },
    { "encapsulate", HR_CLASS_KEM, run_encapsulate, 1 },
    { "decapsulate", HR_CLASS_KEM, run_decapsulate, 1 },
    { "xof", HR_CLASS_XOF, run_xof, 1 },
    { "kmac", HR_CLASS_XOF, run_kmac, 1 },
    { "monte", HR_CLASS_XOF, run_xof_monte, 1 },
    { "repeat", HR_CLASS_CIPHER, run_repeat, 1 },
    { "encrypt", HR_CLASS_XTS, run_xts_encrypt, 0 },
    { "decrypt", HR_CLASS_XTS, run_xts_decrypt, 0 },
    { "both", HR_CLASS_XTS, run_xts_both, 0 },
    { "wrap", HR_CLASS_WRAP, run_wrap, 1 },
};

static void run_case(char *symbol, char *rest)
{
    struct vector v = { .row = hr_algorithm_by_name(symbol), .number = section.cases + 1 };
    char *save, *op = strtok_r(rest, " ", &save);
    int good = v.row && op;
    for (char *word; good && (word = strtok_r(NULL, " ", &save));)
        good = parse_word(&v, word);
    size_t i = 0;
    while (good && i < COUNT_OF(ops) && (strcmp(ops[i].op, op) || ops[i].cls != v.row->cls))
        i++;
    section.cases++;
    if (good && i < COUNT_OF(ops) && !ops[i].no_job)
        good = fits(&v);
    if (good && i < COUNT_OF(ops)) {
        ops[i].run(&v);
        if (!ops[i].no_job)
            run_in_queue(&v, op);
    }
    if (good && (i < COUNT_OF(ops) || run_job(&v, op))) {
        for (size_t k = 0; k < COUNT_OF(cases_of); k++)
            cases_of[k] += hr_algorithm_at(k) == v.row;
    } else {
        complain("case %u: not a neutral line for a row of the registry", section.cases);
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
        note_skip(rest);
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

static int run_path(const char *path)
{
    struct dirent **entries;
    const int num = scandir(path, &entries, is_text, alphasort);
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

static int print_rows(void)
{
    const struct hr_algorithm *row;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        printf("%s %u %s:%s\n", row->symbol, row->out_len, row->name, row->openssl_names);
    return 0;
}

static void check_complete(void)
{
    const struct hr_algorithm *row;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        if (i >= COUNT_OF(cases_of) || !cases_of[i])
            complain("%s has no vectors", row->name);
    tap(!complaints_so_far(), "every row of the registry has vectors");
}

int main(int argc, char **argv)
{
    int at = 1, good = 1;
    if (argc > 1 && !strcmp(argv[1], "--rows"))
        return print_rows();
    const int complete = argc > 1 && !strcmp(argv[1], "--complete");
    at += complete;
    for (; at < argc; at++)
        good &= run_path(argv[at]);
    if (argc == 1 + complete)
        good &= run_file("-");
    if (complete)
        check_complete();
    printf("# %u files, %u cases ran, %u skipped\n", files, total_cases, total_skipped);
    return tap_done() || !good;
}
