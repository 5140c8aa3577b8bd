/* SPDX-License-Identifier: Apache-2.0
 *
 * Chooses which functions to count, and at which instruction. The place has to be passed exactly
 * once in each call in which the function does the work itself:
 *
 *  - A dispatcher begins with tests of the CPU's features and jumps into other functions (OpenSSL's
 *    sha256_block_data_order: SHA-NI, AVX2, AVX, SSSE3, else its own code). Those calls are
 *    counted in the other functions, so a dispatcher's own place is behind these jumps.
 *  - If other code enters a function behind its beginning, the place is behind that side entry,
 *    where both ways meet. Jumps from a part of the function that the compiler placed elsewhere
 *    ("cold") are not calls: the function also jumps to such a part.
 *
 * The argument that counts bytes is read at the place, so no earlier instruction may write its
 * register.
 */
#include "probes_internal.h"
#include <Zydis/Zydis.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PRELUDE = 64 /* instructions */, MAX_INSIDE = 8, MAX_TARGETS = 4096 };

struct chooser {
    struct object *object;
    ZydisDecoder decoder;
    const struct function **functions; /* functions of interest, sorted by start */
    size_t num_functions;
    struct side_entry *entries; /* sorted by target */
    size_t num_entries;
    uint64_t *targets; /* room for MAX_TARGETS */
};

struct insn {
    ZydisDecodedInstruction i;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    uint64_t address, next;
    uint64_t target; /* target of a direct jump; 0: none */
    /* ends: execution does not continue behind it; other: a call or a system call. */
    bool jump, ends, other;
};

static bool decode(struct insn *out, const ZydisDecoder *d, const struct code *c, uint64_t at)
{
    uint64_t offset = at - c->address;
    if (offset >= c->len || !ZYAN_SUCCESS(ZydisDecoderDecodeFull(
                                d, c->bytes + offset, c->len - offset, &out->i, out->operands)))
        return false;
    out->address = at;
    out->next = at + out->i.length;
    ZydisInstructionCategory category = out->i.meta.category;
    out->jump = category == ZYDIS_CATEGORY_COND_BR || category == ZYDIS_CATEGORY_UNCOND_BR;
    out->ends = category == ZYDIS_CATEGORY_UNCOND_BR || category == ZYDIS_CATEGORY_RET;
    out->other = category == ZYDIS_CATEGORY_CALL || category == ZYDIS_CATEGORY_SYSCALL;
    out->target = 0;
    if (out->jump && out->operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
        out->target = out->next + (uint64_t)out->operands[0].imm.value.s;
    return true;
}

static bool inside(const struct code *c, uint64_t address)
{
    return address - c->address < c->len;
}

/* The end of the straight code that begins at `at`. */
static uint64_t straight_end(const struct chooser *s, const struct code *c, uint64_t at)
{
    struct insn insn;
    for (int n = 0; n < MAX_PRELUDE && decode(&insn, &s->decoder, c, at); n++) {
        if (insn.jump || insn.ends || insn.other)
            return insn.address;
        at = insn.next;
    }
    return at;
}

/* The beginning of the function's own code, behind the jumps by which it dispatches. 0 if there
 * is no such place, or more than one. */
static uint64_t find_body(const struct chooser *s, const struct code *c)
{
    struct insn insn;
    uint64_t at = c->address, body = c->address, within[MAX_INSIDE];
    size_t num_within = 0;
    bool leaves = false;
    for (int n = 0; n < MAX_PRELUDE && decode(&insn, &s->decoder, c, at); n++, at = insn.next) {
        if (insn.other || (insn.ends && !insn.target))
            break;
        if (!insn.jump)
            continue;
        if (insn.target == c->address && !insn.ends && !num_within && !leaves) {
            body = insn.next; /* a loop over all code so far: each call leaves it once */
        } else if (inside(c, insn.target)) {
            if (insn.ends || num_within == MAX_INSIDE)
                break;
            within[num_within++] = insn.target;
        } else if (probes_function_at(s->functions, s->num_functions, insn.target)) {
            body = num_within ? 0 : insn.next;
            if (!insn.ends)
                continue;
            /* Only the targets of the jumps inside are left: they must be one. */
            for (size_t i = 1; i < num_within; i++)
                if (within[i] != within[0])
                    return 0;
            return num_within ? within[0] : 0;
        } else {
            leaves = true;
            if (insn.ends)
                break;
        }
    }
    return body;
}

/* Whether no instruction from the function's beginning to the place writes the register of an
 * argument. */
static bool argument_intact(const struct chooser *s, const struct code *c, uint64_t body,
                            uint64_t place, int argument)
{
    static const ZydisRegister registers[] = { ZYDIS_REGISTER_RDI, ZYDIS_REGISTER_RSI,
                                               ZYDIS_REGISTER_RDX, ZYDIS_REGISTER_RCX,
                                               ZYDIS_REGISTER_R8,  ZYDIS_REGISTER_R9 };
    if (argument < 0 || (size_t)argument >= sizeof registers / sizeof *registers)
        return false;
    struct insn insn;
    uint64_t at = c->address;
    for (int n = 0; at != place; n++) {
        if (n == 2 * MAX_PRELUDE || !decode(&insn, &s->decoder, c, at) || insn.other)
            return false;
        for (unsigned i = 0; i < insn.i.operand_count; i++)
            if (insn.operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                insn.operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE &&
                ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64,
                                                 insn.operands[i].reg.value) == registers[argument])
                return false;
        at = insn.ends ? body : insn.next; /* behind an unconditional jump, continue at the body */
        if (insn.ends && insn.address >= body)
            return false;
    }
    return true;
}

