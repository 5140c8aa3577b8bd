/* SPDX-License-Identifier: Apache-2.0 */
/* Given a CPU, exactly the expected kernel runs; and HEADRACE_CPU masks as documented.
 * dispatch            every kernel of every row against made-up CPUs; the mask's grammar; threads
 * dispatch --chosen   prints "row operation kernel" for this CPU, for a parent to compare
 * dispatch --needs    prints each kernel's name and needs, for a caller that makes such a CPU
 * dispatch --code     prints how far each function of a kernel is from main(), and its needs
 * dispatch --secure   succeeds where it runs with more rights than its caller
 * dispatch --cpu FEATURE...  fails unless the CPU has just these features */
#include "batch.h"
#include "dispatch_rows.h"
#include "hash/hmac_iterate.h"
#include "hmac.h"
#include "test.h"
#include <pthread.h>
#include <sys/auxv.h>

static uint64_t real_cpu;

typedef void visit_fn(const struct hr_algorithm *row, enum hr_op op);

static void for_each_op(visit_fn *visit)
{
    const struct hr_algorithm *row;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        for (enum hr_op op = 0; (int)op < hr_num_ops(row->alg); op++)
            visit(row, op);
}

/* expected returns the kernel's name by the definition of dispatch: the first kernel whose needs
 * the CPU meets. */
static const char *expected(const struct hr_algorithm *row, enum hr_op op, uint64_t cpu)
{
    struct hr_kernel kernel;
    for (size_t i = 0; hr_kernel_at(&kernel, row->alg, op, i) == 0; i++)
        if (!(kernel.needs & ~cpu))
            return kernel.name;
    return "none";
}

static void check_cpu(const struct hr_algorithm *row, enum hr_op op, uint64_t cpu, const char *want,
                      const char *what)
{
    cpu_override(cpu);
    const char *got = (cpu & ~real_cpu ? kernel_chosen : kernel_in_use)(row, op);
    if (strcmp(got, want))
        complain("%s %s, %s (%s): %s instead of %s", row->name, op_name(row, op), what,
                 feature_names(cpu), got, want);
    struct hr_kernel chosen = { "none", 0 };
    int index = hr_kernel_chosen(row->alg, op);
    if (index < 0 || hr_kernel_at(&chosen, row->alg, op, (size_t)index) ||
        strcmp(chosen.name, want))
        complain("%s %s: hr_kernel_chosen says %s", row->name, op_name(row, op), chosen.name);
}

/* check_kernels_of checks that a kernel runs on a CPU with just its needs, and not on one that
 * lacks one of them. */
static void check_kernels_of(const struct hr_algorithm *row, enum hr_op op)
{
    struct hr_kernel kernel;
    size_t i = 0;
    int last = 0; /* set after a kernel without needs: those behind it are used by number only */
    for (; hr_kernel_at(&kernel, row->alg, op, i) == 0; i++) {
        if (last || kernel.needs & HR_KERNEL_VARTIME) /* never chosen */
            continue;
        last = !kernel.needs;
        check_cpu(row, op, kernel.needs, expected(row, op, kernel.needs), "with just its needs");
        for (unsigned bit = 0; bit < 63; bit++) {
            const uint64_t without = kernel.needs & ~(UINT64_C(1) << bit);
            if (without == kernel.needs)
                continue;
            const char *want = expected(row, op, without);
            if (!strcmp(want, kernel.name))
                complain("%s: expected without what it needs", kernel.name);
            check_cpu(row, op, without, want, "one need missing");
        }
    }
    check_cpu(row, op, 0, expected(row, op, 0), "nothing");
    tap(!complaints_so_far(), "%s %s: each of %zu kernels runs just where its needs are met",
        row->name, op_name(row, op), i);
}

