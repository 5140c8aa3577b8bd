/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"
#include "cpu.h"
#include <headrace/algorithms.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- TAP ---- */

static unsigned num_passed, num_failed, num_skipped;
static char complaints[4][256];
static unsigned num_complaints;

int complain(const char *format, ...)
{
    if (num_complaints < COUNT_OF(complaints)) {
        va_list args;
        va_start(args, format);
        vsnprintf(complaints[num_complaints], sizeof complaints[0], format, args);
        va_end(args);
    }
    num_complaints++;
    return 1;
}

int complaints_so_far(void)
{
    return (int)num_complaints;
}

int complaints_suffice(void)
{
    return num_complaints >= COUNT_OF(complaints);
}

static void tap_line(const char *status, const char *format, va_list args)
{
    printf("%s %u - ", status, num_passed + num_failed + num_skipped);
    vprintf(format, args);
}

void tap(int passed, const char *format, ...)
{
    va_list args;
    passed = passed && !num_complaints;
    va_start(args, format);
    *(passed ? &num_passed : &num_failed) += 1;
    tap_line(passed ? "ok" : "not ok", format, args);
    va_end(args);
    printf("\n");
    for (unsigned i = 0; i < num_complaints && i < COUNT_OF(complaints); i++)
        printf("#   %s\n", complaints[i]);
    if (num_complaints > COUNT_OF(complaints))
        printf("#   and %u more\n", num_complaints - (unsigned)COUNT_OF(complaints));
    num_complaints = 0;
    fflush(stdout);
}

void tap_skip(const char *reason, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    num_skipped++;
    tap_line("ok", format, args);
    va_end(args);
    printf(" # SKIP %s\n", reason);
    fflush(stdout);
}

int tap_done(void)
{
    printf("1..%u\n", num_passed + num_failed + num_skipped);
    printf("# %u passed, %u failed, %u skipped\n", num_passed, num_failed, num_skipped);
    if (num_complaints)
        printf("# %u complaints belong to no result\n", num_complaints);
    return num_failed != 0 || num_passed == 0 || num_complaints != 0;
}

/* ---- random bytes: xorshift64* (Vigna, 2016), seeded with pi ---- */

static uint64_t random_state = 0x243f6a8885a308d3;

static uint64_t random_word(void)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * 0x2545f4914f6cdd1d;
}

void random_bytes(void *p, size_t len)
{
    uint8_t *out = p;
    for (size_t i = 0; i < len; i++)
        out[i] = (uint8_t)(random_word() >> 56);
}

uint32_t random_below(uint32_t n)
{
    return (uint32_t)((random_word() >> 32) * n >> 32);
}

/* ---- guard pages ---- */

int guards_may_be_read;

struct guarded guarded_new(size_t len)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t inner = (len + page - 1) & ~(page - 1);
    const int guard = guards_may_be_read ? PROT_READ : PROT_NONE;
    uint8_t *base = mmap(NULL, inner + 2 * page, guard, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED || mprotect(base + page, inner, PROT_READ | PROT_WRITE)) {
        perror("guarded_new");
        exit(1);
    }
    return (struct guarded){ base + page, base + page + inner };
}

int is_zero(const void *p, size_t len)
{
    const uint8_t *bytes = p;
    for (size_t i = 0; i < len; i++)
        if (bytes[i])
            return 0;
    return 1;
}

void print_hex(const uint8_t *p, size_t len)
{
    for (size_t i = 0; i < len; i++)
        printf("%02x", p[i]);
}

/* ---- features ---- */

const char *feature_names(uint64_t set)
{
    static char text[512];
    const struct hr_cpu_feature *feature;
    size_t len = 0;
    text[0] = '\0';
    for (size_t i = 0; (feature = hr_cpu_feature_at(i)); i++)
        if (set & feature->bit && len < sizeof text)
            len += (size_t)snprintf(text + len, sizeof text - len, "%s%s", len ? ", " : "",
                                    feature->name);
    return text;
}

