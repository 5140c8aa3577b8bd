/* SPDX-License-Identifier: Apache-2.0 */
/* CPUs with a defect ("mutants"), each of which some check must notice. They are made of the
 * emulator's own functions, with operands, rows or results exchanged; the emulator itself
 * contains nothing of them. */
#include "../../lib/bytes.h"
#include "../sem.h"
#include "run.h"
#include <string.h>

enum t4_result execute_row(struct t4_machine *m, const struct t4_insn *insn)
{
    t4_execute_fn *const execute = t4_opcodes[insn->op].execute;
    return execute ? execute(m, insn) : T4_UNDOCUMENTED;
}

/* Executes another AES round: the argument's bits change columns (1), direction (2) or last
 * round (4). */
static enum t4_result other_round(struct t4_machine *m, const struct t4_insn *insn)
{
    struct t4_insn other = *insn;
    other.op = T4_AES_EROUND01 + ((insn->op - T4_AES_EROUND01) ^ the_mutant->argument);
    return execute_row(m, &other);
}

static enum t4_result other_row(struct t4_machine *m, const struct t4_insn *insn)
{
    struct t4_insn other = *insn;
    other.op = the_mutant->argument;
    return execute_row(m, &other);
}

/* ---- operands ---- */

/* Executes with another value in rs1 or rs2; afterwards the register has its old value again. */
static enum t4_result with_value(struct t4_machine *m, const struct t4_insn *insn, unsigned field,
                                 uint64_t value)
{
    const uint64_t was = t4_get_d(m, field);
    t4_set_d(m, field, value);
    const enum t4_result result = execute_row(m, insn);
    if (field != insn->rd)
        t4_set_d(m, field, was);
    return result;
}

static enum t4_result key_words_swapped(struct t4_machine *m, const struct t4_insn *insn)
{
    const uint64_t key = t4_get_d(m, insn->rs1);
    return with_value(m, insn, insn->rs1, key << 32 | key >> 32);
}

static enum t4_result rs1_is_zero(struct t4_machine *m, const struct t4_insn *insn)
{
    return with_value(m, insn, insn->rs1, 0);
}

static enum t4_result rs2_bytes_reversed(struct t4_machine *m, const struct t4_insn *insn)
{
    return with_value(m, insn, insn->rs2, bswap64(t4_get_d(m, insn->rs2)));
}

static enum t4_result rs1_and_rs2_swapped(struct t4_machine *m, const struct t4_insn *insn)
{
    struct t4_insn other = *insn;
    other.rs1 = insn->rs2;
    other.rs2 = insn->rs1;
    return execute_row(m, &other);
}

static enum t4_result rs2_and_rs3_swapped(struct t4_machine *m, const struct t4_insn *insn)
{
    struct t4_insn other = *insn;
    other.rs2 = insn->rs3;
    other.rs3 = insn->rs2;
    return execute_row(m, &other);
}

/* Takes one immediate for another: argument 12 executes immediate 1 as 2. */
static enum t4_result other_immediate(struct t4_machine *m, const struct t4_insn *insn)
{
    struct t4_insn other = *insn;
    if (insn->rs2 == the_mutant->argument / 10)
        other.rs2 = the_mutant->argument % 10;
    return execute_row(m, &other);
}

/* ---- results ---- */

static enum t4_result rd_xor(struct t4_machine *m, const struct t4_insn *insn, uint64_t value)
{
    const enum t4_result result = execute_row(m, insn);
    t4_set_d(m, insn->rd, t4_get_d(m, insn->rd) ^ value);
    return result;
}

static enum t4_result rd_also_neighbour(struct t4_machine *m, const struct t4_insn *insn)
{
    const enum t4_result result = execute_row(m, insn);
    t4_set_d(m, insn->rd ^ 2, t4_get_d(m, insn->rd));
    return result;
}

static enum t4_result lenient(struct t4_machine *m, const struct t4_insn *insn)
{
    t4_model.die_on_undefined = 0;
    const enum t4_result result = execute_row(m, insn);
    t4_model.die_on_undefined = 1;
    return result;
}

/* ---- AES ---- */

/* Adds the round key after InvMixColumns instead of before. */
static enum t4_result dround_order(struct t4_machine *m, const struct t4_insn *insn)
{
    const uint64_t key = t4_get_d(m, insn->rs1);
    const enum t4_result result = rs1_is_zero(m, insn);
    t4_set_d(m, insn->rd, t4_get_d(m, insn->rd) ^ key);
    return result;
}