/* check_refusal checks that a kernel is also refused by number if the CPU lacks its needs. */
static void check_refusal(const struct hr_algorithm *row, enum hr_op op)
{
    struct hr_kernel kernel;
    size_t i = 0;
    if (row->cls == HR_CLASS_MAC && op == HR_OP_ITERATE)
        return; /* these kernels cannot be selected by number */
    cpu_override(0);
    for (; hr_kernel_at(&kernel, row->alg, op, i) == 0; i++) {
        const int error = init_by_number(row, op, i);
        if (error != (kernel.needs & ~HR_KERNEL_VARTIME ? HR_ECPU : 0))
            complain("%s %s kernel %zu on a bare CPU: %d", row->name, op_name(row, op), i, error);
    }
    if (init_by_number(row, op, i) != HR_ECPU)
        complain("%s: kernel %zu exists", row->name, i);
}

/* check_lanes checks that iterate_choose returns, for each number of live lanes, a kernel that this
 * CPU can run and whose `least` is not above that number. */
static void check_lanes(const struct hr_algorithm *row, enum hr_op op)
{
    if (row->cls != HR_CLASS_MAC || op != HR_OP_ITERATE)
        return;
    const struct iterate_op *iterate = iterate_op(row->alg);
    for (size_t i = 0; i < iterate->num_kernels; i++) {
        const uint64_t cpu = iterate->kernels[i].info.needs;
        cpu_override(cpu);
        for (size_t live = 1; live <= MAX_LANES; live++) {
            const struct iterate_kernel *kernel = iterate_choose(iterate, live);
            if (kernel->info.needs & ~cpu || kernel->least > live || kernel->lanes < 1 ||
                kernel->lanes > MAX_LANES)
                complain("%s, %zu lanes: %s", row->name, live, kernel->info.name);
            if (live >= iterate->kernels[i].least && kernel > &iterate->kernels[i])
                complain("%s, %zu lanes: %s is not chosen", row->name, live,
                         iterate->kernels[i].info.name);
        }
    }
    tap(!complaints_so_far(), "%s iterate: any number of lanes has its kernel", row->name);
}

/* check_queue_cpu checks the lane kernel that a queue uses on this CPU; only a kernel of wide lanes
 * may be portable. */
static void check_queue_cpu(const struct hr_algorithm *row, uint64_t cpu)
{
    cpu_override(cpu);
    const struct lanes_op *op = batch_lanes_op(row->alg);
    const struct lanes_kernel *kernel = batch_lanes_choose(op);
    const unsigned most = op->wide ? MAX_WIDE_LANES : MAX_BATCH_LANES;
    const char *got = kernel ? kernel->info.name : "none";
    const int index = hr_kernel_chosen(row->alg, HR_OP_LANES);
    if (strcmp(got, expected(row, HR_OP_LANES, cpu)) ||
        (kernel ? index != kernel - op->kernels : index != HR_EINVAL))
        complain("%s lanes (%s): %s", row->name, feature_names(cpu), got);
    if (kernel && (batch_lanes_least(kernel) < 2 || kernel->lanes > most || kernel->lanes % 4))
        complain("%s: impossible numbers", got);
}

static void check_queue(const struct hr_algorithm *row)
{
    struct hr_kernel kernel;
    size_t i = 0;
    if (!batch_lanes_op(row->alg))
        return;
    for (; hr_kernel_at(&kernel, row->alg, HR_OP_LANES, i) == 0; i++) {
        check_queue_cpu(row, kernel.needs);
        for (unsigned bit = 0; bit < 63; bit++)
            if (kernel.needs >> bit & 1)
                check_queue_cpu(row, kernel.needs & ~(UINT64_C(1) << bit));
    }
    check_queue_cpu(row, 0);
    check_queue_cpu(row, real_cpu);
    tap(!complaints_so_far(), "%s lanes: each of %zu kernels runs just where its needs are met",
        row->name, i);
}

/* ---- the mask: its grammar is in cpu.h and the manual ---- */