struct back {
    const struct function *part;
    bool jumps;
};

static void note_back(void *ctx, uint64_t from, uint64_t to)
{
    struct back *b = ctx;
    b->jumps |= to >= b->part->start && to < b->part->end;
}

/* Whether `part` is a piece of the function that was placed elsewhere: both jump to each other. */
static bool is_part(const struct code *c, const struct function *part)
{
    struct back back = { .part = part };
    code_branches(c, note_back, &back);
    return back.jumps;
}

/* Adds a place at the jump of a function that only jumps here: a call of that function counts as
 * a call of this one. */
static bool add_source(struct chooser *s, struct choice *out, const struct side_entry *e)
{
    struct insn insn;
    struct code c = object_code(s->object, e->source);
    if (out->num_places == MAX_PLACES || straight_end(s, &c, c.address) != e->from ||
        !decode(&insn, &s->decoder, &c, e->from) || !insn.ends || insn.i.raw.prefix_count)
        return false;
    out->places[out->num_places++] = (struct place){
        .address = e->from,
        .emulated = true, /* a direct jump is emulated */
        .argument_intact = argument_intact(s, &c, c.address, e->from, out->name.bytes_arg),
    };
    return true;
}

static size_t first_entry(const struct chooser *s, const struct function *f)
{
    size_t low = 0, high = s->num_entries;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->entries[middle].to <= f->start)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Handles the side entries of a function. An entry into the straight code at the beginning moves
 * the body behind itself. Every other entry is a target that no probe may follow, and its calls
 * are counted at their source. */
static void use_entries(struct chooser *s, struct choice *out, const struct code *c, uint64_t *body,
                        size_t *num_targets)
{
    const struct function *f = out->function;
    const uint64_t end = straight_end(s, c, *body);
    const bool dispatches = *body != f->start;
    *num_targets = 0;
    for (size_t i = first_entry(s, f); i < s->num_entries && s->entries[i].to < f->end; i++) {
        const struct side_entry *e = &s->entries[i];
        /* A crafted file may have many entries, so the number of decodings is limited. */
        bool part = *num_targets < MAX_INSIDE && is_part(c, e->source);
        if (!part && !dispatches && e->to < end && !*num_targets) {
            *body = e->to; /* entries are sorted: the last one determines the body */
            continue;
        }
        if (!part && *num_targets < MAX_INSIDE)
            out->misses |= !add_source(s, out, e);
        else
            out->misses |= !part;
        if (*num_targets < MAX_TARGETS)
            s->targets[(*num_targets)++] = e->to;
    }
}

