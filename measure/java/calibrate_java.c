/* SPDX-License-Identifier: Apache-2.0 */
/* headrace calibrate --java: finds a JVM and the provider's jar, and runs the measuring program. */
#define _GNU_SOURCE
#include "calibrate_java.h"
#include "../../cli/file.h"
#include "../../cli/module.h"
#include "../../cli/tool.h"
#include <errno.h>
#include <headrace/headrace.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define JAR_INSTALLED "share/java/headrace-jce.jar"
#define PROGRAM "org.headrace.jce.Calibrate"

/* The longest output that is read; the program prints a tenth of it. */
enum { MAX_OUTPUT = 1 << 20 };

/* The exit status of a child that could not run the JVM, and has said so. */
enum { NOT_RUN = 127 };

static bool is_folder(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Finds the JVM's program: a file, a JDK's folder, that of JAVA_HOME, or PATH's "java". */
static void find_java(char out[PATH_MAX], const char *given)
{
    const char *home = getenv("JAVA_HOME");
    if (given && *given)
        snprintf(out, PATH_MAX, "%s%s", given, is_folder(given) ? "/bin/java" : "");
    else if (home && *home)
        snprintf(out, PATH_MAX, "%s/bin/java", home);
    else
        snprintf(out, PATH_MAX, "java");
}

/* Finds the jar: of the build tree of this program, of its prefix, or of the system. */
static bool find_jar(char out[PATH_MAX], const char *given)
{
    char built[80];
    if (given) {
        snprintf(out, PATH_MAX, "%s", given);
        return !access(out, R_OK);
    }
    snprintf(built, sizeof built, "/../java/headrace-jce-%s.jar", hr_version());
    if (module_beside_program(out, built) || module_beside_program(out, "/../" JAR_INSTALLED))
        return true;
    snprintf(out, PATH_MAX, "/usr/" JAR_INSTALLED);
    return !access(out, R_OK);
}

static void exec_java(const char *java, const char *jar, bool quick, int out)
{
    const char *const argv[] = { java,    "--enable-native-access=ALL-UNNAMED",
                                 "-cp",   jar,
                                 PROGRAM, quick ? "--quick" : NULL,
                                 NULL };
    if (dup2(out, STDOUT_FILENO) >= 0)
        execvp(java, (char *const *)argv);
    tool_error("cannot run %s: %s", java, strerror(errno));
    _exit(NOT_RUN);
}

static void show_progress(const struct java_results *r)
{
    if (tool_progress() && r->announced)
        tool_print(stderr, NULL, "\r\033[K%s",
                   r->num_services < r->announced ? r->services[r->num_services - 1].algorithm
                                                  : "");
}

/* Reads all lines. Prints one line on failure; returns an exit code. */
static int read_output(struct java_results *r, FILE *in)
{
    char *line = NULL;
    size_t room = 0, total = 0;
    ssize_t len;
    int code = EXIT_SUCCESS;
    while (!code && (len = getline(&line, &room, in)) > 0) {
        total += (size_t)len;
        line[strcspn(line, "\n")] = '\0';
        if (total > MAX_OUTPUT || strlen(line) + 1 < (size_t)len || !java_read_line(r, line))
            code = tool_error("the JVM printed what a measurement does not: %s", line);
        else if (r->num_services)
            show_progress(r);
    }
    free(line);
    return code;
}

static int run_java(struct java_results *r, const char *java, const char *jar, bool quick)
{
    int ends[2], status = 0;
    fflush(NULL);
    if (pipe(ends))
        return tool_error("cannot make a pipe: %s", strerror(errno));
    const pid_t pid = fork();
    if (pid < 0)
        return tool_error("cannot start a process: %s", strerror(errno));
    if (!pid) {
        close(ends[0]);
        exec_java(java, jar, quick, ends[1]);
    }
    close(ends[1]);
    FILE *in = fdopen(ends[0], "r");
    int code = in ? read_output(r, in) : tool_error("out of memory");
    if (in)
        fclose(in); /* a JVM that still prints ends now */
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (!code && WIFEXITED(status) && WEXITSTATUS(status) == NOT_RUN)
        return EXIT_FAILURE;
    if (!code && (!WIFEXITED(status) || WEXITSTATUS(status) || !r->has_ended))
        code = tool_error("%s did not measure Java's provider in %s", java, jar);
    return code;
}

static int show(const struct java_results *r, const struct java_options *options)
{
    size_t won = 0;
    for (size_t i = 0; i < r->num_services; i++)
        won += java_wins(&r->services[i]);
    if (options->json)
        return java_write_json(r, stdout) ? tool_error("cannot write the JSON text") : EXIT_SUCCESS;
    java_print(r, stdout);
    tool_say("\n%zu of %zu services win\n", won, r->num_services);
    return EXIT_SUCCESS;
}

/* Writes the map: where the option says, or else the machine's, but not one that may be wrong. */
static int write_map(const struct java_results *r, const struct java_options *options)
{
    char path[PATH_MAX];
    if (options->output)
        snprintf(path, sizeof path, "%s", options->output);
    else if (options->quick)
        return EXIT_SUCCESS;
    else if (!java_map_path(path, r->version))
        return tool_error("there is no HOME for the map: name a file by --output");
    int code = options->output ? EXIT_SUCCESS : file_make_parents(path);
    if (!code)
        code = java_map_write(r, path);
    if (!code && !options->json)
        tool_say("written to %s\n", path);
    return code;
}

int calibrate_java(const struct java_options *options)
{
    char java[PATH_MAX], jar[PATH_MAX];
    find_java(java, options->java);
    if (!find_jar(jar, options->jar))
        return tool_error("%s: %s; --jar names the provider for Java", jar, strerror(errno));
    if (options->output && file_may_replace(options->output, false))
        return EXIT_FAILURE;
    struct java_results *r = calloc(1, sizeof *r);
    int code = r ? run_java(r, java, jar, options->quick) : tool_error("out of memory");
    if (!code)
        code = show(r, options);
    if (!code)
        code = write_map(r, options);
    free(r);
    return code;
}
