/* SPDX-License-Identifier: Apache-2.0
 *
 * Collects the facts about a function of a file, or about a sample in it, for the rules to judge.
 */
#include "classify.h"
#include "../sample/sampler.h"
#include "classify_rules.h"
#include <stdio.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* ---- facts ---- */

/* The marks of a function's relatives: of the functions that it calls or jumps to, and of the
 * neighbouring functions whose names have the same stem. These are parts of one routine, so that
 * one may contain the last AES round for another. */
struct kin {
    const struct object *object;
    const struct function *function;
    marks marks;
};

static void add_callee(void *ctx, uint64_t from, uint64_t to)
{
    struct kin *k = ctx;
    const struct function *callee = object_function(k->object, to);
    if (callee && callee != k->function)
        k->marks |= callee->marks;
}

/* Whether the first half of `a`, and at least six characters, also begin `b`. */
static bool same_stem(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && a[n] == b[n])
        n++;
    return n >= 6 && n * 2 >= strlen(a);
}

static marks kin_marks(struct object *object, const struct function *function)
{
    struct kin k = { object, function, function->marks };
    const struct code code = object_code(object, function);
    const size_t at = (size_t)(function - object->functions);
    code_branches(&code, add_callee, &k);
    for (size_t i = at > 2 ? at - 2 : 0; i <= at + 2 && i < object->num_functions; i++) {
        const struct function *other = &object->functions[i];
        if (function->name && other->name && same_stem(function->name, other->name))
            k.marks |= other->marks;
    }
    return k.marks;
}

const char *classify_name(enum name_source *source, struct object *object,
                          const struct function *function)
{
    const struct code code = object_code(object, function);
    const struct fingerprint *found = NULL;
    uint8_t hash[16];
    *source = (enum name_source)function->source;
    if (function->name)
        return function->name;
    if (code.len && code_fingerprint(hash, &code))
        found = fingerprint_lookup(hash);
    *source = found ? NAME_FINGERPRINT : NAME_NONE;
    return found ? found->name : NULL;
}

enum { OVERLAPPING = 4 }; /* tables that overlap, such as an S-box in a larger table */

