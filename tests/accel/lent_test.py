# SPDX-License-Identifier: Apache-2.0
"""The unit for public keys of headraced as a process: keys that are lent, requests by accel/ring.h alone, its threads,
its words in the policy, and what the status says."""
import json
import os
import tempfile

from control import ERRORS, MAGIC, REQUEST, Service, service
from lent_client import (ECDSA_P256, ED25519, LEND, MESSAGE, RING_FAR, SEED, SIGN, SIGNATURE, TAKE_BACK, UNIT, VERIFY,
                         UnitClient)
from cli import main, test

@test
def a_lent_key_signs_and_verifies():
    with service() as s:
        client = UnitClient(s.path)
        result, handle = client.lend(ED25519, SEED, b"")
        assert result == 0 and handle
        assert client.run(ED25519, SIGN, handle, MESSAGE, len(MESSAGE)) == (0, SIGNATURE)
        assert client.run(ED25519, VERIFY, handle, MESSAGE + SIGNATURE, len(MESSAGE)) == (0, b"")
        wrong = bytes([SIGNATURE[0] ^ 1]) + SIGNATURE[1:]
        assert client.run(ED25519, VERIFY, handle, MESSAGE + wrong, len(MESSAGE))[0] == ERRORS["HR_EMAC"]
        assert client.result(TAKE_BACK, handle=handle) == 0
        assert client.result(TAKE_BACK, handle=handle) == ERRORS["HR_EHANDLE"]
        assert client.run(ED25519, SIGN, handle, MESSAGE, 1)[0] == ERRORS["HR_EHANDLE"]
        assert client.result(UNIT) == ERRORS["HR_ESTATE"]


@test
def what_is_no_request_is_refused():
    with service() as s:
        client, other = UnitClient(s.path), UnitClient(s.path)
        _, handle = client.lend(ED25519, SEED, b"")
        other.lend(ED25519, SEED[::-1], b"")
        _, second = other.lend(ED25519, SEED, b"")
        invalid = ERRORS["HR_EINVAL"]
        assert client.run(ED25519, SIGN, second, MESSAGE, 1)[0] == ERRORS["HR_EHANDLE"]
        assert client.run(ECDSA_P256, SIGN, handle, MESSAGE, 1)[0] == ERRORS["HR_EHANDLE"]
        assert client.run(ED25519, 2, handle, MESSAGE, 1)[0] == invalid
        assert client.run(ED25519, SIGN, handle, MESSAGE, 1, flags=RING_FAR)[0] == invalid
        assert client.run(ED25519, SIGN, handle, MESSAGE, 1, key_len=1)[0] == invalid
        assert client.run(ED25519, SIGN, handle, MESSAGE, 4097)[0] == ERRORS["HR_ELENGTH"]
        assert client.run(ED25519, SIGN, handle, MESSAGE, 4090)[0] == 0
        assert client.run(ED25519, VERIFY, handle, MESSAGE, 4090)[0] != 0
        assert client.run(0x101, SIGN, handle, MESSAGE, 1)[0] == ERRORS["HR_EALG"]
        assert client.run(ED25519, SIGN, handle, MESSAGE, 1) == (0, SIGNATURE)


@test
def components_are_judged():
    with service(policy="[client all]\nkeys = 2\n") as s:
        client = UnitClient(s.path)
        wrong = ERRORS["HR_EFORMAT"]
        assert client.lend(ED25519, SEED, b"", cut=1)[0] == wrong
        assert client.lend(ED25519, SEED)[0] == wrong
        assert client.lend(ED25519, SEED, b"", b"")[0] == wrong
        assert client.lend(ED25519, SEED[1:], b"")[0] == ERRORS["HR_EKEYLEN"]
        assert client.lend(ECDSA_P256, bytes(32), b"")[0] == ERRORS["HR_EKEY"]
        assert client.lend(0x603, bytes(32), b"")[0] == ERRORS["HR_EALG"]
        # SLH-DSA's signatures are too long; in a build without it the policy does not allow the row
        assert client.lend(0x931, bytes(64), b"")[0] in (ERRORS["HR_EALG"], ERRORS["HR_EACCESS"])
        assert client.lend(0xd02, b"\xff" * 255 + b"\xfe", b"\x01\x00\x01")[0] == ERRORS["HR_EKEY"]  # an even modulus
        assert client.lend(0xd02, b"\x01", b"\x03")[0] == ERRORS["HR_EKEYLEN"]
        handles = [client.lend(ECDSA_P256, SEED, b"") for _ in range(3)]
        assert [result for result, _ in handles] == [0, 0, ERRORS["HR_EBUFFER"]]
        client.socket.send(REQUEST.pack(MAGIC, LEND, 0, ED25519, 100, 0, b"", b"") + bytes(99))
        assert client.hung_up()