/* Chooses a place in the straight code at `body`; or, if no instruction there is safe (as where a
 * loop begins), the RET that ends that code. */
static void find_place(struct chooser *s, struct place *out, const struct code *c, uint64_t body,
                       size_t num_targets)
{
    struct insn insn;
    struct probe_point point;
    struct code window = *c;
    window.address = body;
    window.bytes += body - c->address;
    window.len -= body - c->address;
    code_probe_point(&point, &window, s->targets, num_targets);
    out->address = point.address;
    out->emulated = point.emulated;
    if (!point.address && body != c->address && !num_targets) {
        const uint64_t end = straight_end(s, c, body);
        if (decode(&insn, &s->decoder, c, end) && insn.i.mnemonic == ZYDIS_MNEMONIC_RET &&
            insn.i.length == 1)
            out->address = end;
    }
}

static void choose_places(struct chooser *s, struct choice *out)
{
    struct code c = object_code(s->object, out->function);
    uint64_t body = c.len ? find_body(s, &c) : 0;
    size_t num_targets;
    struct place *first = &out->places[out->num_places++];
    if (body)
        use_entries(s, out, &c, &body, &num_targets);
    if (body)
        find_place(s, first, &c, body, num_targets);
    if (!first->address) {
        out->num_places = 0;
        return;
    }
    first->argument_intact = argument_intact(s, &c, body, first->address, out->name.bytes_arg);
    if (s->object->is_go) /* Go's assembly has its arguments on the stack */
        for (size_t i = 0; i < out->num_places; i++)
            out->places[i].argument_intact = false;
}

/* Whether a function is OpenSSL's lookup of an algorithm (EVP_MD_fetch, ...); the report says how
 * often these were called. */
static bool is_fetch(const struct function *f)
{
    return f->name && strstr(f->name, "_fetch") && name_waste(f->name);
}

/* Whether a function is crypto by its instructions or constants, or by the name of an
 * implementation that has neither (Poly1305). The name of a mere caller does not count. */
static bool is_of_interest(const struct function *f, struct name_info *name)
{
    *name = (struct name_info){ .bytes_arg = -1 };
    bool named = f->name && name_lookup(name, f->name);
    if (!named)
        *name = (struct name_info){ .bytes_arg = -1 };
    return f->marks || f->constants || is_fetch(f) ||
           (named && name->how != HOW_NONE && name->level == LEVEL_MESSAGE &&
            name->bytes_arg >= 0 && family_is_crypto(name->family));
}

static int open_chooser(struct chooser *s, struct object *o)
{
    *s = (struct chooser){ .object = o };
    s->functions = calloc(o->num_functions + 1, sizeof *s->functions);
    s->targets = calloc(MAX_TARGETS, sizeof *s->targets);
    if (!s->functions || !s->targets ||
        !ZYAN_SUCCESS(
            ZydisDecoderInit(&s->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)))
        return -1;
    struct name_info name;
    for (size_t i = 0; i < o->num_functions; i++)
        if (o->functions[i].proof && is_of_interest(&o->functions[i], &name))
            s->functions[s->num_functions++] = &o->functions[i];
    ssize_t num = probes_side_entries(&s->entries, o, s->functions, s->num_functions);
    s->num_entries = num < 0 ? 0 : (size_t)num;
    return num < 0 ? -1 : 0;
}

int probes_choose(struct object *o, choice_fn *fn, void *ctx)
{
    if (o->arch != ARCH_X86_64)
        return 0;
    struct chooser s;
    int result = open_chooser(&s, o);
    for (size_t i = 0; !result && i < s.num_functions; i++) {
        struct choice choice = { .function = s.functions[i] };
        (void)is_of_interest(choice.function, &choice.name);
        choose_places(&s, &choice);
        result = fn(ctx, &choice);
    }
    free(s.functions);
    free(s.targets);
    free(s.entries);
    return result;
}