const char *cannot_run(uint64_t needs)
{
    static char reason[600];
    const uint64_t features = needs & ~HR_KERNEL_VARTIME;
    const uint64_t lacks = features & ~hr_cpu_detected(), masked = features & ~hr_cpu_features();
    if (!masked)
        return NULL;
    snprintf(reason, sizeof reason, "not run: %s %s", lacks ? "CPU lacks" : "HEADRACE_CPU masks",
             feature_names(lacks ? lacks : masked));
    return reason;
}

uint64_t all_needs(uint64_t needs)
{
    const struct hr_cpu_feature *feature;
    uint64_t more = needs;
    char mask[64];
    for (size_t i = 0; (feature = hr_cpu_feature_at(i)); i++) {
        snprintf(mask, sizeof mask, "-%s", feature->name);
        if (needs & ~cpu_apply_mask(UINT64_MAX >> 1, mask))
            more |= feature->bit;
    }
    return more;
}

/* ---- rows ---- */

size_t last_kernel(const struct hr_algorithm *row, enum hr_op op)
{
    struct hr_kernel kernel;
    size_t i = 0;
    while (hr_kernel_at(&kernel, row->alg, op, i + 1) == 0)
        i++;
    return i;
}

direct_digest_fn *direct_digest(hr_alg alg)
{
    static const struct {
        hr_alg alg;
        direct_digest_fn *fn;
    } table[] = {
#define HR_DIGEST(number, sym, ...) { number, hr_##sym },
#define HR_CHECKSUM(number, sym, ...) { number, hr_##sym },
#include <headrace/algorithms.def>
    };
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (table[i].alg == alg)
            return table[i].fn;
    return NULL;
}

direct_mac_fn *direct_mac(hr_alg alg)
{
    static const struct {
        hr_alg alg;
        direct_mac_fn *fn;
    } table[] = {
#define HR_MAC(number, sym, ...) { number, hr_##sym },
#include <headrace/algorithms.def>
    };
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (table[i].alg == alg)
            return table[i].fn;
    return NULL;
}

direct_cipher_fn *direct_cipher(hr_alg alg, enum hr_op op)
{
    static const struct {
        hr_alg alg;
        direct_cipher_fn *fn[2];
    } table[] = {
#define HR_CIPHER(number, sym, ...) { number, { hr_##sym##_encrypt, hr_##sym##_decrypt } },
#include <headrace/algorithms.def>
    };
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (table[i].alg == alg)
            return table[i].fn[op];
    return NULL;
}

direct_seal_fn *direct_seal(hr_alg alg)
{
    static const struct {
        hr_alg alg;
        direct_seal_fn *fn;
    } table[] = {
#define HR_AEAD(number, sym, ...) { number, hr_##sym##_encrypt },
#include <headrace/algorithms.def>
    };
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (table[i].alg == alg)
            return table[i].fn;
    return NULL;
}

direct_open_fn *direct_open(hr_alg alg)
{
    static const struct {
        hr_alg alg;
        direct_open_fn *fn;
    } table[] = {
#define HR_AEAD(number, sym, ...) { number, hr_##sym##_decrypt },
#include <headrace/algorithms.def>
    };
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (table[i].alg == alg)
            return table[i].fn;
    return NULL;
}

direct_nmac_fn *direct_nmac(hr_alg alg)
{
    static const struct {
        hr_alg alg;
        direct_nmac_fn *fn;
    } table[] = {
#define HR_NMAC(number, sym, ...) { number, hr_##sym },
#include <headrace/algorithms.def>
    };
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (table[i].alg == alg)
            return table[i].fn;
    return NULL;
}

direct_cmac_fn *direct_cmac(hr_alg alg)
{
    static const struct {
        hr_alg alg;
        direct_cmac_fn *fn;
    } table[] = {
#define HR_CMAC(number, sym, ...) { number, hr_##sym },
#include <headrace/algorithms.def>
    };
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (table[i].alg == alg)
            return table[i].fn;
    return NULL;
}