static void check_mask(const char *mask, uint64_t set, uint64_t want)
{
    uint64_t got = cpu_apply_mask(set, mask);
    if (got != want)
        complain("HEADRACE_CPU=\"%s\" leaves %s", mask, feature_names(got));
}

static void check_masks(uint64_t all)
{
    const struct hr_cpu_feature *feature;
    char mask[64];
    check_mask("", all, all);
    check_mask(",, ,", all, all);
    check_mask("-", all, all);
    check_mask("-nosuchthing,unsigned,+aes", all, all);
    for (size_t i = 0; (feature = hr_cpu_feature_at(i)); i++) {
        snprintf(mask, sizeof mask, "-%s", feature->name);
        const uint64_t left = cpu_apply_mask(all, mask);
        if (left & feature->bit)
            complain("%s leaves %s", mask, feature->name);
        for (char *c = mask; *c; c++)
            *c = (char)(*c >= 'a' && *c <= 'z' ? *c - 32 : *c);
        check_mask(mask, all, left);
        check_mask(mask, left, left);
    }
    tap(!complaints_so_far(), "a mask drops what it names, in any case, and nothing for nonsense");
}

/* check_masks_take_users checks that masking a feature also masks those that need it (Intel SDM
 * volume 1, chapters 12 to 15). */
static void check_masks_take_users(uint64_t all)
{
    static const char *const pairs[][2] = {
        { "ssse3", "pclmul" },     { "sse4.1", "aesni" },      { "sse4.1", "shani" },
        { "avx", "avx2" },         { "avx2", "avx512f" },      { "avx2", "sha512ni" },
        { "aesni", "vaes" },       { "pclmul", "vpclmulqdq" }, { "avx512f", "avx512bw" },
        { "avx512f", "avx512vl" }, { "ssse3", "vaes" },
    };
    const struct hr_cpu_feature *feature;
    char mask[64];
    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        for (size_t k = 0; (feature = hr_cpu_feature_at(k)); k++) {
            snprintf(mask, sizeof mask, "-%s", pairs[i][0]);
            if (!strcmp(feature->name, pairs[i][1]) && cpu_apply_mask(all, mask) & feature->bit)
                complain("%s leaves %s", mask, feature->name);
        }
    tap(!complaints_so_far(), "a mask takes what is useless without the features that it names");
}

/* check_masks_are_monotone checks that masking one more feature never leaves more features. */
static void check_masks_are_monotone(uint64_t all)
{
    const struct hr_cpu_feature *a, *b;
    char mask[128];
    for (size_t i = 0; (a = hr_cpu_feature_at(i)); i++)
        for (size_t k = 0; (b = hr_cpu_feature_at(k)); k++) {
            snprintf(mask, sizeof mask, "-%s,-%s", a->name, b->name);
            const uint64_t both = cpu_apply_mask(all, mask);
            snprintf(mask, sizeof mask, "-%s", b->name);
            check_mask(mask, cpu_apply_mask(all, "") & both, both);
        }
    tap(!complaints_so_far(), "two masks are one after the other");
}

/* ---- threads: each sees a complete choice, also under ThreadSanitizer ---- */

static void *race(void *seen)
{
    const struct hr_algorithm *row;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        ((const char **)seen)[i] = kernel_in_use(row, HR_OP_ENCRYPT);
    return NULL;
}

