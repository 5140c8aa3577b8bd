/* SPDX-License-Identifier: Apache-2.0
 *
 * entries CALLS: calls every function of entries.S that often, and exits 1 when one computed
 * something else than before or found its stack changed.  Every function is called directly.
 * SIGTERM ends it earlier.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void aes_five_byte_nop(void *);
int aes_red_zone(void *);
void aes_vpxor(void *);
void aes_vmovdqu(void *);
void aes_push(void *);
void aes_behind_dispatcher(void *);
void dispatcher(void *);
void aes_loop_at_entry(void *, int);

static uint8_t block[32], first[16];
static int changed;
static volatile sig_atomic_t enough;

static void stop(int signal)
{
    (void)signal;
    enough = 1;
}

/* Every function computes the same of the same block. */
static void check(void)
{
    static int known;
    if (!known)
        memcpy(first, block, sizeof first);
    known = 1;
    changed |= memcmp(block, first, sizeof first) != 0;
    memset(block, 0, sizeof block);
}

int main(int argc, char **argv)
{
    void (*const same[])(void *) = { aes_five_byte_nop,     aes_vpxor, aes_vmovdqu, aes_push,
                                     aes_behind_dispatcher, dispatcher };
    if (argc != 2)
        return 2;
    signal(SIGTERM, stop);
    for (long left = atol(argv[1]); left > 0 && !enough; left--) {
        for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
            same[i](block);
            check();
        }
        changed |= !aes_red_zone(block);
        check();
        aes_loop_at_entry(block, 5);
        memset(block, 0, sizeof block);
    }
    return changed;
}
