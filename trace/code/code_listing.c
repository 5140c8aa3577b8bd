/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the instructions around an address. If x86 code is decoded from a wrong start, decoding
 * meets the right instruction boundaries again after a few instructions, at an unknown place. So
 * a start is chosen from which decoding arrives at ip. */
#include "code_insn.h"
#include <stdlib.h>

enum {
    REACH = 32 << 10, /* bytes on either side of ip: crypto has no longer loops */
    RESYNC = 96       /* how many bytes before ip another start is tried */
};

struct room {
    struct listing *listing;
    size_t max;
};

static bool append(struct room *room, const struct insn *insn)
{
    struct listing *listing = room->listing;
    if (listing->num == room->max) {
        const size_t max = room->max ? 2 * room->max : 256;
        struct insn *at = reallocarray(listing->at, max, sizeof *at);
        if (!at)
            return false;
        listing->at = at;
        room->max = max;
    }
    listing->at[listing->num++] = *insn;
    return true;
}

/* Appends instructions from `from` until `to` is reached or passed. Returns whether it was
 * reached. */
static bool decode(struct room *room, const struct code *code, size_t from, size_t to)
{
    struct walk walk;
    struct insn insn;
    for (code_walk_start(&walk, code, from); walk.at < to && code_walk_next(&walk, &insn);)
        if (!append(room, &insn))
            return false;
    return walk.at == to;
}

/* Whether decoding from `from` arrives at `to` with valid instructions only. */
static bool leads(const struct code *code, size_t from, size_t to)
{
    struct walk walk;
    struct insn insn;
    code_walk_start(&walk, code, from);
    while (walk.at < to && code_walk_next(&walk, &insn))
        if (insn.flow == FLOW_BAD)
            return false;
    return walk.at == to;
}

static bool is_fixed(enum arch arch)
{
    return arch == ARCH_ARM64 || arch == ARCH_SPARC64 || arch == ARCH_PPC64;
}

/* Decodes the instructions before `at` again, from another start, after the first start missed
 * `at`. */
static bool resynchronise(struct room *room, const struct code *code, size_t at)
{
    struct listing *listing = room->listing;
    size_t start = at > RESYNC ? at - RESYNC : 0;
    while (!leads(code, start, at)) /* ends at the latest with start == at */
        start++;
    while (listing->num &&
           listing->at[listing->num - 1].offset + (size_t)listing->at[listing->num - 1].len > start)
        listing->num--;
    return decode(room, code, start, at);
}

/* SPARC: moves the flow of a branch to its delay slot, because the instruction after a branch is
 * executed before the branch takes effect, and ends the run. */
static void move_to_delay_slots(struct listing *listing)
{
    for (size_t i = listing->num; i-- > 1;) {
        struct insn *branch = &listing->at[i - 1], *slot = &listing->at[i];
        if (branch->flow == FLOW_NEXT || branch->flow == FLOW_BAD || slot->flow != FLOW_NEXT)
            continue;
        slot->flow = branch->flow;
        slot->target = branch->target;
        slot->has_target = branch->has_target;
        branch->flow = FLOW_NEXT;
        branch->has_target = false;
    }
}

bool listing_make(struct listing *listing, const struct code *code, uint64_t ip)
{
    *listing = (struct listing){ 0 };
    const uint64_t at64 = ip - code->address;
    if (ip < code->address || at64 >= code->len || at64 > UINT32_MAX || code->arch == ARCH_NONE ||
        (is_fixed(code->arch) && at64 % 4))
        return false;
    const size_t at = (size_t)at64, left = code->len - at;
    const size_t start = at <= REACH ? 0 : at - REACH, end = at + (left < REACH ? left : REACH);
    struct room room = { .listing = listing };
    const size_t first = is_fixed(code->arch) ? start & ~(size_t)3 : start;
    bool ok = decode(&room, code, first, at) || resynchronise(&room, code, at);
    listing->ip = listing->num;
    if (ok)
        decode(&room, code, at, end);
    ok = ok && listing->num > listing->ip && listing->at[listing->ip].offset == at &&
         listing->at[listing->ip].flow != FLOW_BAD;
    listing->state = ok ? calloc(listing->num, 2) : NULL;
    if (!listing->state)
        listing_free(listing);
    else if (code->arch == ARCH_SPARC64)
        move_to_delay_slots(listing);
    return listing->state != NULL;
}

void listing_free(struct listing *listing)
{
    free(listing->at);
    free(listing->state);
    *listing = (struct listing){ 0 };
}

size_t listing_find(const struct listing *listing, const struct code *code, uint64_t address)
{
    const uint64_t offset = address - code->address;
    size_t low = 0, high = listing->num;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (listing->at[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < listing->num && listing->at[low].offset == offset ? low : listing->num;
}