static void check_threads(uint64_t real)
{
    enum { THREADS = 8, ROUNDS = 20 };
    static const char *seen[THREADS][256]; /* index: the row's place, which fits a byte */
    pthread_t threads[THREADS];
    for (unsigned round = 0; round < ROUNDS; round++) {
        cpu_override(real);
        for (unsigned i = 0; i < THREADS; i++)
            if (pthread_create(&threads[i], NULL, race, seen[i]))
                exit(1);
        for (unsigned i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        for (unsigned i = 1; i < THREADS; i++)
            if (memcmp(seen[i], seen[0], sizeof seen[0]))
                complain("round %u: thread %u chose otherwise", round, i);
    }
    tap(!complaints_so_far(), "%d threads that choose at once choose the same", THREADS);
}

/* struct shared_key has an HMAC key that several threads use at the same time: since a call only
 * reads it, each thread must get the same MACs as alone. */
struct shared_key {
    struct hr_hmac_key key;
    uint8_t message[256], macs[256][HR_DIGEST_MAX_OUT]; /* of its first i bytes */
};

static size_t wrong_macs(const struct shared_key *s, size_t mac_len)
{
    size_t wrong = 0;
    for (size_t n = 0; n < sizeof s->message; n++) {
        struct hr_hmac_ctx ctx;
        uint8_t mac[HR_DIGEST_MAX_OUT];
        wrong += hr_hmac_verify(s->macs[n], mac_len, s->message, n, &s->key) != 0;
        wrong += hr_hmac_init(&ctx, &s->key) || hr_hmac_update(&ctx, s->message, n) ||
                 hr_hmac_final(&ctx, mac) || memcmp(mac, s->macs[n], mac_len);
    }
    return wrong;
}

static void *use_shared_key(void *shared)
{
    const struct hmac_key *key = shared;
    const size_t wrong = wrong_macs(shared, key->impl->out_len);
    return (void *)wrong;
}

static void check_shared_keys(void)
{
    enum { THREADS = 8 };
    const struct hr_algorithm *row;
    for (size_t r = 0; (row = hr_algorithm_at(r)); r++) {
        struct shared_key s;
        struct hr_hmac_key before;
        pthread_t threads[THREADS];
        if (row->cls != HR_CLASS_MAC)
            continue;
        random_bytes(&s, sizeof s);
        if (hr_hmac_key_init(&s.key, row->alg, s.message, 40))
            complain("%s: no key", row->name);
        for (size_t n = 0; n < sizeof s.message; n++)
            if (hr_hmac(s.macs[n], s.message, n, &s.key))
                complain("%s: no MAC", row->name);
        before = s.key;
        for (unsigned i = 0; i < THREADS; i++)
            if (pthread_create(&threads[i], NULL, use_shared_key, &s))
                exit(1);
        for (unsigned i = 0; i < THREADS; i++) {
            void *wrong;
            pthread_join(threads[i], &wrong);
            if (wrong)
                complain("%s: %zu wrong MACs under a shared key", row->name, (size_t)wrong);
        }
        if (memcmp(&before, &s.key, sizeof before))
            complain("%s: a key has changed in use", row->name);
    }
    tap(!complaints_so_far(), "threads share a key of HMAC");
}

/* ---- a process and its environment ---- */

static void print_chosen(const struct hr_algorithm *row, enum hr_op op)
{
    printf("%s %s %s\n", row->symbol, op_name(row, op), kernel_in_use(row, op));
}

/* check_environment runs this program again with a mask and compares the kernels that it then
 * uses. */
static void check_environment(const char *self, const char *mask, uint64_t real)
{
    char command[600], symbol[64], op[16], name[64];
    const uint64_t left = cpu_apply_mask(real, mask);
    snprintf(command, sizeof command, "HEADRACE_CPU='%s' '%s' --chosen", mask, self);
    FILE *child = popen(command, "r");
    unsigned lines = 0;
    while (child && fscanf(child, "%63s %15s %63s", symbol, op, name) == 3) {
        const struct hr_algorithm *row = hr_algorithm_by_name(symbol);
        const enum hr_op which = row && !strcmp(op, hr_op_name(row->alg, (enum hr_op)1));
        if (!row || strcmp(name, expected(row, which, left)))
            complain("HEADRACE_CPU=%s: %s %s uses %s", mask, symbol, op, name);
        lines++;
    }
    if (!child || pclose(child) || !lines)
        complain("the program does not run with HEADRACE_CPU=%s", mask);
    tap(!complaints_so_far(), "HEADRACE_CPU=%s is obeyed", mask);
}

static void print_needs(const struct hr_algorithm *row, enum hr_op op)
{
    struct hr_kernel kernel;
    for (size_t i = 0; hr_kernel_at(&kernel, row->alg, op, i) == 0; i++)
        printf("%s %s\n", kernel.name, feature_names(all_needs(kernel.needs)));
}

int main(int argc, char **argv);

static void print_code_at(code_fn *code, uint64_t needs)
{
    if (code)
        printf("%td %s\n", (intptr_t)code - (intptr_t)main, feature_names(needs));
}

static void print_code(const struct hr_algorithm *row, enum hr_op op)
{
    struct hr_kernel kernel;
    code_fn *code[MAX_CODE];
    for (size_t i = 0; hr_kernel_at(&kernel, row->alg, op, i) == 0; i++) {
        const size_t num = kernel_code(code, row, op, i);
        for (size_t k = 0; k < num; k++)
            print_code_at(code[k], kernel.needs);
    }
}

/* check_cpu_is fails unless the CPU has just the features that the caller names. */
static void check_cpu_is(char **names, int num_names)
{
    const struct hr_cpu_feature *feature;
    uint64_t want = 0;
    for (int i = 0; i < num_names; i++)
        for (size_t k = 0; (feature = hr_cpu_feature_at(k)); k++)
            want |= strcmp(feature->name, names[i]) ? 0 : feature->bit;
    if (hr_cpu_detected() != want)
        complain("detected: %s", feature_names(hr_cpu_detected()));
    tap(!complaints_so_far(), "the CPU has just: %s", feature_names(want));
}

int main(int argc, char **argv)
{
    uint64_t all = 0;
    const struct hr_cpu_feature *feature;
    for (size_t i = 0; (feature = hr_cpu_feature_at(i)); i++)
        all |= feature->bit;
    if (argc > 1 && !strcmp(argv[1], "--chosen")) {
        for_each_op(print_chosen);
        return 0;
    }
    if (argc > 1 && !strcmp(argv[1], "--secure"))
        return !getauxval(AT_SECURE);
    if (argc > 1 && !strcmp(argv[1], "--needs")) {
        const struct hr_algorithm *row;
        for_each_op(print_needs);
        for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
            if (!row->digest) /* HMAC rows use the lanes of their digest */
                print_needs(row, HR_OP_LANES);
        return 0;
    }
    if (argc > 1 && !strcmp(argv[1], "--code")) {
        for_each_op(print_code);
        return 0;
    }
    if (argc > 1 && !strcmp(argv[1], "--cpu")) {
        check_cpu_is(argv + 2, argc - 2);
        return tap_done();
    }
    const uint64_t real = real_cpu = hr_cpu_features();
    printf("# CPU features: %s\n", feature_names(real));
    if (real & ~all || real != cpu_apply_mask(real, ""))
        complain("features that this architecture cannot have, or useless ones");
    tap(!complaints_so_far(), "detected features are this architecture's");
    for_each_op(check_kernels_of);
    for_each_op(check_refusal);
    tap(!complaints_so_far(), "a kernel that the CPU lacks is refused by number");
    for_each_op(check_lanes);
    for (size_t i = 0; hr_algorithm_at(i); i++)
        check_queue(hr_algorithm_at(i));
    check_masks(all);
    check_masks_take_users(all);
    check_masks_are_monotone(all);
    const int alone = argc > 1 && !strcmp(argv[1], "--alone"); /* what threads do, no CPU changes */
    if (!alone) {
        check_threads(real);
        check_shared_keys();
    }
    cpu_override(real);
    if (argc > 1 && !alone) { /* the program's own path, to run it again */
        char mask[64];
        check_environment(argv[1], "", real);
        for (size_t i = 0; (feature = hr_cpu_feature_at(i)); i++) {
            snprintf(mask, sizeof mask, "-%s", feature->name);
            check_environment(argv[1], mask, real);
        }
    }
    return tap_done();
}
