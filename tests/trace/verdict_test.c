/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts of reports: one sentence for each family, only of what was observed. */
#include "report/cpu_flags.h"
#include "report/unserved.h"
#include "report/waste.h"
#include "report_build.h"
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

static void is_text(const struct report *r, const char *wanted, const char *name)
{
    struct verdict v[NUM_FAMILIES];
    const size_t num = report_verdicts(v, NUM_FAMILIES, r);
    if (!num)
        complain("no verdict");
    else if (strcmp(v[0].text, wanted) != 0)
        complain("\"%s\"", v[0].text);
    tap(!complaints_so_far(), "%s", name);
}

static void software_that_the_cpu_need_not_run(void)
{
    struct report r = new_report("command", 1000);
    r.cpu_families = has(FAMILY_AES);
    add_row(&r, FAMILY_AES, HOW_SOFTWARE, 965)->finding.variant = "vpaes, SSSE3";
    is_text(&r,
            *cpu_set(FAMILY_AES) ? "AES: SOFTWARE (vpaes, SSSE3) 96.5% of CPU  -- this CPU has "
                                   "AES-NI; the program does not use it"
                                 : "AES: SOFTWARE (vpaes, SSSE3) 96.5% of CPU",
            "software though the CPU has instructions");
    r.cpu_families = 0;
    is_text(&r,
            *cpu_set(FAMILY_AES)
                ? "AES: SOFTWARE (vpaes, SSSE3) 96.5% of CPU  -- this CPU has no AES-NI"
                : "AES: SOFTWARE (vpaes, SSSE3) 96.5% of CPU",
            "software on a CPU that has none");
    report_free(&r);
}

static void hardware_and_both(void)
{
    struct report r = new_report("command", 1000);
    r.cpu_families = has(FAMILY_AES);
    add_row(&r, FAMILY_AES, HOW_HARDWARE, 993);
    is_text(&r, "AES: HARDWARE 99.3% of CPU", "hardware");
    add_row(&r, FAMILY_AES, HOW_SOFTWARE, 6);
    is_text(&r, "AES: HARDWARE 99.3% of CPU, software 0.6%", "little software needs no reason");
    r.rows[0].samples = 200;
    r.rows[1].samples = 600;
    is_text(&r,
            *cpu_set(FAMILY_AES) ? "AES: SOFTWARE 60.0% of CPU, hardware 20.0%  -- this CPU has "
                                   "AES-NI; the software part does not use it"
                                 : "AES: SOFTWARE 60.0% of CPU, hardware 20.0%",
            "the larger part first");
    report_free(&r);
}

static void gcm_as_a_whole(void)
{
    struct report r = new_report("command", 1000);
    r.cpu_families = has(FAMILY_AES) | has(FAMILY_GHASH);
    add_row(&r, FAMILY_AES, HOW_HARDWARE, 600);
    add_row(&r, FAMILY_GHASH, HOW_HARDWARE, 300);
    is_text(&r, "AES: HARDWARE 60.0% of CPU, 90.0% with GHASH", "AES-GCM's parts together");
    r.rows[1].finding.how = HOW_SOFTWARE;
    is_text(&r, "AES: HARDWARE 60.0% of CPU", "hardware and software are not added up");
    report_free(&r);
}

static void no_instructions_anywhere(void)
{
    struct report r = new_report("command", 1000);
    char wanted[200];
    add_row(&r, FAMILY_CHACHA20, HOW_VECTOR, 880)->finding.variant = "AVX2";
    snprintf(wanted, sizeof wanted, "ChaCha20: VECTOR SOFTWARE (AVX2) 88.0%% of CPU%s%s%s",
             *cpu_name ? "  -- " : "", cpu_name, *cpu_name ? " has no instructions for it" : "");
    is_text(&r, wanted, "vector software is not blamed");
    report_free(&r);
}

static void few_samples(void)
{
    struct report r = new_report("command", 7);
    add_row(&r, FAMILY_AES, HOW_HARDWARE, 7);
    is_text(&r, "AES: HARDWARE 100.0% of CPU  (only 7 samples: too few to rely on the share)",
            "few samples are said to be few");
    report_free(&r);
}

