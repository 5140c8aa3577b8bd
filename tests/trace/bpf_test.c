/* SPDX-License-Identifier: Apache-2.0
 *
 * The assembler of BPF programs by what the kernel says to them, and by what they do.
 */
#include "count/bpf.h"
#include "count/tracefs.h"
#include "test.h"
#include "tracefs_state.h"
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

static int load(struct bpf_code *c)
{
    int program = bpf_load(c, BPF_PROG_TYPE_SOCKET_FILTER, 0, NULL, 0);
    if (program < 0)
        return -1;
    close(program);
    return 0;
}

/* programs loads programs, of which the kernel's verifier accepts some; none is run. */
static void programs(void)
{
    struct bpf_code good = { 0 };
    bpf_jump_imm(&good, BPF_JA, 0, 0, 1);
    bpf_label(&good, 1);
    bpf_exit(&good);
    tap(!load(&good), "a program with a jump");

    struct bpf_code no_label = { 0 };
    bpf_exit(&no_label);
    bpf_jump_imm(&no_label, BPF_JA, 0, 0, 1);
    tap(load(&no_label) && errno == EINVAL, "a jump to a label that is nowhere is refused");

    struct bpf_code long_one = { 0 };
    for (int i = 0; i < BPF_CODE_MAX; i++)
        bpf_alu_imm(&long_one, BPF_MOV, BPF_REG_0, i);
    bpf_exit(&long_one);
    tap(load(&long_one) && errno == E2BIG, "a program that does not fit is refused");

    struct bpf_code wild = { 0 };
    bpf_constant(&wild, BPF_REG_1, 0x1122334455667788);
    bpf_read(&wild, BPF_DW, BPF_REG_0, BPF_REG_1, 0);
    bpf_exit(&wild);
    char log[4096];
    int program = bpf_load(&wild, BPF_PROG_TYPE_SOCKET_FILTER, 0, log, sizeof log);
    tap(program < 0 && log[0], "the verifier's words about a wild pointer come back");
}

static void maps(void)
{
    int map = bpf_map_new(BPF_MAP_TYPE_HASH, 4, 8, 4, 0);
    uint32_t key = 7, next = 0;
    uint64_t value = 0x0123456789abcdef, got = 0;
    tap(map >= 0 && !bpf_map_set(map, &key, &value) && !bpf_map_get(map, &key, &got) &&
            got == value,
        "a map keeps a value");
    tap(!bpf_map_next(map, NULL, &next) && next == 7 && bpf_map_next(map, &next, &next),
        "its keys can be walked");
    tap(!bpf_map_delete(map, &key) && bpf_map_get(map, &key, &got), "a value can be taken out");
    close(map);
}

static const char fork_event[] = "sched/sched_process_fork";

/* is_mounted tells whether a tracefs is mounted in this process's mount namespace. */
static bool is_mounted(void)
{
    char line[1024];
    bool found = false;
    FILE *f = fopen("/proc/self/mountinfo", "re");
    while (f && fgets(line, sizeof line, f))
        found |= strstr(line, " - tracefs ") != NULL;
    if (f)
        fclose(f);
    return found;
}

static void description(enum tracefs_state state, int tracefs)
{
    const char *name = tracefs_states[state];
    unsigned size = 0;
    const int offset = tracefs_field(tracefs, fork_event, "child_pid", &size);
    tap(offset > 0 && size == 4, "%s tracefs says where child_pid is", name);
    tap(tracefs_field(tracefs, fork_event, "no_such_field", &size) == -1 &&
            tracefs_id(tracefs, "sched/no_such_event") == -1,
        "%s tracefs says nothing of what is not there", name);
    tap(is_mounted() == (state == TRACEFS_MOUNTED), "%s tracefs is %s", name,
        state == TRACEFS_MOUNTED ? "seen by all" : "seen by nobody else");
}

/* run_at_forks runs a program at the tracepoint of forks, which must write to a map when a process
 * forks. */
static void run_at_forks(enum tracefs_state state, int id)
{
    int map = bpf_map_new(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0);
    struct bpf_code c = { 0 };
    enum { OUT };
    bpf_alu_imm(&c, BPF_MOV, BPF_REG_1, 0);
    bpf_write(&c, BPF_W, BPF_REG_10, -4, BPF_REG_1);
    bpf_map_address(&c, BPF_REG_1, map);
    bpf_alu_reg(&c, BPF_MOV, BPF_REG_2, BPF_REG_10);
    bpf_alu_imm(&c, BPF_ADD, BPF_REG_2, -4);
    bpf_call(&c, BPF_FUNC_map_lookup_elem);
    bpf_jump_imm(&c, BPF_JEQ, BPF_REG_0, 0, OUT);
    bpf_alu_imm(&c, BPF_MOV, BPF_REG_1, 1);
    bpf_atomic_add(&c, BPF_REG_0, 0, BPF_REG_1);
    bpf_label(&c, OUT);
    bpf_exit(&c);
    int program = bpf_load(&c, BPF_PROG_TYPE_TRACEPOINT, 0, NULL, 0);
    int event = program >= 0 ? bpf_attach_tracepoint(program, id) : -1;
    uint32_t key = 0;
    uint64_t forks = 0;
    for (int i = 0; i < 3 && event >= 0; i++) {
        pid_t child = fork();
        if (!child)
            _exit(0);
        waitpid(child, NULL, 0);
    }
    tap(event >= 0 && !bpf_map_get(map, &key, &forks) && forks >= 3,
        "a program at a tracepoint of %s tracefs runs at each of three forks",
        tracefs_states[state]);
    close(event);
    close(program);
    close(map);
}

static void tracepoint(enum tracefs_state state)
{
    if (tracefs_enter(state)) {
        tap_skip(strerror(errno), "%s tracefs", tracefs_states[state]);
        return;
    }
    const int tracefs = tracefs_open();
    if (state == TRACEFS_REFUSED) {
        tap(tracefs < 0 && errno == EPERM, "refused tracefs is an error");
        return;
    }
    tap(tracefs >= 0, "%s tracefs is opened", tracefs_states[state]);
    description(state, tracefs);
    run_at_forks(state, tracefs_id(tracefs, fork_event));
    close(tracefs);
}

int main(void)
{
    int map = bpf_map_new(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0);
    if (map < 0) {
        tap_skip(strerror(errno), "bpf(2)");
        return tap_done();
    }
    close(map);
    programs();
    maps();
    for (int state = 0; state < NUM_TRACEFS_STATES; state++)
        tracepoint((enum tracefs_state)state);
    return tap_done();
}
