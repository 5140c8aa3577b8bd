# SPDX-License-Identifier: Apache-2.0
"""collect_test.py VECTORS_PROGRAM: the collection's runner on files of many forms, with published numbers. Each runs as many
cases as it has; a file of no known form is skipped by name; one of a known form without cases fails, and so does a
wrong number."""
import os
import re
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))

# SP 800-38A, appendix F.
KEY, PLAIN = "2b7e151628aed2a6abf7158809cf4f3c", "6bc1bee22e409f96e93d7e117393172a"
IV, COUNTER = "000102030405060708090a0b0c0d0e0f", "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
CBC, CFB = "7649abac8119b246cee98e9b12e9197d", "3b3fd92eb72dad20333449f8e83cfb4a"
CTR, ECB = "874d6191b620e3261bef6864990db6ce", "3ad77bb40d7a3660a89ecaf32466ef97"
ZERO = "00" * 16
# The GCM specification, test cases 1 and 2; IEEE 1619-2007, vectors 1 and 2; FIPS 180-2; RFC 2202.
GMAC, GCM = "58e2fccefa7e3061367f1d57a4e7455a", "0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf"
XTS_1 = "917cf69ebd68b2ec9b9fe9a3eadda692cd43d2f59598ed858c02c2652fbf922e"
XTS_2 = "c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0"
SHA_256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
HMAC_SHA_1 = "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"
DES_KEY, DES_PLAIN, DES = "0123456789abcdef", "4e6f772069732074", "3fa40e8a984d4815"  # FIPS 81, table B1
# RFC 3394, section 4.1
WRAP_KEY, WRAP_PLAIN = "000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff"
WRAPPED = "1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5"
KASUMI = "[KASUMI]\nKey = 2BD6459F82C5B300952C49104881FF48\nIn = EA024714AD5C4D84\nOut = DF1F9B251C0BF45F\n"

EC_D = "c9806898a0334916c860748880a541f093b579a9b1f32934d86c363c39800357"
EC_Q = ("d0720dc691aa80096ba32fed1cb97c2b620690d06de0317b8618d5ce65eb728f"
        "9681b517b1cda17d0d83d335d9c4a8a9a9b0b1b3c7106d8f3c72bc5093dc275f")

# File: its text, and how many cases it runs; None if it is skipped, -1 if it fails.
SHA3_256 = "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a"  # of no bytes
SHAKE128 = "7f9c2ba4e88f827d616045507605853e"