direct_xts_fn *direct_xts(hr_alg alg, enum hr_op op)
{
    static const struct {
        hr_alg alg;
        direct_xts_fn *fn[2];
    } table[] = {
#define HR_XTS(number, sym, ...) { number, { hr_##sym##_encrypt, hr_##sym##_decrypt } },
#include <headrace/algorithms.def>
    };
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (table[i].alg == alg)
            return table[i].fn[op];
    return NULL;
}

/* become_cpu_of makes the CPU one that has just a kernel's needs.  It returns the features
 * before. */
static uint64_t become_cpu_of(hr_alg alg, enum hr_op op, size_t i)
{
    const uint64_t have = hr_cpu_features();
    struct hr_kernel kernel;
    if (hr_kernel_at(&kernel, alg, op, i) == 0)
        cpu_override(kernel.needs & ~HR_KERNEL_VARTIME);
    return have;
}

int key_init_on_its_cpu(struct hr_cipher_key *key, hr_alg alg, enum hr_op op, size_t i,
                        const uint8_t *bytes, size_t bytes_len)
{
    const uint64_t have = become_cpu_of(alg, op, i);
    const int error = hr_cipher_key_init_kernel(key, alg, op, i, bytes, bytes_len);
    cpu_override(have);
    return error;
}

int aead_key_on_its_cpu(struct hr_aead_key *key, hr_alg alg, size_t i, const uint8_t *bytes,
                        size_t bytes_len)
{
    const uint64_t have = become_cpu_of(alg, HR_OP_ENCRYPT, i);
    const int error = hr_aead_key_init_kernel(key, alg, i, bytes, bytes_len);
    cpu_override(have);
    return error;
}

int nmac_key_on_its_cpu(struct hr_nmac_key *key, hr_alg alg, size_t i, const uint8_t *bytes,
                        size_t bytes_len)
{
    const uint64_t have = become_cpu_of(alg, HR_OP_MAC, i);
    const int error = hr_nmac_key_init_kernel(key, alg, i, bytes, bytes_len);
    cpu_override(have);
    return error;
}

int cmac_key_on_its_cpu(struct hr_cmac_key *key, hr_alg alg, size_t i, const uint8_t *bytes,
                        size_t bytes_len)
{
    const uint64_t have = become_cpu_of(alg, HR_OP_MAC, i);
    const int error = hr_cmac_key_init_kernel(key, alg, i, bytes, bytes_len);
    cpu_override(have);
    return error;
}

int xts_key_on_its_cpu(struct hr_xts_key *key, hr_alg alg, enum hr_op op, size_t i,
                       const uint8_t *bytes, size_t bytes_len)
{
    const uint64_t have = become_cpu_of(alg, op, i);
    const int error = hr_xts_key_init_kernel(key, alg, op, i, bytes, bytes_len);
    cpu_override(have);
    return error;
}

int wrap_key_on_its_cpu(struct hr_wrap_key *key, hr_alg alg, enum hr_op op, size_t i,
                        const uint8_t *bytes, size_t bytes_len)
{
    const uint64_t have = become_cpu_of(alg, op, i);
    const int error = hr_wrap_key_init_kernel(key, alg, op, i, bytes, bytes_len);
    cpu_override(have);
    return error;
}

const char *op_name(const struct hr_algorithm *row, enum hr_op op)
{
    return hr_op_name(row->alg, op);
}

int has_only_its_schedule(const struct hr_algorithm *row)
{
    static const char *const stems[] = { "AES-192-", "CAMELLIA-192-", "DES-EDE2-" };
    for (size_t i = 0; i < COUNT_OF(stems); i++)
        if (!strncmp(row->name, stems[i], strlen(stems[i])))
            return 1;
    return 0;
}
