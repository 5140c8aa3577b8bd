/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of the files of `headrace accel key`. */
#ifndef TOOLS_ACCEL_KEY_H
#define TOOLS_ACCEL_KEY_H

#include "../../accel/config/keyfile.h"
#include "../../accel/config/pk_key.h"
#include "accel.h"
#include <limits.h>

/* The command's options. */
struct key_settings {
    const char *folder, *algorithm, *uses, *users, *groups, *paddings, *digests, *rate, *from;
    const char *subject, *names, *socket;
    bool log, replace;
};
extern struct key_settings key_settings;

/* Gets the path of a key's file. Returns an exit code, after an error. */
int key_path(char out[PATH_MAX], const char *name);
/* Prints a key as the list does, with headings. */
void key_print(const char *name, const char *text, size_t len);

/* ---- accel_key_new.c: the commands ---- */

int key_new_main(const char *name);
int key_import_main(const char *name);

/* ---- accel_key_pem.c: keys from OpenSSL ---- */

/* Reads a private key in PEM. Gets its row and its components, as a key file has them. Returns an
 * exit code, after an error. */
int key_read_pem(const struct hr_algorithm **row, struct keyfile_parts *parts, const char *path);
/* Generates a key of RSA. */
int key_generate_rsa(struct keyfile_parts *parts, const struct hr_algorithm *row);

/* Appends a component. Returns false if it has no room. */
bool key_add_part(struct keyfile_parts *parts, const void *bytes, size_t len);

/* ---- accel_key_public.c, accel_key_request.c: the commands ---- */

int key_public_main(const char *name);
int key_reference_main(const char *name);
int key_request_main(const char *name);

/* A key of public key that was read from its file. */
struct key_opened {
    struct named_key key;
    struct keyfile_parts parts;
    struct pk_parts split; /* in `parts` */
    union {
        struct hr_rsa_key rsa;
        struct hr_sign_key sign;
    } object;
    uint8_t spki[CONTROL_SPKI];
    size_t spki_len;
};

/* Reads the file of a key of public key. Returns an exit code, after an error. The caller wipes
 * *out. */
int key_open(struct key_opened *out, const char *name);
/* Prints a block of PEM. */
void key_print_pem(const char *label, const uint8_t *der, size_t len);

#endif
