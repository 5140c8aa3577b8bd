/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of a token's files share. */
#ifndef HR_TEST_STORE_H
#define HR_TEST_STORE_H

#include "store.h"
#include "test.h"

#define SO_PIN "the SO's", 8
#define USER_PIN "1234", 4
#define WRONG_PIN "4321", 4

/* folder is a new one of this process, in which the token is; fresh makes a token of it, whose SO
 * and user have PINs, and whose user has opened it. */
extern char folder[];
extern uint8_t scratch[STORE_SCRATCH];
void begin(void);
void end(void);
void open_store(struct store *s);
void fresh(struct store *s);

/* name_of writes the path of a file of the token. */
const char *name_of(const char *name);
const char *name_of_object(const uint8_t id[STORE_ID]);
/* copy_file copies one; the paths are whole.  write_bytes writes one, read_bytes returns its
 * length. */
void write_bytes(const char *path, const uint8_t *bytes, size_t len);
size_t read_bytes(uint8_t *out, size_t max, const char *path);

/* put_random puts an object of random bytes whose parts have these lengths. */
int put_random(struct store *s, uint8_t id[STORE_ID], size_t open_len, size_t secret_len);

/* load counts the objects, and keeps the parts of the last one. */
struct loaded {
    unsigned num;
    bool is_open;
    uint8_t id[STORE_ID], open[STORE_MAX_PARTS], secret[STORE_MAX_PARTS];
    size_t open_len, secret_len;
};
extern struct loaded loaded;
int load(struct store *s);

void test_hostile(void);   /* hostile.c */
void test_processes(void); /* processes.c */

#endif
