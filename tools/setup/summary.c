/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and prints statistics. Programs that may misbehave write the slots, so nothing in them
 * is trusted. */
#define _GNU_SOURCE
#include "summary.h"
#include "../../cli/file.h"
#include "../../cli/quote_json.h"
#include "../../cli/tool.h"
#include <fcntl.h>
#include <headrace/headrace.h>
#include <headrace/stats.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SLOTS = 1024 };
static const size_t file_size = HR_STATS_FILE_SIZE(SLOTS);

int summary_make(const char *path)
{
    const struct hr_stats_header header = { .magic = HR_STATS_MAGIC,
                                            .version = HR_STATS_VERSION,
                                            .num_slots = SLOTS };
    const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    if (ftruncate(fd, (off_t)file_size) || write(fd, &header, sizeof header) != sizeof header) {
        close(fd);
        return -1;
    }
    return fd;
}

struct hr_stats_file *summary_read(int fd)
{
    char *copy = calloc(1, file_size);
    ssize_t n;
    for (size_t done = 0; copy && done < file_size; done += (size_t)n)
        if ((n = pread(fd, copy + done, file_size - done, (off_t)done)) <= 0)
            break;
    return (struct hr_stats_file *)copy;
}

/* One row of one process, whose values were checked. */
struct served {
    const struct hr_algorithm *row;
    uint64_t calls, bytes;
    char kernels[64];
};

static const char *kernel_name(const struct hr_algorithm *row, int op, uint8_t index)
{
    struct hr_kernel kernel;
    if (index == 255 || hr_kernel_at(&kernel, row->alg, (enum hr_op)op, index))
        return NULL;
    return kernel.name;
}

/* The kernel names of a row: "vaes512", or "aesni, vaes512" if the directions differ; "-" for
 * key derivation, which uses kernels of other rows. */
static void name_kernels(char *out, size_t out_len, const struct hr_algorithm *row,
                         const uint8_t kernel[])
{
    const char *first = kernel_name(row, 0, kernel[0]);
    const char *second = row->mode ? kernel_name(row, 1, kernel[1]) : NULL; /* for two directions */
    if (first && second && strcmp(first, second))
        snprintf(out, out_len, "%s, %s", first, second);
    else
        snprintf(out, out_len, "%s", first ? first : second ? second : "-");
}

static bool read_entry(struct served *out, const struct hr_stats_slot *slot, size_t i)
{
    if (i >= HR_STATS_ENTRIES)
        return false;
    const struct hr_stats_entry *at = &slot->entries[i];
    out->row = hr_algorithm((hr_alg)at->alg);
    if (!out->row)
        return false;
    out->calls = at->calls;
    out->bytes = at->bytes;
    name_kernels(out->kernels, sizeof out->kernels, out->row, at->kernel);
    return true;
}

static const struct hr_stats_slot *ready_slot(const struct hr_stats_file *file, size_t i)
{
    const struct hr_stats_slot *slot = &file->slots[i];
    return slot->state == HR_STATS_READY ? slot : NULL;
}

/* Reads the name of a program or binding; whoever prints it quotes it. */
static void read_name(char out[17], const char from[16])
{
    memcpy(out, from, 16);
    out[16] = '\0';
}

bool summary_any(const struct hr_stats_file *file)
{
    for (size_t i = 0; i < SLOTS; i++)
        if (ready_slot(file, i))
            return true;
    return file->header.lost > 0;
}

