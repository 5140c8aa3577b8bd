/* SPDX-License-Identifier: Apache-2.0
 *
 * headrace doctor: finds out whether Headrace serves the programs of this machine, and if not, why.
 */
#define _GNU_SOURCE
#include "../../cli/algorithm.h"
#include "../../cli/emulated.h"
#include "../../cli/file.h"
#include "../../cli/module.h"
#include "../../cli/quote_json.h"
#include "../../cli/tool.h"
#include "../../measure/winmap.h"
#include "confblock.h"
#include "cost.h"
#include "findings.h"
#include "lending.h"
#include "pkcs11.h"
#include "probe.h"
#include "unserved.h"
#include <errno.h>
#include <headrace/headrace.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool json, with_map, no_map, quick;
static const char *config, *libcrypto;

struct patient {
    const struct openssl *ssl;
    struct module module;
    bool have_module, have_block, is_system; /* is_system: the configuration is the system's */
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

/* Whether a file has the block: 1, 0, or -1 if it cannot be read or the block is damaged. */
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
    finding_advise(f, "repair that file; config(5ssl) describes its format");
}

static void check_provider(struct patient *p)
{
    struct finding *f;
    if (!p->probe.loaded && !p->probe.has_headrace)
        return; /* the configuration is the problem, not the module */
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
        finding_advise(f, "activate it in openssl.cnf: OpenSSL does so by itself only if that file "
                          "activates no provider");
    }
}

enum served { BY_OURS, BY_OTHERS, BY_OURS_ALONE };

static enum served who(const struct probe *probe, size_t i)
{
    if (strcmp(probe->served_by[i], "headrace") != 0)
        return BY_OTHERS;
    return probe->has_other[i] ? BY_OURS : BY_OURS_ALONE;
}

/* Lists the rows that are served by `by`. */
static size_t list_served(char *out, size_t out_len, const struct probe *probe, enum served by)
{
    const struct hr_algorithm *row;
    size_t n = 0, used = 0;
    *out = '\0';
    for (size_t i = 0; i < PROBE_ALGORITHMS && (row = hr_algorithm_at(i)); i++) {
        if (!algorithm_in_provider(row) || who(probe, i) != by)
            continue;
        if (used < out_len)
            used += (size_t)snprintf(out + used, out_len - used, "%s%s", n ? ", " : "", row->name);
        n++;
    }
    return n;
}

static void check_map(struct patient *p)
{
    enum { ELSEWHERE = 2 };
    if (p->probe.map != ELSEWHERE)
        return;
    struct finding *f =
        findings_add(&p->found, PROBLEM, "map",
                     "the win map was measured on another CPU or with another OpenSSL, so "
                     "the shipped table decides what is served");
    finding_advise(f, "headrace enable --calibrate");
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
        finding_advise(f, "headrace enable --calibrate measures which algorithms are faster here; "
                          "--all serves all");
    }
    if (*p->probe.key_types)
        findings_add(&p->found, FINE, "preferred", "public keys served by Headrace: %s",
                     p->probe.key_types);
    if (list_served(others, sizeof others, &p->probe, BY_OTHERS))
        findings_add(&p->found, NOTE, "preferred", "left to OpenSSL: %s", others);
    if (list_served(alone, sizeof alone, &p->probe, BY_OURS_ALONE))
        findings_add(&p->found, NOTE, "preferred", "offered by no other active provider: %s",
                     alone);
}

/* Adds a note on what every process pays that reads the configuration, whether it uses Headrace or
 * not. */
static void check_cost(struct patient *p)
{
    struct cost cost;
    if (!p->probe.has_headrace || emulated_by() || !cost_measure(&cost, p->ssl, p->module.path))
        return;
    findings_add(
        &p->found, NOTE, "start",
        "each process that reads this configuration pays %.2f ms of CPU time and %.0f page "
        "faults for the provider, whether it uses it or not",
        cost.ms, cost.faults);
}

/* Adds a note on how DES is served, with and without strict. */
static void check_des(struct patient *p)
{
    if (!p->probe.has_headrace)
        return;
    if (p->probe.strict)
        findings_add(&p->found, NOTE, "DES",
                     "strict = yes, so the algorithms of DES and triple DES that OpenSSL has are "
                     "left to OpenSSL: Headrace's constant-time kernels are slower than OpenSSL's "
                     "code for short messages and for encryption in CBC, CFB and OFB mode. The "
                     "time of OpenSSL's code depends on keys and data");
    else
        findings_add(&p->found, NOTE, "DES",
                     "ECB, CTR, and decryption in CBC and CFB mode compute hundreds of blocks at "
                     "once. Encryption in CBC, CFB and OFB mode must compute one block after the "
                     "other, and is hardly faster than OpenSSL's; many messages at once are "
                     "(hr_queue(3), EVP_CipherPipelineEncryptInit). For these modes, and for short "
                     "messages, Headrace uses tables, so that their time depends on keys and data, "
                     "as in OpenSSL; strict = yes in the provider's section of openssl.cnf forbids "
                     "that. Use DES only for old data and old partners (headrace-provider(7))");
}

