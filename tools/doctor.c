/* SPDX-License-Identifier: Apache-2.0
 *
 * headrace doctor: does Headrace serve the programs of this machine, and if not, why?
 */
#define _GNU_SOURCE
#include "algorithm.h"
#include "confblock.h"
#include "emulated.h"
#include "file.h"
#include "findings.h"
#include "module.h"
#include "probe.h"
#include "tool.h"
#include "winmap.h"
#include <errno.h>
#include <headrace/headrace.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool json, no_map;
static const char *config, *libcrypto;

struct patient {
    const struct openssl *ssl;
    struct module module;
    bool have_module, have_block, is_system; /* the last: its configuration is the system's */
    char config[PATH_MAX];
    struct probe probe;
    struct findings found;
};

static void check_openssl(struct patient *p)
{
    findings_add(&p->found, FINE, "OpenSSL", "%s (%s)", p->ssl->OpenSSL_version(OPENSSL_VERSION),
                 p->ssl->path);
}

static void check_module(struct patient *p)
{
    if (p->have_module) {
        findings_add(&p->found, FINE, "module", "%s", p->module.path);
        return;
    }
    struct finding *f = findings_add(&p->found, PROBLEM, "module", "no %s", p->module.path);
    finding_advise(f, "install the package headrace, or name the directory of headrace.so in "
                      "OPENSSL_MODULES");
}

/* 1, 0, or -1 where the file cannot be read. */
static int has_block(const char *path)
{
    size_t len, begin, end;
    if (access(path, R_OK))
        return -1;
    char *text = file_read(path, &len);
    const int found = text ? confblock_find(text, &begin, &end) : -1;
    free(text);
    return found != 0 && text ? found : text ? 0 : -1;
}

static void check_config(struct patient *p)
{
    struct finding *f;
    if (!*p->config) {
        f = findings_add(&p->found, PROBLEM, "configuration",
                         "OPENSSL_CONF is empty: programs with it read no configuration");
        finding_advise(f, "unset OPENSSL_CONF");
        return;
    }
    if (access(p->config, R_OK)) {
        f = findings_add(&p->found, PROBLEM, "configuration", "cannot read %s: %s", p->config,
                         strerror(errno));
        finding_advise(f, "unset OPENSSL_CONF, or name a file that is there");
        return;
    }
    p->have_block = has_block(p->config) == 1;
    if (p->probe.loaded) {
        findings_add(&p->found, FINE, "configuration", "%s%s", p->config,
                     p->have_block ? ", with headrace's block" : "");
        return;
    }
    f = findings_add(&p->found, PROBLEM, "configuration", "OpenSSL refuses %s: %s", p->config,
                     p->probe.reason);
    finding_advise(f, "mend that file; config(5ssl) has its form");
}

static void check_provider(struct patient *p)
{
    struct finding *f;
    if (!p->probe.loaded && !p->probe.has_headrace)
        return; /* the configuration is the problem */
    if (p->probe.has_headrace && strcmp(p->probe.version, hr_version())) {
        f = findings_add(&p->found, PROBLEM, "provider", "%s is version %s, this program %s",
                         p->module.path, p->probe.version, hr_version());
        finding_advise(f, "install both from the same build, or see which file openssl.cnf names");
    } else if (p->probe.has_headrace) {
        findings_add(&p->found, FINE, "provider", "active: %s, version %s", p->probe.name,
                     p->probe.version);
    } else if (p->have_module && *p->probe.module_reason) {
        f = findings_add(&p->found, PROBLEM, "provider", "does not load: %s",
                         p->probe.module_reason);
        finding_advise(f, "install the package headrace again");
    } else {
        f = findings_add(&p->found, PROBLEM, "provider", "not active: %s %s", p->config,
                         p->have_block ? "names a module that does not load" : "does not name it");
        finding_advise(f, p->is_system ? "headrace enable" : "headrace enable --config %s",
                       p->config);
    }
    if (!p->probe.has_default && p->probe.loaded) {
        f = findings_add(&p->found, PROBLEM, "provider",
                         "OpenSSL's default provider is not active"
                         " (active: %s)",
                         p->probe.providers);
        finding_advise(f, "activate it by name: a configuration that activates any provider must");
    }
}

enum served { BY_OURS, BY_OTHERS, BY_OURS_ALONE };