static void print_bytes(char out[24], uint64_t bytes)
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
    double value = (double)bytes;
    size_t unit = 0;
    for (; value >= 1024 && unit + 1 < COUNT(units); unit++)
        value /= 1024;
    snprintf(out, 24, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

static bool has_calls(const struct hr_stats_slot *slot)
{
    struct served served;
    for (size_t i = 0; read_entry(&served, slot, i); i++)
        if (served.calls)
            return true;
    return false;
}

bool summary_served(const struct hr_stats_file *file)
{
    for (size_t i = 0; i < SLOTS; i++)
        if (ready_slot(file, i) && has_calls(&file->slots[i]))
            return true;
    return file->header.lost > 0;
}

/* Whether a binding's slot is printed: one without calls only if no other binding served the
 * process. */
static bool is_worth_a_line(const struct hr_stats_file *file, const struct hr_stats_slot *slot)
{
    const struct hr_stats_slot *other;
    if (has_calls(slot))
        return true;
    for (size_t i = 0; i < SLOTS; i++)
        if ((other = ready_slot(file, i)) && other->pid == slot->pid && has_calls(other))
            return false;
    return true;
}

/* The reason why a slot has no rows, by binding. */
static const char *idle(const char *via)
{
    static const struct {
        const char *via, *words;
    } table[] = {
        { "openssl", "provider loaded, but never called" },
        { "direct", "preloaded; all calls were left to OpenSSL" },
    };
    for (size_t i = 0; i < COUNT(table); i++)
        if (!strcmp(via, table[i].via))
            return table[i].words;
    return "loaded, but never called";
}

/* Prints the columns left of a row: the process, then the binding if it is not the usual one. */
static void print_left(FILE *out, const struct hr_stats_slot *slot, size_t line, bool last)
{
    char comm[17], via[17], words[24] = "";
    read_name(comm, slot->comm);
    read_name(via, slot->via);
    if (line == 1 && strcmp(via, "openssl"))
        snprintf(words, sizeof words, "via %s", via);
    if (line == 0)
        tool_print(out, NULL, "  %7" PRIu32 " %-15s", slot->pid, comm);
    else
        tool_print(out, NULL, "  %7s %-*s", "", last ? 0 : 15, words);
}

static void print_slot(FILE *out, const struct hr_stats_slot *slot)
{
    char via[17], bytes[24];
    struct served served;
    size_t line = 0;
    read_name(via, slot->via);
    for (size_t i = 0; read_entry(&served, slot, i); i++) {
        if (!served.calls)
            continue;
        print_bytes(bytes, served.bytes);
        print_left(out, slot, line++, false);
        tool_print(out, NULL, " %-16s %8" PRIu64 " %11s  ", served.row->name, served.calls, bytes);
        tool_print(out, "32", "%s\n", served.kernels);
    }
    if (!line) {
        print_left(out, slot, line++, false);
        tool_print(out, NULL, " %s\n", idle(via));
    }
    if (line == 1 && strcmp(via, "openssl")) {
        print_left(out, slot, line, true);
        fprintf(out, "\n");
    }
}

void summary_print(FILE *out, const struct hr_stats_file *file)
{
    const struct hr_stats_slot *slot;
    const uint32_t lost = file->header.lost;
    tool_print(out, "1", "headrace: what it served\n");
    tool_print(out, "1", "  %7s %-15s %-16s %8s %11s  %s\n", "process", "program", "algorithm",
               "calls", "bytes", "kernel");
    for (size_t i = 0; i < SLOTS; i++)
        if ((slot = ready_slot(file, i)) && is_worth_a_line(file, slot))
            print_slot(out, slot);
    if (lost)
        fprintf(out, "  and %" PRIu32 " more processes, for which there was no room to count\n",
                lost);
}

static json_t *json_slot(const struct hr_stats_slot *slot)
{
    json_t *list = json_array();
    struct served served;
    char comm[17], via[17];
    read_name(comm, slot->comm);
    read_name(via, slot->via);
    for (size_t i = 0; read_entry(&served, slot, i); i++) {
        if (!served.calls)
            continue;
        json_array_append_new(list, json_pack("{s:s, s:I, s:I, s:s}", "algorithm", served.row->name,
                                              "calls", (json_int_t)served.calls, "bytes",
                                              (json_int_t)served.bytes, "kernel", served.kernels));
    }
    return json_pack("{s:i, s:o, s:o, s:o}", "pid", (int)slot->pid, "program", quote_json(comm),
                     "via", quote_json(via), "served", list);
}

int summary_json(const char *path, const struct hr_stats_file *file, const char *reason)
{
    json_t *list = json_array();
    const struct hr_stats_slot *slot;
    for (size_t i = 0; i < SLOTS; i++)
        if ((slot = ready_slot(file, i)))
            json_array_append_new(list, json_slot(slot));
    json_t *all = json_pack("{s:o, s:i, s:o}", "processes", list, "lost", (int)file->header.lost,
                            "reason", reason ? quote_json(reason) : json_null());
    char *text = json_dumps(all, JSON_INDENT(2) | QUOTE_JSON);
    json_decref(all);
    if (!text)
        return tool_error("cannot write %s: out of memory", path);
    const int code = file_replace(path, text, strlen(text), NULL);
    free(text);
    return code;
}
