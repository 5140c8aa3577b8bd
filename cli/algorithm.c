/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the row that a name on the command line means. */
#define _GNU_SOURCE
#include "algorithm.h"
#include "near.h"
#include "tool.h"
#include <headrace/algorithms.h>
#include <string.h>
#include <strings.h>

bool algorithm_in_provider(const struct hr_algorithm *row)
{
    return (*row->openssl_names || algorithm_mac_of_cipher(row, NULL)) && !row->digest &&
           row->alg != HR_POLY1305_AES && !tool_is_public_key(row);
}

const char *algorithm_mac_of_cipher(const struct hr_algorithm *row, hr_alg *cipher)
{
    static const struct {
        hr_alg alg, cipher;
        char mac[5];
    } macs[] = {
        { HR_AES_128_GMAC, HR_AES_128_GCM, "GMAC" },
        { HR_AES_192_GMAC, HR_AES_192_GCM, "GMAC" },
        { HR_AES_256_GMAC, HR_AES_256_GCM, "GMAC" },
        { HR_AES_128_CMAC, HR_AES_128_CBC, "CMAC" },
        { HR_AES_192_CMAC, HR_AES_192_CBC, "CMAC" },
        { HR_AES_256_CMAC, HR_AES_256_CBC, "CMAC" },
        { HR_DES_EDE2_CMAC, HR_DES_EDE2_CBC, "CMAC" },
        { HR_DES_EDE3_CMAC, HR_DES_EDE3_CBC, "CMAC" },
    };
    for (size_t i = 0; i < sizeof macs / sizeof macs[0]; i++)
        if (macs[i].alg == row->alg) {
            if (cipher)
                *cipher = macs[i].cipher;
            return macs[i].mac;
        }
    return NULL;
}

static void offer_list(struct near *near, const char *name, const char *list)
{
    while (*list) {
        const size_t item = strcspn(list, ":");
        near_offer(near, name, list, item);
        list += item + (list[item] == ':');
    }
}

/* Finds a row by its symbol, written with hyphens or slashes instead of underscores. */
static const struct hr_algorithm *by_spelling(const char *name)
{
    char symbol[64];
    const struct hr_algorithm *row = hr_algorithm_by_name(name);
    if (row || strlen(name) >= sizeof symbol)
        return row;
    strcpy(symbol, name);
    for (char *c = symbol; *c; c++)
        if (*c == '-' || *c == '/')
            *c = '_';
    return hr_algorithm_by_name(symbol);
}

/* Finds the HMAC by a digest's name behind "HMAC-" or before "_hmac". */
static const struct hr_algorithm *by_digest(const char *name)
{
    const size_t len = strlen(name), affix = strlen("hmac-");
    const struct hr_algorithm *row;
    char digest[64];
    if (len <= affix || len >= sizeof digest)
        return NULL;
    const bool before = !strncasecmp(name, "hmac", 4), behind = !strcasecmp(name + len - 4, "hmac");
    if ((!before || !strchr("-_", name[4])) && (!behind || !strchr("-_", name[len - affix])))
        return NULL;
    memcpy(digest, before ? name + affix : name, len - affix);
    digest[len - affix] = '\0';
    const struct hr_algorithm *over = by_spelling(digest);
    for (size_t i = 0; over && (row = hr_algorithm_at(i)); i++)
        if (row->digest == over->alg)
            return row;
    return NULL;
}

const struct hr_algorithm *algorithm_find(const char *name)
{
    const struct hr_algorithm *row = by_spelling(name);
    return row ? row : by_digest(name);
}

bool algorithm_name_has_mode(const struct hr_algorithm *row, const char *name)
{
    const char *mode = strrchr(row->name, '-'); /* -CBC, -CFB128, -F8 */
    if (row->mode == HR_MODE_NONE || !mode)
        return true;
    /* Two letters tell modes apart, and CFB128 is CFB to OpenSSL. An OID is exact. */
    const char letters[] = { mode[1], mode[2], '\0' };
    return strcasestr(name, letters) || strchr(name, '.');
}

const struct hr_algorithm *algorithm_named(const char *name)
{
    const struct hr_algorithm *row = algorithm_find(name);
    if (row)
        return row;
    struct near near = near_begin(name);
    char names[256];
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++) {
        offer_list(&near, row->name, row->name);
        offer_list(&near, row->name, row->openssl_names);
    }
    near_text(&near, names, sizeof names);
    tool_usage("unknown algorithm %s%s", name, names);
    return NULL;
}
