#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Acceptance of the T4 emulator by a peer: OpenSSL's own T4 assembly and tests. Prints TAP.

usage: accept.py OPENSSL PROGRAMS T4EMU MUTANTS OUT

OPENSSL is a folder of scripts/cross-openssl.sh; beside it are OPENSSL-reverted, whose libcrypto has
an old defect again, and OPENSSL-faulting, where no-fault loads are usual loads; PROGRAMS has legacy,
bounds and mont; T4EMU is the launcher; MUTANTS is the library of defective emulators; OUT takes the logs.
qemu-sparc64 is looked for in PATH.
"""
import collections
import concurrent.futures
import os
import re
import signal
import subprocess
import sys

# The counts are those of this version; in another version, a file may have more tests, but not fewer.
VERSION = '3.5.7'
# file of evp_test, number of its tests, instructions that must have been executed
FILES = [
    ('evpciph_aes_common', 296,
     'aes_eround01 aes_eround23_l aes_dround01 aes_dround23_l aes_kexpand0 aes_kexpand1 aes_kexpand2'),
    ('evpciph_aes_ccm_cavs', 2865, 'aes_eround01 aes_eround23_l aes_kexpand1'),
    ('evpciph_aes_cts', 42, 'aes_eround01 aes_dround01'),
    ('evpciph_aes_ocb', 31, 'aes_eround01 aes_dround01'),
    ('evpmd_sha', 74, 'sha1 sha256 sha512'),
    ('evpmd_md', 10, 'md5'),
    ('evppkey_rsa', 63, 'montmul montsqr'),
    ('evppkey_rsa_common', 208, 'montmul montsqr sha256'),
    # Their T4 code is reached by no fetched cipher: the program `legacy` reaches it.
    ('evpciph_des', 13, ''),
    ('evpciph_des3_common', 3, ''),
    ('evpciph_camellia', 87, ''),
]
LEGACY_FILES = {'evpciph_des'}  # skipped where only the default provider is loaded
LEGACY = 'des_ip des_iip des_round des_kexpand camellia_f camellia_fl camellia_fli'
# a defect of the emulator (mutants.c), and the test file that must fail with it
CAUGHT = [
    ('montmul, montsqr: no final subtraction', 'evppkey_rsa'),
    ('montmul, montsqr: sum equals n', 'mont'),
    ('montmul, montsqr: word unwritten', 'evppkey_rsa'),
    ('aes: words of the round key swapped', 'evpciph_aes_cts'),
    ('aes_dround: round key behind InvMixColumns', 'evpciph_aes_cts'),
    ('aes_kexpand1: rcon dropped', 'evpciph_aes_cts'),
    ('md5: state register unwritten', 'evpmd_md'),
    ('sha512: state register unwritten', 'evpmd_sha'),
    ('des_iip: halves not swapped', 'legacy'),
    ('camellia_f: key words swapped', 'legacy'),
]
# VIS and a T4's %cfr, announced to OpenSSL on a CPU without such instructions
ANNOUNCED = '0x164:0xeff'
CPU = 'TI-UltraSparc-II,+vis3,+fmaf,+ima,-vis2'
LIMIT = 3600  # seconds, against a hang only

Result = collections.namedtuple('Result', 'status log tests errors opcodes')


class Bench:
    """Starts programs, as many at a time as there are CPUs; each once."""

    def __init__(self, openssl, t4emu, out):
        self.openssl, self.t4emu, self.out = openssl, t4emu, out
        self.pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())

    def start(self, name, program, options=(), plain=False, openssl=None, **environment):
        return self.pool.submit(self.run, name, program, options, plain, openssl or self.openssl,
                                environment)

    def run(self, name, program, options, plain, openssl, environment):
        log, stats = (os.path.join(self.out, f'{name}.{end}') for end in ('log', 'stats'))
        if os.path.exists(stats):
            os.remove(stats)
        if plain:
            command = ['qemu-sparc64', '-L', '/usr/sparc64-linux-gnu', '-cpu', CPU, *program]
        else:
            command = [self.t4emu, '--stats', stats, *options, '--', *program]
        inherited = {name: value for name, value in os.environ.items()
                     if not name.startswith(('OPENSSL', 'T4EMU', 'HEADRACE'))}
        with open(log, 'wb') as out:
            status = subprocess.run(
                command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=LIMIT,
                cwd=os.path.join(self.openssl, 'src/test'),
                env={**inherited, 'LD_LIBRARY_PATH': os.path.join(openssl, 'lib'), **environment}).returncode
        text = open(log, encoding='utf-8', errors='replace').read()
        done = re.findall(r'Completed (\d+) tests with (\d+) errors', text)
        tests, errors = (int(done[-1][0]), int(done[-1][1])) if done else (0, -1)
        return Result(status, text, tests, errors, opcodes(stats))

    def evp_test(self, name, file, *rest, **options):
        config = ['-config', 'default-and-legacy.cnf'] if file in LEGACY_FILES else []
        program = ['./evp_test', *config, f'recipes/30-test_evp_data/{file}.txt']
        return self.start(f'{file}.{name}', program, *rest, **options)


def opcodes(path):
    counts = collections.Counter()
    if os.path.exists(path):
        for line in open(path, encoding='utf-8'):
            word, _, rest = line.partition(' ')
            if word == 'opcode':
                name, _, count = rest.rpartition(' ')
                counts[name] += int(count)
    return counts


class Tap:
    def __init__(self):
        self.passed = self.failed = 0

    def point(self, good, text, result=None):
        self.passed += bool(good)
        self.failed += not good
        if not good and result:
            for line in result.log.splitlines()[-20:]:
                print('#', line)
            print(f'# status {result.status}')
        print(f"{'ok' if good else 'not ok'} {self.passed + self.failed} - {text}", flush=True)

    def note(self, text):
        print('#', text, flush=True)


def ran(result, wanted):
    """'aes_eround01 12, ...', and whether all that is wanted ran."""
    return ', '.join(f'{name} {result.opcodes[name]}' for name in wanted), all(result.opcodes[name] for name in wanted)


def clean(result):
    return result.status == 0 and result.errors == 0


def judge_file(tap, version, row, runs):
    file, expected, wanted = row[0], row[1], row[2].split()
    emulated, plain = runs['emulated'].result(), runs['plain'].result()
    as_many = emulated.tests == expected if version == VERSION else emulated.tests >= expected
    right = as_many and emulated.tests == plain.tests
    counts, all_ran = ran(emulated, wanted)
    tap.point(clean(emulated) and right and all_ran,
              f'{file}: {emulated.tests} tests ({expected} in {VERSION}), {emulated.errors} errors; '
              f'{counts or "by no T4 instruction"}', emulated)
    strict = runs['strict'].result()
    tap.point(clean(strict) and strict.tests == emulated.tests and ran(strict, wanted)[1],
              f'{file}, strict: {strict.tests} tests, {strict.errors} errors', strict)
    tap.point(clean(plain) and plain.tests == emulated.tests,
              f'{file}, without the emulator, no T4 announced: {plain.tests} tests', plain)
    if 'announced' in runs:
        died = runs['announced'].result()
        tap.point(died.status == -signal.SIGILL,
                  f'{file}, without the emulator, a T4 announced: dies of SIGILL', died)


def judge_legacy(tap, runs):
    for name, run in runs.items():
        result = run.result()
        counts, all_ran = ran(result, LEGACY.split())
        if name == 'announced':
            tap.point(result.status == -signal.SIGILL,
                      'DES and Camellia, without the emulator, a T4 announced: dies of SIGILL', result)
            continue
        right = result.status == 0 and 'ok' in result.log and 'not ok' not in result.log
        tap.point(right and all_ran,
                  f'DES and Camellia by the methods, {name}: as the providers; {counts}', result)


def judge_defects(tap, version, runs):
    whole, reverted = runs['short'].result(), runs['short reverted'].result()
    tap.point(whole.status == 0, 'CBC with less than a block touches nothing', whole)
    tap.point(reverted.status == 1 and 'not ok' in reverted.log,
              'the same with OpenSSL PR 25637 reverted: caught', reverted)
    seen = runs['evp reverted'].result()
    tap.note(f"evp_test alone {'does not notice' if clean(seen) else 'notices'} that reversion: "
             f'{seen.tests} tests, {seen.errors} errors')
    over = runs['overread'].result()
    found = re.search(r'^overreads: (\d+)$', over.log, re.M)
    for line in over.log.splitlines():
        tap.note('no-fault loads made usual loads: ' + line)
    if found and int(found.group(1)):
        text = f'known defect of OpenSSL {version}, seen: no-fault loads read beyond the input (its issue 20523)'
    else:
        text = f'OpenSSL {version} reads nothing beyond the input by no-fault loads (its issue 20523 is mended)'
    tap.point(over.status == 0 and found, text, over)


def main(openssl, programs, t4emu, mutants, out):
    reverted, faulting = openssl + '-reverted', openssl + '-faulting'
    bench, tap = Bench(openssl, t4emu, out), Tap()
    program = {name: [os.path.join(programs, name)] for name in ('legacy', 'bounds', 'mont')}
    # Failing Montgomery instructions are tested with a short file only, since the software fallback is slow.
    ways = {'emulated': {}, 'strict': {'options': ['--strict=forms,poison']}, 'plain': {'plain': True}}
    announced = {'plain': True, 'OPENSSL_sparcv9cap': ANNOUNCED}
    release = bench.start('version', [os.path.join(openssl, 'bin/openssl'), 'version'])
    # The longest test begins first.
    files = {row[0]: {} for row in FILES}
    for row in sorted(FILES, key=lambda row: row[0] != 'evppkey_rsa_common'):
        for name, options in ways.items():
            files[row[0]][name] = bench.evp_test(name, row[0], **options)
        if row[2]:
            files[row[0]]['announced'] = bench.evp_test('announced', row[0], **announced)
    legacy = {name: bench.start(f'legacy.{name}', program['legacy'], **ways[name])
              for name in ('emulated', 'strict')}
    mont = {name: bench.start(f'mont.{name}', program['mont'], **ways[name]) for name in ('emulated', 'strict')}
    legacy['announced'] = bench.start('legacy.announced', program['legacy'], **announced)
    none = [(file, bench.evp_test('none', file, options=['--cfr=none']))
            for file in ('evpciph_aes_common', 'evpmd_sha', 'evpmd_md', 'evppkey_rsa')]
    failing = [(every, bench.evp_test(f'fcc3-{every}', 'evppkey_rsa', options=[f'--strict=fcc3={every}']))
               for every in (1, 3)]
    defects = {
        'short': bench.start('short', program['bounds'] + ['short']),
        'short reverted': bench.start('short-reverted', program['bounds'] + ['short'], openssl=reverted),
        'evp reverted': bench.evp_test('reverted', 'evpciph_aes_common', openssl=reverted),
        'overread': bench.start('overread', program['bounds'] + ['overread'], openssl=faulting),
    }
    caught = []
    for number, (mutant, what) in enumerate(CAUGHT):
        options = {'options': ['--library', mutants], 'T4EMU_MUTANT': mutant}
        caught.append((mutant, what, bench.start(f'mutant-{number}', program[what], **options) if what in program
                       else bench.evp_test(f'mutant-{number}', what, **options)))

    version = (release.result().log.split() + ['?', '?'])[1]
    tap.note(f'OpenSSL {version}; no environment variable tells it what this CPU has')
    for row in FILES:
        judge_file(tap, version, row, files[row[0]])
    judge_legacy(tap, legacy)
    for name, run in mont.items():
        result = run.result()
        tap.point(result.status == 0 and result.opcodes['montmul'],
                  f"products that are multiples of the modulus, {name}: montmul {result.opcodes['montmul']}", result)
    for file, run in none:
        result = run.result()
        t4 = [name for name in result.opcodes if name.startswith(('aes_', 'sha', 'md5', 'mont'))]
        tap.point(clean(result) and not t4 and result.tests == files[file]['plain'].result().tests,
                  f'{file}, a T4 with no bit of %cfr set: {result.tests} tests, none by its cipher instructions',
                  result)
    for every, run in failing:
        result = run.result()
        as_many = result.tests == files['evppkey_rsa']['plain'].result().tests
        tap.point(clean(result) and as_many and result.opcodes['montmul'],
                  f'evppkey_rsa, Montgomery instructions fail, one of {every} (fcc3): '
                  f'{result.tests} tests, {result.errors} errors', result)
    judge_defects(tap, version, defects)
    for mutant, what, run in caught:
        result = run.result()
        noticed = result.status == 1 and (result.errors > 0 or 'not ok' in result.log)
        tap.point(noticed, f'an emulator with a defect ({mutant}): {what} fails', result)
    print(f'1..{tap.passed + tap.failed}')
    print(f'{tap.passed} passed, {tap.failed} failed, 0 skipped')
    return tap.failed != 0


if __name__ == '__main__':
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    sys.exit(main(*(os.path.abspath(argument) for argument in sys.argv[1:])))
