/* SPDX-License-Identifier: Apache-2.0 */
/* Derives verdicts and the provider's parameter `win` from ratios. */
#include "winmap.h"

double winrule_least(const double *ratios, size_t num)
{
    double value = ratios[0];
    for (size_t i = 1; i < num; i++)
        value = ratios[i] < value ? ratios[i] : value;
    return value;
}

double winrule_greatest(const double *ratios, size_t num)
{
    double value = ratios[0];
    for (size_t i = 1; i < num; i++)
        value = ratios[i] > value ? ratios[i] : value;
    return value;
}

bool winrule_of(const double *ratios, size_t num)
{
    return num && winrule_least(ratios, num) >= WIN_FLOOR &&
           winrule_greatest(ratios, num) > WIN_GAIN;
}

/* Whether a verdict is in doubt; on a noisy machine a median varies by a few per cent. */
bool winrule_in_doubt(const double *ratios, size_t num)
{
    const double noise = 0.05;
    if (!num || winrule_least(ratios, num) < WIN_FLOOR - noise ||
        winrule_greatest(ratios, num) < WIN_GAIN - noise)
        return false;
    return winrule_least(ratios, num) < WIN_FLOOR + noise ||
           winrule_greatest(ratios, num) < WIN_GAIN + noise;
}

/* ratio[][NUM_SIZES] is used as one array of cells, up to the row's last direction. */
bool winrule_row_wins(const struct win_row *row)
{
    return winrule_of(row->ratio[0], cell_directions(row->row) * NUM_SIZES);
}

bool winrule_pk_wins(const struct win_pk *row)
{
    return winrule_of(row->ratio, row->num);
}

/* Appends a word to the list; used may exceed the room. */
static void add_word(char *out, size_t out_len, size_t *used, const char *word)
{
    const size_t room = *used < out_len ? out_len - *used : 0;
    *used += (size_t)snprintf(room ? out + *used : NULL, room, "%s%s", *used ? " " : "", word);
}

size_t winrule_parameter(const struct win_map *map, char *out, size_t out_len)
{
    size_t used = 0, winners = 0;
    if (out_len)
        out[0] = '\0';
    for (size_t i = 0; i < map->num; i++)
        if (winrule_row_wins(&map->rows[i]) && ++winners)
            add_word(out, out_len, &used, map->rows[i].row->symbol);
    for (size_t i = 0; i < map->num_pk; i++)
        winners += winrule_pk_wins(&map->pk[i]);
    if (!winners) /* of public key, too */
        add_word(out, out_len, &used, "none");
    else if (map->num_pk)
        add_word(out, out_len, &used, "pkey");
    for (size_t i = 0; i < map->num_pk; i++)
        if (winrule_pk_wins(&map->pk[i]))
            add_word(out, out_len, &used, map->pk[i].row->symbol);
    return used;
}
