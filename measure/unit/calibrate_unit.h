/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of `headrace accel calibrate` about public key.
 */
#ifndef MEASURE_CALIBRATE_UNIT_H
#define MEASURE_CALIBRATE_UNIT_H

#include "../bench.h"
#include "unit_rule.h"

enum { UNIT_ROWS = 32 };

struct unit_figures {
    size_t num;
    struct unit_row {
        const struct hr_algorithm *row;
        size_t num;
        struct unit_load loads[UNIT_LOADS];
    } rows[UNIT_ROWS];
};

/* Whether the first operation of the row may be faster in the unit: it has lanes there. */
bool calibrate_unit_has(const struct hr_algorithm *row);
/* Measures this row, or all if it is NULL, with a service of its own. To be called before this
 * process has connected to a service. Returns 0, or prints an error. */
int calibrate_unit(struct unit_figures *out, const struct hr_algorithm *only, bool quick);
/* Writes a line of the crossover table for each row. */
void calibrate_unit_write(FILE *out, const struct unit_figures *figures);
json_t *calibrate_unit_json(const struct unit_figures *figures);

#endif