static void counts_alone(void)
{
    struct report r = new_report("command", 500);
    struct report_row *row = add_row(&r, FAMILY_AES, HOW_HARDWARE, 0);
    row->calls = 12;
    row->exactness = COUNT_EXACT;
    is_text(&r, "AES: HARDWARE 12 calls counted, no sample", "a count is an observation");
    row->exactness = COUNT_AT_LEAST;
    is_text(&r, "AES: CALLED, but neither sampled nor counted exactly, hardware at least 12 calls",
            "a bound is called one, and decides nothing");
    report_free(&r);
}

static void what_is_no_crypto(void)
{
    struct report r = new_report("command", 1000);
    struct verdict v[NUM_FAMILIES];
    char text[256];
    add_row(&r, FAMILY_CRC, HOW_CHECKSUM, 300);
    add_row(&r, FAMILY_BIGNUM, HOW_ARITHMETIC, 300);
    add_row(&r, FAMILY_AESHASH, HOW_HASHING, 200);
    add_row(&r, FAMILY_NONE, HOW_NONE, 100);
    tap(report_verdicts(v, NUM_FAMILIES, &r) == 0,
        "checksums, arithmetic and hash tables are no crypto");
    report_no_verdict(text, sizeof text, &r);
    contains(text, "no cipher, digest or MAC observed in 1000 samples; 30.0% of CPU in arithmetic");
    r.rows[1].samples = 0;
    report_no_verdict(text, sizeof text, &r);
    contains(text, "no crypto observed in 1000 samples");
    lacks(text, "not used");
    tap(!complaints_so_far(), "not observed is not called unused");
    add_row(&r, FAMILY_UNKNOWN, HOW_UNCLASSIFIED, 55);
    r.uncovered_samples = 44;
    r.lost = 33;
    report_no_verdict(text, sizeof text, &r);
    contains(text, "55 in code with the structure of crypto");
    contains(text, "44 in code that could not be read");
    contains(text, "33 lost");
    tap(!complaints_so_far(), "what was not covered stands beside it");
    r.samples = 3;
    report_no_verdict(text, sizeof text, &r);
    contains(text, "too few");
    tap(!complaints_so_far(), "few samples without crypto prove nothing");
    report_free(&r);
}

static void without_a_name(void)
{
    struct report r = new_report("command", 1000);
    struct verdict v[NUM_FAMILIES];
    add_row(&r, FAMILY_UNNAMED, HOW_UNCLASSIFIED, 10)->offset = 0x1234;
    tap(report_verdicts(v, NUM_FAMILIES, &r) == 0, "one percent without a name is not mentioned");
    r.rows[0].samples = 34;
    is_text(&r, "3.4% of CPU in unrecognised code that looks like crypto: libcrypto.so.3+0x1234",
            "the place of code without a name");
    add_row(&r, FAMILY_AESBASED, HOW_UNCLASSIFIED, 400)->offset = 0x20;
    add_row(&r, FAMILY_AESBASED, HOW_UNCLASSIFIED, 52)->offset = 0x40;
    free(r.rows[1].library);
    r.rows[1].library = copy_of("\x1b[2J");
    is_text(&r, "45.2% of CPU in a cipher on AES instructions, not AES: \\x1b[2J+0x20 and others",
            "a cipher on AES instructions; the library's name is escaped");
    report_free(&r);
}

static void order_and_bound(void)
{
    struct report r = new_report("system", 1000);
    struct verdict v[NUM_FAMILIES];
    add_row(&r, FAMILY_SHA256, HOW_HARDWARE, 100);
    add_row(&r, FAMILY_AES, HOW_HARDWARE, 300);
    add_row(&r, FAMILY_SHA256, HOW_HARDWARE, 250);
    const bool well = report_verdicts(v, NUM_FAMILIES, &r) == 2 && v[0].family == FAMILY_SHA256 &&
                      v[1].family == FAMILY_AES && v[0].share > .349 && v[0].share < .351;
    tap(well && report_verdicts(v, 1, &r) == 1, "sorted by share, no more than asked for");
    report_free(&r);
}

/* ---- the CPU ---- */

static uint32_t families_of(const char *text)
{
    FILE *f = fmemopen((char *)text, strlen(text), "r");
    const uint32_t families = f ? cpu_families_of(f) : 0;
    if (f)
        fclose(f);
    return families;
}

