/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's own crypto: /proc/crypto, kallsyms, and what names of both tell. */
#include "kernel/kernel.h"
#include "kernel/kernel_names.h"
#include "report/cpu_flags.h"
#include "report_build.h"

static const char proc_crypto[] = "name         : __xts(aes)\n"
                                  "driver       : __xts-aes-aesni\n"
                                  "module       : aesni_intel\n"
                                  "priority     : 401\n"
                                  "refcnt       : 1\n"
                                  "internal     : yes\n"
                                  "\n"
                                  "name         : cbc(aes)\n"
                                  "driver       : cbc-aes-aesni\n"
                                  "module       : aesni_intel\n"
                                  "priority     : 400\n"
                                  "refcnt       : 3\n"
                                  "\n"
                                  "name         : sha256\n"
                                  "driver       : sha256-generic\n"
                                  "module       : kernel\n"
                                  "priority     : 100\n"
                                  "refcnt       : 1\n"
                                  "type         : shash\n"
                                  "\n"
                                  "name         : deflate\n"
                                  "driver       : deflate-scomp\n"
                                  "type         : scomp";

static void drivers(void)
{
    struct report_driver *d = NULL;
    const ssize_t num = kernel_drivers_parse(&d, proc_crypto, sizeof proc_crypto - 1);
    tap(num == 3 && !strcmp(d[1].name, "cbc(aes)") && !strcmp(d[1].driver, "cbc-aes-aesni") &&
            !strcmp(d[1].module, "aesni_intel") && d[1].priority == 400 && d[1].in_use &&
            d[1].hardware && !d[0].in_use && d[0].hardware && !d[2].hardware && !d[2].in_use,
        "/proc/crypto: name, driver, module, priority, use, hardware");
    free(d);
}

static void hostile_drivers(void)
{
    char text[4096];
    bool well = true;
    for (unsigned i = 0; i < 2000; i++) {
        struct report_driver *d = NULL;
        const size_t len = random_below(sizeof text);
        random_bytes(text, len);
        for (size_t at = 0; at + 16 < len; at += 16)
            memcpy(text + at, at % 64 ? "\ndriver : ni" : "\nname : ::\n :", 12);
        const ssize_t num = kernel_drivers_parse(&d, text, len);
        for (ssize_t n = 0; n < num; n++)
            well &= memchr(d[n].name, '\0', sizeof d[n].name) &&
                    memchr(d[n].driver, '\0', sizeof d[n].driver);
        free(d);
    }
    tap(well, "/proc/crypto: any bytes");
}

static void devices(void)
{
    static const char *const hardware[] = {
        "cbc-aes-aesni", "sha256-ni",           "ghash-pclmulqdqni", "ghash-clmulni", "ecb-aes-ce",
        "qat_aes_cbc",   "xts-aes-vaes-avx512", "p8_aes_ctr",        "cbc-aes-s390",  "sha1-ce"
    };
    static const char *const software[] = { "aes-generic",
                                            "sha512-avx2",
                                            "chacha20-neon",
                                            "cbc(aes-generic)",
                                            "crc32c-generic",
                                            "niagara-like",
                                            "essiv(cbc(aes-lib),sha256-lib)" };
    for (size_t i = 0; i < COUNT_OF(hardware); i++)
        if (!kernel_is_device(hardware[i]))
            complain("%s is hardware", hardware[i]);
    for (size_t i = 0; i < COUNT_OF(software); i++)
        if (kernel_is_device(software[i]))
            complain("%s is software", software[i]);
    if (!kernel_is_library("sha256-lib") || kernel_is_library("libsha256-generic"))
        complain("sha256-lib is the kernel's library");
    tap(!complaints_so_far(), "drivers: hardware, generic, or not told");
}

