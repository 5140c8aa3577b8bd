/* SPDX-License-Identifier: Apache-2.0 */
/* bench.c - times (peer, algorithm, operation, size, lanes) cells.
 *
 * For each (alg, op, size, lanes) the peers that offer it are timed in turns
 * (A B C A B C ...), so that a noisy neighbour hits all alike.  A row is the
 * median over the slices.  cycles are core cycles: right after each slice a
 * dependent add chain is timed, which gives the clock the core ran at in the
 * state that slice left it (turbo, AVX-512 licence); tsc ticks are printed too.
 *
 * Clean slices: on a shared host the other thread of our core may belong to
 * somebody else and take up to half of the throughput.  Before and after each
 * slice a probe compares four independent add chains with one: equal times mean
 * that we have the core to ourselves.  Slices are repeated until `-n` of them
 * were clean, or `-r` times as many were tried; then the cleanest are taken.
 * The column `share` tells (above 0.8 is clean, 0.5 is half a core).  With -c
 * 0,1 the process moves to the CPU that is clean, and waits up to -w seconds a
 * group of cells for one.
 */
#define _GNU_SOURCE
#include "peer.h"
#include <dlfcn.h>
#include <errno.h>
#include <fnmatch.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define MAXP 64
#define MAXS 1024

struct col {
    char name[64];
    const char *mode;
    peer *p;
};
static struct col cols[MAXP];
static int ncols;

static double slice_s = 0.00015, warm_s = 0.001;
static int slices = 15, quiet, factor = 8;
static double clean = 0.82, wait_s = 1.5;
static const char *keydir = "keys";
static double tsc_hz;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static uint64_t tick(void)
{
    unsigned a;
    _mm_lfence();
    uint64_t t = __rdtscp(&a);
    _mm_lfence();
    return t;
}
/* 64 dependent one-cycle adds a turn; of a register, because the cores after Golden Cove fold
 * chains of small constants while they rename them, several a cycle */
static __attribute__((noinline)) void chain(uint64_t turns)
{
    uint64_t x = 1;
    for (uint64_t i = 0; i < turns; i++)
        __asm__ volatile(".rept 64\n\tadd %1, %0\n\t.endr" : "+r"(x) : "r"(turns));
}
static __attribute__((noinline)) void chain4(uint64_t turns)
{
    uint64_t x = 1, y = 1, z = 1, w = 1;
    for (uint64_t i = 0; i < turns; i++)
        __asm__ volatile(".rept 32\n\tadd %4, %0\n\tadd %4, %1\n\tadd %4, %2\n\tadd %4, %3\n\t.endr"
                         : "+r"(x), "+r"(y), "+r"(z), "+r"(w)
                         : "r"(turns));
}
/* our share of the core: 1 alone, about 0.5 beside a busy thread */
static double share(void)
{
    uint64_t t = tick();
    chain(40);
    uint64_t u = tick();
    chain4(80);
    uint64_t v = tick();
    chain(40);
    uint64_t w = tick();
    uint64_t one = u - t < w - v ? u - t : w - v;
    double r = (double)one / (double)(v - u);
    return r > 1 ? 1 : r;
}
static int cpus[64], ncpus, cur;
static void pin(int i)
{
    cpu_set_t s;
    CPU_ZERO(&s);
    CPU_SET(cpus[i], &s);
    sched_setaffinity(0, sizeof s, &s);
    cur = i;
}
/* go to a CPU that we have to ourselves; wait for one, but not for ever */
static void seek_clean(double *budget)
{
    double a = now();
    for (;;) {
        for (int i = 0; i < (ncpus ? ncpus : 1); i++) {
            double r[3] = { share(), share(), share() };
            double hi = r[0] > r[1] ? r[0] : r[1], lo = r[0] > r[1] ? r[1] : r[0];
            double mid = r[2] > hi ? hi : r[2] < lo ? lo : r[2];
            if (mid >= clean)
                goto out;
            if (ncpus > 1)
                pin((cur + 1) % ncpus);
        }
        if (*budget < now() - a)
            goto out;
        usleep(3000);
    }
out:
    *budget -= now() - a;
}
static double core_hz(void)
{
    const uint64_t turns = 400; /* 25600 cycles, about 8 us */
    chain(20);
    uint64_t t = tick();
    chain(turns);
    return 64.0 * (double)turns / ((double)(tick() - t) / tsc_hz);
}
static double top_hz;
/* a library that leaves the upper halves of vector registers dirty holds the
 * clock down and slows SSE code: that must not fall upon the next peer */
