/* SPDX-License-Identifier: Apache-2.0
 *
 * bpf(2) by hand.  The attributes of each command are those of bpf(2) and of the kernel's
 * include/uapi/linux/bpf.h, which is ABI; what is zero here means the default.
 */
#include "bpf.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static long sys_bpf(int command, void *attr, unsigned attr_len)
{
    return syscall(SYS_bpf, command, attr, attr_len);
}

/* ---- maps ---- */

int bpf_map_new(uint32_t type, uint32_t key_len, uint32_t value_len, uint32_t num, uint32_t flags)
{
    union bpf_attr attr = { 0 };
    attr.map_type = type;
    attr.key_size = key_len;
    attr.value_size = value_len;
    attr.max_entries = num;
    attr.map_flags = flags;
    return (int)sys_bpf(BPF_MAP_CREATE, &attr, sizeof attr);
}

static int map_element(int command, int map, const void *key, void *value)
{
    union bpf_attr attr = { 0 };
    attr.map_fd = (uint32_t)map;
    attr.key = (uintptr_t)key;
    attr.value = (uintptr_t)value; /* the same place as next_key */
    return (int)sys_bpf(command, &attr, sizeof attr);
}

int bpf_map_get(int map, const void *key, void *value)
{
    return map_element(BPF_MAP_LOOKUP_ELEM, map, key, value);
}

int bpf_map_set(int map, const void *key, const void *value)
{
    return map_element(BPF_MAP_UPDATE_ELEM, map, key, (void *)(uintptr_t)value);
}

int bpf_map_delete(int map, const void *key)
{
    return map_element(BPF_MAP_DELETE_ELEM, map, key, NULL);
}

int bpf_map_next(int map, const void *key, void *next)
{
    return map_element(BPF_MAP_GET_NEXT_KEY, map, key, next);
}

/* ---- a program ---- */

static void emit(struct bpf_code *c, struct bpf_insn insn)
{
    if (c->num < BPF_CODE_MAX)
        c->at[c->num++] = insn;
    else
        c->overflow = true;
}

static struct bpf_insn insn(unsigned code, uint8_t dst, uint8_t src, int16_t off, int32_t imm)
{
    return (struct bpf_insn){
        .code = (uint8_t)code, .dst_reg = dst & 15, .src_reg = src & 15, .off = off, .imm = imm
    };
}

void bpf_alu_reg(struct bpf_code *c, uint8_t op, uint8_t dst, uint8_t src)
{
    emit(c, insn(BPF_ALU64 | op | BPF_X, dst, src, 0, 0));
}

void bpf_alu_imm(struct bpf_code *c, uint8_t op, uint8_t dst, int32_t imm)
{
    emit(c, insn(BPF_ALU64 | op | BPF_K, dst, 0, 0, imm));
}

void bpf_read(struct bpf_code *c, uint8_t size, uint8_t dst, uint8_t src, int16_t off)
{
    emit(c, insn(BPF_LDX | size | BPF_MEM, dst, src, off, 0));
}

void bpf_write(struct bpf_code *c, uint8_t size, uint8_t dst, int16_t off, uint8_t src)
{
    emit(c, insn(BPF_STX | size | BPF_MEM, dst, src, off, 0));
}

void bpf_atomic_add(struct bpf_code *c, uint8_t dst, int16_t off, uint8_t src)
{
    emit(c, insn(BPF_STX | BPF_DW | BPF_ATOMIC, dst, src, off, BPF_ADD));
}

/* A 64-bit constant takes two instructions; src says what the constant is. */
static void wide(struct bpf_code *c, uint8_t dst, uint8_t src, uint32_t low, uint32_t high)
{
    emit(c, insn(BPF_LD | BPF_DW | BPF_IMM, dst, src, 0, (int32_t)low));
    emit(c, insn(0, 0, 0, 0, (int32_t)high));
}

void bpf_constant(struct bpf_code *c, uint8_t dst, uint64_t value)
{
    wide(c, dst, 0, (uint32_t)value, (uint32_t)(value >> 32));
}

void bpf_map_address(struct bpf_code *c, uint8_t dst, int map)
{
    wide(c, dst, BPF_PSEUDO_MAP_FD, (uint32_t)map, 0);
}

void bpf_map_value_address(struct bpf_code *c, uint8_t dst, int map, uint32_t off)
{
    wide(c, dst, BPF_PSEUDO_MAP_VALUE, (uint32_t)map, off);
}

void bpf_call(struct bpf_code *c, uint32_t helper)
{
    emit(c, insn(BPF_JMP | BPF_CALL, 0, 0, 0, (int32_t)helper));
}

static void jump(struct bpf_code *c, struct bpf_insn i, unsigned label)
{
    if (c->num_jumps == BPF_JUMPS || label >= BPF_LABELS) {
        c->overflow = true;
        return;
    }
    c->jumps[c->num_jumps].at = c->num;
    c->jumps[c->num_jumps++].label = label;
    emit(c, i);
}

