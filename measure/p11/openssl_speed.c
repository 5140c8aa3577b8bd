/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "openssl_speed.h"
#include "../../cli/file.h"
#include "../../cli/temporary.h"
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIN = 16, NAME = PATH_MAX + 32, MAX_WORDS = 16 };

/* The words of OpenSSL's program for our rows, and the letters by which it marks their results. RSA
 * is not among them: the program has its own RSA keys, and they are no provider's. */
static const struct program_row {
    const char *symbol, *word, *mark;
    int bits;
} program_rows[] = {
    { "ecdsa_p256", "ecdsap256", "+F4:", 256 },
};

static const struct program_row *row_of(const struct hr_algorithm *row)
{
    for (size_t i = 0; i < COUNT(program_rows); i++)
        if (!strcmp(program_rows[i].symbol, row->symbol))
            return &program_rows[i];
    return NULL;
}

/* ---- a folder with a token, its PINs and a configuration ---- */

static const char *const names[] = { "pin", "so", "openssl.cnf", "out" };
enum { PIN_FILE, SO_FILE, CONFIG, OUT };
static char folder[PATH_MAX];
static pid_t owner; /* the process that made it: children must not remove it */

static const char *path_of(char out[NAME], const char *name)
{
    snprintf(out, NAME, "%s/%s", folder, name);
    return out;
}

/* remove_folder also runs in a handler of signals, which may call few functions; the names of the
 * token's files are not known here. */
static void remove_folder(void)
{
    static const char rm[] = "/bin/rm";
    const char *const words[] = { rm, "-rf", "--", folder, NULL };
    const pid_t pid = fork();
    if (pid == 0) {
        execv(rm, (char **)words);
        _exit(127);
    }
    if (pid > 0)
        waitpid(pid, NULL, 0);
}

static void remove_and_die(int number)
{
    if (getpid() == owner)
        remove_folder();
    signal(number, SIG_DFL);
    raise(number);
}

/* write_pin writes a random PIN, which nobody needs to know. */
static bool write_pin(const char *name)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char random[PIN];
    char path[NAME];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return false;
    for (size_t i = 0; i < PIN; i++)
        random[i] = (unsigned char)digits[random[i] % 16];
    const int fd = open(path_of(path, name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const bool done = fd >= 0 && write(fd, random, sizeof random) == sizeof random;
    explicit_bzero(random, sizeof random);
    return fd >= 0 && !close(fd) && done;
}

/* write_config writes a configuration with which all but random numbers is the token's; without one
 * that works the program fails. */
static bool write_config(const char *provider, const char *module)
{
    char path[NAME], text[4 * NAME];
    const int len =
        snprintf(text, sizeof text,
                 "openssl_conf = init\n[init]\nproviders = providers\nalg_section = algorithms\n"
                 "random = random\n[algorithms]\ndefault_properties = provider=pkcs11\n"
                 "[random]\nproperties = provider=default\nseed_properties = provider=default\n"
                 "[providers]\ndefault = standard\npkcs11 = pkcs11\n[standard]\nactivate = 1\n"
                 "[pkcs11]\nmodule = %s\npkcs11-module-path = %s\n"
                 "pkcs11-module-token-pin = file:%s/%s\nactivate = 1\n",
                 provider, module, folder, names[PIN_FILE]);
    return len > 0 && (size_t)len < sizeof text &&
           !file_replace(path_of(path, names[CONFIG]), text, (size_t)len, NULL);
}

static bool make_folder(const char *provider, const char *module)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/headrace-speed-XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
    if (!mkdtemp(folder))
        return false;
    owner = getpid();
    temporary_catch(remove_and_die);
    return write_pin(names[PIN_FILE]) && write_pin(names[SO_FILE]) &&
           write_config(provider, module);
}

/* ---- programs ---- */

static void become(const char *const *words, const char *config)
{
    char path[NAME], token[NAME];
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC),
              out = open(path_of(path, names[OUT]), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setenv("HEADRACE_TOKEN", path_of(token, "token"), 1);
    setenv("HEADRACE_ACCEL", "off", 1);
    setenv("OPENSSL_CONF", config, 1);
    if (null >= 0 && out >= 0 && dup2(null, 0) == 0 && dup2(out, 1) == 1 && dup2(null, 2) == 2)
        execvp(words[0], (char **)words);
    _exit(127);
}