FILES = {
    "aes-cbc/cbc.vec": (f"#test cpuid\n\n[AES-128/CBC/NoPadding]\nKey = {KEY}\nNonce = {IV}\nIn = {PLAIN}\nOut = {CBC}\n\n"
                        f"[AES-128/CBC/CTS]\nKey = {KEY}\nNonce = {IV}\nIn = {PLAIN}\nOut = {CBC}\n"
                        f"[Serpent/CBC/NoPadding]\nKey = {KEY}\nNonce = {IV}\nIn = {PLAIN}\nOut = {CBC}\n", 1),
    "aes-cfb128/cfb.vec": (f"[AES-128/CFB]\nKey = {KEY}\nNonce = {IV}\nIn = {PLAIN}\nOut = {CFB}\n\n"
                           f"[AES-128/CFB(8)]\nKey = {KEY}\nNonce = {IV}\nIn = {PLAIN}\nOut = {CFB}\n", 1),
    "aes-ctr/ctr.vec": (f"[CTR-BE(AES-128)]\nKey = {KEY}\nNonce = {COUNTER}\nIn = {PLAIN}\nOut = {CTR}\n", 1),
    "aes-ecb/aes.vec": (f"[AES-128]\nKey = {KEY}\nIn = {PLAIN}\nOut = {ECB}\n\nKey = {KEY.upper()}\nIn = {PLAIN}\nOut = {ECB}\n", 2),
    "aes-gcm/gcm.vec": (f"[AES-128/GCM]\nKey = {ZERO}\nNonce = {ZERO[:24]}\nAD =\nIn = {ZERO}\nOut = {GCM}\n", 1),
    "aes-ccm/ccm.vec": ("[AES-128/CCM(4,8)]\n# SP 800-38C Example 1\nKey = 404142434445464748494a4b4c4d4e4f\nNonce = 10111213141516\n"
                        "AD = 0001020304050607\nIn = 20212223\nOut = 7162015b4dac255d\n", 1),
    "aes-xts/xts.vec": (f"[AES-128/XTS]\nKey = {ZERO * 2}\nNonce = {ZERO}\nIn = {ZERO * 2}\nOut = {XTS_1}\n", 1),
    "aes-xts/XTSGenAES128.rsp": ("# CAVS 11.0\n# XTSGen information\n\n[ENCRYPT]\n\nCOUNT = 1\nDataUnitLen = 256\n"
                                 f"Key = {'11' * 16}{'22' * 16}\nDataUnitSeqNumber = {0x3333333333}\nPT = {'44' * 32}\nCT = {XTS_2}\n\n"
                                 f"[DECRYPT]\n\nCOUNT = 1\nDataUnitLen = 256\nKey = {'11' * 16}{'22' * 16}\n"
                                 f"DataUnitSeqNumber = {0x3333333333 - (1 << 40)}\nCT = {XTS_2}\nPT = {'44' * 32}\n", -1),
    "aes-xts/XTSGenAES256.rsp": ("# CAVS 11.0\n\n[ENCRYPT]\n\nCOUNT = 1\nDataUnitLen = 256\n"
                                 f"Key = {'11' * 16}{'22' * 16}\nDataUnitSeqNumber = {0x3333333333}\nPT = {'44' * 32}\nCT = {XTS_2}\n", 1),
    "gmac/gmac.vec": (f"[GMAC(AES-128)]\nIV = {ZERO[:24]}\nKey = {ZERO}\nIn =\nOut = {GMAC}\n", 1),
    "gmac/evpmac.txt": (f"Title = GMAC\n\nMAC = GMAC\nAlgorithm = AES-128-GCM\nKey = {ZERO}\nIV = {ZERO[:24]}\nInput =\nOutput = {GMAC}\n\n"
                        f"MAC = HMAC\nAlgorithm = SHA1\nKey = \"Jefe\"\nInput = \"what do ya want for nothing?\"\nOutput = {HMAC_SHA_1}\n\n"
                        "MAC = SipHash\nKey = 00\nInput = 00\nOutput = 00\n", 2),
    "gmac/gmac_test.json": ('{"algorithm": "AES-GMAC", "testGroups": [{"ivSize": 96, "tests": [{"tcId": 1, "key": "%s", "iv": "%s", '
                            '"msg": "", "tag": "%s", "result": "valid"}, {"tcId": 2, "key": "%s", "iv": "%s", "msg": "", "tag": "%s", '
                            '"result": "invalid"}]}]}' % (ZERO, ZERO[:24], GMAC, ZERO, ZERO[:24], GMAC[:30] + "00"), 2),
    "gmac/nettle-gcm.txt": (f"# GMAC of no text\n\nKey = {ZERO}\nIV = {ZERO[:24]}\nAuth =\nDigest = {GMAC}\n", 1),
    "keywrap/KW_AD_128.txt": (f"# CAVS 21.4\n# 'NIST SP 800-38F KW-AD with AES-128 cipher function' information for test-files\n\n"
                              f"[PLAINTEXT LENGTH = 128]\n\nCOUNT = 0\nK = {WRAP_KEY}\nC = {WRAPPED}\nP = {WRAP_PLAIN}\n\n"
                              f"COUNT = 1\nK = {WRAP_KEY}\nC = {WRAPPED[:46]}00\nFAIL\n", 2),
    "keywrap/KW_AE_128_inv.txt": ("# CAVS 17.4\n# 'NIST SP 800-38F KW-AE with AES-128 inverse cipher function' information for SP800-38F\n\n"
                                  "[PLAINTEXT LENGTH = 128]\n\nCOUNT = 0\nK = 00\nP = 00\nC = 00\n", None),
    "keywrap/aes_wrap_test.json": ('{"algorithm": "AES-WRAP", "testGroups": [{"tests": [{"key": "%s", "msg": "%s", "ct": "%s", "result": "valid"}, '
                                   '{"key": "%s", "msg": "%s", "ct": "%s", "result": "invalid"}, {"key": "%s", "msg": "00", "ct": "00", '
                                   '"result": "acceptable"}]}]}' % (WRAP_KEY, WRAP_PLAIN, WRAPPED, WRAP_KEY, WRAP_PLAIN, WRAPPED[:46] + "00", WRAP_KEY), 3),
    "keywrap/evpciph_aes_wrap.txt": (f"Cipher = id-aes128-wrap\nKey = {WRAP_KEY}\nPlaintext = {WRAP_PLAIN}\nCiphertext = {WRAPPED}\n\n"
                                     f"Cipher = AES-128-WRAP-INV\nKey = {WRAP_KEY}\nPlaintext = {WRAP_PLAIN}\nCiphertext = {WRAPPED}\n", 1),
    "hmac/hmac.vec": (f"[HMAC(SHA-1)]\nKey = 4A656665\nIn = {b'what do ya want for nothing?'.hex()}\nOut = {HMAC_SHA_1}\n\n"
                      "[HMAC(Whirlpool)]\nKey = 4A656665\nIn = 00\nOut = 00\n", 1),
    "hmac/HMAC.rsp": ("# CAVS 11.0\n# HMAC information\n\n[L=20]\n\nCount = 0\nKlen = 4\nTlen = 12\nKey = 4a656665\n"
                      f"Msg = {b'what do ya want for nothing?'.hex()}\nMac = {HMAC_SHA_1[:24]}\n", 1),
    "pbkdf2/pbkdf2.vec": ("[PBKDF2(HMAC(SHA-1))]\nSalt = 00\nIterations = 1\nPassphrase = 00\nOutput = 00\n", None),
    "3des/TCBCMonte3.rsp": (f"# CAVS 11.1\n# TDES Monte Carlo (Modes) Test for CBC\n\n[ENCRYPT]\n\nCOUNT = 0\nKEY1 = {DES_KEY}\nKEY2 = {DES_KEY}\n"
                            f"KEY3 = {DES_KEY}\nIV = {DES_KEY}\nPLAINTEXT = {DES_PLAIN}\nCIPHERTEXT = {DES}\n", None),
    "sha2/sha2_32.vec": (f"[SHA-256]\nIn = 616263\nOut = {SHA_256}\n\n[SHA-3(256)]\nIn = 616263\nOut = 00\n", 1),
    "sha3/SHA3_256ShortMsg.rsp": ("#  CAVS 19.0\n#  \"SHA3-256 ShortMsg\" information\n\n[L = 256]\n\nLen = 0\nMsg = 00\n"
                                  f"MD = {SHA3_256}\n\nLen = 5\nMsg = 13\nMD = {SHA3_256}\n", 1),
    "sha3/SHAKE128ShortMsg.rsp": ("#  CAVS 19.0\n#  \"SHAKE128 ShortMsg\" information\n\n[Outputlen = 128]\n\nLen = 0\nMsg = 00\n"
                                  f"Output = {SHAKE128}\n", 1),
    "sha3/evpmd.txt": (f"Digest = SHAKE128\nInput =\nOutput = {SHAKE128}\n\nDigest = SHA3-256\nInput =\nOutput = {SHA3_256}\n", 2),
    "des/modes.vec": (f"[DES]\nKey = {DES_KEY}\nIn = {DES_PLAIN}\nOut = {DES}\n\n[TripleDES]\nKey = {DES_KEY * 3}\nIn = {DES_PLAIN}\nOut = {DES}\n"
                      f"\n[DESX]\nKey = {DES_KEY * 3}\nIn = {DES_PLAIN}\nOut = {DES}\n", 4),
    # numbers of test programs that were typed over
    "aes-cbc/nettle-cbc.txt": (f"# testsuite/cbc-test.c, transcribed\n\nkey: {KEY}\niv: {IV}\ncleartext: {PLAIN[:16]} {PLAIN[16:]}\nciphertext: {CBC}\n"
                               f"\nkey: {KEY}\niv: {IV}\ncleartext: {PLAIN}\nciphertext: 0x{CBC}\n", 2),
    "aes-ctr/nettle.txt": (f"CIPHER = aes128\nMODE = ctr\nKEY = {KEY}\nCTR = {COUNTER}\n"
                           f"PLAINTEXT = {PLAIN}\nCIPHERTEXT = {CTR}\n", 1),
    "aes-ecb/list.txt": (f"Cipher = aes128-ecb\nKey = {KEY}\nPlain = {PLAIN}\nCipherText = {ECB}\n", 1),
    "crc32/list.txt": ('# check values\nAlg = CRC-32\nMsg = "123456789"\nCRC = 0xcbf43926\n\nAlg = CRC-32C\nMsg = 313233343536373839\n'
                       "CRC = E3069283\n\nAlg = CRC-24\nMsg = 00\nCRC = 000000\n", 2),
    "crc32/crc32.vec": ("[CRC32]\nIn = 313233343536373839\nOut = CBF43926\n\n[Adler32]\nIn = 00\nOut = 00010001\n", 1),
    "crc32c/columns.txt": ('# message, CRC-32C\n"123456789" e3069283\n313233343536373839, 0xE3069283\n', 2),
    "crc32c/allcrcs.txt": ('width=32 poly=0x1edc6f41 init=0xffffffff refin=true refout=true xorout=0xffffffff check=0xe3069283 '
                           'residue=0xb798b438 name="CRC-32/ISCSI"\nwidth=32 poly=0x04c11db7 init=0xffffffff refin=true refout=true '
                           'xorout=0xffffffff check=0xcbf43926 residue=0xdebb20e3 name="CRC-32/ISO-HDLC"\n'
                           'width=16 poly=0x8005 init=0x0 refin=true refout=true xorout=0x0 check=0xbb3d residue=0x0 name="CRC-16/ARC"\n', 2),
    "ip-checksum/sums.txt": ("COUNT = 0\nMsg = 0001f203f4f5f6f7\nSUM = ddf2\n\nCOUNT = 1\nMsg = 0001f203f4f5f6f7\nCHECKSUM = 220d\n", 2),
    "kasumi/kasumi.vec": ("# a comment first\n\n" + KASUMI, 1),
    "kasumi/f8.txt": ("# F8 alone, 3GPP TS 35.203\n\nALG = A5/4\nKEY = 00\n\nALG = F8\nKEY = efa8b2229e720c2a7c36ea55e9605695\n"
                      "F8COUNT = e28bcf7b\nBEARER = 18\nDIRECTION = 0\nLENGTH = 510\n"
                      "PLAINTEXT = 10111231e060253a43fd3f57e37607ab2827b599b6b1bbda37a8abcc5a8c550d"
                      "1bfb2f494624fb50367fa36ce3bc68f11cf93b1510376b02130f812a9fa169d8\n"
                      "OUTPUT = 3deacc7c15821caa89eecade9b5bd3614bd0c8419d710385ddbe5849ef1bac5a"
                      "e8b14a5b0a6741521eb4e00bb9ecf3e9f7ccb9cae74152d7f4e2a034b6ea00ec\n", 1),
    # CAVS 11.0, KeyPair; Botan's and Wycheproof's forms of the same numbers
    "ecc/KeyPair.rsp": (f"#  CAVS 11.0\n#  \"Key Pair\" information\n\n[P-256]\n\n[B.4.2 Key Pair Generation by Testing Candidates]\nN = 10\n\n"
                        f"d = {EC_D}\nQx = {EC_Q[:64]}\nQy = {EC_Q[64:]}\n\n[K-163]\n\nd = 01\nQx = 02\nQy = 03\n", 1),
    "ecc/base.vec": (f"[secp256r1]\n\nk = {EC_D}\nP = 04{EC_Q}\n\nk = {EC_D}\nP = 04{EC_Q}\n", 2),
    "ecc/ecdh_test.json": ('{"algorithm": "ECDH", "testGroups": [{"curve": "secp256r1", "encoding": "ecpoint", "type": "EcdhEcpointTest", '
                           '"tests": [{"public": "04%s", "private": "01", "shared": "%s", "result": "valid"}, {"public": "04%s", '
                           '"private": "01", "shared": "", "result": "invalid"}]}]}' % (EC_Q, EC_Q[:64], EC_Q[:126] + "00"), 2),
    "ecc/wrong.vec": (f"[secp256r1]\n\nk = {EC_D}\nP = 04{EC_Q[:126]}00\n", -1),
    # of no known form, and known forms without a case
    "aes-cbc/notes.txt": ("This folder was empty.\n", None),
    "aes-gcm/broken.json": ('{"testGroups": [', None),
    "md5/numbers.txt": ("1 2 3\n4 5 6\n", None),
    "crc32/no-name.txt": ("CRC = 1234\n", None),
    "aes-ecb/ECBGFSbox128.rsp": ("# CAVS 11.1\n# AESVS GFSbox test data for ECB\n# Key Length : 128\n\n[ENCRYPT]\n", -1),
    "rsa/unrelated.txt": ("n = 00\n", None),
}


