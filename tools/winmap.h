/* SPDX-License-Identifier: Apache-2.0
 *
 * The win map: for every algorithm, direction and size the time of OpenSSL's own provider over
 * ours, both through EVP, and the verdict that follows.  It becomes the provider's parameter `win`.
 */
#ifndef WINMAP_H
#define WINMAP_H

#include "ways.h"
#include <headrace/headrace.h>

/* The rule: yes only if no cell is below WIN_FLOOR and at least one exceeds WIN_GAIN. */
#define WIN_FLOOR 0.98
#define WIN_GAIN 1.1

enum { WIN_MAX_PARAMETER = 4096 };

struct win_row {
    const struct hr_algorithm *row;
    double ratio[MAX_DIRECTIONS][NUM_SIZES]; /* of its directions, from the first on */
};

struct win_map {
    const char *openssl_version;
    size_t num;
    struct win_row rows[128]; /* in the order of algorithms.def */
};

bool win_rule(const double *ratios, size_t num);
bool win_row_wins(const struct win_row *row);
/* Whether more turns could change the verdict: a cell lies near a limit, and none is far below. */
bool win_in_doubt(const double *ratios, size_t num);

/* Measures this machine: 3 to 20 seconds, a tenth of it if `quick`.  NULL: the system's libcrypto,
 * the provider where it is found.  Prints why it failed; returns an exit code. */
int calibrate_measure(struct win_map *map, const char *libcrypto, const char *modules, bool quick);

/* The value of the provider's parameter `win`: symbols separated by spaces, or "none".
 * Returns the length that was needed, as snprintf does. */
size_t win_map_parameter(const struct win_map *map, char *out, size_t out_len);
/* For people: a line a direction, at most 80 columns, losses included. */
void win_map_print(const struct win_map *map, FILE *out);
/* As JSON text; 0, or -1 where it could not be written. */
int win_map_write_json(const struct win_map *map, FILE *out);

#endif
