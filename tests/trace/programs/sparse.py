# SPDX-License-Identifier: Apache-2.0
"""A hostile program: it maps files that claim to be programs of a gigabyte. python3 sparse.py FOLDER FILES MAPPINGS
[MEGABYTES]: each file has 8 KiB on disk, or so many megabytes of code without functions."""
import ctypes
import os
import struct
import sys

LEN, BASE, EXEC = 1 << 30, 0x400000, 5
NAMES = b"\0.text\0.symtab\0.strtab\0.gopclntab\0.eh_frame\0.shstrtab\0"


def section(name, kind, flags, at, size, link=0, entry=0):
    return struct.pack("<IIQQQQIIQQ", NAMES.index(b"\0" + name + b"\0") + 1 if name else 0, kind, flags, BASE + at, at,
                       size, link, 0, 1, entry)


def image(number, length):
    rest = length - 8192
    sections = [section(b"", 0, 0, 0, 0), section(b".text", 1, 6, 8192, rest),
                section(b".symtab", 2, 0, 8192, rest, 3, 24), section(b".strtab", 3, 0, 8192, rest),
                section(b".gopclntab", 1, 2, 8192, rest), section(b".eh_frame", 1, 2, 8192, rest),
                section(b".shstrtab", 3, 0, 2048, len(NAMES))]
    out = bytearray(8192)
    out[:16] = b"\x7fELF\x02\x01\x01" + bytes(9)
    out[16:64] = struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, BASE, 64, 4096, 0, 64, 56, 1, 64, len(sections), 6)
    out[64:120] = struct.pack("<IIQQQQQQ", 1, EXEC, 0, BASE, BASE, length, length, 4096)
    out[2048:2048 + len(NAMES)] = NAMES
    table = b"".join(sections)
    out[4096:4096 + len(table)] = table
    out[8184:8192] = struct.pack("<Q", number)
    return out


def make(path, number, megabytes):
    with open(path, "wb") as file:
        file.write(image(number, megabytes << 20 if megabytes else LEN))
        if not megabytes:
            file.truncate(LEN)
        for _ in range(megabytes):  # AESENC, a mask of bits, and many short instructions: all of it is decoded
            file.write((b"\x66\x0f\x38\xdc\xc1\x25\x55\x55\x55\x55" + b"\x31\xc0" * 123) * 4096)
        file.truncate(megabytes << 20 if megabytes else LEN)


def main():
    folder, files, mappings = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    megabytes = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    for number in range(files):
        path = os.path.join(folder, f"hostile{number}")
        make(path, number, megabytes)
        fd = os.open(path, os.O_RDONLY)
        for _ in range(mappings):  # every second one is of another page, so that they stay apart
            for page in 0, 8192:
                assert libc.mmap(None, 4096, EXEC, 2, fd, page) != ctypes.c_void_p(-1).value, os.strerror(ctypes.get_errno())
        os.close(fd)
    print("mapped", flush=True)
    while True:
        sum(range(1000))


main()
