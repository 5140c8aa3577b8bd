/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of the files of `headrace accel key`. */
#ifndef TOOLS_ACCEL_KEY_H
#define TOOLS_ACCEL_KEY_H

#include "../../accel/config/keyfile.h"
#include "../../accel/config/pk_key.h"
#include "../../accel/config/seal.h"
#include "accel.h"
#include <limits.h>

/* The command's options. */
struct key_settings {
    const char *folder, *algorithm, *uses, *users, *groups, *paddings, *digests, *rate, *from;
    const char *subject, *names, *socket, *passphrase_file, *new_passphrase_file, *sealing_key;
    bool log, replace, seal;
};
extern struct key_settings key_settings;

/* Gets the path of a key's file. Returns an exit code, after an error. */
int key_path(char out[PATH_MAX], const char *name);
/* Reads a key's file, which may be sealed. Returns an exit code, after an error. The caller wipes
 * the text. */
int key_read(char text[KEYS_MAX_FILE], size_t *len, const char *name);
/* Calls a function for the name of each file in the folder, until one does not return EXIT_SUCCESS.
 * Returns what the last one returned. */
int key_folder(int (*each)(const char *name, void *what), void *what);
/* Prints a key as the list does, with headings. */
void key_print(const char *name, const char *text, size_t len);

/* ---- accel_key_list.c ---- */

/* Lists the keys that the service offers this user. Returns an exit code. */
int key_list_offered(void);

/* ---- accel_key_new.c: the commands ---- */

int key_new_main(const char *name);
int key_import_main(const char *name);

/* Writes a file that only the service's user can read, who is the folder's owner. Returns an exit
 * code, after an error. */
int key_write(const char *path, const char *text, size_t len, bool replace);

/* ---- accel_key_seal.c, accel_key_unlock.c: sealed files, and the commands ---- */

/* Gets the key that opens files of this seal: of --sealing-key, or of a passphrase. `what` is their
 * name in messages. */
int key_sealing(struct seal_key *out, const struct seal *seal, const char *what);
/* Gets a sealing key of a new passphrase. */
int key_sealing_new(struct seal_key *out, const char *passphrase_file);
/* The seal of the files in the folder. */
struct key_seal {
    struct seal seal;
    bool is_there;
    char name[CONTROL_NAME]; /* of one of them */
};
int key_folder_seal(struct key_seal *out);
/* Makes a text that keyfile_parse takes of one that may be sealed; seals a text as the others of
 * the folder are sealed, or under the given key. */
int key_unseal(char *text, size_t *len, const char *name);
int key_seal(char text[KEYS_MAX_FILE], size_t *len, const char *name);
int key_seal_by(char text[KEYS_MAX_FILE], size_t *len, const char *name,
                const struct seal_key *key);

int key_seal_main(const char *name);
int key_unseal_main(const char *name);
int key_unlock_main(void);
int key_passphrase_main(void);

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
