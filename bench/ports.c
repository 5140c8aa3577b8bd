/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the instructions that limit kernels on this CPU: core cycles an instruction, once in a
 * chain in which each instruction waits for the one before (latency), once on twelve registers in
 * turn (throughput of the ports).  The clock rate is measured by a chain of one-cycle additions
 * around each measurement. */
#include <headrace/headrace.h>
#include <stdio.h>
#include <time.h>

enum { TURNS = 20000, TRIES = 15 };

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

#define CHAIN(text) ".rept 12\n\t" text "\n\t.endr"
#define ALL_12(at) at(0) at(1) at(2) at(3) at(4) at(5) at(6) at(7) at(8) at(9) at(10) at(11)
#define CLOBBERS                                                                             \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
        "xmm11", "xmm12"
#define LOOP(name, body)                                       \
    static void name(void)                                     \
    {                                                          \
        for (int i = 0; i < TURNS; i++)                        \
            __asm__ volatile(body ::: CLOBBERS, "rax", "rcx"); \
    }

#define ON(op, reg, n) op " %%" reg "12, %%" reg #n ", %%" reg #n "\n\t"
#define AES_XMM(n) "aesenc %%xmm12, %%xmm" #n "\n\t"
#define AES_YMM(n) ON("vaesenc", "ymm", n)
#define AES_ZMM(n) ON("vaesenc", "zmm", n)

LOOP(add_latency, CHAIN("add %%rcx, %%rax"))
LOOP(aesenc_latency, CHAIN("aesenc %%xmm12, %%xmm1"))
LOOP(aesenc_throughput, ALL_12(AES_XMM))
LOOP(vaesenc256_latency, CHAIN("vaesenc %%ymm12, %%ymm1, %%ymm1"))
LOOP(vaesenc256_throughput, ALL_12(AES_YMM))
LOOP(vaesenc512_latency, CHAIN("vaesenc %%zmm12, %%zmm1, %%zmm1"))
LOOP(vaesenc512_throughput, ALL_12(AES_ZMM))

#define VAES512 (HR_CPU_BIT(VAES) | HR_CPU_BIT(AVX512F))
static const struct {
    const char *name;
    uint64_t needs;
    void (*run)(void);
} rows[] = {
    { "aesenc xmm latency", HR_CPU_BIT(AESNI), aesenc_latency },
    { "aesenc xmm throughput", HR_CPU_BIT(AESNI), aesenc_throughput },
    { "vaesenc ymm latency", HR_CPU_BIT(VAES), vaesenc256_latency },
    { "vaesenc ymm throughput", HR_CPU_BIT(VAES), vaesenc256_throughput },
    { "vaesenc zmm latency", VAES512, vaesenc512_latency },
    { "vaesenc zmm throughput", VAES512, vaesenc512_throughput },
};

/* Returns the least of several tries, because disturbances can only add time. */
static double least_ns(void (*run)(void))
{
    double least = 1e18;
    for (int i = 0; i < TRIES; i++) {
        const double begin = now_ns();
        run();
        const double took = now_ns() - begin;
        if (hr_cpu_features() & HR_CPU_BIT(AVX)) /* dirty upper halves of vector registers slow
                                                  * down SSE code */
            __asm__ volatile("vzeroupper" ::: CLOBBERS);
        least = took < least ? took : least;
    }
    return least / (12.0 * TURNS);
}

int main(void)
{
    const uint64_t have = hr_cpu_features();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].needs & ~have) {
            printf("%-24s not run: this CPU lacks it\n", rows[i].name);
            continue;
        }
        const double before = least_ns(add_latency), ns = least_ns(rows[i].run);
        const double after = least_ns(add_latency);
        const double cycle_ns = before < after ? before : after;
        printf("%-24s %6.2f cycles at %.2f GHz\n", rows[i].name, ns / cycle_ns, 1 / cycle_ns);
    }
    return 0;
}