static void clean_vectors(void)
{
    if (__builtin_cpu_supports("avx"))
        __asm__ volatile("vzeroupper" ::: "memory");
}
/* a slice begins at full clock: wait out what the one before left behind */
static void settle(void)
{
    for (int i = 0; i < 5; i++) {
        double h = core_hz();
        if (h > top_hz)
            top_hz = h < 5e9 ? h : top_hz;
        if (h > 0.96 * top_hz)
            return;
        chain(10000); /* about 0.2 ms */
    }
}
static void calibrate(void)
{
    double a = now();
    uint64_t t = tick();
    while (now() - a < 0.05)
        ;
    uint64_t u = tick();
    tsc_hz = (double)(u - t) / (now() - a);
}
static int cmpd(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}
static long switches(void)
{
    struct rusage r;
    getrusage(RUSAGE_THREAD, &r);
    return r.ru_nivcsw;
}
static double quant(double *v, int n, double q)
{
    double w[MAXS];
    memcpy(w, v, sizeof(double) * (size_t)n);
    qsort(w, (size_t)n, sizeof(double), cmpd);
    return w[(int)(q * (n - 1) + 0.5)];
}

/* ------------------------------------------------------------ the cells */
struct spec {
    const char *alg, *ops;
    int kind; /* 0 bulk (all sizes), 1 fixed input (asymmetric) */
};
static const struct spec specs[] = {
    { "AES-128-ECB", "enc dec", 0 }, { "AES-256-ECB", "enc dec", 0 },
    { "AES-128-CBC", "enc dec", 0 }, { "AES-256-CBC", "enc dec", 0 },
    { "AES-128-CTR", "enc", 0 },     { "AES-256-CTR", "enc", 0 },
    { "AES-128-CFB", "enc dec", 0 }, { "AES-256-CFB", "enc dec", 0 },
    { "AES-128-GCM", "enc dec", 0 }, { "AES-256-GCM", "enc dec", 0 },
    { "AES-128-XTS", "enc dec", 0 }, { "AES-256-XTS", "enc dec", 0 },
    { "DES-CBC", "enc dec", 0 },     { "3DES-CBC", "enc dec", 0 },
    { "3DES-CTR", "enc", 0 },
    { "CAMELLIA-128-CBC", "enc dec", 0 }, { "CAMELLIA-128-CTR", "enc", 0 },
    { "KASUMI-F8", "enc", 0 },   { "KASUMI-F9", "mac", 0 },
    { "SNOW3G-UEA2", "enc", 0 }, { "SNOW3G-UIA2", "mac", 0 },
    { "ZUC-EEA3", "enc", 0 },    { "ZUC-EIA3", "mac", 0 },
    { "CHACHA20-POLY1305", "enc dec", 0 },
    { "POLY1305", "mac", 0 },    { "POLY1305-AES", "mac", 0 },
    { "MD5", "hash", 0 },        { "SHA1", "hash", 0 },
    { "SHA224", "hash", 0 },     { "SHA256", "hash", 0 },
    { "SHA384", "hash", 0 },     { "SHA512", "hash", 0 },
    { "SHA512-256", "hash", 0 },
    { "HMAC-MD5", "mac", 0 },    { "HMAC-SHA1", "mac", 0 }, { "HMAC-SHA256", "mac", 0 },
    { "CRC32", "crc", 0 },       { "CRC32C", "crc", 0 },
    { "RSA-1024", "sign verify", 1 }, { "RSA-2048", "sign verify", 1 },
    { "RSA-4096", "sign verify", 1 },
    { "DSA-1024", "sign verify", 1 }, { "DSA-2048", "sign verify", 1 },
    { "ECDSA-P256", "sign verify", 1 }, { "ECDH-P256", "derive", 1 },
    { "X25519", "derive", 1 },   { "ED25519", "sign verify", 1 },
};

struct live {
    int col;
    peer_cell c;
    uint64_t n;
    double ns[MAXS], tk[MAXS], hz[MAXS], sh[MAXS];
    int got, tried, good;
    uint8_t out[256];
    size_t outlen;
};