/* run_program returns whether a program ended well; its output is in the folder. */
static bool run_program(const char *const *words, const char *config)
{
    int status;
    const pid_t pid = fork();
    if (pid == 0)
        become(words, config);
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

static bool make_token(const char *module)
{
    static char self[PATH_MAX];
    char pin[NAME], so[NAME];
    const ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    const char *const words[] = { self,
                                  "token",
                                  "init",
                                  "--module",
                                  module,
                                  "--label",
                                  "speed",
                                  "--so-pin-file",
                                  path_of(so, names[SO_FILE]),
                                  "--pin-file",
                                  path_of(pin, names[PIN_FILE]),
                                  NULL };
    return len > 0 && run_program(words, "/dev/null");
}

/* ---- results ---- */

/* read_line reads "+F2:NUMBER:BITS:SIGNATURES:VERIFICATIONS". */
static void read_line(struct openssl_speed *speed, const char *line, bool is_pkcs11)
{
    int bits;
    double values[2];
    for (size_t i = 0; i < speed->num; i++) {
        const struct program_row *row = row_of(speed->lines[i].row);
        const size_t len = strlen(row->mark);
        if (strncmp(line, row->mark, len) ||
            sscanf(line + len, "%*d:%d:%lf:%lf", &bits, &values[0], &values[1]) != 3 ||
            bits != row->bits)
            continue;
        const double value = values[i % 2];
        *(is_pkcs11 ? &speed->lines[i].pkcs11 : &speed->lines[i].plain) = value;
    }
}

static bool measure(struct openssl_speed *speed, const char *const *words, const char *config,
                    bool is_pkcs11)
{
    char path[NAME];
    size_t len;
    if (!run_program(words, config))
        return false;
    char *const text = file_read(path_of(path, names[OUT]), &len), *rest = text;
    for (char *line; text && (line = strsep(&rest, "\n"));)
        read_line(speed, line, is_pkcs11);
    free(text);
    return text != NULL;
}

/* list_lines makes a line for signing and one for verifying of each row. */
static void list_lines(struct openssl_speed *speed, const struct speed_rows *rows)
{
    for (size_t i = 0; i < rows->num && speed->num + 2 <= OPENSSL_SPEED_LINES; i++) {
        if (!row_of(rows->rows[i]))
            continue;
        speed->lines[speed->num++] = (struct openssl_speed_line){ rows->rows[i], "sign", 0, 0 };
        speed->lines[speed->num++] = (struct openssl_speed_line){ rows->rows[i], "verify", 0, 0 };
    }
}

static bool measure_both(struct openssl_speed *speed, const char *module)
{
    const char *words[MAX_WORDS] = { "openssl", "speed", "-mr", "-seconds", "1" };
    size_t num = 5;
    char config[NAME];
    for (size_t i = 0; i < speed->num; i += 2)
        words[num++] = row_of(speed->lines[i].row)->word;
    return make_token(module) && measure(speed, words, "/dev/null", false) &&
           measure(speed, words, path_of(config, names[CONFIG]), true);
}

/* find_provider finds pkcs11-provider where libcrypto looks for providers. */
static bool find_provider(char out[PATH_MAX], const struct sides *sides)
{
    const char *modules = getenv("OPENSSL_MODULES");
    if (!modules)
        modules = sides->ssl->OPENSSL_info(OPENSSL_INFO_MODULES_DIR);
    return modules && snprintf(out, PATH_MAX, "%s/pkcs11.so", modules) < PATH_MAX &&
           !access(out, R_OK);
}

void openssl_speed_run(struct openssl_speed *speed, const struct speed_rows *rows,
                       const struct sides *sides, const char *module)
{
    char provider[PATH_MAX];
    *speed = (struct openssl_speed){ .num = 0 };
    list_lines(speed, rows);
    if (!speed->num)
        return;
    if (!find_provider(provider, sides) || !make_folder(provider, module) ||
        !measure_both(speed, module))
        speed->num = 0;
    if (owner)
        remove_folder();
    owner = 0;
}
