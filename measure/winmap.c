/* SPDX-License-Identifier: Apache-2.0 */
#include "winmap.h"
#include "../cli/emulated.h"
#include "../cli/quote_json.h"
#include <headrace/classes.h>
#include <stdlib.h>
#include <string.h>

/* ---- for people ---- */

static const char *ratio_colour(double ratio)
{
    if (ratio > WIN_GAIN)
        return "32";
    return ratio < WIN_FLOOR ? "31" : NULL;
}

static void print_direction(const struct win_row *row, enum hr_op op, FILE *out)
{
    const struct cell cell = { .row = row->row, .op = op };
    tool_print(out, NULL, "  %-19s %-7s", op == HR_OP_ENCRYPT ? row->row->name : "",
               ways_cell_direction(&cell));
    for (size_t s = 0; s < NUM_SIZES; s++)
        tool_print(out, ratio_colour(row->ratio[op][s]), "%7.*f", row->ratio[op][s] < 100 ? 3 : 2,
                   row->ratio[op][s]);
    if (op == HR_OP_ENCRYPT)
        tool_print(out, winrule_row_wins(row) ? "32" : NULL, "  %s",
                   winrule_row_wins(row) ? "yes" : "no");
    fputc('\n', out);
}

static void print_sizes(const struct ways_cell_unit *unit, FILE *out)
{
    tool_print(out, NULL, "  %-27s", unit->name);
    for (size_t s = 0; s < NUM_SIZES; s++)
        fprintf(out, "%7zu", unit->sizes[s]);
    fprintf(out, "  win\n");
}

/* Lists ciphers in which encryption is chained and decryption is much faster. Their rows may
 * have the verdict no, because encryption wins nothing, so this says in words what decryption
 * wins. */
static void print_chains(const struct win_map *map, FILE *out)
{
    const size_t last = NUM_SIZES - 1;
    size_t num = 0;
    for (size_t i = 0; i < map->num; i++) {
        const struct win_row *row = &map->rows[i];
        const double encrypt = row->ratio[HR_OP_ENCRYPT][last],
                     decrypt = row->ratio[HR_OP_DECRYPT][last];
        if (hr_class_of(row->row)->ops[0].in != HR_IN_BLOCKS || decrypt < 2 * encrypt)
            continue;
        if (!num++)
            fputs("\n"
                  "In these modes, encryption of a block must wait for the block before; many\n"
                  "messages at once need not (hr_queue(3)). Speed for one message of 16 KiB, as a\n"
                  "multiple of OpenSSL's:\n",
                  out);
        tool_print(out, NULL, "  %-19s encrypt %6.2f  decrypt %6.2f\n", row->row->name, encrypt,
                   decrypt);
    }
}

/* ---- the best rows ---- */

static size_t num_cells(const struct win_row *row)
{
    return cell_directions(row->row) * NUM_SIZES;
}

/* Orders pointers to rows by their greatest ratio, the greatest first. */
static int by_gain(const void *a, const void *b)
{
    const struct win_row *x = *(const struct win_row *const *)a;
    const struct win_row *y = *(const struct win_row *const *)b;
    const double gain_x = winrule_greatest(x->ratio[0], num_cells(x));
    const double gain_y = winrule_greatest(y->ratio[0], num_cells(y));
    return (gain_x < gain_y) - (gain_x > gain_y);
}

static void print_gain(const struct win_row *row, FILE *out)
{
    const double most = winrule_greatest(row->ratio[0], num_cells(row));
    struct cell best = { .row = row->row, .op = HR_OP_ENCRYPT };
    for (unsigned op = 0; op < cell_directions(row->row); op++)
        for (size_t s = 0; s < NUM_SIZES; s++)
            if (row->ratio[op][s] >= most) {
                best.op = (enum hr_op)op;
                best.size = ways_cell_unit(&best)->sizes[s];
            }
    tool_print(out, NULL, "  %-19s %5.1f to %5.1f   (most: %s, %zu %s)\n", row->row->name,
               winrule_least(row->ratio[0], num_cells(row)), most, ways_cell_direction(&best),
               best.size, ways_cell_unit(&best)->name);
}

/* Whether a list of words has this one. */
static bool has_word(const char *list, const char *word)
{
    const size_t len = strlen(word);
    for (size_t n; *list; list += n + (list[n] == ' ')) {
        n = strcspn(list, " ");
        if (n == len && !strncmp(list, word, len))
            return true;
    }
    return false;
}