static void one(const char *alg, const char *op, size_t size, unsigned lanes)
{
    struct live *L = calloc(MAXP, sizeof *L);
    int k = 0;
    for (int i = 0; i < ncols; i++) {
        peer_req rq = { alg, op, cols[i].mode, size, lanes, keydir };
        peer_cell c = { 0 };
        int r = cols[i].p->cell(cols[i].p, &rq, &c);
        if (r == PEER_FAIL)
            fprintf(stderr, "# FAIL %s/%s %s %s %zu x%u\n", cols[i].name, cols[i].mode, alg, op, size, lanes);
        if (r != PEER_OK)
            continue;
        L[k].col = i;
        L[k].c = c;
        /* one op for the check, then warm-up and choice of n */
        c.run(c.ctx, 1);
        L[k].outlen = c.outlen < sizeof L[k].out ? c.outlen : sizeof L[k].out;
        if (L[k].outlen)
            memcpy(L[k].out, c.out, L[k].outlen);
        uint64_t n = 1;
        for (;;) {
            sched_yield();
            double a = now();
            c.run(c.ctx, n);
            double d = now() - a;
            if (d > slice_s * 4 && n > 1) { /* perhaps not ours: the faster of two */
                a = now();
                c.run(c.ctx, n);
                double e = now() - a;
                d = e < d ? e : d;
            }
            if (d > warm_s / 8) {
                L[k].n = (uint64_t)((double)n * slice_s / d) + 1;
                break;
            }
            n *= d < warm_s / 80 ? 8 : 2;
        }
        c.run(c.ctx, L[k].n);
        k++;
    }
    int more = k > 0;
    double budget = wait_s;
    for (int round = 0; more && round < slices * factor && round < MAXS; round++) {
        more = 0;
        seek_clean(&budget);
        for (int i = 0; i < k; i++) {
            struct live *l = &L[i];
            if (l->good >= slices)
                continue;
            more = 1;
            int s = l->got++;
            double sh = 0;
            uint64_t t, u, nw = l->n / 8 + 1;
            double a, b;
            long sw;
            int tries = 0;
            do { /* again if another process was let in meanwhile */
                sched_yield(); /* a fresh time slice from the scheduler */
                settle();
                l->c.run(l->c.ctx, nw); /* refill caches and predictors */
                sh = share();
                sw = switches();
                a = now();
                t = tick();
                l->c.run(l->c.ctx, l->n);
                u = tick();
                b = now();
                l->hz[s] = core_hz(); /* before the vectors are cleaned */
                clean_vectors();
                double sh2 = share();
                sh = sh2 < sh ? sh2 : sh;
            } while (switches() != sw && ++tries < 6);
            double per = (double)l->n * (double)lanes;
            l->ns[s] = (b - a) * 1e9 / per;
            l->tk[s] = (double)(u - t) / per;
            l->sh[s] = sh;
            l->good += sh >= clean;
        }
    }
    for (int i = 0; i < k; i++) {
        struct live *l = &L[i];
        struct col *c = &cols[l->col];
        /* the clean slices, or the cleanest `slices` of all tried */
        double cut = clean;
        if (l->good < slices)
            cut = quant(l->sh, l->got, 1.0 - (double)(slices - 1) / (double)(l->got > 1 ? l->got - 1 : 1));
        double v[MAXS], h[MAXS], t[MAXS], e[MAXS];
        int m = 0;
        for (int s = 0; s < l->got; s++)
            if (l->sh[s] >= cut) {
                /* slices at different clocks are made comparable before the median */
                v[m] = l->ns[s] * l->hz[s] * 1e-9;
                h[m] = l->hz[s];
                t[m] = l->tk[s];
                e[m++] = l->sh[s];
            }
        double cyc = quant(v, m, .5), hz = quant(h, m, .5), tk = quant(t, m, .5), shr = quant(e, m, .5);
        double ns = cyc / hz * 1e9, q1 = quant(v, m, .1), q3 = quant(v, m, .9);
        const char *ok = "-";
        if (l->outlen) {
            int same = 0, other = 0;
            for (int j = 0; j < k; j++)
                if (j != i && L[j].outlen) { /* some peers add the tag: the common part */
                    size_t n = L[j].outlen < l->outlen ? L[j].outlen : l->outlen;
                    if (memcmp(L[j].out, l->out, n) == 0)
                        same++;
                    else
                        other++;
                }
            ok = other > same ? "DIFFERS" : same ? "agrees" : other ? "DIFFERS" : "alone";
        }
        printf("%s\t%s\t%s\t%s\t%zu\t%u\t%.2f\t%.1f\t%.3f\t%.1f\t%.1f\t%.2f\t%.1f\t%.1f\t%.2f\t%s\n", c->name, c->mode, alg,
               op, size, lanes, ns, (double)size * 1e3 / ns, cyc / (double)size, cyc, tk, hz * 1e-9, q1, q3, shr, ok);
        if (l->c.fini)
            l->c.fini(l->c.ctx);
    }
    fflush(stdout);
    free(L);
}

static int match(const char *list, const char *s)
{
    char buf[1024];
    snprintf(buf, sizeof buf, "%s", list);
    for (char *t = strtok(buf, ","); t; t = strtok(NULL, ","))
        if (fnmatch(t, s, 0) == 0)
            return 1;
    return 0;
}

