/* SPDX-License-Identifier: Apache-2.0
 *
 * Just enough of bpf(2) for probes: maps, programs written with a small assembler, and links.  No
 * libbpf: its Debian 12 version and the kernel headers there know nothing of uprobe_multi.
 */
#ifndef TRACE_BPF_H
#define TRACE_BPF_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- maps ---- */

int bpf_map_new(uint32_t type, uint32_t key_len, uint32_t value_len, uint32_t num, uint32_t flags);
int bpf_map_get(int map, const void *key, void *value);
int bpf_map_set(int map, const void *key, const void *value);
int bpf_map_delete(int map, const void *key);
/* Gets the key after `key` (NULL: the first).  Returns 0, or -1 if there is none. */
int bpf_map_next(int map, const void *key, void *next);

/* ---- a program ---- */

/* Labels are small numbers that the caller chooses; jumps go forward only. */
enum { BPF_CODE_MAX = 128, BPF_LABELS = 8, BPF_JUMPS = 24 };
struct bpf_code {
    struct bpf_insn at[BPF_CODE_MAX];
    size_t num;
    struct {
        size_t at;
        unsigned label;
    } jumps[BPF_JUMPS];
    size_t num_jumps;
    size_t labels[BPF_LABELS];
    bool overflow; /* more than fits: bpf_load refuses it */
};

/* dst = src; dst op= src; dst = imm; dst op= imm; op is BPF_MOV, BPF_ADD, BPF_RSH, ... */
void bpf_alu_reg(struct bpf_code *, uint8_t op, uint8_t dst, uint8_t src);
void bpf_alu_imm(struct bpf_code *, uint8_t op, uint8_t dst, int32_t imm);
/* dst = *(size *)(src + off); *(size *)(dst + off) = src; size is BPF_W or BPF_DW. */
void bpf_read(struct bpf_code *, uint8_t size, uint8_t dst, uint8_t src, int16_t off);
void bpf_write(struct bpf_code *, uint8_t size, uint8_t dst, int16_t off, uint8_t src);
/* lock *(uint64_t *)(dst + off) += src */
void bpf_atomic_add(struct bpf_code *, uint8_t dst, int16_t off, uint8_t src);
void bpf_constant(struct bpf_code *, uint8_t dst, uint64_t value);
void bpf_map_address(struct bpf_code *, uint8_t dst, int map);
void bpf_map_value_address(struct bpf_code *, uint8_t dst, int map, uint32_t off);
void bpf_call(struct bpf_code *, uint32_t helper);
/* if (dst op imm) goto label; op is BPF_JEQ, BPF_JNE, ...; BPF_JA: always. */
void bpf_jump_imm(struct bpf_code *, uint8_t op, uint8_t dst, int32_t imm, unsigned label);
void bpf_jump_reg(struct bpf_code *, uint8_t op, uint8_t dst, uint8_t src, unsigned label);
void bpf_label(struct bpf_code *, unsigned label);
void bpf_exit(struct bpf_code *);

/* Loads a program, and returns its descriptor, or -1 with errno. attach_type is 0 except for
 * programs of uprobe_multi. log, unless it is NULL, gets as many of the verifier's messages as
 * fit. */
int bpf_load(struct bpf_code *, uint32_t prog_type, uint32_t attach_type, char *log,
             size_t log_len);

/* ---- attaching ---- */

/* Missing from Debian 12's <linux/bpf.h>; the values are the kernel's ABI (6.6). */
enum { HR_BPF_TRACE_UPROBE_MULTI = 48 };

/* Places num probes on the file behind fd; pid 0: in every process.  Returns the link, which holds
 * the probes until it is closed, or -1 with errno. */
int bpf_link_uprobes(int program, int fd, const uint64_t *offsets, const uint64_t *cookies,
                     uint32_t num, pid_t pid);
/* A uprobe of perf_event (kernel 4.17) at an offset of the file behind fd.  program >= 0: runs it
 * at each hit in any process; else only counts those of the thread tid and of all that it starts.
 */
int bpf_uprobe(int program, int fd, uint64_t offset, pid_t tid);
/* Runs a program at the tracepoint with this number (tracefs_id); the descriptor holds it. */
int bpf_attach_tracepoint(int program, int id);

#endif
