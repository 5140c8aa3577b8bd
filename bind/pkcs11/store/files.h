/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of a token: files that are looked at before they are read, replaced as a whole or not
 * at all, and locked against other processes. */
#ifndef HR_STORE_FILES_H
#define HR_STORE_FILES_H

#include "store.h"

/* The names in the folder, beside objects. */
#define FILES_TOKEN "token"
#define FILES_TRIES "tries"

/* A folder that is open and locked. */
struct files {
    int folder, lock;
};
enum files_lock { FILES_READ, FILES_WRITE };

/* files_create makes the folder and those above it, if they do not exist. */
int files_create(const char *path);
/* files_begin opens a folder, which `create` completes, and waits for its lock.  STORE_NO_TOKEN,
 * STORE_REFUSED, STORE_BUSY, STORE_SYSTEM.  files_end unlocks and closes it. */
int files_begin(struct files *f, const char *path, enum files_lock how, bool create);
void files_end(struct files *f);

/* A folder is in one state as long as files_state gets the same.  Whoever changes files calls
 * files_changing before it and files_changed after it; the state in between is equal to none, also
 * if the process is killed there.  A lock for writing is held, or for `settled` any. */
int files_state(struct store_state *out, const char *path);
bool files_is_same(const struct store_state *a, const struct store_state *b);
int files_changing(const struct files *f);
int files_changed(const struct files *f);
/* files_settled gets the state under a lock, where nobody is changing files. */
int files_settled(struct store_state *out, const struct files *f);

/* files_read reads a regular file of at most `max` bytes.  STORE_GONE, STORE_REFUSED,
 * STORE_TOO_LONG, STORE_SYSTEM. */
int files_read(uint8_t *out, size_t *out_len, size_t max, int folder, const char *name);
/* files_replace writes a file, so that it is on disk and whole, or as before. */
int files_replace(int folder, const char *name, const uint8_t *in, size_t len);

/* The tries of both roles: files_tries_begin waits for those of other processes, as long as a PIN
 * takes each of them, and keeps the file open until files_tries_end. */
struct files_tries {
    int fd;
    uint8_t num[2];
};
int files_tries_begin(struct files_tries *t, const char *path);
int files_tries_write(const struct files_tries *t);
void files_tries_end(struct files_tries *t);

#endif
