/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures the cost of a hit on this machine: 0.4 to 0.6 us if the kernel emulates the instruction,
 * 4 us if it single-steps, 14 us if each single step leaves a virtual machine. It is measured once,
 * on two functions of this program.
 */
#include "bpf.h"
#include "probes_internal.h"
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

enum { BATCHES = 5, CALLS = 100 };

#if defined(__x86_64__)
void probes_cost_emulated(void);
void probes_cost_stepped(void);
__asm__(".pushsection .text\n"
        ".balign 16\n"
        ".type probes_cost_emulated, @function\n"
        "probes_cost_emulated: nop\n"
        "ret\n"
        ".size probes_cost_emulated, . - probes_cost_emulated\n"
        ".balign 16\n"
        ".type probes_cost_stepped, @function\n"
        "probes_cost_stepped: movq %rsp, %rax\n"
        "ret\n"
        ".size probes_cost_stepped, . - probes_cost_stepped\n"
        ".popsection\n");
static void (*const probed[])(void) = { probes_cost_stepped, probes_cost_emulated };
#else
static void (*const probed[2])(void); /* NULL: the cost is measured on x86-64 only */
#endif

/* The time of the fastest batch: disturbances only make a batch slower. */
static double seconds_a_call(void (*fn)(void))
{
    uint64_t best = UINT64_MAX;
    for (int batch = 0; batch < BATCHES; batch++) {
        uint64_t begin = probes_now();
        for (int i = 0; i < CALLS; i++)
            fn();
        uint64_t took = probes_now() - begin;
        best = took < best ? took : best;
    }
    return (double)best * 1e-9 / CALLS;
}

static void *pass(void *unused)
{
    probed[1]();
    return unused;
}

void probes_pass_aside(void)
{
    pthread_t thread;
    if (!pthread_create(&thread, NULL, pass, NULL))
        pthread_join(thread, NULL);
}

int probes_measure(struct probes *p, int program, uint64_t cookie)
{
    struct maps maps = { 0 };
    uint64_t offsets[2] = { 0 };
    const uint64_t cookies[2] = { cookie, cookie };
    if (!probed[0] || maps_read(&maps, getpid()))
        return -1;
    for (size_t i = 0; i < 2; i++) {
        const struct mapping *m = maps_find(&maps, (uintptr_t)probed[i]);
        offsets[i] = m ? m->offset + ((uintptr_t)probed[i] - m->start) : 0;
    }
    maps_free(&maps);
    int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    int link = self < 0 ? -1 : bpf_link_uprobes(program, self, offsets, cookies, 2, getpid());
    if (self >= 0)
        close(self);
    for (size_t i = 0; link >= 0 && i < 2; i++)
        p->hit_seconds[i] = seconds_a_call(probed[i]);
    return link;
}
