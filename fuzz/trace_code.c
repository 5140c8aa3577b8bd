/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as code of any architecture: the analysis of every function ends, stays inside the
 * bytes, and its results are consistent.  The input is architecture and byte order, a place in the
 * code, then the code. */
#include "code/code.h"
#include "fuzz.h"

/* Counts the instructions that callbacks report; each has to lie in the code. */
struct seen {
    const struct code *code;
    size_t num;
};

static void see(void *ctx, uint64_t from, uint64_t to)
{
    struct seen *seen = ctx;
    CHECK(from - seen->code->address < seen->code->len); /* addresses may wrap around */
    seen->num++;
    (void)to;
}

/* Reads constants of the "file": this is the code itself, at its addresses. */
static const uint8_t *data(const void *ctx, uint64_t address, size_t len)
{
    const struct code *code = ctx;
    const uint64_t at = address - code->address;
    return at < code->len && len <= code->len - at ? code->bytes + at : NULL;
}

static void check_around(const struct code *code, uint64_t ip, marks all)
{
    struct around around;
    code_around(&around, code, ip);
    CHECK(around.decoded || (!around.in_loop && !around.loop && !around.run && !around.function));
    CHECK(!around.decoded || ip - code->address < code->len);
    CHECK(!around.decoded || around.num_insns > 0);
    CHECK(around.logic_permille <= 1000);
    CHECK(around.vector_bits == 0 || around.vector_bits == 128 || around.vector_bits == 256 ||
          around.vector_bits == 512);
    CHECK((around.loop & ~around.function) == 0 && (around.run & ~around.function) == 0);
    CHECK((all & ~MARKS_ALL) == 0);
}

static void check_probe(const struct code *code, uint64_t target)
{
    struct probe_point point;
    code_probe_point(&point, code, &target, 1);
    if (!point.address)
        return;
    const uint64_t at = point.address - code->address;
    CHECK(code->arch == ARCH_X86_64 || code->arch == ARCH_X86_32);
    CHECK(at < code->len);
    CHECK(target <= code->address || target > point.address || target - code->address >= code->len);
    static const uint8_t nop5[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
    CHECK(code->len - at < sizeof nop5 || memcmp(code->bytes + at, nop5, sizeof nop5) != 0);
}

static void check_fingerprint(const struct code *code)
{
    uint8_t one[16], two[16];
    struct code moved = *code;
    moved.address += 0x1000;
    const bool has = code_fingerprint(one, code);
    CHECK(code_fingerprint(two, &moved) == has && (!has || !memcmp(one, two, sizeof one)));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct input in = { bytes, size };
    const uint8_t kind = take_byte(&in);
    uint8_t place[2];
    take(&in, place, sizeof place);
    /* A copy of the exact length, so that a read behind its end is found. */
    uint8_t *copy = malloc(in.len + !in.len);
    CHECK(copy != NULL);
    memcpy(copy, in.p, in.len);
    struct code code = { .bytes = copy,
                         .len = in.len,
                         .address = kind & 0x80 ? UINT64_MAX - 100 : 0x401000,
                         .arch = (enum arch)((kind & 0x0f) % NUM_ARCHES),
                         .big_endian = kind & 0x10 };
    code.data = kind & 0x20 ? data : NULL;
    code.data_ctx = &code;
    const marks all = code_marks(&code);
    CHECK(!all || code_candidate(&code));
    const uint64_t ip = code.address + (place[0] | place[1] << 8);
    check_around(&code, ip, all);
    struct seen seen = { .code = &code };
    code_references(&code, see, &seen);
    code_branches(&code, see, &seen);
    CHECK(seen.num <= 4 * code.len);
    check_probe(&code, ip);
    check_fingerprint(&code);
    const unsigned structure = code_structure(&code);
    CHECK(code_is_bitsliced(&code) == (structure & CODE_BITSLICED));
    CHECK(code_is_software_clmul(&code) == !!(structure & CODE_CLMUL));
    char text[32];
    marks_text(text, place[0] % sizeof text, all);
    free(copy);
    return 0;
}