static enum t4_result no_rcon(struct t4_machine *m, const struct t4_insn *insn)
{
    return rd_xor(m, insn, sem_aes_rcon(insn->rs3) * UINT64_C(0x100000001));
}

static enum t4_result next_rcon(struct t4_machine *m, const struct t4_insn *insn)
{
    struct t4_insn other = *insn;
    other.rs3 = insn->rs3 == 9 ? 0 : insn->rs3 + 1;
    return execute_row(m, &other);
}

static enum t4_result words_not_chained(struct t4_machine *m, const struct t4_insn *insn)
{
    return rd_xor(m, insn, t4_get_d(m, insn->rs1) >> 32);
}

/* ---- DES, Camellia ---- */

static enum t4_result des_one_round(struct t4_machine *m, const struct t4_insn *insn)
{
    t4_set_d(m, insn->rd, sem_des_round(t4_get_d(m, insn->rs3), t4_get_d(m, insn->rs1)));
    return T4_DONE;
}

static enum t4_result iip_without_swap(struct t4_machine *m, const struct t4_insn *insn)
{
    const uint64_t in = t4_get_d(m, insn->rs1);
    t4_set_d(m, insn->rd, sem_des_iip(in << 32 | in >> 32));
    return T4_DONE;
}

static enum t4_result f_without_rs2(struct t4_machine *m, const struct t4_insn *insn)
{
    return rd_xor(m, insn, t4_get_d(m, insn->rs2));
}

/* ---- hashes ---- */

static enum t4_result state32_unwritten(struct t4_machine *m, const struct t4_insn *insn)
{
    const uint32_t was = t4_get_s(m, the_mutant->argument);
    const enum t4_result result = execute_row(m, insn);
    t4_set_s(m, the_mutant->argument, was);
    return result;
}

static enum t4_result state64_unwritten(struct t4_machine *m, const struct t4_insn *insn)
{
    const uint64_t was = m->d[the_mutant->argument];
    const enum t4_result result = execute_row(m, insn);
    m->d[the_mutant->argument] = was;
    return result;
}

/* Leaves out the addition of the old state; the argument is its number of 32-bit words. */
static enum t4_result not_added(struct t4_machine *m, const struct t4_insn *insn)
{
    const struct t4_machine before = *m;
    const enum t4_result result = execute_row(m, insn);
    for (unsigned i = 0; i < the_mutant->argument; i++)
        t4_set_s(m, i, t4_get_s(m, i) - t4_get_s(&before, i));
    return result;
}

static enum t4_result state_bytes_reversed(struct t4_machine *m, const struct t4_insn *insn)
{
    for (unsigned i = 0; i < 4; i++)
        t4_set_s(m, i, bswap32(t4_get_s(m, i)));
    const enum t4_result result = execute_row(m, insn);
    for (unsigned i = 0; i < 4; i++)
        t4_set_s(m, i, bswap32(t4_get_s(m, i)));
    return result;
}

/* Executes as if a register of the data were 0; the argument is the register's index in m->d. */
static enum t4_result data_unread(struct t4_machine *m, const struct t4_insn *insn)
{
    const uint64_t was = m->d[the_mutant->argument];
    m->d[the_mutant->argument] = 0;
    const enum t4_result result = execute_row(m, insn);
    m->d[the_mutant->argument] = was;
    return result;
}

/* ---- CRC-32C ---- */

static enum t4_result crc_state_reversed(struct t4_machine *m, const struct t4_insn *insn)
{
    const enum t4_result result =
        with_value(m, insn, insn->rs1, bswap32((uint32_t)t4_get_d(m, insn->rs1)));
    t4_set_d(m, insn->rd, bswap32((uint32_t)t4_get_d(m, insn->rd)));
    return result;
}

static enum t4_result crc_upper_word(struct t4_machine *m, const struct t4_insn *insn)
{
    const uint64_t state = t4_get_d(m, insn->rs1);
    return with_value(m, insn, insn->rs1, state ^ state >> 32);
}

/* ---- Montgomery multiplication ---- */

enum { A_DOUBLES = 12, N0 = 30 };

/* The register of word i of A: l0 to l7 and o0 to o5 of window 5, then %f24, ... */
static uint64_t *a_word(struct t4_machine *m, unsigned i)
{
    return i < 8 ? &m->window[5].l[i] : i < 14 ? &m->window[4].i[i - 8] : &m->d[A_DOUBLES + i - 14];
}