def run(folder):
    """Returns {file: line of TAP}."""
    lines = subprocess.run([sys.executable, f"{HERE}/collect.py", PROGRAM, folder], capture_output=True, text=True, check=True).stdout
    wrapper = os.environ.get("MESON_EXE_WRAPPER", "").split()
    tap = subprocess.run(wrapper + [PROGRAM, "-"], input=lines, capture_output=True, text=True).stdout
    found = {}
    for row in tap.splitlines():
        match = re.match(r"((?:not )?ok) \d+ - ([^\s:]+)(.*)", row)
        if match:
            found[match[2]] = match[1] + match[3]
    return found


def good(line, wanted):
    if wanted is None:
        return line.startswith("ok") and "# SKIP" in line
    if wanted < 0:
        return line.startswith("not ok")
    return line.startswith(f"ok: {wanted} cases ran")


with tempfile.TemporaryDirectory() as temporary:
    for name, (text, _) in FILES.items():
        os.makedirs(os.path.join(temporary, os.path.dirname(name)), exist_ok=True)
        with open(os.path.join(temporary, name), "w", encoding="utf-8") as file:
            file.write(text)
    results = run(temporary)
failed = 0
for number, (name, (_, wanted)) in enumerate(FILES.items(), 1):
    line = results.get(name, results.get(os.path.dirname(name), "missing"))
    failed += not good(line, wanted)
    print(f"{'ok' if good(line, wanted) else 'not ok'} {number} - {name}: {'skipped' if wanted is None else 'fails' if wanted < 0 else wanted}")
    if not good(line, wanted):
        print(f"#   {line}")
print(f"1..{len(FILES)}")
sys.exit(failed != 0)
