# SPDX-License-Identifier: Apache-2.0
"""A client of the unit for public keys, by accel/ring.h and accel/control.h alone."""
import mmap
import os
import struct

from control import ATTACH, MAGIC, REQUEST, Client

UNIT, LEND, TAKE_BACK = 10, 11, 12
ED25519, ECDSA_P256 = 0x911, 0x901
RING_FAR, RING_HANDLE = 1, 2
PAGE, DEPTH, RINGS, WINDOW = 8192, 128, 32, 32 << 10
SIGN, VERIFY = 0, 1
# RFC 8032, section 7.1, test 2
SEED = bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
MESSAGE = b"\x72"
SIGNATURE = bytes.fromhex("92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                          "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00")


class UnitClient(Client):
    """A client with a ring for public keys."""

    def __init__(self, path):
        super().__init__(path)
        assert self.result(ATTACH) == 0
        reply = self.ask(UNIT, keep=True)
        self.refused = reply["result"]
        if self.refused:
            return
        assert (reply["rings"], reply["window"]) == (RINGS, WINDOW), reply
        requests, completions, self.doorbell = reply["fds"]
        length = PAGE + RINGS * DEPTH * 64
        self.requests = mmap.mmap(requests, length + RINGS * WINDOW)
        self.completions = mmap.mmap(completions, length, prot=mmap.PROT_READ)
        self.window = length
        self.sent = 0

    def lend(self, alg, *parts, cut=0):
        """Returns the result and the handle."""
        body = b"".join(struct.pack("<H", len(part)) + part for part in parts)
        body = body[:len(body) - cut]
        self.socket.send(REQUEST.pack(MAGIC, LEND, 0, alg, len(body), 0, b"", b"") + body)
        data = self.socket.recv(1 << 16)
        return struct.unpack_from("=i", data, 8)[0], struct.unpack_from("=Q", data, 16)[0]

    def run(self, alg, operation, handle, data, length, flags=RING_FAR | RING_HANDLE, key_len=0,
            options=bytes(16)):
        """Runs a request in the first sub-ring, and returns its result, and the output."""
        struct.pack_into("=Q", self.requests, 0, 1)  # claimed
        self.requests[self.window:self.window + len(data)] = data
        slot = PAGE + self.sent % DEPTH * 64
        struct.pack_into("=HBBBBBBI", self.requests, slot, alg, operation, flags, key_len, 16, 0, 0, length)
        struct.pack_into("=IIIIQ16sII", self.requests, slot + 16, 0, 4096, 0, 0, handle, options, 0, 0)
        self.sent += 1
        struct.pack_into("=I", self.requests, slot + 12, self.sent)
        os.write(self.doorbell, struct.pack("=Q", 1))
        done = PAGE + (self.sent - 1) % DEPTH * 64
        while struct.unpack_from("=I", self.completions, done + 12)[0] != self.sent:
            pass
        result, _, used = struct.unpack_from("=iIH", self.completions, done)
        assert used == (0 if result else 8)
        out_len, load = struct.unpack_from("=II", self.completions, done + 16)
        assert load == (0 if result else 1)
        return result, self.requests[self.window + 4096:self.window + 4096 + out_len]