void bpf_jump_imm(struct bpf_code *c, uint8_t op, uint8_t dst, int32_t imm, unsigned label)
{
    jump(c, insn(BPF_JMP | op | BPF_K, dst, 0, 0, imm), label);
}

void bpf_jump_reg(struct bpf_code *c, uint8_t op, uint8_t dst, uint8_t src, unsigned label)
{
    jump(c, insn(BPF_JMP | op | BPF_X, dst, src, 0, 0), label);
}

void bpf_label(struct bpf_code *c, unsigned label)
{
    if (label < BPF_LABELS)
        c->labels[label] = c->num;
    else
        c->overflow = true;
}

void bpf_exit(struct bpf_code *c)
{
    bpf_alu_imm(c, BPF_MOV, BPF_REG_0, 0);
    emit(c, insn(BPF_JMP | BPF_EXIT, 0, 0, 0, 0));
}

int bpf_load(struct bpf_code *c, uint32_t prog_type, uint32_t attach_type, char *log,
             size_t log_len)
{
    static const char licence[] = "Apache-2.0"; /* no helper used here asks for the GPL */
    if (c->overflow) {
        errno = E2BIG;
        return -1;
    }
    for (size_t i = 0; i < c->num_jumps; i++) {
        size_t to = c->labels[c->jumps[i].label];
        if (to <= c->jumps[i].at) {
            errno = EINVAL; /* the label is missing, or is before the jump */
            return -1;
        }
        c->at[c->jumps[i].at].off = (int16_t)(to - c->jumps[i].at - 1);
    }
    union bpf_attr attr = { 0 };
    attr.prog_type = prog_type;
    attr.expected_attach_type = attach_type;
    attr.insns = (uintptr_t)c->at;
    attr.insn_cnt = (uint32_t)c->num;
    attr.license = (uintptr_t)licence;
    if (log && log_len) {
        log[0] = 0;
        attr.log_buf = (uintptr_t)log;
        attr.log_size = (uint32_t)log_len;
        attr.log_level = 1;
    }
    return (int)sys_bpf(BPF_PROG_LOAD, &attr, sizeof attr);
}

/* ---- attaching ---- */

/* BPF_LINK_CREATE with its uprobe_multi member, which older headers lack. */
struct link_uprobe_multi {
    uint32_t program, target, attach_type, flags;
    uint64_t path, offsets, ref_counters, cookies;
    uint32_t num, uprobe_flags, pid, path_fd;
};

int bpf_link_uprobes(int program, int fd, const uint64_t *offsets, const uint64_t *cookies,
                     uint32_t num, pid_t pid)
{
    char path[32]; /* the very file that was looked at, whatever has its name now */
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct link_uprobe_multi attr = {
        .program = (uint32_t)program,
        .attach_type = HR_BPF_TRACE_UPROBE_MULTI,
        .path = (uintptr_t)path,
        .offsets = (uintptr_t)offsets,
        .cookies = (uintptr_t)cookies,
        .num = num,
        .pid = (uint32_t)pid,
    };
    return (int)sys_bpf(BPF_LINK_CREATE, &attr, sizeof attr);
}

static int perf_event(struct perf_event_attr *attr, pid_t tid, int cpu)
{
    return (int)syscall(SYS_perf_event_open, attr, tid, cpu, -1,
                        (unsigned long)PERF_FLAG_FD_CLOEXEC);
}

/* Runs a program at each hit of an event.  The event is opened for one CPU, but its program runs on
 * all CPUs: what hits is the kernel's tracepoint or breakpoint, and only the event's own count
 * depends on the CPU. Returns the event, or -1 with errno. */
static int run_program(int event, int program)
{
    if (event < 0)
        return -1;
    if (!ioctl(event, PERF_EVENT_IOC_SET_BPF, program) && !ioctl(event, PERF_EVENT_IOC_ENABLE, 0))
        return event;
    close(event);
    return -1;
}

int bpf_attach_tracepoint(int program, int id)
{
    struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof attr };
    attr.config = (uint64_t)id;
    attr.sample_period = 1;
    return run_program(perf_event(&attr, -1, 0), program);
}

/* The type number of uprobes for perf_event_open; 0 if this kernel has none. */
static unsigned uprobe_type(void)
{
    unsigned type = 0;
    FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
    if (!f || fscanf(f, "%u", &type) != 1)
        type = 0;
    if (f)
        fclose(f);
    return type;
}

int bpf_uprobe(int program, int fd, uint64_t offset, pid_t tid)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct perf_event_attr attr = { .type = uprobe_type(), .size = sizeof attr };
    if (!attr.type) {
        errno = EOPNOTSUPP;
        return -1;
    }
    attr.uprobe_path = (uintptr_t)path;
    attr.probe_offset = offset;
    attr.inherit = program < 0;
    int event = program < 0 ? perf_event(&attr, tid, -1) : perf_event(&attr, -1, 0);
    return program < 0 ? event : run_program(event, program);
}