static void functions(void)
{
    static const struct {
        const char *function, *module;
        enum family family;
        enum how how;
        const char *mode;
    } cases[] = {
        { "aesni_cbc_enc", "aesni_intel", FAMILY_AES, HOW_HARDWARE, "CBC" },
        { "aes_xts_encrypt_vaes_avx512", "aesni_intel", FAMILY_AES, HOW_HARDWARE, "XTS" },
        { "aes_encrypt", "", FAMILY_AES, HOW_SOFTWARE, NULL },
        { "sha256_ni_transform", "sha256_ssse3", FAMILY_SHA256, HOW_HARDWARE, NULL },
        { "sha256_transform_rorx", "sha256_ssse3", FAMILY_SHA256, HOW_SOFTWARE, NULL },
        { "clmul_ghash_update", "", FAMILY_GHASH, HOW_HARDWARE, NULL },
        { "crc32c_x86_3way", "", FAMILY_CRC, HOW_CHECKSUM, NULL },
        { "do_syscall_64", "", FAMILY_NONE, HOW_NONE, NULL },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct finding f;
        kernel_classify(&f, cases[i].function, cases[i].module);
        const bool mode = cases[i].mode ? f.mode && !strcmp(f.mode, cases[i].mode) : !f.mode;
        if (f.family != cases[i].family || f.how != cases[i].how || !mode)
            complain("%s: %s, %s, %s", cases[i].function, family_info(f.family)->name,
                     family_how_name(f.how), f.mode ? f.mode : "-");
    }
    struct finding f;
    kernel_classify(&f, NULL, "");
    tap(!complaints_so_far() && f.how == HOW_NONE, "functions: what their names tell");
    if (cpu_could(FAMILY_CHACHA20)) {
        tap_skip("this architecture has instructions for it", "vector software");
        return;
    }
    kernel_classify(&f, "chacha_block_xor_avx512vl", "");
    tap(f.family == FAMILY_CHACHA20 && f.how == HOW_VECTOR, "functions: vector software");
}

static void symbols(void)
{
    static const char text[] = "ffffffff81000000 T _text\n"
                               "ffffffffc0002000 t aesni_cbc_enc\t[aesni_intel]\n"
                               "ffffffff81000800 D data\n"
                               "0000000000000000 T hidden\n"
                               "not a line\n"
                               "ffffffff81001000 t second";
    struct kernel_symbols *k = kernel_symbols_parse(text, sizeof text - 1);
    const char *module = NULL,
               *name = kernel_symbols_find(k, UINT64_C(0xffffffff81000fff), &module);
    bool well = name && !strcmp(name, "_text") && !strcmp(module, "");
    name = kernel_symbols_find(k, UINT64_C(0xffffffffc0002010), &module);
    well &= name && !strcmp(name, "aesni_cbc_enc") && !strcmp(module, "aesni_intel");
    name = kernel_symbols_find(k, UINT64_C(0xffffffff81001000), &module);
    well &= name && !strcmp(name, "second");
    tap(well && !kernel_symbols_find(k, 0x1000, &module) &&
            !kernel_symbols_find(k, UINT64_C(0xffffffffd0000000), &module),
        "kallsyms: sorted, without data and hidden addresses");
    kernel_symbols_free(k);
    char zeros[] = "0000000000000000 T _text\n0000000000000000 t x\t[m]\n";
    k = kernel_symbols_parse(zeros, strlen(zeros));
    tap(k && !kernel_symbols_find(k, UINT64_C(0xffffffff81000000), &module),
        "kallsyms: zeros name nothing");
    kernel_symbols_free(k);
}

static void hostile_symbols(void)
{
    char text[2048];
    bool well = true;
    for (unsigned i = 0; i < 2000; i++) {
        const size_t len = random_below(sizeof text);
        random_bytes(text, len);
        for (size_t at = 0; at + 32 < len; at += 32)
            memcpy(text + at, "\nffffffff81000000 t n\t[", 23);
        struct kernel_symbols *k = kernel_symbols_parse(text, len);
        const char *module, *name = kernel_symbols_find(k, UINT64_C(0xffffffff81000001), &module);
        well &= !name || (strlen(name) <= len && strlen(module) <= len);
        kernel_symbols_free(k);
    }
    tap(well, "kallsyms: any bytes");
}

static void samples(void)
{
    struct report r = new_report("system", 1000);
    r.num_drivers = (size_t)kernel_drivers_parse(&r.drivers, proc_crypto, sizeof proc_crypto - 1);
    struct report_row *row = add_row(&r, FAMILY_AES, HOW_HARDWARE, 123);
    free(row->library);
    row->library = copy_of("[aesni_intel]");
    row->source = NAME_KERNEL;
    row->finding.mode = "CBC";
    kernel_attribute(&r);
    tap(r.drivers[1].samples == 123 && !r.drivers[0].samples && !r.drivers[2].samples,
        "samples go to the driver of their module and mode");
    report_free(&r);
}

int main(void)
{
    drivers();
    hostile_drivers();
    devices();
    functions();
    symbols();
    hostile_symbols();
    samples();
    return tap_done();
}
