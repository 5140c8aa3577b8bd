/* SPDX-License-Identifier: Apache-2.0 */
/* hmac_many KEYFILE: prints the HMAC-SHA-256 of each line of its input.  The key is set up once,
 * which is half of the work for a short message. */
#include <headrace/headrace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int print_macs(const struct hr_hmac_key *key)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t len;
    while ((len = getline(&line, &size, stdin)) > 0) {
        uint8_t mac[32];
        len -= line[len - 1] == '\n';
        int error = hr_hmac_sha256(mac, line, (size_t)len, key);
        if (error) {
            fprintf(stderr, "hmac_many: %s\n", hr_strerror(error));
            return 1;
        }
        for (size_t i = 0; i < sizeof mac; i++)
            printf("%02x", mac[i]);
        printf("  %.*s\n", (int)len, line);
    }
    free(line);
    return 0;
}

int main(int argc, char **argv)
{
    uint8_t bytes[1024];
    struct hr_hmac_key key;
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file) {
        fprintf(stderr, "usage: hmac_many KEYFILE <LINES\n");
        return 2;
    }
    size_t len = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    int failed = hr_hmac_key_init(&key, HR_HMAC_SHA256, bytes, len) || print_macs(&key);
    hr_hmac_key_wipe(&key);
    explicit_bzero(bytes, sizeof bytes);
    return failed;
}
