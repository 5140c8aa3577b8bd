/* SPDX-License-Identifier: Apache-2.0 */
/* A library of guest_load whose constructor tests for a T4, as OpenSSL's does. */
#include <stdint.h>

extern uint64_t early_cfr;
uint64_t early_cfr;

__attribute__((constructor)) static void construct(void)
{
    __asm__ volatile("rd %%asr26, %0" : "=r"(early_cfr));
}
