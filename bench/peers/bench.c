/* SPDX-License-Identifier: Apache-2.0 */
/* Times cells: an algorithm, an operation, a size and a number of lanes, by each peer that has them
 * (README.md).  How a cell is timed is told in group.c. */
#include "core.h"
#include "group.h"
#include <dlfcn.h>
#include <fnmatch.h>
#include <unistd.h>

enum { MAX_CPUS = 64, MAX_NUMBERS = 64 };

static struct column columns[MAX_COLUMNS];
static unsigned num_columns;

/* ---- the cells ---- */

static const struct algorithm {
    const char *name, *ops[2];
    size_t size; /* the only one; 0: any */
} algorithms[] = {
    /* clang-format off */
    { "AES-128-ECB", { "enc", "dec" }, 0 }, { "AES-256-ECB", { "enc", "dec" }, 0 },
    { "AES-128-CBC", { "enc", "dec" }, 0 }, { "AES-256-CBC", { "enc", "dec" }, 0 },
    { "AES-128-CTR", { "enc" }, 0 }, { "AES-256-CTR", { "enc" }, 0 },
    { "AES-128-CFB", { "enc", "dec" }, 0 }, { "AES-256-CFB", { "enc", "dec" }, 0 },
    { "AES-128-GCM", { "enc", "dec" }, 0 }, { "AES-256-GCM", { "enc", "dec" }, 0 },
    { "AES-128-XTS", { "enc", "dec" }, 0 }, { "AES-256-XTS", { "enc", "dec" }, 0 },
    { "DES-CBC", { "enc", "dec" }, 0 },
    { "3DES-CBC", { "enc", "dec" }, 0 }, { "3DES-CTR", { "enc" }, 0 },
    { "CAMELLIA-128-CBC", { "enc", "dec" }, 0 }, { "CAMELLIA-128-CTR", { "enc" }, 0 },
    { "KASUMI-F8", { "enc" }, 0 }, { "KASUMI-F9", { "mac" }, 0 },
    { "SNOW3G-UEA2", { "enc" }, 0 }, { "SNOW3G-UIA2", { "mac" }, 0 },
    { "ZUC-EEA3", { "enc" }, 0 }, { "ZUC-EIA3", { "mac" }, 0 },
    { "CHACHA20-POLY1305", { "enc", "dec" }, 0 },
    { "POLY1305", { "mac" }, 0 }, { "POLY1305-AES", { "mac" }, 0 },
    { "MD5", { "hash" }, 0 }, { "SHA1", { "hash" }, 0 }, { "SHA224", { "hash" }, 0 },
    { "SHA256", { "hash" }, 0 }, { "SHA384", { "hash" }, 0 }, { "SHA512", { "hash" }, 0 },
    { "SHA512-256", { "hash" }, 0 },
    { "AES-128-CMAC", { "mac" }, 0 }, { "AES-256-CMAC", { "mac" }, 0 },
    { "HMAC-MD5", { "mac" }, 0 }, { "HMAC-SHA1", { "mac" }, 0 }, { "HMAC-SHA256", { "mac" }, 0 },
    { "CRC32", { "crc" }, 0 }, { "CRC32C", { "crc" }, 0 },
    { "RSA-1024", { "sign", "verify" }, 32 }, { "RSA-2048", { "sign", "verify" }, 32 },
    { "RSA-4096", { "sign", "verify" }, 32 },
    { "DSA-1024", { "sign", "verify" }, 32 }, { "DSA-2048", { "sign", "verify" }, 32 },
    { "ECDSA-P256", { "sign", "verify" }, 32 }, { "ECDH-P256", { "derive" }, 32 },
    { "X25519", { "derive" }, 32 }, { "ED25519", { "sign", "verify" }, 32 },
    /* clang-format on */
};

struct wanted {
    const char *algorithms, *ops, *modes; /* comma lists of patterns; NULL: all */
    size_t sizes[MAX_NUMBERS], num_sizes, lanes[MAX_NUMBERS], num_lanes;
};

static int matches(const char *list, const char *name)
{
    char buf[1024], *rest = buf;
    if (!list)
        return 1;
    snprintf(buf, sizeof buf, "%s", list);
    for (const char *pattern; (pattern = strsep(&rest, ","));)
        if (fnmatch(pattern, name, 0) == 0)
            return 1;
    return 0;
}

static void run_algorithm(const struct algorithm *a, const struct wanted *w,
                          const struct settings *settings)
{
    for (int op = 0; op < 2 && a->ops[op]; op++) {
        if (!matches(w->ops, a->ops[op]))
            continue;
        for (size_t l = 0; l < w->num_lanes; l++)
            for (size_t i = 0; i < (a->size ? 1 : w->num_sizes); i++) {
                const size_t size = a->size ? a->size : w->sizes[i];
                const peer_req rq = {
                    a->name, a->ops[op], NULL, size, (unsigned)w->lanes[l], settings->keydir,
                };
                group_run(columns, num_columns, &rq, settings);
            }
    }
}

/* ---- peers ---- */

static _Noreturn void bad_peer(const char *spec)
{
    fprintf(stderr, "bad -p %s\n", spec);
    exit(2);
}

/* cut returns the text at *rest up to the separator, which it replaces by a zero, and moves *rest
 * behind it. */
static char *cut(char **rest, char separator, const char *spec)
{
    char *const start = *rest, *const end = strchr(start, separator);
    if (!end)
        bad_peer(spec);
    *end = 0;
    *rest = end + 1;
    return start;
}