/* The index of the first table behind an address. */
static size_t sites_behind(const struct object *object, uint64_t vaddr)
{
    size_t low = 0, high = object->num_sites;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (object->sites[mid].address <= vaddr)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static const struct constant_site *site_at(const struct object *object, uint64_t vaddr)
{
    const size_t low = sites_behind(object, vaddr);
    const struct constant_site *s = low ? &object->sites[low - 1] : NULL;
    return s && vaddr - s->address < s->len ? s : NULL;
}

/* The constants in tables from which a function loads. */
struct loaded {
    const struct object *object;
    constant_set set;
};

static void add_load(void *ctx, uint64_t from, uint64_t to)
{
    struct loaded *l = ctx;
    const struct constant_site *sites = l->object->sites;
    const size_t behind = sites_behind(l->object, to);
    for (size_t i = behind; i > 0 && behind - i < OVERLAPPING; i--)
        if (to - sites[i - 1].address < sites[i - 1].len)
            l->set |= (constant_set)1 << sites[i - 1].bit;
}

/* The constants that a function uses: those in its code, and those of the tables from which it
 * loads. A function that only passes a table's address on computes nothing with it. Where loads
 * are not decoded, all tables to which it refers count. */
static constant_set used_constants(const struct object *object, const struct function *function,
                                   const struct code *code)
{
    struct loaded l = { object, 0 };
    const enum arch arch = object->arch;
    if (!function->constants || (arch != ARCH_X86_64 && arch != ARCH_X86_32 && arch != ARCH_ARM64))
        return function->constants;
    code_loads(code, add_load, &l);
    return function->constants &
           (l.set | constants_in_code(code->bytes, code->len, code->big_endian));
}

/* Collects the facts about a whole function. Relatives are examined only if their marks can
 * decide. */
static void function_facts(struct facts *f, struct object *object, const struct function *function,
                           bool runs)
{
    enum name_source source;
    const char *name = classify_name(&source, object, function);
    const marks open = AES_ROUNDS | MARK(CLMUL) | MARK(GFNI);
    *f = (struct facts){ .near = function->marks,
                         .function = function->marks,
                         .where = "function",
                         .constants = function->constants,
                         .arch = object->arch };
    const struct code code = object_code(object, function);
    if (runs)
        f->constants = used_constants(object, function, &code);
    rules_add_name(f, name, source);
    if ((function->marks & open) && !(function->marks & AES_FINAL))
        f->function = kin_marks(object, function);
    if ((function->marks & MARK(CLMUL)) && !(f->function & AES_FINAL))
        f->ghash = code_is_ghash(&code);
}

/* ---- functions ---- */

static size_t add(struct finding *out, size_t num, size_t max, const struct finding *found)
{
    for (size_t i = 0; i < num; i++)
        if (out[i].family == found->family && out[i].how == found->how)
            return num;
    if (found->how == HOW_NONE || num == max)
        return num;
    out[num] = *found;
    return num + 1;
}

size_t classify_function(struct finding *out, size_t max, struct object *object,
                         const struct function *function, bool runs)
{
    struct facts f;
    struct finding found;
    marks taken = 0;
    constant_set shared = 0;
    size_t num = 0;
    function_facts(&f, object, function, runs);
    for (rules_marks(&found, &f, &taken); found.how != HOW_NONE; rules_marks(&found, &f, &taken)) {
        found.grade = GRADE_B; /* no sample shows that the function runs */
        num = add(out, num, max, &found);
        shared |= rules_shared_constants(found.family);
        f.near &= ~taken;
    }
    if (f.constants & ~shared) {
        struct around around;
        const struct code code = object_code(object, function);
        code_around(&around, &code, function->start);
        f.vector_bits = around.vector_bits;
        rules_constants(&found, &f, shared);
        num = add(out, num, max, &found);
    }
    if (!num && function->structure) {
        const struct code code = object_code(object, function);
        f.code = &code;
        rules_structure(&found, &f);
        num = add(out, num, max, &found);
    }
    if (!num) {
        rules_name(&found, &f);
        num = add(out, num, max, &found);
    }
    return num;
}

/* ---- samples ---- */

/* Finds the last place where a function jumps to other functions that contain crypto
 * instructions. */
struct dispatch {
    const struct object *object;
    const struct function *function;
    uint64_t last;
};

static void add_exit(void *ctx, uint64_t from, uint64_t to)
{
    struct dispatch *d = ctx;
    const struct function *other = object_function(d->object, to);
    if (other && other != d->function && (other->marks & MARKS_CRYPTO) && from > d->last)
        d->last = from;
}

/* Whether a sample is in the part of a function that tests CPU features and jumps elsewhere,
 * before its own software begins. Such a sample counts as neither hardware nor software. */
static bool is_dispatch(const struct finding *found, const struct code *code,
                        const struct around *around, const struct object *object,
                        const struct function *function, uint64_t vaddr)
{
    struct dispatch d = { object, function, 0 };
    if (found->how != HOW_SOFTWARE || around->in_loop || (function->marks & MARKS_CRYPTO))
        return false;
    code_branches(code, add_exit, &d);
    return vaddr <= d.last;
}

static void from_memory(struct finding *out, struct facts *f, const struct code *code, pid_t pid,
                        uint64_t bias)
{
    f->constants = memory_references(code, pid, bias, false);
    rules_constants(out, f, 0);
}

bool classify_sample(struct finding *out, struct object *object, const struct function *function,
                     uint64_t vaddr, pid_t pid, uint64_t bias)
{
    struct facts f;
    struct around around;
    function_facts(&f, object, function, true);
    const struct code code = object_code(object, function);
    f.code = &code;
    code_around(&around, &code, vaddr);
    rules_judge(out, &f, &around, function->marks);
    if (is_dispatch(out, &code, &around, object, function, vaddr))
        *out = (struct finding){ .how = HOW_NONE };
    else if (out->how == HOW_NONE)
        from_memory(out, &f, &code, pid, bias);
    return out->how == HOW_NONE && f.name.family == FAMILY_NONE && around.decoded &&
           !(function->marks & MARKS_CRYPTO) && unnamed_judge(out, &around, &code, pid, bias);
}

/* ---- registers ---- */

/* Whether a set of registers, in the numbering of instructions, has the register at index `reg`
 * of a sample: on x86 the two numberings differ. */
static bool holds(uint32_t set, unsigned reg)
{
    static const uint8_t numbers[] = { 0, 3, 1, 2, 6, 7, 5, 4 };
    const unsigned number = set != UINT32_MAX && reg < COUNT(numbers) ? numbers[reg] : reg;
    return set >> number & 1;
}

/* Whether a register points into a table of constants. If the table is in the same file, the
 * register may also be a pointer that the caller passed and that walks the table; a table
 * elsewhere in memory counts only if the register is used with an index. */
static bool points_into(enum constant_bit *bit, const struct object *object, uint64_t bias,
                        const struct code_registers *code, const struct sample *s, unsigned reg)
{
    const uint64_t value = s->regs[reg];
    const bool indexed = holds(code->indexed, reg);
    if (!indexed && !(object && holds(code->given, reg)))
        return false;
    const struct constant_site *site = object ? site_at(object, value - bias) : NULL;
    if (!site)
        return indexed && memory_table(bit, s->pid, value, !object);
    *bit = (enum constant_bit)site->bit;
    return true;
}

bool classify_registers(struct finding *out, const struct object *object, uint64_t bias,
                        const struct code_registers *code, const struct sample *s)
{
    enum constant_bit bit;
    for (unsigned i = 0; i < s->num_regs && i < SAMPLE_REGS; i++) {
        if (!points_into(&bit, object, bias, code, s, i))
            continue;
        rules_constant(out, bit, sample_reg_names[i]);
        return true;
    }
    return false;
}

bool classify_unnamed(struct finding *out, const struct code_registers *code,
                      const struct sample *s)
{
    for (unsigned i = 0; i < s->num_regs && i < SAMPLE_REGS; i++)
        if (holds(code->indexed, i) && unnamed_table_at(s->pid, s->regs[i])) {
            unnamed_finding(out, "XOR of entries of a table without order");
            return true;
        }
    return false;
}
