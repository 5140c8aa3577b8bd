# SPDX-License-Identifier: Apache-2.0
"""Cases of public key as lines: a word and NAME=VALUE, a file's after "file NAME" (tests/pk/lines.h)."""
import os


def line(word, **fields):
    return " ".join([word] + [f"{name.rstrip('_')}={value}" for name, value in fields.items() if value is not None])


def even(text):
    return ("0" if len(text) % 2 else "") + text.lower()


def elements(data):
    """Tags and contents of the elements of a DER encoding."""
    at = 0
    while at < len(data):
        tag, length, at = data[at], data[at + 1], at + 2
        if length & 0x80:
            size = length & 0x7f
            length, at = int.from_bytes(data[at:at + size], "big"), at + size
        yield tag, data[at:at + length]
        at += length


def read(path, cases):
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read().replace("\r\n", "\n")
    print("file", os.path.basename(path))
    last = None
    try:
        for row in cases(text):
            if row != last or not row.startswith("key "):
                print(row)
            if row.startswith("key "):
                last = row
    except Exception as error:  # whatever a file of another form makes a reader do
        print(f"unread {type(error).__name__}: {error}")


def read_folder(folder, cases):
    """Prints what `cases` makes of the text of each file; a key is not told again."""
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        read(os.path.join(folder, name), cases)
