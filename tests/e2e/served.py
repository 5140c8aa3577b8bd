#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The statistics file of <headrace/stats.h>, for the tests.

served.py new FILE             makes an empty one
served.py show FILE [COMM]     "alg calls bytes" a line, summed over the slots (of that program)
served.py slots FILE           "comm pid calls" a line for each slot taken
"""
import struct
import sys

HEADER, SLOT, ENTRY, FIRST, ENTRIES, SLOTS = 64, 4096, 24, 48, 168, 512
READY = 2
VIA = FIRST + ENTRIES * ENTRY


def new(path):
    with open(path, "wb") as f:
        f.write(b"HRSTATS\0" + struct.pack("=III", 1, SLOTS, 0) + bytes(44))
        f.truncate(HEADER + SLOTS * SLOT)


def slots(path, via=None):
    """Yields (program, pid, {row: (calls, bytes)}) of each slot of this binding, or of all
    bindings."""
    with open(path, "rb") as f:
        data = f.read()
    assert data[:8] == b"HRSTATS\0", "not a statistics file"
    for at in range(HEADER, len(data), SLOT):
        slot = data[at:at + SLOT]
        state, pid, _ = struct.unpack_from("=IIQ", slot)
        if state != READY:
            continue
        if via not in (None, slot[VIA:VIA + 16].split(b"\0")[0].decode("ascii", "replace")):
            continue
        comm = slot[16:32].split(b"\0")[0].decode("ascii", "replace")
        counts = {}
        for alg, _, _, _, calls, size in struct.iter_unpack(
                "=HBBIQQ", slot[FIRST:FIRST + ENTRIES * ENTRY]):
            if alg and calls:
                counts[alg] = (calls, size)
        yield comm, pid, counts


def total(path, comm=None, via=None):
    sums = {}
    for name, _, counts in slots(path, via):
        if comm in (None, name):
            for alg, (calls, size) in counts.items():
                old = sums.get(alg, (0, 0))
                sums[alg] = (old[0] + calls, old[1] + size)
    return sums


def main(args):
    if len(args) == 2 and args[0] == "new":
        new(args[1])
    elif len(args) in (2, 3) and args[0] == "show":
        for alg, (calls, size) in sorted(total(*args[1:]).items()):
            print(f"0x{alg:04x} {calls} {size}")
    elif len(args) == 2 and args[0] == "slots":
        for comm, pid, counts in slots(args[1]):
            print(comm, pid, sum(calls for calls, _ in counts.values()))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
