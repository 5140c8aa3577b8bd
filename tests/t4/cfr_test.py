# SPDX-License-Identifier: Apache-2.0
"""cfr_test.py LAUNCHER DISPATCH WORK: a T4 whose capability register lacks any one bit. The feature
is gone, what needs it falls back, no instruction behind the bit is executed (the emulator would
find it illegal), every result is the same, and all others run as often as before."""
import subprocess
import sys

import t4

LAUNCHER, DISPATCH, WORK = sys.argv[1:4]
# isainfo -v of a T4, and what of it the emulator has.
ISAINFO = ("crc32c pause cbcond mont mpmul sha512 sha256 sha1 md5 camellia kasumi des aes ima hpc vis3 "
           "fmaf asi_blk_init vis2 vis popc").split()
T4 = [name for name in ISAINFO if name not in ("kasumi", "mpmul")]


def features_are(options, names):
    t4.on_t4(LAUNCHER, DISPATCH, "--cpu", *names, options=options)
    return []


def dispatch_is_right(options):
    t4.on_t4(LAUNCHER, DISPATCH, "--alone", options=options)
    return []


def chosen(options):
    """Returns {(row, operation): kernel} on a T4 with these options."""
    lines = t4.on_t4(LAUNCHER, DISPATCH, "--chosen", options=options)[0].splitlines()
    return {tuple(line.split()[:2]): line.split()[2] for line in lines}


def falls_back(word, full):
    """Checks that all work without this capability bit gives the same results, by the same
    instructions behind the other bits."""
    result, counts = t4.on_t4(LAUNCHER, WORK, options=[f"--cfr=-{word}"])
    complaints = [] if result == full[0] else ["other results"]
    wanted = {name: count for name, count in full[1].items() if t4.family(name) not in (word, None)}
    for name in sorted(set(wanted) | set(filter(t4.family, counts))):
        if counts.get(name, 0) != wanted.get(name, 0):
            complaints.append(f"{name}: {counts.get(name, 0)}, not {wanted.get(name, 0)}")
    return complaints


def choice_follows(word, full, has_kernel):
    """Checks that without the bit, rows that used its instructions choose other kernels if there are
    such rows, and that nothing changes if there are none."""
    without = chosen([f"--cfr=-{word}"])
    changed = sum(full[key] != without[key] for key in full)
    return [] if bool(changed) == has_kernel else [f"{changed} choices are others without the bit"]


qemu = t4.skip_without_qemu()
tap = t4.Tap()
sysroot = ["-L", "/usr/sparc64-linux-gnu"]
tap.check("a T4's features are those of its isainfo, but kasumi and mpmul", features_are, [], T4)
tap.check("and those if they are turned on", features_are, ["--cfr=+kasumi,+mpmul"], ISAINFO)
work, choice = t4.on_t4(LAUNCHER, WORK), chosen([])
plain = subprocess.run([qemu, *sysroot, WORK], capture_output=True, text=True)
tap.result("every result is that of the portable kernels, without the emulator",
           [] if plain.returncode == 0 and plain.stdout == work[0] else
           [f"status {plain.returncode}", *set(plain.stdout.splitlines()) ^ set(work[0].splitlines())])
for bit in t4.CFR:
    options = [f"--cfr=-{bit}"]
    uses = any(t4.family(name) == bit for name in work[1])
    tap.check(f"without {bit}: the feature is gone", features_are, options,
              [name for name in T4 if name != t4.CFR[bit]])
    tap.check(f"without {bit}: {'its kernels are' if uses else 'no kernel is'} another", choice_follows,
              bit, choice, uses)
    tap.check(f"without {bit}: {'falls back' if uses else 'nothing changes'}, the same results",
              falls_back, bit, work)
    if uses:
        tap.check(f"without {bit}: dispatch", dispatch_is_right, options)
none = t4.on_t4(LAUNCHER, WORK, options=["--cfr=none"])
tap.result("without any bit: no such instruction, the same results",
           [name for name in none[1] if t4.family(name)] + ["other results"] * (none[0] != work[0]))
tap.done()
