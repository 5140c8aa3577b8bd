/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands `headrace encrypt` and `headrace decrypt`: their options, and the names of their
 * files.
 */
#define _GNU_SOURCE
#include "encrypt.h"
#include "../../cli/tool.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char suffix[] = ".hr";

static const char *key_file_name, *passphrase_file, *input, *output, *new_key, *algorithm;
static bool passphrase, force, solaris, list, verbose;

/* Opens closed standard descriptors. Otherwise the output file could get the number of stderr,
 * and an error message would be written into it. */
static void fill_standard_files(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

static bool is(const char *path, const char *name)
{
    return path && !strcmp(path, name);
}

static bool ends_in_suffix(const char *path)
{
    const size_t len = strlen(path), tail = sizeof suffix - 1;
    return len > tail && path[len - tail - 1] != '/' && !strcmp(path + len - tail, suffix);
}

/* Checks for contradicting options. Returns 0 if there are none. */
static int contradict(const char *in_path)
{
    const int secrets = (key_file_name != NULL) + (passphrase_file != NULL) + passphrase;
    const int inputs = is(in_path, "-") + is(key_file_name, "-") + is(passphrase_file, "-");
    if (secrets > 1)
        return tool_usage("use only one of --key-file, --passphrase and --passphrase-file");
    if (inputs > 1)
        return tool_usage("standard input can be only one of file, key and passphrase");
    if (algorithm && !solaris)
        return tool_usage("--algorithm needs --solaris: the other format has only one algorithm");
    if (solaris && !solaris_choose(algorithm ? algorithm : "aes"))
        return tool_usage("--algorithm %s: must be aes, des or 3des", algorithm);
    return 0;
}

/* The path of the output; NULL after an error was printed. */
static const char *output_path(char **memory, bool encrypting, const char *in_path)
{
    if (output)
        return output;
    if (solaris || !strcmp(in_path, "-"))
        return "-";
    if (!encrypting && !ends_in_suffix(in_path)) {
        tool_usage("%s does not end in .hr: name the output by --output", in_path);
        return NULL;
    }
    *memory = malloc(strlen(in_path) + sizeof suffix);
    if (!*memory)
        return tool_error("%s", strerror(errno)), NULL;
    strcpy(*memory, in_path);
    if (encrypting)
        strcat(*memory, suffix);
    else
        (*memory)[strlen(in_path) - (sizeof suffix - 1)] = '\0';
    return *memory;
}

static int open_input(struct crypt *c, const char *path)
{
    c->in_path = strcmp(path, "-") ? path : "standard input";
    c->in = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : STDIN_FILENO;
    return c->in < 0 ? tool_error("%s: %s", path, strerror(errno)) : 0;
}

static int run(struct crypt *c, const char *in_path)
{
    char *memory = NULL;
    const char *out_path = output_path(&memory, c->encrypting, in_path);
    int result = out_path ? open_input(c, in_path) : EXIT_USAGE;
    if (!result && output_open(&c->out, out_path, c->encrypting ? 0666 : 0600, force))
        result = EXIT_FAILURE;
    if (!result) {
        c->to_terminal = isatty(c->out.fd);
        if (c->to_terminal && c->encrypting)
            result = tool_error("encrypted bytes are not written to a terminal: see --output");
        else if (solaris ? solaris_run(c) : chunks_run(c))
            result = EXIT_FAILURE;
        if (result)
            output_discard(&c->out);
        else if (output_commit(&c->out))
            result = EXIT_FAILURE;
    }
    free(memory);
    return result;
}

/* Encrypts or decrypts; as Solaris's programs do if it is called by their names (in a build with
 * -Dsolaris_names=true). */
static int crypt_main(bool encrypting, int argc, char **argv)
{
    struct crypt c = { .encrypting = encrypting,
                       .source = { .key_file = key_file_name,
                                   .passphrase_file = passphrase_file } };
    const char *in_path = argc ? argv[0] : input ? input : "-";
    fill_standard_files();
    /* Solaris's programs write over an output that exists, also one that is the input. */
    const bool called = tool_called(encrypting ? "encrypt" : "decrypt");
    solaris |= called;
    force |= called;
    if (list) {
        solaris_list();
        return tool_finish(EXIT_SUCCESS);
    }
    if (verbose && !solaris)
        return tool_usage("--verbose needs --solaris");
    c.progress = verbose ? PROGRESS_PERIODS : PROGRESS_LINE;
    if (verbose && strcmp(in_path, "-"))
        c.progress = PROGRESS_BAR;
    if (argc + (input != NULL) > 1)
        return tool_usage("%s: one file at a time", encrypting ? "encrypt" : "decrypt");
    const int wrong = contradict(in_path);
    return wrong ? wrong : run(&c, in_path);
}

static int encrypt_main(int argc, char **argv)
{
    if (new_key && (argc || key_file_name || passphrase_file || passphrase || output || solaris))
        return tool_usage("--new-key only makes a key file: no other option or operand is allowed");
    if (new_key)
        return key_new(new_key) ? EXIT_FAILURE : EXIT_SUCCESS;
    return crypt_main(true, argc, argv);
}

static int decrypt_main(int argc, char **argv)
{
    return crypt_main(false, argc, argv);
}

/* clang-format off */
#define SHARED \
    { "key-file", 'k', "FILE", "read the key from FILE", NULL, &key_file_name }, \
    { "passphrase", 'p', NULL, "ask for a passphrase: the default", &passphrase, NULL }, \
    { "passphrase-file", 0, "FILE", "read the passphrase from the first line of FILE", NULL, \
      &passphrase_file }, \
    { "output", 'o', "FILE", "write to FILE; \"-\" is standard output", NULL, &output }, \
    { "input", 'i', "FILE", "the same as naming FILE as the operand", NULL, &input }, \
    { "force", 'f', NULL, "replace the output if it exists", &force, NULL }, \
    { "solaris", 0, NULL, "use Solaris's encrypt(1) format: not authenticated", &solaris, \
      NULL }, \
    { "algorithm", 'a', "ALG", "with --solaris: aes, des or 3des", NULL, &algorithm }, \
    { "verbose", 'v', NULL, "with --solaris: show progress as Solaris does", &verbose, \
      NULL }, \
    { "list", 'l', NULL, "list algorithms of --solaris", &list, NULL }
/* clang-format on */

static const struct tool_option encrypt_options[] = {
    SHARED,
    { "new-key", 0, "FILE", "make a key file, and nothing else", NULL, &new_key },
    { .name = NULL },
};
static const struct tool_option decrypt_options[] = { SHARED, { .name = NULL } };

const struct command encrypt_command = {
    .name = "encrypt",
    .operands = "[FILE]",
    .summary = "encrypt a file, so that any change to it is detected",
    .options = encrypt_options,
    .main = encrypt_main,
    .is_program = true,
};
const struct command decrypt_command = {
    .name = "decrypt",
    .operands = "[FILE]",
    .summary = "decrypt a file that headrace encrypt wrote",
    .options = decrypt_options,
    .main = decrypt_main,
    .is_program = true,
};
