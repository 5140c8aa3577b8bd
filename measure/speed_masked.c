/* SPDX-License-Identifier: Apache-2.0 */
/* Repeats the measurement without the CPU's crypto instructions for both sides. Both libraries
 * read their masks only once, so a child process is started with them. */
#define _GNU_SOURCE
#include "../cli/algorithm.h"
#include "speed.h"
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Both libraries mask the same features.  Symmetric rows lose AES, carry-less multiplication and
 * SHA; on SPARC AES, DES and SHA.  Vector units stay, as on CPUs without crypto instructions.
 * Public key loses all that makes multiplication fast, MULX, ADX, IFMA and vector units; on SPARC
 * Montgomery multiplication.  The bits are those of OPENSSL_ia32cap(3). */
struct masks {
    const char *headrace, *openssl;
};
#if defined(__x86_64__)
static const char openssl_variable[] = "OPENSSL_ia32cap";
static const struct masks symmetric = { "-aesni,-pclmul,-shani,-sha512ni",
                                        "~0x200000200000000:~0x20000000" };
static const struct masks public_key = { "-avx2,-bmi2,-adx", "~0:~0xc02b0120" };
#elif defined(__aarch64__)
static const char openssl_variable[] = "OPENSSL_armcap";
static const struct masks symmetric = { "-aes,-pmull,-sha1,-sha2,-sha512,-sha3",
                                        "1" }; /* NEON only */
static const struct masks public_key = { "-neon,-sha3", "0" };
#else
static const char openssl_variable[] = "OPENSSL_sparcv9cap";
static const struct masks symmetric = { "-aes,-des,-sha1,-sha256,-sha512", "0:0" };
static const struct masks public_key = { "-mont,-vis3", "0:0" };
#endif

static const struct masks *masks_of(const struct hr_algorithm *row)
{
    return tool_is_public_key(row) ? &public_key : &symmetric;
}

json_t *speed_masks(const struct hr_algorithm *row)
{
    json_t *masks = json_object();
    json_object_set_new(masks, "HEADRACE_CPU", json_string(masks_of(row)->headrace));
    json_object_set_new(masks, openssl_variable, json_string(masks_of(row)->openssl));
    return masks;
}

static void set_masks(const struct hr_algorithm *row)
{
    char mask[512];
    const char *already = getenv("HEADRACE_CPU");
    snprintf(mask, sizeof mask, "%s,%s", already ? already : "", masks_of(row)->headrace);
    setenv("HEADRACE_CPU", mask, 1);
    setenv(openssl_variable, masks_of(row)->openssl, 1);
}

static bool write_all(int fd, const void *bytes, size_t len)
{
    const char *at = bytes;
    while (len) {
        const ssize_t n = write(fd, at, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        len -= (size_t)n;
    }
    return true;
}

static int child(int fd, const struct speed_rows *rows, const struct speed_plan *plan,
                 const char *libcrypto, const char *module_dir)
{
    struct speed_results results = { 0 };
    struct sides sides;
    set_masks(rows->rows[0]);
    int code = sides_open(&sides, libcrypto, module_dir);
    if (!code)
        code = speed_measure(&results, rows, plan, &sides);
    if (!code && !write_all(fd, results.at, results.num * sizeof *results.at))
        code = tool_error("cannot return the masked results: %s", strerror(errno));
    return code;
}

/* Reads the results from the child. Pointers to rows are valid here too, because the child is a
 * fork. */
static int collect(struct speed_results *results, int fd, size_t most)
{
    FILE *in = fdopen(fd, "r");
    results->at = calloc(most, sizeof *results->at);
    if (!in || !results->at)
        return tool_error("out of memory");
    results->num = fread(results->at, sizeof *results->at, most, in);
    fclose(in);
    return EXIT_SUCCESS;
}

int speed_measure_masked(struct speed_results *results, const struct speed_rows *rows,
                         const struct speed_plan *plan, const char *libcrypto,
                         const char *module_dir)
{
    int fds[2], status = 0;
    fflush(stdout);
    if (pipe(fds))
        return tool_error("cannot make a pipe: %s", strerror(errno));
    const pid_t pid = fork();
    if (pid < 0)
        return tool_error("cannot start a process: %s", strerror(errno));
    if (pid == 0) {
        close(fds[0]);
        _exit(child(fds[1], rows, plan, libcrypto, module_dir));
    }
    close(fds[1]);
    int code = collect(results, fds[0], rows->num * MAX_DIRECTIONS * NUM_SIZES);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (code || (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS))
        return code;
    if (WIFEXITED(status))
        return WEXITSTATUS(status); /* the child has printed the reason */
    return tool_error("the masked measurement died of signal %d", WTERMSIG(status));
}
