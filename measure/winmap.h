/* SPDX-License-Identifier: Apache-2.0
 *
 * The win map: for every algorithm, direction and size, the time of OpenSSL's own provider divided
 * by that of ours, both through EVP, and the verdict that follows. It becomes the provider's
 * parameter `win`.
 */
#ifndef WINMAP_H
#define WINMAP_H

#include "pk.h"
#include "ways.h"
#include <headrace/headrace.h>
#include <jansson.h>

/* The rule: a row wins only if no cell is below WIN_FLOOR and at least one exceeds WIN_GAIN. */
#define WIN_FLOOR 0.98
#define WIN_GAIN 1.1

enum { WIN_MAX_PARAMETER = 4096, WIN_MAX_PK = 48 };

struct win_row {
    const struct hr_algorithm *row;
    double ratio[MAX_DIRECTIONS][NUM_SIZES]; /* one array for each direction */
};

/* A row of public key, whose operations are those of pk.h. */
struct win_pk {
    const struct hr_algorithm *row;
    size_t num;
    const char *operation[PK_MOST_OPERATIONS];
    double ratio[PK_MOST_OPERATIONS];
};

struct win_map {
    const char *openssl_version;
    size_t num, num_pk;
    struct win_row rows[128]; /* in the order of algorithms.def */
    struct win_pk pk[WIN_MAX_PK];
};

/* How many turns calibrate takes: at first, for slow calls, when in doubt. */
struct win_plan {
    unsigned first, few, more, rounds;
    double slice_ns;
};

/* The least and the greatest of ratios; num > 0. */
double winrule_least(const double *ratios, size_t num);
double winrule_greatest(const double *ratios, size_t num);
bool winrule_of(const double *ratios, size_t num);
bool winrule_row_wins(const struct win_row *row);
bool winrule_pk_wins(const struct win_pk *row);
/* Whether more turns could change the verdict: the least ratio is close to WIN_FLOOR or the
 * greatest to WIN_GAIN, and neither is far below its limit. */
bool winrule_in_doubt(const double *ratios, size_t num);

/* Measures this machine, for some 30 seconds of CPU time, or some if `quick`. `libcrypto`
 * NULL: the system's; `modules` NULL: where headrace.so is found (see module.h). Returns an exit
 * code; prints an error on failure. */
int calibrate_measure(struct win_map *map, const char *libcrypto, const char *modules, bool quick);
/* Measures the rows of public key that OpenSSL has, too; a part of calibrate_measure. */
int calibrate_pk(struct win_map *map, const struct win_plan *plan, const struct sides *sides);

/* The value of the provider's parameter `win`: symbols separated by spaces, with "pkey" before
 * those of public key if any was measured; or "none". Returns the length that is needed, as
 * snprintf does.
 */
size_t winrule_parameter(const struct win_map *map, char *out, size_t out_len);
/* Prints the map for people: a line for each direction, at most 80 columns, losses included. */
void winmap_print(const struct win_map *map, FILE *out);
/* Prints, for people, the `most` rows that win most, less those in `without`, symbols separated by
 * spaces: how many times OpenSSL's speed they have, at the least and at the best size; and how many
 * more win. */
void winmap_print_best(const struct win_map *map, const char *without, size_t most, FILE *out);
/* The parts of winmap_print and winmap_print_best about public key; prints nothing if none was
 * measured. */
void winmap_print_pk(const struct win_map *map, FILE *out);
void winmap_print_best_pk(const struct win_map *map, FILE *out);
json_t *winmap_pk_json(const struct win_map *map);
/* Prints the map as JSON. Returns 0, or -1 if it could not be written. */
int winmap_write_json(const struct win_map *map, FILE *out);

#endif