void winmap_print_best(const struct win_map *map, const char *without, size_t most, FILE *out)
{
    const struct win_row *won[COUNT(map->rows)];
    size_t num = 0;
    for (size_t i = 0; i < map->num; i++)
        if (winrule_row_wins(&map->rows[i]) && !has_word(without, map->rows[i].row->symbol))
            won[num++] = &map->rows[i];
    qsort(won, num, sizeof *won, by_gain);
    if (num)
        fputs("Served, with the speed as a multiple of OpenSSL's, by message length:\n", out);
    for (size_t i = 0; i < num && i < most; i++)
        print_gain(won[i], out);
    if (num > most)
        fprintf(out, "  and %zu more: headrace doctor --map\n", num - most);
    winmap_print_best_pk(map, out);
}

/* ---- all ---- */

void winmap_print(const struct win_map *map, FILE *out)
{
    if (emulated_by())
        tool_print(out, NULL, EMULATED_TIMES "\n", emulated_by());
    tool_print(out, NULL,
               "Win map: time of OpenSSL's default provider divided by Headrace's, through EVP\n"
               "(%s); yes: no value below %.2f, and one above %.2f\n",
               map->openssl_version, WIN_FLOOR, WIN_GAIN);
    const struct ways_cell_unit *unit = NULL;
    for (size_t i = 0; i < map->num; i++) {
        const struct cell cell = { .row = map->rows[i].row, .op = HR_OP_ENCRYPT };
        if (unit != ways_cell_unit(&cell))
            print_sizes(unit = ways_cell_unit(&cell), out);
        for (unsigned op = 0; op < cell_directions(cell.row); op++)
            print_direction(&map->rows[i], (enum hr_op)op, out);
    }
    winmap_print_pk(map, out);
    print_chains(map, out);
}

/* ---- for programs ---- */

static json_t *direction_object(const double *ratios, const struct cell *cell)
{
    json_t *object = json_object();
    for (size_t s = 0; s < NUM_SIZES; s++) {
        char size[24];
        snprintf(size, sizeof size, "%zu", ways_cell_unit(cell)->sizes[s]);
        json_object_set_new(object, size, json_real(ratios[s]));
    }
    return object;
}

static json_t *row_object(const struct win_row *row)
{
    json_t *object = json_object();
    json_object_set_new(object, "algorithm", json_string(row->row->name));
    json_object_set_new(object, "symbol", json_string(row->row->symbol));
    json_object_set_new(object, "win", json_boolean(winrule_row_wins(row)));
    for (unsigned op = 0; op < cell_directions(row->row); op++) {
        const struct cell cell = { .row = row->row, .op = (enum hr_op)op };
        json_object_set_new(object, ways_cell_direction(&cell),
                            direction_object(row->ratio[op], &cell));
    }
    return object;
}

static json_t *feature_list(void)
{
    json_t *list = json_array();
    const struct hr_cpu_feature *feature;
    for (size_t i = 0; (feature = hr_cpu_feature_at(i)); i++)
        if (feature->bit & hr_cpu_features())
            json_array_append_new(list, json_string(feature->name));
    return list;
}

int winmap_write_json(const struct win_map *map, FILE *out)
{
    char parameter[WIN_MAX_PARAMETER];
    json_t *root = json_object(), *rows = json_array();
    winrule_parameter(map, parameter, sizeof parameter);
    for (size_t i = 0; i < map->num; i++)
        json_array_append_new(rows, row_object(&map->rows[i]));
    json_object_set_new(root, "headrace", json_string(hr_version()));
    json_object_set_new(root, "openssl", quote_json(map->openssl_version));
    if (emulated_by())
        json_object_set_new(root, "emulator", json_string(emulated_by()));
    json_object_set_new(root, "features", feature_list());
    json_object_set_new(root, "floor", json_real(WIN_FLOOR));
    json_object_set_new(root, "gain", json_real(WIN_GAIN));
    json_object_set_new(root, "win", json_string(parameter));
    json_object_set_new(root, "ratios", rows);
    json_object_set_new(root, "public_key", winmap_pk_json(map));
    int failed = json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(4) | QUOTE_JSON);
    json_decref(root);
    return fputc('\n', out) == EOF || failed ? -1 : 0;
}
