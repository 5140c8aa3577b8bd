/* SPDX-License-Identifier: Apache-2.0 */
/* What enable and disable share. */
#ifndef ENABLE_H
#define ENABLE_H

#include "module.h"

#define BACKUP_SUFFIX ".headrace-backup"

struct service {
    char config[PATH_MAX]; /* its own openssl.cnf */
    char drop_in[PATH_MAX];
    char name[128];
};

/* The files of systemd's unit NAME or NAME.service under `root` (NULL: /); exit code. */
int service_files(struct service *out, const char *name, const char *root);

/* Writes both files, or shows them where `dry_run`; exit code. */
int service_write(const struct service *service, const char *text, const char *root, bool dry_run);

/* Path of the backup of a configuration: beside the file itself, links followed. */
void backup_path(char out[PATH_MAX], const char *config);

#endif
