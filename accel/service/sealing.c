/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "sealing.h"
#include "../config/seal.h"
#include "headraced.h"
#include "secrets.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *path; /* of the file */
static char credential[PATH_MAX];
static bool looked; /* since sealing_begin */

/* Two keys in memory of secrets.h: the one in use, and one that is being read. */
static struct kept {
    struct seal_key key, read;
    bool has_key;
    char text[SEAL_KEY_FILE];
} * kept;

void sealing_begin(const char *credentials, const char *file)
{
    path = file;
    *credential = '\0';
    if (credentials)
        snprintf(credential, sizeof credential, "%s/sealing-key", credentials);
    looked = false;
}

/* read_key takes the key of a file.  Returns whether the file exists. */
static bool read_key(const char *from, mode_t secret)
{
    char why[LINES_ERROR];
    bool missing;
    const ssize_t len = file_read(AT_FDCWD, from, kept->text, sizeof kept->text, secret, &missing);
    if (len >= 0 && seal_key_parse(&kept->read, kept->text, (size_t)len, why)) {
        log_error("%s: %s", from, why);
    } else if (len >= 0) {
        kept->key = kept->read;
        kept->has_key = true;
    }
    explicit_bzero(&kept->read, sizeof kept->read);
    explicit_bzero(kept->text, sizeof kept->text);
    return !missing;
}

/* look reads the key that was named, once.  Credentials are the service's by an access list, whose
 * mask is the group's permissions. */
static void look(void)
{
    if (!kept)
        kept = secrets_alloc(sizeof *kept);
    if (!kept)
        log_error("cannot lock memory: %s", strerror(errno));
    if (kept && !looked && !(*credential && read_key(credential, S_IROTH)))
        (void)read_key(path, S_IRGRP | S_IROTH);
    looked = true;
}

int sealing_open(char *text, size_t *len, const char *name)
{
    if (!seal_is_there(text, *len))
        return 0;
    look();
    if (!kept || !kept->has_key) {
        log_error("key %s is not offered: it is sealed, and headrace accel key unlock has not made "
                  "%s",
                  name, path);
        return -1;
    }
    const char *why = seal_open(text, len, name, &kept->key);
    if (why == seal_another)
        return SEALING_ANOTHER;
    if (why)
        log_error("key %s is not offered: %s", name, why);
    return why ? -1 : 0;
}