static void cpu(void)
{
    if (!*cpu_name) {
        tap_skip("families.def has no flags of this architecture", "CPU flags");
        return;
    }
    const uint32_t all = families_of("x\t: y\nflags\t\t: fpu aes sha_ni pclmulqdq\n"
                                     "Features\t: fp aes pmull sha1 sha2\n");
    const uint32_t none = families_of("flags\t\t: fpu aesx xaes avx\nFeatures\t: aesx xaes fp\n");
    tap(all >> FAMILY_AES & 1 && all >> FAMILY_SHA256 & 1 && all >> FAMILY_GHASH & 1 &&
            !(all >> FAMILY_SM4 & 1) && !(none >> FAMILY_AES & 1),
        "families by whole words of /proc/cpuinfo");
}

/* ---- waste ---- */

static void waste_with(unsigned clues, const char *wanted, const char *name)
{
    struct report r = new_report("command", 1000);
    r.cpu_families = has(FAMILY_AES);
    add_process(&r, 77, "prog", clues);
    add_row(&r, FAMILY_AES, HOW_SOFTWARE, 900);
    if (waste_find(&r) || r.num_waste != 1)
        complain("%zu sentences", r.num_waste);
    else
        contains(r.waste[0], wanted);
    tap(!complaints_so_far(), "%s", name);
    report_free(&r);
}

static unsigned clues_in(const char *words, size_t len, bool environment)
{
    return waste_clues_in(words, len, environment);
}
#define CLUES(words, environment) clues_in(words, sizeof(words) - 1, environment)

static void waste(void)
{
    if (!*cpu_set(FAMILY_AES)) {
        tap_skip("families.def has no instructions of this architecture", "waste");
        return;
    }
    waste_with(CLUES_READ | CLUES("A=b\0OPENSSL_ia32cap=~0x2\0", true), "OPENSSL_ia32cap is set",
               "waste: OPENSSL_ia32cap");
    waste_with(CLUES("GODEBUG=x=1,cpu.aes=off\0", true), "cpu.aes=off", "waste: GODEBUG");
    waste_with(CLUES("java\0-XX:-UseAES\0", false), "-XX:-UseAES", "waste: the JVM's switch");
    waste_with(CLUES_READ, "how that library was built", "waste: no switch found");
    waste_with(0, "could not be read", "waste: environment unknown");
    tap(!CLUES("XOPENSSL_ia32cap=1\0OPENSSL_ia32capx=1\0GODEBUG=\0-XX:-UseAES\0", true) &&
            !CLUES("OPENSSL_ia32cap=1\0", false) && !CLUES("OPENSSL_ia32cap=1", true),
        "waste: only whole names, of their own place, that are not cut off");
}

/* Which clues of a process that computes in libcrypto give a sentence. */
static void unserved(void)
{
    static const struct {
        unsigned clues;
        const char *wanted; /* NULL: no sentence */
    } table[] = {
        { MAPS_LIBCRYPTO | CONFIG_ENABLES, "library context of its own" },
        { MAPS_LIBCRYPTO | CONFIG_IS_OTHER, "its OPENSSL_CONF names a file" },
        { MAPS_LIBCRYPTO | MAPS_PROVIDER | CONFIG_ENABLES, NULL },
        { MAPS_LIBCRYPTO, NULL },
        { CONFIG_ENABLES, NULL },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct report r = new_report("command", 1000);
        add_process(&r, 77, "prog", CLUES_READ | table[i].clues);
        add_row(&r, FAMILY_SHA256, HOW_HARDWARE, 900);
        if (waste_find(&r) || r.num_waste != (table[i].wanted != NULL))
            complain("row %zu: %zu sentences", i, r.num_waste);
        else if (table[i].wanted)
            contains(r.waste[0], table[i].wanted);
        report_free(&r);
    }
    struct report r = new_report("command", 1000); /* nothing was computed in libcrypto */
    add_process(&r, 77, "prog", CLUES_READ | MAPS_LIBCRYPTO | CONFIG_ENABLES);
    if (waste_find(&r) || r.num_waste)
        complain("without crypto: %zu sentences", r.num_waste);
    report_free(&r);
    if (unserved_file("/lib/libcrypto.so.3") != MAPS_LIBCRYPTO ||
        unserved_file("/lib/libcrypto.so.4") != MAPS_LIBCRYPTO ||
        unserved_file("/lib/ossl-modules/headrace.so") != MAPS_PROVIDER ||
        unserved_file("/lib/libcrypto.so.1.1") || unserved_file("/lib/libheadrace.so.0"))
        complain("mapped files");
    tap(!complaints_so_far(), "waste: libcrypto without a provider that openssl.cnf enables");
}

