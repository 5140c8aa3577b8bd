/* SPDX-License-Identifier: Apache-2.0 */
#include "rsa_keys.h"

struct hr_rsa_key keys[MOST_KEYS], public_keys[MOST_KEYS];
size_t num_keys;

static uint8_t digit(char c)
{
    return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* Reads the bytes of " name=HEX" in a line. */
static struct hr_rsa_number number(uint8_t *room, const char *line, const char *name)
{
    struct hr_rsa_number z = { room, 0 };
    const char *at = strstr(line, name);
    for (at = at ? at + strlen(name) : ""; at[0] > ' ' && at[1] > ' '; at += 2)
        room[z.len++] = (uint8_t)(digit(at[0]) << 4 | digit(at[1]));
    return z;
}

static int has_length(const struct rsa_key *key)
{
    for (size_t i = 0; i < num_keys; i++)
        if (inner(&keys[i])->bytes == key->bytes && inner(&keys[i])->p.num == key->p.num)
            return 1;
    return 0;
}

static void take_key(const char *line)
{
    static const char *const names[] = {
        " n=", " e=", " d=", " p=", " q=", " dp=", " dq=", " qinv="
    };
    static uint8_t room[COUNT_OF(names)][RSA_BYTES];
    struct hr_rsa_parts parts;
    struct hr_rsa_number *const numbers = &parts.n;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        numbers[i] = number(room[i], line, names[i]);
    if (num_keys == MOST_KEYS || !numbers[7].len || hr_rsa_key_init(&keys[num_keys], &parts) ||
        has_length(inner(&keys[num_keys])))
        return;
    if (hr_rsa_key_init_public(&public_keys[num_keys], &parts))
        complain("no public key");
    num_keys++;
}

size_t read_keys(char **names)
{
    static char line[1 << 16];
    for (size_t i = 0; names[i]; i++) {
        FILE *file = fopen(names[i], "r");
        while (file && fgets(line, sizeof line, file))
            if (!strncmp(line, "key ", 4))
                take_key(line);
        if (file)
            fclose(file);
    }
    return num_keys;
}
