/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that enable and disable share. */
#ifndef ENABLE_H
#define ENABLE_H

#include "../../cli/module.h"

#define BACKUP_SUFFIX ".headrace-backup"

struct service {
    char config[PATH_MAX]; /* its own openssl.cnf */
    char drop_in[PATH_MAX];
    char name[128];
};

/* Finds the files for systemd's unit NAME or NAME.service under `root` (NULL: /). Returns an
 * exit code. */
int service_files(struct service *out, const char *name, const char *root);

/* Whether systemd has the service, in a unit file below `root` (NULL: /). Returns an exit code,
 * after a message if it has not. */
int service_find_unit(const struct service *service, const char *root);

/* Writes both files, or with `dry_run` prints them. Returns an exit code. */
int service_write(const struct service *service, const char *text, const char *root, bool dry_run);

/* The path of a configuration's backup: beside the file itself, with links followed. */
void enable_backup_path(char out[PATH_MAX], const char *config);

/* Removes what killed runs have left beside a configuration and its backup. */
void enable_remove_left(const char *config);

#endif