static uint64_t *n_word(struct t4_machine *m, unsigned i)
{
    struct t4_window *window = &m->window[4 - i / 14];
    return i % 14 < 8 ? &window->l[i % 14] : &window[-1].i[i % 14 - 8];
}

static uint64_t *b_word(struct t4_machine *m, unsigned i)
{
    if (i >= 28)
        return &m->o[i - 28];
    return i % 14 < 6 ? &m->window[1 - i / 14].i[i % 14] : &m->window[1 - i / 14].l[i % 14 - 6];
}

/* Executes, and writes the sum before the final subtraction, or only if that is n. */
static enum t4_result unsubtracted(struct t4_machine *m, const struct t4_insn *insn, int only_n)
{
    uint64_t a[MONT_WORDS], b[MONT_WORDS], n[MONT_WORDS], sum[MONT_WORDS + 1];
    const unsigned words = insn->rs2 + 1u;
    m->read_windows(m);
    for (unsigned i = 0; i < words; i++) {
        a[i] = *a_word(m, i);
        b[i] = insn->op == T4_MONTSQR ? a[i] : *b_word(m, i);
        n[i] = *n_word(m, i);
    }
    const enum t4_result result = execute_row(m, insn);
    num_montgomery_sum(sum, a, b, n, words);
    const int is_n = !sum[words] && !memcmp(sum, n, words * sizeof *n);
    for (unsigned i = 0; i < words && result == T4_DONE && (is_n || !only_n); i++)
        *a_word(m, i) = sum[i];
    return result;
}

static enum t4_result no_subtraction(struct t4_machine *m, const struct t4_insn *insn)
{
    return unsubtracted(m, insn, 0);
}

/* Subtracts n from larger numbers only, not from n itself. */
static enum t4_result sum_equals_n(struct t4_machine *m, const struct t4_insn *insn)
{
    return unsubtracted(m, insn, 1);
}

static enum t4_result word_unwritten(struct t4_machine *m, const struct t4_insn *insn)
{
    const unsigned i = the_mutant->argument;
    m->read_windows(m);
    const uint64_t was = *a_word(m, i);
    const enum t4_result result = execute_row(m, insn);
    if (i <= insn->rs2)
        *a_word(m, i) = was;
    return result;
}

static enum t4_result n_overwritten(struct t4_machine *m, const struct t4_insn *insn)
{
    const enum t4_result result = execute_row(m, insn);
    *n_word(m, insn->rs2) ^= 1;
    return result;
}

static enum t4_result b_overwritten(struct t4_machine *m, const struct t4_insn *insn)
{
    const enum t4_result result = execute_row(m, insn);
    *b_word(m, insn->rs2) ^= 1;
    return result;
}

static enum t4_result n0_overwritten(struct t4_machine *m, const struct t4_insn *insn)
{
    const enum t4_result result = execute_row(m, insn);
    m->d[N0] = 0;
    return result;
}

/* Behaves as frame code that forgets to write the callers' windows back. */
static enum t4_result windows_not_written_back(struct t4_machine *m, const struct t4_insn *insn)
{
    struct t4_window was[T4_WINDOWS];
    m->read_windows(m);
    memcpy(was, m->window, sizeof was);
    const enum t4_result result = execute_row(m, insn);
    memcpy(&m->window[1], &was[1], sizeof was - sizeof *was);
    return result;
}

static enum t4_result stack_pointer_lost(struct t4_machine *m, const struct t4_insn *insn)
{
    const enum t4_result result = execute_row(m, insn);
    m->window[the_mutant->argument].i[6] = 0;
    return result;
}

static enum t4_result fcc3_unchanged(struct t4_machine *m, const struct t4_insn *insn)
{
    const uint64_t fsr = m->fsr;
    const enum t4_result result = execute_row(m, insn);
    m->fsr = fsr;
    return result;
}

static enum t4_result fcc3_always(struct t4_machine *m, const struct t4_insn *insn)
{
    const enum t4_result result = execute_row(m, insn);
    const uint64_t fcc = the_mutant->argument;
    m->fsr = (m->fsr & ~(UINT64_C(3) << T4_FCC3_SHIFT)) | fcc << T4_FCC3_SHIFT;
    return result;
}

static enum t4_result no_poison(struct t4_machine *m, const struct t4_insn *insn)
{
    t4_model.poison = 0;
    const enum t4_result result = execute_row(m, insn);
    t4_model.poison = 1;
    return result;
}