static enum served who(const struct probe *probe, size_t i)
{
    if (strcmp(probe->served_by[i], "headrace") != 0)
        return BY_OTHERS;
    return probe->has_other[i] ? BY_OURS : BY_OURS_ALONE;
}

/* The rows that are served so. */
static size_t list_served(char *out, size_t out_len, const struct probe *probe, enum served by)
{
    const struct hr_algorithm *row;
    size_t n = 0, used = 0;
    *out = '\0';
    for (size_t i = 0; i < PROBE_ALGORITHMS && (row = hr_algorithm_at(i)); i++) {
        if (!tool_in_provider(row) || who(probe, i) != by)
            continue;
        if (used < out_len)
            used += (size_t)snprintf(out + used, out_len - used, "%s%s", n ? ", " : "", row->name);
        n++;
    }
    return n;
}

static void check_preferred(struct patient *p)
{
    char ours[1600], others[1600], alone[1600];
    if (!p->probe.has_headrace)
        return;
    if (list_served(ours, sizeof ours, &p->probe, BY_OURS)) {
        findings_add(&p->found, FINE, "preferred", "served by Headrace: %s", ours);
    } else {
        struct finding *f =
            findings_add(&p->found, PROBLEM, "preferred", "active, but preferred for no algorithm");
        finding_advise(f, "headrace enable --calibrate measures what is a win here; --all serves "
                          "everything");
    }
    if (list_served(others, sizeof others, &p->probe, BY_OTHERS))
        findings_add(&p->found, NOTE, "preferred", "left to OpenSSL's own: %s", others);
    if (list_served(alone, sizeof alone, &p->probe, BY_OURS_ALONE))
        findings_add(&p->found, NOTE, "preferred", "no other active provider has: %s", alone);
}

/* What the win map cannot say. */
static void check_des(struct patient *p)
{
    if (!p->probe.has_headrace)
        return;
    if (p->probe.strict)
        findings_add(&p->found, NOTE, "DES",
                     "strict: what OpenSSL has of DES and triple DES is left to it, for nothing of "
                     "ours whose time is the same for all data is as fast where messages are short "
                     "or chained; its own time depends on data, too");
    else
        findings_add(&p->found, NOTE, "DES",
                     "ECB, CTR, and decryption in CBC and CFB mode compute hundreds of blocks at "
                     "once. Encryption in CBC, CFB and OFB mode is one chain of rounds a message, "
                     "and no faster than OpenSSL's; of many messages at once it is: hr_queue(3), "
                     "EVP_CipherPipelineEncryptInit. Chains, and messages that are too short, go "
                     "through tables, in a time that depends on data as OpenSSL's does: strict = "
                     "yes in the provider's section of openssl.cnf refuses that. Either way DES is "
                     "for old data and old partners (headrace-provider(7))");
}

static const struct {
    const char *name, *effect;
} variables[] = {
    { "OPENSSL_CONF", "programs with it read that file, not the system's" },
    { "OPENSSL_MODULES", "OpenSSL looks for modules there only" },
    { "OPENSSL_CONF_INCLUDE", "files that openssl.cnf includes are looked for there" },
    { "OPENSSL_ia32cap", "OpenSSL's own kernels are chosen by it; ours are not" },
    { "HEADRACE_STATS", "programs count what they had served there" },
    { "HEADRACE_STRICT", "yes: no kernel is used whose time depends on data" },
};

static void check_environment(struct patient *p)
{
    for (size_t i = 0; i < COUNT(variables); i++) {
        const char *value = getenv(variables[i].name);
        if (value)
            findings_add(&p->found, NOTE, "environment", "%s=%s: %s", variables[i].name, value,
                         variables[i].effect);
    }
}

static void list_features(char *out, size_t out_len, uint64_t set)
{
    const struct hr_cpu_feature *feature;
    size_t used = 0;
    *out = '\0';
    for (size_t i = 0; (feature = hr_cpu_feature_at(i)) && used < out_len; i++)
        if (feature->bit & set)
            used += (size_t)snprintf(out + used, out_len - used, "%s%s", used ? ", " : "",
                                     feature->words);
}