static const struct {
    const char *name, *effect;
} variables[] = {
    { "OPENSSL_CONF", "programs with this variable read that file instead of the system's" },
    { "OPENSSL_MODULES", "OpenSSL looks for modules only there" },
    { "OPENSSL_CONF_INCLUDE", "OpenSSL looks there for files that openssl.cnf includes" },
    { "OPENSSL_ia32cap",
      "it changes which CPU instructions OpenSSL's own code uses, not which Headrace uses" },
    { "HEADRACE_STATS", "programs count the calls that Headrace served in that file" },
    { "HEADRACE_STRICT", "if yes, Headrace uses no kernel whose time depends on keys or data" },
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

static void check_lending(struct patient *p)
{
    if (p->probe.has_headrace)
        lending_check(&p->found, p->probe.lends);
}

static void check_pkcs11(struct patient *p)
{
    pkcs11_check(&p->found);
}

static void check_programs(struct patient *p)
{
    unserved_programs(&p->found);
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
        for (int op = 0; op <= HR_OP_PK; op++) {
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
    if (emulated_by())
        findings_add(&p->found, NOTE, "hardware",
                     "the CPU is emulated by %s, so no win map is measured", emulated_by());
    list_features(words, sizeof words, used);
    findings_add(&p->found, *words ? FINE : NOTE, "hardware", "used: %s", *words ? words : "none");
    list_features(words, sizeof words, hr_cpu_features() & ~used);
    if (*words)
        findings_add(&p->found, NOTE, "hardware",
                     "present, but not needed by any chosen kernel: %s", words);
    list_features(words, sizeof words, masked);
    if (*words) {
        struct finding *f =
            findings_add(&p->found, PROBLEM, "hardware", "masked by HEADRACE_CPU: %s", words);
        finding_advise(f, "unset HEADRACE_CPU");
    }
}

static void (*const checks[])(struct patient *) = {
    check_openssl,   check_module,   check_config,   check_provider,    check_map,
    check_preferred, check_cost,     check_des,      check_environment, check_lending,
    check_pkcs11,    check_programs, check_hardware,
};

static void examine(struct patient *p)
{
    p->have_module = module_find(&p->module, p->ssl);
    char system[PATH_MAX];
    if (config)
        snprintf(p->config, sizeof p->config, "%s", config);
    else
        module_effective_config(p->config, p->ssl);
    module_system_config(system, p->ssl);
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
    if (out && !winmap_write_json(map, out) && !fclose(out))
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
        winmap_print(map, stdout);
    }
    if (problems)
        tool_print(stdout, "31", "\n%zu problem%s\n", problems, problems > 1 ? "s" : "");
    else
        tool_print(stdout, "32", "\nall is well\n");
}

static void print_json(const struct patient *p, const struct win_map *map)
{
    json_t *all =
        json_pack("{s:b, s:o, s:o, s:o, s:o}", "fine", !findings_problems(&p->found), "config",
                  quote_json(p->config), "module", quote_json(p->module.path), "findings",
                  findings_json(&p->found), "map", map ? map_json(map) : json_null());
    json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(4) | QUOTE_JSON);
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
    const bool mapped = with_map && !no_map && !emulated_by() && p.have_module &&
                        calibrate_measure(&map, libcrypto, NULL, quick) == EXIT_SUCCESS;
    (json ? print_json : print_text)(&p, mapped ? &map : NULL);
    return tool_finish(findings_problems(&p.found) ? EXIT_FAILURE : EXIT_SUCCESS);
}

static const struct tool_option doctor_options[] = {
    { "config", 0, "FILE", "look at this openssl.cnf instead of the one in use", NULL, &config },
    { "map", 0, NULL, "measure the win map, too: 30 seconds of CPU time", &with_map, NULL },
    { "no-map", 0, NULL, "do not measure (the default)", &no_map, NULL },
    { "quick", 'q', NULL, "with --map: measure for seconds only, may be wrong", &quick, NULL },
    { "json", 0, NULL, "print JSON", &json, NULL },
    { "libcrypto", 0, "PATH", "use this libcrypto instead of the system's", NULL, &libcrypto },
    { .name = NULL },
};

const struct command doctor_command = {
    .name = "doctor",
    .summary = "find out whether Headrace serves programs here, and if not, why",
    .options = doctor_options,
    .main = doctor_main,
    .no_operands = true,
};
