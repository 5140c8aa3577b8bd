/* SPDX-License-Identifier: Apache-2.0 */
/* The win map of public key, as text and as JSON. */
#include "winmap.h"

static const char *colour(double ratio)
{
    if (ratio > WIN_GAIN)
        return "32";
    return ratio < WIN_FLOOR ? "31" : NULL;
}

void winmap_print_pk(const struct win_map *map, FILE *out)
{
    if (map->num_pk)
        tool_print(out, NULL, "  %-20s %-22s %7s  win\n", "public key", "", "ratio");
    for (size_t i = 0; i < map->num_pk; i++) {
        const struct win_pk *row = &map->pk[i];
        for (size_t op = 0; op < row->num; op++) {
            tool_print(out, NULL, "  %-20s %-22s ", op ? "" : row->row->name, row->operation[op]);
            tool_print(out, colour(row->ratio[op]), "%7.3f", row->ratio[op]);
            if (!op)
                tool_print(out, winrule_pk_wins(row) ? "32" : NULL, "  %s",
                           winrule_pk_wins(row) ? "yes" : "no");
            fputc('\n', out);
        }
    }
}

void winmap_print_best_pk(const struct win_map *map, FILE *out)
{
    size_t num = 0;
    for (size_t i = 0; i < map->num_pk; i++) {
        const struct win_pk *row = &map->pk[i];
        if (!winrule_pk_wins(row))
            continue;
        if (!num++)
            fputs("Public key, with the speed as a multiple of OpenSSL's, by operation:\n", out);
        tool_print(out, NULL, "  %-19s %5.1f to %5.1f\n", row->row->name,
                   winrule_least(row->ratio, row->num), winrule_greatest(row->ratio, row->num));
    }
}

json_t *winmap_pk_json(const struct win_map *map)
{
    json_t *list = json_array();
    for (size_t i = 0; i < map->num_pk; i++) {
        const struct win_pk *row = &map->pk[i];
        json_t *ratios = json_object();
        for (size_t op = 0; op < row->num; op++)
            json_object_set_new(ratios, row->operation[op], json_real(row->ratio[op]));
        json_array_append_new(list, json_pack("{s:s, s:s, s:b, s:o}", "algorithm", row->row->name,
                                              "symbol", row->row->symbol, "win",
                                              winrule_pk_wins(row), "ratios", ratios));
    }
    return list;
}
