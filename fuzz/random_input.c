/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target on pseudo-random inputs that are the same every time: a test for builds
 * without libFuzzer.  Usage: NAME [COUNT] */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_INPUT = 400, COUNT = 20000 };

static uint64_t state = 0x2545f4914f6cdd1d;

static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

int main(int argc, char **argv)
{
    const long count = argc > 1 ? atol(argv[1]) : COUNT;
    for (long i = 0; i < count; i++) {
        const size_t size = next_random() % MAX_INPUT;
        uint8_t *input = malloc(size ? size : 1);
        if (!input)
            return 1;
        for (size_t k = 0; k < size; k++)
            input[k] = (uint8_t)(next_random() >> 24);
        LLVMFuzzerTestOneInput(input, size);
        free(input);
    }
    printf("1..1\nok 1 - %ld random inputs\n", count);
    return 0;
}
