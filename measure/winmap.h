/* SPDX-License-Identifier: Apache-2.0
 *
 * The win map: for every algorithm, direction and size, the time of OpenSSL's own provider divided
 * by that of ours, both through EVP, and the verdict that follows. It becomes the provider's
 * parameter `win`.
 */
#ifndef WINMAP_H
#define WINMAP_H

#include "ways.h"
#include <headrace/headrace.h>

/* The rule: a row wins only if no cell is below WIN_FLOOR and at least one exceeds WIN_GAIN. */
#define WIN_FLOOR 0.98
#define WIN_GAIN 1.1

enum { WIN_MAX_PARAMETER = 4096 };

struct win_row {
    const struct hr_algorithm *row;
    double ratio[MAX_DIRECTIONS][NUM_SIZES]; /* one array for each direction */
};

struct win_map {
    const char *openssl_version;
    size_t num;
    struct win_row rows[128]; /* in the order of algorithms.def */
};

/* The least and the greatest of ratios; num > 0. */
double winrule_least(const double *ratios, size_t num);
double winrule_greatest(const double *ratios, size_t num);
bool winrule_of(const double *ratios, size_t num);
bool winrule_row_wins(const struct win_row *row);
/* Whether more turns could change the verdict: the least ratio is close to WIN_FLOOR or the
 * greatest to WIN_GAIN, and neither is far below its limit. */
bool winrule_in_doubt(const double *ratios, size_t num);

/* Measures this machine, for about a minute, or a second if `quick`. `libcrypto`
 * NULL: the system's; `modules` NULL: where headrace.so is found (see module.h). Returns an exit
 * code; prints an error on failure. */
int calibrate_measure(struct win_map *map, const char *libcrypto, const char *modules, bool quick);

/* The value of the provider's parameter `win`: symbols separated by spaces, or "none". Returns
 * the length that is needed, as snprintf does. */
size_t winrule_parameter(const struct win_map *map, char *out, size_t out_len);
/* Prints the map for people: a line for each direction, at most 80 columns, losses included. */
void winmap_print(const struct win_map *map, FILE *out);
/* Prints, for people, the `most` rows that win most, less those in `without`, symbols separated by
 * spaces: how many times OpenSSL's speed they have, at the least and at the best size; and how many
 * more win. */
void winmap_print_best(const struct win_map *map, const char *without, size_t most, FILE *out);
/* Prints the map as JSON. Returns 0, or -1 if it could not be written. */
int winmap_write_json(const struct win_map *map, FILE *out);

#endif