/* open_peer opens the peer `file`, which is FILE[:ARG].  It returns NULL after a line on stderr if
 * that fails. */
static peer *open_peer(const char *name, char *file)
{
    char *const arg = strchr(file, ':');
    if (arg)
        *arg = 0;
    void *const handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        fprintf(stderr, "# %s: %s\n", name, dlerror());
        return NULL;
    }
    __typeof__(&peer_open) const open = (__typeof__(&peer_open))dlsym(handle, "peer_open");
    peer *const p = calloc(1, sizeof *p);
    if (!p || !open || open(PEER_ABI, arg ? arg + 1 : NULL, p)) {
        fprintf(stderr, "# %s: peer_open failed\n", name);
        free(p);
        return NULL;
    }
    fprintf(stderr, "# peer %s: %s\n", name, p->version);
    return p;
}

/* add_peer opens a peer by [@VAR=VALUE@]NAME=FILE[:ARG], and adds a column for each of its modes.
 * The variable is set while the peer is opened, for libraries that read it in a constructor. */
static void add_peer(char *spec, const char *modes)
{
    char *rest = spec;
    const char *variable = NULL;
    if (*rest == '@') {
        rest++;
        char *value = cut(&rest, '@', spec);
        variable = cut(&value, '=', spec);
        setenv(variable, value, 1);
    }
    const char *const name = cut(&rest, '=', spec);
    peer *const p = open_peer(name, rest);
    if (variable)
        unsetenv(variable);
    for (int i = 0; p && p->modes[i] && num_columns < MAX_COLUMNS; i++) {
        if (!matches(modes, p->modes[i]))
            continue;
        struct column *const column = &columns[num_columns++];
        snprintf(column->name, sizeof column->name, "%s", name);
        column->mode = p->modes[i];
        column->peer = p;
    }
}

/* ---- options ---- */

struct options {
    char *peers[MAX_COLUMNS];
    unsigned num_peers, num_cpus;
    int cpus[MAX_CPUS], quiet;
    struct wanted wanted;
    struct settings settings;
};

static size_t parse_sizes(size_t numbers[MAX_NUMBERS], char *list)
{
    size_t num = 0;
    for (const char *one; num < MAX_NUMBERS && (one = strsep(&list, ","));)
        numbers[num++] = strtoul(one, NULL, 0);
    return num;
}

static void parse_cpus(struct options *o, char *list)
{
    for (const char *one; o->num_cpus < MAX_CPUS && (one = strsep(&list, ","));)
        o->cpus[o->num_cpus++] = atoi(one);
}

static void parse_peer(struct options *o, char *spec)
{
    if (o->num_peers < MAX_COLUMNS)
        o->peers[o->num_peers++] = spec;
}

static _Noreturn void usage(void)
{
    fprintf(stderr, "usage: bench -p NAME=FILE.so[:ARG]... [-a ALGS] [-o OPS] [-m MODES] [-s SIZES]"
                    " [-l LANES] [-n SLICES] [-r TRIES] [-t SLICE_MS] [-c CPU,CPU..] [-w WAIT_S]"
                    " [-k KEYDIR] [-q]\n");
    exit(2);
}

static void parse_options(struct options *o, int argc, char **argv)
{
    struct wanted *const w = &o->wanted;
    for (int option; (option = getopt(argc, argv, "p:a:s:l:n:r:t:c:k:o:m:w:q")) != -1;)
        switch (option) {
        case 'p':
            parse_peer(o, optarg);
            break;
        case 'a':
            w->algorithms = optarg;
            break;
        case 'o':
            w->ops = optarg;
            break;
        case 'm':
            w->modes = optarg;
            break;
        case 's':
            w->num_sizes = parse_sizes(w->sizes, optarg);
            break;
        case 'l':
            w->num_lanes = parse_sizes(w->lanes, optarg);
            break;
        case 'n':
            o->settings.slices = atoi(optarg);
            break;
        case 'r':
            o->settings.tries = atoi(optarg);
            break;
        case 't':
            o->settings.slice = atof(optarg) * 1e-3;
            break;
        case 'c':
            parse_cpus(o, optarg);
            break;
        case 'k':
            o->settings.keydir = optarg;
            break;
        case 'w':
            o->settings.wait = atof(optarg);
            break;
        case 'q':
            o->quiet = 1;
            break;
        default:
            usage();
        }
}

int main(int argc, char **argv)
{
    enum { SLICES = 15 };
    static struct options o = {
        .wanted = { .sizes = { 16, 64, 256, 1024, 8192, 16384 }, 6, .lanes = { 1 }, 1 },
        .settings = { 0.00015, 1.5, SLICES, 8, "keys" },
    };
    parse_options(&o, argc, argv);
    if (o.settings.slices < 3 || o.settings.slices > MAX_SLICES)
        o.settings.slices = SLICES;
    core_start(o.cpus, o.num_cpus);
    for (unsigned i = 0; i < o.num_peers; i++)
        add_peer(o.peers[i], o.wanted.modes);
    fprintf(stderr, "# tsc %.4f GHz, core %.3f GHz now\n", core_tsc_hz() * 1e-9, core_hz() * 1e-9);
    if (!o.quiet)
        group_print_header();
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
        if (matches(o.wanted.algorithms, algorithms[i].name))
            run_algorithm(&algorithms[i], &o.wanted, &o.settings);
    return 0;
}
