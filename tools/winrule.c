/* SPDX-License-Identifier: Apache-2.0 */
/* From ratios to verdicts, and to the provider's parameter `win`. */
#include "winmap.h"

static double least(const double *ratios, size_t num)
{
    double value = ratios[0];
    for (size_t i = 1; i < num; i++)
        value = ratios[i] < value ? ratios[i] : value;
    return value;
}

static double greatest(const double *ratios, size_t num)
{
    double value = ratios[0];
    for (size_t i = 1; i < num; i++)
        value = ratios[i] > value ? ratios[i] : value;
    return value;
}

bool win_rule(const double *ratios, size_t num)
{
    return num && least(ratios, num) >= WIN_FLOOR && greatest(ratios, num) > WIN_GAIN;
}

/* A few per cent are what a noisy machine moves a median by. */
bool win_in_doubt(const double *ratios, size_t num)
{
    const double noise = 0.05;
    if (!num || least(ratios, num) < WIN_FLOOR - noise || greatest(ratios, num) < WIN_GAIN - noise)
        return false;
    return least(ratios, num) < WIN_FLOOR + noise || greatest(ratios, num) < WIN_GAIN + noise;
}

/* ratio[][NUM_SIZES] is one array of cells, used up to the row's last direction. */
bool win_row_wins(const struct win_row *row)
{
    return win_rule(row->ratio[0], cell_directions(row->row) * NUM_SIZES);
}

size_t win_map_parameter(const struct win_map *map, char *out, size_t out_len)
{
    size_t used = 0;
    if (out_len)
        out[0] = '\0';
    for (size_t i = 0; i <= map->num; i++) {
        const char *word = i < map->num ? map->rows[i].row->symbol : "none";
        if (i < map->num ? !win_row_wins(&map->rows[i]) : used > 0)
            continue;
        const size_t room = used < out_len ? out_len - used : 0;
        used += (size_t)snprintf(room ? out + used : NULL, room, "%s%s", used ? " " : "", word);
    }
    return used;
}