static uint64_t features_used(void)
{
    const struct hr_algorithm *row;
    struct hr_kernel kernel;
    uint64_t used = 0;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        for (int op = 0; op < 2; op++) {
            const int chosen = hr_kernel_chosen(row->alg, (enum hr_op)op);
            if (chosen >= 0 && !hr_kernel_at(&kernel, row->alg, (enum hr_op)op, (size_t)chosen))
                used |= kernel.needs;
        }
    return used;
}

static void check_hardware(struct patient *p)
{
    char words[600];
    const uint64_t masked = hr_cpu_detected() & ~hr_cpu_features();
    const uint64_t used = features_used();
    if (emulator())
        findings_add(&p->found, NOTE, "hardware", "emulated by %s: no win map is measured",
                     emulator());
    list_features(words, sizeof words, used);
    findings_add(&p->found, *words ? FINE : NOTE, "hardware", "used: %s", *words ? words : "none");
    list_features(words, sizeof words, hr_cpu_features() & ~used);
    if (*words)
        findings_add(&p->found, NOTE, "hardware", "present, needed by no chosen kernel: %s", words);
    list_features(words, sizeof words, masked);
    if (*words) {
        struct finding *f =
            findings_add(&p->found, PROBLEM, "hardware", "masked by HEADRACE_CPU: %s", words);
        finding_advise(f, "unset HEADRACE_CPU");
    }
}

static void (*const checks[])(struct patient *) = {
    check_openssl,   check_module, check_config,      check_provider,
    check_preferred, check_des,    check_environment, check_hardware,
};

static void examine(struct patient *p)
{
    p->have_module = module_find(&p->module, p->ssl);
    char system[PATH_MAX];
    if (config)
        snprintf(p->config, sizeof p->config, "%s", config);
    else
        effective_config(p->config, p->ssl);
    system_config(system, p->ssl);
    p->is_system = !strcmp(p->config, system);
    probe_config(&p->probe, p->ssl, p->config, p->module.path, false);
    for (size_t i = 0; i < COUNT(checks); i++)
        checks[i](p);
}

/* ---- results ---- */

static json_t *map_json(const struct win_map *map)
{
    char *text = NULL;
    size_t len;
    json_t *value = NULL;
    FILE *out = open_memstream(&text, &len);
    if (out && !win_map_write_json(map, out) && !fclose(out))
        value = json_loads(text, 0, NULL);
    free(text);
    return value ? value : json_null();
}

static void print_text(const struct patient *p, const struct win_map *map)
{
    const size_t problems = findings_problems(&p->found);
    findings_print(&p->found, stdout);
    if (map) {
        putchar('\n');
        win_map_print(map, stdout);
    }
    if (problems)
        tool_print(stdout, "31", "\n%zu problem%s\n", problems, problems > 1 ? "s" : "");
    else
        tool_print(stdout, "32", "\nall is well\n");
}

static void print_json(const struct patient *p, const struct win_map *map)
{
    json_t *all = json_pack("{s:b, s:s, s:s, s:o, s:o}", "fine", !findings_problems(&p->found),
                            "config", p->config, "module", p->module.path, "findings",
                            findings_json(&p->found), "map", map ? map_json(map) : json_null());
    json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(4));
    putchar('\n');
    json_decref(all);
}

static int doctor_main(int argc, char **argv)
{
    static struct patient p;
    static struct win_map map;
    p.ssl = openssl_open(libcrypto);
    if (!p.ssl)
        return EXIT_FAILURE;
    examine(&p);
    const bool mapped = !no_map && !emulator() && p.have_module &&
                        calibrate_measure(&map, libcrypto, NULL, false) == EXIT_SUCCESS;
    (json ? print_json : print_text)(&p, mapped ? &map : NULL);
    return tool_finish(findings_problems(&p.found) ? EXIT_FAILURE : EXIT_SUCCESS);
}

static const struct tool_option doctor_options[] = {
    { "config", 0, "FILE", "this openssl.cnf instead of the one in force", NULL, &config },
    { "no-map", 0, NULL, "leave out the win map, which takes seconds", &no_map, NULL },
    { "json", 0, NULL, "print JSON", &json, NULL },
    { "libcrypto", 0, "PATH", "this libcrypto instead of the system's", NULL, &libcrypto },
    { .name = NULL },
};

const struct command doctor_command = {
    .name = "doctor",
    .summary = "tell whether Headrace serves programs here, and if not, why",
    .options = doctor_options,
    .main = doctor_main,
    .no_operands = true,
};
