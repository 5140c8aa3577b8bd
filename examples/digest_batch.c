/* SPDX-License-Identifier: Apache-2.0 */
/* digest_batch: prints the SHA-512 of each line of its input.  Lines are taken by the hundred, and
 * the digests of a hundred are computed side by side in vector registers, where the CPU has them.
 */
#include <headrace/algorithms.h>
#include <headrace/queue.h>
#include <stdio.h>
#include <stdlib.h>

enum { MANY = 100, LEN = 64 };

static size_t read_lines(char *lines[MANY], size_t lens[MANY])
{
    size_t num = 0, size = 0;
    for (; num < MANY; num++, size = 0) {
        lines[num] = NULL;
        ssize_t len = getline(&lines[num], &size, stdin);
        if (len <= 0) {
            free(lines[num]);
            break;
        }
        lens[num] = (size_t)len - (lines[num][len - 1] == '\n');
    }
    return num;
}

int main(void)
{
    static uint8_t digests[MANY * LEN];
    char *lines[MANY];
    size_t lens[MANY], num;
    while ((num = read_lines(lines, lens))) {
        int error = hr_digest_many(digests, HR_SHA512, (const void *const *)lines, lens, num);
        if (error) {
            fprintf(stderr, "digest_batch: %s\n", hr_strerror(error));
            return 1;
        }
        for (size_t i = 0; i < num; i++) {
            for (size_t k = 0; k < LEN; k++)
                printf("%02x", digests[i * LEN + k]);
            printf("  %.*s\n", (int)lens[i], lines[i]);
            free(lines[i]);
        }
    }
    return 0;
}
