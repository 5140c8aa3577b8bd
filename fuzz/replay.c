/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a target on the files of its corpus, for builds without libFuzzer: so every compiler's code
 * is tested with the inputs that the fuzzer has found. */
#include "fuzz.h"

static int replay(const char *path)
{
    static uint8_t data[1 << 16];
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    return LLVMFuzzerTestOneInput(data, size);
}

int main(int argc, char **argv)
{
    int failed = argc < 2;
    for (int i = 1; i < argc; i++)
        failed |= replay(argv[i]);
    return failed;
}