static enum t4_result never_fails(struct t4_machine *m, const struct t4_insn *insn)
{
    t4_model.mont_failures = 0;
    return execute_row(m, insn);
}

/* ---- the system ---- */

/* Returns %asr26 as another CPU defines it. */
static enum t4_result cfr_is_strand_status(struct t4_machine *m, const struct t4_insn *insn)
{
    t4_set_r(m, insn->rd, 1);
    return T4_DONE;
}

#define ROW(op) T4_##op, T4_##op
#define ROWS(op, last) T4_##op, T4_##last
#define ENCRYPT ROWS(AES_EROUND01, AES_EROUND23)
#define DECRYPT ROWS(AES_DROUND01, AES_DROUND23)
#define ROUNDS ROWS(AES_EROUND01, AES_DROUND23_L)
#define KEXPANDS ROWS(AES_KEXPAND1, AES_KEXPAND2)
#define MONTGOMERY ROWS(MONTMUL, MONTSQR)

/* The last two numbers are the first and the last argument. */
const struct mutant mutants[] = {
    { "aes_dround: round key behind InvMixColumns", DECRYPT, dround_order, 0, 0 },
    { "aes: encryption and decryption swapped", ROUNDS, other_round, 2, 2 },
    { "aes: columns 0-1 and 2-3 swapped", ROUNDS, other_round, 1, 1 },
    { "aes_eround: MixColumns left out", ENCRYPT, other_round, 4, 4 },
    { "aes_eround_l: MixColumns", ROWS(AES_EROUND01_L, AES_EROUND23_L), other_round, 4, 4 },
    { "aes_dround: InvMixColumns left out", DECRYPT, other_round, 4, 4 },
    { "aes_dround_l: InvMixColumns", ROWS(AES_DROUND01_L, AES_DROUND23_L), other_round, 4, 4 },
    { "aes: words of the round key swapped", ROUNDS, key_words_swapped, 0, 0 },
    { "aes: state halves swapped", ROUNDS, rs2_and_rs3_swapped, 0, 0 },
    { "aes: more than rd written", ROUNDS, rd_also_neighbour, 0, 0 },
    { "aes_kexpand: words swapped", KEXPANDS, key_words_swapped, 0, 0 },
    { "aes_kexpand: words not chained", KEXPANDS, words_not_chained, 0, 0 },
    { "aes_kexpand1: rcon dropped", ROW(AES_KEXPAND1), no_rcon, 0, 0 },
    { "aes_kexpand1: the next rcon", ROW(AES_KEXPAND1), next_rcon, 0, 0 },
    { "aes_kexpand1: like kexpand0", ROW(AES_KEXPAND1), other_row, T4_AES_KEXPAND0,
      T4_AES_KEXPAND0 },
    { "aes_kexpand0: like kexpand2", ROW(AES_KEXPAND0), other_row, T4_AES_KEXPAND2,
      T4_AES_KEXPAND2 },
    { "aes_kexpand2: like kexpand0", ROW(AES_KEXPAND2), other_row, T4_AES_KEXPAND0,
      T4_AES_KEXPAND0 },
    { "aes_kexpand1: an eleventh constant", ROW(AES_KEXPAND1), lenient, 0, 0 },

    { "des_ip: like des_iip", ROW(DES_IP), other_row, T4_DES_IIP, T4_DES_IIP },
    { "des_iip: like des_ip", ROW(DES_IIP), other_row, T4_DES_IP, T4_DES_IP },
    { "des_iip: halves not swapped", ROW(DES_IIP), iip_without_swap, 0, 0 },
    { "des_round: keys swapped", ROW(DES_ROUND), rs1_and_rs2_swapped, 0, 0 },
    { "des_round: one round", ROW(DES_ROUND), des_one_round, 0, 0 },
    { "des_kexpand: 1 rotates by 2", ROW(DES_KEXPAND), other_immediate, 12, 12 },
    { "des_kexpand: 2 rotates by 1", ROW(DES_KEXPAND), other_immediate, 21, 21 },
    { "des_kexpand: 3 rotates by 2", ROW(DES_KEXPAND), other_immediate, 32, 32 },
    { "des_round: any number is a key", ROW(DES_ROUND), lenient, 0, 0 },
    { "des_kexpand: any immediate", ROW(DES_KEXPAND), lenient, 0, 0 },

    { "camellia_f: key words swapped", ROW(CAMELLIA_F), key_words_swapped, 0, 0 },
    { "camellia_f: without rs2", ROW(CAMELLIA_F), f_without_rs2, 0, 0 },
    { "camellia_f: rs2 and rs3 swapped", ROW(CAMELLIA_F), rs2_and_rs3_swapped, 0, 0 },
    { "camellia_fl: like camellia_fli", ROW(CAMELLIA_FL), other_row, T4_CAMELLIA_FLI,
      T4_CAMELLIA_FLI },
    { "camellia_fli: like camellia_fl", ROW(CAMELLIA_FLI), other_row, T4_CAMELLIA_FL,
      T4_CAMELLIA_FL },
    { "camellia_fl, fli: key and data swapped", ROWS(CAMELLIA_FL, CAMELLIA_FLI),
      rs1_and_rs2_swapped, 0, 0 },
    { "camellia_fl, fli: key words swapped", ROWS(CAMELLIA_FL, CAMELLIA_FLI), key_words_swapped, 0,
      0 },

    { "md5: state register unwritten", ROW(MD5), state32_unwritten, 0, 3 },
    { "sha1: state register unwritten", ROW(SHA1), state32_unwritten, 0, 4 },
    { "sha256: state register unwritten", ROW(SHA256), state32_unwritten, 0, 7 },
    { "sha512: state register unwritten", ROW(SHA512), state64_unwritten, 0, 7 },
    { "md5: data register unread", ROW(MD5), data_unread, 4, 11 },
    { "sha1: data register unread", ROW(SHA1), data_unread, 4, 11 },
    { "sha256: data register unread", ROW(SHA256), data_unread, 4, 11 },
    { "sha512: data register unread", ROW(SHA512), data_unread, 8, 23 },
    { "md5: old state not added", ROW(MD5), not_added, 4, 4 },
    { "sha1: old state not added", ROW(SHA1), not_added, 5, 5 },
    { "sha256: old state not added", ROW(SHA256), not_added, 8, 8 },
    { "sha512: old state not added", ROW(SHA512), not_added, 16, 16 },
    { "md5: state as numbers", ROW(MD5), state_bytes_reversed, 0, 0 },
    { "sha256: like sha1", ROW(SHA256), other_row, T4_SHA1, T4_SHA1 },

    { "crc32c: state as a number", ROW(CRC32C), crc_state_reversed, 0, 0 },
    { "crc32c: data as a number", ROW(CRC32C), rs2_bytes_reversed, 0, 0 },
    { "crc32c: state ignored", ROW(CRC32C), rs1_is_zero, 0, 0 },
    { "crc32c: state of 64 bits", ROW(CRC32C), crc_upper_word, 0, 0 },

    { "montmul, montsqr: no final subtraction", MONTGOMERY, no_subtraction, 0, 0 },
    { "montmul, montsqr: sum equals n", MONTGOMERY, sum_equals_n, 0, 0 },
    { "montmul, montsqr: word unwritten", MONTGOMERY, word_unwritten, 0, 31 },
    { "montsqr: like montmul", ROW(MONTSQR), other_row, T4_MONTMUL, T4_MONTMUL },
    { "montmul: like montsqr", ROW(MONTMUL), other_row, T4_MONTSQR, T4_MONTSQR },
    { "montmul, montsqr: modulus overwritten", MONTGOMERY, n_overwritten, 0, 0 },
    { "montsqr: b overwritten", ROW(MONTSQR), b_overwritten, 0, 0 },
    { "montmul, montsqr: n0' overwritten", MONTGOMERY, n0_overwritten, 0, 0 },
    { "montmul, montsqr: callers' windows not written", MONTGOMERY, windows_not_written_back, 0,
      0 },
    { "montmul, montsqr: stack pointer lost", MONTGOMERY, stack_pointer_lost, 0, 5 },
    { "montmul, montsqr: fcc3 not set", MONTGOMERY, fcc3_unchanged, 0, 0 },
    { "montmul, montsqr: fcc3 always the same", MONTGOMERY, fcc3_always, T4_FCC_EQUAL,
      T4_FCC_UNORDERED },
    { "montmul, montsqr: no poison", MONTGOMERY, no_poison, 0, 0 },
    { "montmul, montsqr: no failures", MONTGOMERY, never_fails, 0, 0 },
    { "montmul, montsqr: undefined operands pass", MONTGOMERY, lenient, 0, 0 },

    { "rd %cfr: strand status", ROW(RD_CFR), cfr_is_strand_status, 0, 0 },
};
const size_t num_mutants = sizeof mutants / sizeof *mutants;