static void unserved_by_file(void)
{
    char path[] = "/tmp/headrace-verdict.XXXXXX", words[100];
    const int fd = mkstemp(path);
    const int len = snprintf(words, sizeof words, "A=b%cOPENSSL_CONF=%s", 0, path) + 1;
    const unsigned before = unserved_config(getpid(), words, (size_t)len);
    const bool written = fd >= 0 && write(fd, "headrace = 1\n", 13) == 13;
    const unsigned after = unserved_config(getpid(), words, (size_t)len);
    const unsigned cut = unserved_config(getpid(), words, (size_t)len - 1);
    tap(written && !(before & CONFIG_ENABLES) && after == CONFIG_ENABLES &&
            !(cut & CONFIG_IS_OTHER),
        "waste: the file that OPENSSL_CONF names");
    close(fd);
    unlink(path);
}

/* A device's opening may have an effect. A FIFO stands for one: inotify(7) tells of each open(2),
 * but not of one with O_PATH. */
static void special_by_file(void)
{
    char path[] = "/tmp/headrace-verdict.XXXXXX", words[100], event[4096];
    const int fd = mkstemp(path), events = inotify_init1(IN_NONBLOCK);
    const int len = snprintf(words, sizeof words, "OPENSSL_CONF=%s", path) + 1;
    const bool watched = fd >= 0 && !unlink(path) && !mkfifo(path, 0600) &&
                         inotify_add_watch(events, path, IN_OPEN) >= 0;
    const unsigned clues = unserved_config(getpid(), words, (size_t)len);
    tap(watched && clues != CONFIG_ENABLES && read(events, event, sizeof event) < 0,
        "waste: a special file that OPENSSL_CONF names is not opened");
    close(events);
    close(fd);
    unlink(path);
}

static void waste_by_name(void)
{
    struct report r = new_report("command", 1000);
    r.cpu_families = has(FAMILY_AES);
    add_process(&r, 77, "prog", CLUES_READ);
    rename_function(add_row(&r, FAMILY_AES, HOW_SOFTWARE, 500), "AES_encrypt");
    struct report_row *fetch = add_row(&r, FAMILY_NONE, HOW_NONE, 0);
    rename_function(fetch, "EVP_CIPHER_fetch");
    fetch->calls = 63881;
    fetch->exactness = COUNT_EXACT;
    const bool well = !waste_find(&r) && r.num_waste == 3;
    tap(well && strstr(r.waste[1], "deprecated AES_* calls") &&
            strstr(r.waste[2], "EVP_CIPHER_fetch of libcrypto.so.3 was called 63881 times"),
        "waste: deprecated calls, and fetches");
    report_free(&r);
}

static void no_waste(void)
{
    struct report r = new_report("command", 1000);
    add_process(&r, 77, "prog", CLUES_READ);
    add_row(&r, FAMILY_AES, HOW_SOFTWARE, 900); /* the CPU has nothing better */
    add_row(&r, FAMILY_CHACHA20, HOW_VECTOR, 50);
    r.cpu_families = has(FAMILY_SHA256);
    add_row(&r, FAMILY_SHA256, HOW_SOFTWARE, 2); /* too little to speak of */
    tap(!waste_find(&r) && !r.num_waste, "no waste where nothing is proven");
    report_free(&r);
}

int main(void)
{
    if (*cpu_name && strcmp(cpu_set(FAMILY_AES), "AES-NI") != 0)
        tap_skip("its sentences name AES-NI", "sentences of x86");
    else {
        software_that_the_cpu_need_not_run();
        hardware_and_both();
    }
    gcm_as_a_whole();
    no_instructions_anywhere();
    few_samples();
    counts_alone();
    what_is_no_crypto();
    without_a_name();
    order_and_bound();
    cpu();
    waste();
    unserved();
    unserved_by_file();
    special_by_file();
    waste_by_name();
    no_waste();
    return tap_done();
}