@test
def policy_has_words_for_threads():
    def threads(s):
        tasks = os.listdir(f"/proc/{s.process.pid}/task")
        return [int(open(f"/proc/{s.process.pid}/task/{t}/stat", encoding="ascii").read().rsplit(")", 1)[1].split()[16])
                for t in tasks]
    with service(policy="[client all]\n[unit public-key]\nthreads = 0\n") as s:
        assert UnitClient(s.path).refused == ERRORS["HR_EALG"] and len(threads(s)) == 2
    with service(policy="[unit public-key]\nthreads = 3\nnice = 19\ncpus = 0\n[client all]\n") as s:
        assert threads(s).count(19) >= 3 and len(threads(s)) == 5, threads(s)
        allowed = [open(f"/proc/{s.process.pid}/task/{t}/status", encoding="ascii").read()
                   for t in os.listdir(f"/proc/{s.process.pid}/task")]
        assert sum("Cpus_allowed_list:\t0\n" in text for text in allowed) >= 3
    for text, words in (("[unit x]\n", "line 1: a section must be"),
                        ("[unit public-key]\nthreads = 65\n", "line 2: threads must be a number"),
                        ("[unit public-key]\n[client a]\n[unit public-key]\n", "line 3: there is a [unit public-key]"),
                        ("[unit public-key]\nnice = 20\n", "line 2: nice must be"),
                        ("[unit public-key]\ncpus = 3-1\n", "line 2: not a list"),
                        ("[unit public-key]\ncpus = ,\n", "line 2: not a list"),
                        ("[unit public-key]\nweight = 3\n", "line 2: unknown word: weight"),
                        ("[client a]\nkeys = 257\n", "line 2: keys must be a number")):
        with tempfile.TemporaryDirectory() as folder:
            s = Service(folder, policy=text)
            assert s.wait() == 1 and words in s.log(), s.log()
            s.log_file.close()


@test
def status_shows_the_unit():
    with service(policy="[unit public-key]\nthreads = 2\n[client all]\n") as s:
        before = json.loads(s.accel("status", "--json").stdout)
        assert before["unit"]["threads"] == 2 and before["operations"] == []
        client = UnitClient(s.path)
        _, handle = client.lend(ED25519, SEED, b"")
        for _ in range(5):
            client.run(ED25519, SIGN, handle, MESSAGE, 1)
        client.run(ED25519, VERIFY, handle, MESSAGE + bytes(64), 1)
        status = json.loads(s.accel("status", "--json").stdout)
        unit, (sign, verify) = status["unit"], status["operations"]
        assert (unit["requests"], unit["keys"], unit["clients"]) == (6, 1, 1), unit
        assert (sign["operation"], sign["requests"], sign["failed"]) == ("Ed25519 sign", 5, 0), sign
        assert (verify["operation"], verify["requests"], verify["failed"]) == ("Ed25519 verify", 1, 1), verify
        assert sign["batches_by_requests"] == [5] and sum(sign["wait_log2_us"]) == 5
        assert sign["load_sum"] == 5, sign  # one at a time
        assert (status["clients"][0]["requests"], status["clients"][0]["keys"]) == (6, 1)
        text = s.accel("status").stdout
        assert max(map(len, text.splitlines())) < 100 and "Ed25519 sign" in text, text
        exported = s.accel("status", "--prometheus").stdout
        assert 'headrace_accel_unit_requests_total{operation="Ed25519 sign"} 5\n' in exported
        assert 'headrace_accel_unit_load_total{operation="Ed25519 sign"} 5\n' in exported
        try:
            from prometheus_client.parser import text_string_to_metric_families
        except ImportError:
            return
        families = {f.name: f for f in text_string_to_metric_families(exported)}
        assert families["headrace_accel_unit_batch_requests"].type == "histogram"


if __name__ == "__main__":
    main()
