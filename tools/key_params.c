/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "key_params.h"
#include "../cli/tool.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int key_params_read(char text[KEY_PARAMS_FILE], size_t *len, const char *path)
{
    const int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    ssize_t n = 0;
    *len = 0;
    while (fd >= 0 && *len < KEY_PARAMS_FILE &&
           (n = read(fd, text + *len, KEY_PARAMS_FILE - *len)) > 0)
        *len += (size_t)n;
    const int error = errno;
    if (fd > STDIN_FILENO)
        close(fd);
    if (fd < 0 || n < 0)
        return tool_error("%s: %s", path, strerror(error));
    if (*len == KEY_PARAMS_FILE)
        return tool_error("%s: too long", path);
    text[*len] = '\0';
    return EXIT_SUCCESS;
}

const OSSL_PARAM *key_params_find(const OSSL_PARAM *params, const char *name)
{
    for (const OSSL_PARAM *p = params; p->key; p++)
        if (!strcmp(p->key, name))
            return p->data && p->data_size ? p : NULL;
    return NULL;
}

size_t key_params_number(uint8_t *out, size_t max, const OSSL_PARAM *p, size_t len)
{
    static const uint16_t order = 1; /* OpenSSL has numbers in this machine's order */
    const bool little = *(const uint8_t *)&order;
    const size_t has = p ? p->data_size : 0;
    const uint8_t *from = p ? p->data : NULL;
    size_t need = has;
    while (need > 1 && !from[little ? need - 1 : has - need])
        need--;
    len = len ? len : need;
    if (!has || need > len || len > max)
        return 0;
    memset(out, 0, len);
    for (size_t i = 0; i < need; i++) /* i: the place from the lowest byte on */
        out[len - 1 - i] = from[little ? i : has - 1 - i];
    return len;
}

void key_params_free(const struct openssl *ssl, OSSL_PARAM *params)
{
    for (OSSL_PARAM *p = params; p && p->key; p++)
        if (p->data)
            explicit_bzero(p->data, p->data_size);
    ssl->OSSL_PARAM_free(params);
}
