/* SPDX-License-Identifier: Apache-2.0
 *
 * The assembler of BPF programs by what the kernel says to them, and by what they do.
 */
#include "bpf.h"
#include "test.h"
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

/* The verifier is asked only. */
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

/* What a process's fork does to a map by a program at the tracepoint. */
static void tracepoint(void)
{
    unsigned size = 0;
    int offset = bpf_tracepoint_field("sched/sched_process_fork", "child_pid", &size);
    if (offset < 0) {
        tap_skip("no tracefs", "a program at a tracepoint");
        return;
    }
    tap(offset > 0 && size == 4, "tracefs says where child_pid is");
    tap(bpf_tracepoint_field("sched/sched_process_fork", "no_such_field", &size) == -1,
        "and nothing of a field that is not there");

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
    int event = program >= 0 ? bpf_attach_tracepoint(program, "sched/sched_process_fork") : -1;
    uint32_t key = 0;
    uint64_t forks = 0;
    for (int i = 0; i < 3 && event >= 0; i++) {
        pid_t child = fork();
        if (!child)
            _exit(0);
        waitpid(child, NULL, 0);
    }
    tap(event >= 0 && !bpf_map_get(map, &key, &forks) && forks >= 3,
        "a program at a tracepoint runs at each of three forks");
    close(event);
    close(program);
    close(map);
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
    tracepoint();
    return tap_done();
}
