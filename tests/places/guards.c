/* SPDX-License-Identifier: Apache-2.0 */
/* Every kernel of every digest and checksum at many places: messages of 0 to 512 bytes that end in
 * the last doubleword before a page that traps, at every address modulo 8, or that begin at one of
 * the first 16 addresses behind such a page. A kernel may read the aligned doublewords that hold
 * input, and no other. guards [KERNEL [ROW]]: only kernels of this name, of rows whose symbols
 * begin with ROW. */
#include "../test.h"
#include "internal.h"

enum { MOST = 512, ALIGNMENTS = 16 };
enum place { AT_END, AT_START, NUM_PLACES };

static struct guarded page;
static uint8_t message[MOST];
static unsigned long num_placed;

/* place returns the last address that is `align` modulo 8 and leaves `len` bytes before the guard
 * page, or the address `align` bytes behind the other guard page. */
static uint8_t *place(size_t len, unsigned align, enum place where)
{
    const size_t within = align % 8;
    num_placed++;
    if (where == AT_START)
        return page.start + align;
    return page.end - (within + len + 7) / 8 * 8 + within;
}

static const char *words(enum place where)
{
    return where == AT_START ? "begins at a page" : "ends at a page";
}

static void digest_by(uint8_t *out, hr_alg alg, size_t kernel, const uint8_t *in, size_t len)
{
    struct hr_digest_ctx ctx;
    if (hr_digest_init_kernel(&ctx, alg, kernel) || hr_digest_update(&ctx, in, len) ||
        hr_digest_final(&ctx, out))
        complain("a call fails");
}

static void check_digest(const struct hr_algorithm *row, size_t kernel)
{
    uint8_t want[HR_DIGEST_MAX_OUT], got[HR_DIGEST_MAX_OUT];
    for (size_t len = 0; len <= MOST && !complaints_suffice(); len++) {
        digest_by(want, row->alg, last_kernel(row, HR_OP_DIGEST), message, len);
        for (unsigned i = 0; i < ALIGNMENTS * NUM_PLACES; i++) {
            const enum place where = i / ALIGNMENTS;
            uint8_t *in = place(len, i % ALIGNMENTS, where);
            memcpy(in, message, len);
            digest_by(got, row->alg, kernel, in, len);
            if (memcmp(got, want, row->out_len))
                complain("%zu bytes at %u, %s: wrong", len, i % ALIGNMENTS, words(where));
        }
    }
}

static void run(const struct hr_algorithm *row, size_t i, const struct hr_kernel *kernel)
{
    const char *reason = cannot_run(kernel->needs);
    if (reason) {
        tap_skip(reason, "%s %s", row->name, kernel->name);
        return;
    }
    num_placed = 0;
    check_digest(row, i);
    tap(!complaints_so_far(), "%s %s: %lu places", row->name, kernel->name, num_placed);
}

int main(int argc, char **argv)
{
    const char *only = argc > 1 ? argv[1] : NULL, *symbol = argc > 2 ? argv[2] : "";
    const struct hr_algorithm *row;
    struct hr_kernel kernel;
    page = guarded_new(MOST + ALIGNMENTS);
    random_bytes(message, sizeof message);
    for (size_t r = 0; (row = hr_algorithm_at(r)); r++)
        for (size_t i = 0;
             row->cls == HR_CLASS_DIGEST && !hr_kernel_at(&kernel, row->alg, HR_OP_DIGEST, i); i++)
            if ((!only || !strcmp(only, kernel.name)) &&
                !strncmp(row->symbol, symbol, strlen(symbol)))
                run(row, i, &kernel);
    return tap_done();
}
