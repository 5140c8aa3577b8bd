/* SPDX-License-Identifier: Apache-2.0 */
/* custody_holder SOCKET NAME: signs by a key of RSA that stays in the service, says so, and waits
 * for a line, so that its memory can be searched. */
#include <headrace/accel.h>
#include <headrace/algorithms.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    uint8_t digest[32] = { 1 }, signature[512];
    const struct hr_rsa_options options = { .padding = HR_RSA_PSS,
                                            .digest = HR_SHA256,
                                            .salt_len = HR_RSA_SALT_DIGEST };
    struct hr_job job = { .alg = HR_RSA2048,
                          .op = HR_JOB_SIGN,
                          .key_form = HR_KEY_HANDLE,
                          .in = digest,
                          .len = sizeof digest,
                          .tag = signature,
                          .options = &options };
    if (argc != 3 || setenv("HEADRACE_ACCEL", argv[1], 1) ||
        hr_accel_key_open(&job.handle, argv[2]))
        return 1;
    for (int i = 0; i < 20; i++)
        if (hr_accel_run(&job))
            return 1;
    puts("signed");
    fflush(stdout);
    (void)getchar();
    return 0;
}