static void add_peer(char *spec, const char *modes)
{
    /* NAME=FILE[:ARG]; ENV of the form @VAR=VALUE@ in front is set while the
     * peer is opened (for libraries that read it in a constructor) */
    char *envv = NULL;
    if (*spec == '@') {
        char *e = strchr(spec + 1, '@');
        if (!e)
            exit(2);
        *e = 0;
        envv = spec + 1;
        spec = e + 1;
    }
    char *eq = strchr(spec, '=');
    if (!eq) {
        fprintf(stderr, "bad -p %s\n", spec);
        exit(2);
    }
    *eq = 0;
    char *file = eq + 1, *arg = strchr(file, ':');
    if (arg)
        *arg++ = 0;
    char var[64] = "";
    if (envv) {
        char *v = strchr(envv, '=');
        *v = 0;
        snprintf(var, sizeof var, "%s", envv);
        setenv(var, v + 1, 1);
    }
    void *h = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!h) {
        fprintf(stderr, "# %s: %s\n", spec, dlerror());
        return;
    }
    int (*po)(int, const char *, peer *) = (int (*)(int, const char *, peer *))dlsym(h, "peer_open");
    peer *p = calloc(1, sizeof *p);
    if (!po || po(PEER_ABI, arg, p)) {
        fprintf(stderr, "# %s: peer_open failed\n", spec);
        return;
    }
    if (*var)
        unsetenv(var);
    fprintf(stderr, "# peer %s: %s\n", spec, p->version);
    for (int i = 0; p->modes[i] && ncols < MAXP; i++) {
        if (modes && !match(modes, p->modes[i]))
            continue;
        snprintf(cols[ncols].name, sizeof cols[0].name, "%s", spec);
        cols[ncols].mode = p->modes[i];
        cols[ncols++].p = p;
    }
}

int main(int argc, char **argv)
{
    const char *algs = "*", *sizes = "16,64,256,1024,8192,16384", *lanes = "1", *ops = "*", *modes = NULL;
    char *peers[MAXP];
    int np = 0, o;
    while ((o = getopt(argc, argv, "p:a:s:l:n:r:t:c:k:o:m:w:q")) != -1)
        switch (o) {
        case 'p': if (np < MAXP) peers[np++] = optarg; break;
        case 'a': algs = optarg; break;
        case 's': sizes = optarg; break;
        case 'l': lanes = optarg; break;
        case 'n': slices = atoi(optarg); break;
        case 'r': factor = atoi(optarg); break;
        case 't': slice_s = atof(optarg) * 1e-3; break;
        case 'c':
            for (char *t = strtok(optarg, ","); t && ncpus < 64; t = strtok(NULL, ","))
                cpus[ncpus++] = atoi(t);
            break;
        case 'k': keydir = optarg; break;
        case 'o': ops = optarg; break;
        case 'm': modes = optarg; break;
        case 'w': wait_s = atof(optarg); break;
        case 'q': quiet = 1; break;
        default:
            fprintf(stderr, "usage: bench -p NAME=FILE.so[:ARG]... [-a ALGS] [-o OPS] [-m MODES] [-s SIZES]"
                            " [-l LANES] [-n SLICES] [-r TRIES] [-t SLICE_MS] [-c CPU,CPU..] [-w WAIT_S] [-k KEYDIR] [-q]\n");
            return 2;
        }
    if (slices < 3 || slices > MAXS)
        slices = 15;
    if (ncpus)
        pin(0);
    calibrate();
    for (int i = 0; i < np; i++)
        add_peer(peers[i], modes);
    fprintf(stderr, "# tsc %.4f GHz, core %.3f GHz now\n", tsc_hz * 1e-9, core_hz() * 1e-9);
    if (!quiet)
        printf("lib\tmode\talg\top\tsize\tlanes\tns/op\tMB/s\tcycles/byte\tcycles/op\ttsc/op\tGHz\tp10_cyc\tp90_cyc\tshare\tcheck\n");
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        if (!match(algs, specs[i].alg))
            continue;
        char ob[64];
        snprintf(ob, sizeof ob, "%s", specs[i].ops);
        char *so = NULL;
        for (char *op = strtok_r(ob, " ", &so); op; op = strtok_r(NULL, " ", &so)) {
            if (!match(ops, op))
                continue;
            char lb[128], *sl = NULL;
            snprintf(lb, sizeof lb, "%s", lanes);
            for (char *l = strtok_r(lb, ",", &sl); l; l = strtok_r(NULL, ",", &sl)) {
                if (specs[i].kind == 1) {
                    one(specs[i].alg, op, 32, (unsigned)atoi(l));
                    continue;
                }
                char sb[256], *ss = NULL;
                snprintf(sb, sizeof sb, "%s", sizes);
                for (char *s = strtok_r(sb, ",", &ss); s; s = strtok_r(NULL, ",", &ss))
                    one(specs[i].alg, op, (size_t)strtoul(s, NULL, 0), (unsigned)atoi(l));
            }
        }
    }
    return 0;
}
