/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "custody.h"
#include <sys/stat.h>
#include <unistd.h>

char keys_folder[64];

void keys_begin(void)
{
    strcpy(keys_folder, "/tmp/headrace-keys-XXXXXX");
    if (!mkdtemp(keys_folder))
        exit(1);
}

void keys_end(void)
{
    static const char *const others[] = { "s", "d", "e", "theirs" };
    char name[16];
    for (size_t i = 0; i < num_pairs; i++) {
        name_of(name, i);
        unlink(path_of(name));
    }
    for (size_t i = 0; i < COUNT_OF(others); i++)
        unlink(path_of(others[i]));
    rmdir(keys_folder);
}

/* ---- key files ---- */

const char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", keys_folder, name);
    return path;
}

/* put_number writes a number in lines of at most 400 digits. */
static void put_number(FILE *f, const char *word, const struct hr_number *n)
{
    for (size_t i = 0; i < n->len; i++)
        fprintf(f, "%s%s%s%02x", i && i % 200 == 0 ? "\n" : "", i % 200 ? "" : word,
                i % 200 ? "" : " = ", n->bytes[i]);
    fputc('\n', f);
}

static const char *const words[] = { "n", "e", "d", "p", "q", "dp", "dq", "qinv" };

void write_key(const char *name, const struct pair *p, const char *terms)
{
    FILE *f = fopen(path_of(name), "w");
    if (!f || fchmod(fileno(f), 0600))
        complain("%s", path_of(name));
    fprintf(f, "algorithm = %s\n%s", p->row->name, terms);
    if (p->row->cls == HR_CLASS_RSA)
        for (size_t i = 0; i < COUNT_OF(words); i++)
            put_number(f, words[i], &(&p->parts.n)[i]);
    else
        put_number(f, "private", &(struct hr_number){ p->bytes, p->bytes_len });
    if (fclose(f))
        complain("%s", path_of(name));
}

int reload(void)
{
    const struct control_request request = { .magic = CONTROL_MAGIC, .type = CONTROL_RELOAD };
    struct control_reply reply;
    const int fd = raw_connect(&service);
    const int error = raw_ask(fd, &request, sizeof request, &reply, NULL, 0);
    close(fd);
    return error ? error : reply.result;
}

uint64_t open_key(const char *name)
{
    uint64_t handle = 0;
    const int error = hr_accel_key_open(&handle, name);
    if (error)
        complain("%s: %s", name, hr_strerror(error));
    return handle;
}

bool decrypts(const struct pair *p)
{
    return p->back.key && p->back.op == HR_JOB_PK_DECRYPT;
}

void name_of(char out[16], size_t i)
{
    snprintf(out, 16, "key%u", (unsigned)i % 1000);
}

void under_handle(struct pair *p, uint64_t handle)
{
    struct hr_job *job = decrypts(p) ? &p->back : &p->job;
    job->key_form = HR_KEY_HANDLE;
    job->handle = handle;
    if (job == &p->job) /* pair_check asks for back.key */
        job->key = NULL;
}

/* ---- jobs ---- */

struct pair *pair_of(hr_alg alg, enum hr_rsa_padding padding, bool decrypt)
{
    for (size_t i = 0; i < num_pairs; i++)
        if (pairs[i].row->alg == alg && decrypts(&pairs[i]) == decrypt &&
            (!padding || pairs[i].options.rsa.padding == padding))
            return &pairs[i];
    complain("no such pair");
    return pairs;
}

void expect(int want, const char *what, uint64_t handle, const struct pair *p, int op,
            const void *options, const void *in, size_t len)
{
    uint8_t out[PAIR_MOST];
    struct hr_job job = { .alg = (uint16_t)p->row->alg,
                          .op = (uint8_t)op,
                          .key_form = HR_KEY_HANDLE,
                          .handle = handle,
                          .in = in,
                          .len = len,
                          .tag = out,
                          .options = options };
    memset(out, 0, sizeof out);
    const int got = hr_accel_run(&job);
    if (got != want)
        complain("%s: %s instead of %s", what, hr_strerror(got), hr_strerror(want));
    if (got && !is_zero(out, sizeof out))
        complain("%s: an output", what);
}
