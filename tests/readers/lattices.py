# SPDX-License-Identifier: Apache-2.0
"""Wycheproof's JSON of ML-KEM and ML-DSA (schemas mlkem_*_schema and mldsa_*_schema)."""
import json

from neutral import line

DETERMINISTIC, MU = 1, 4  # enum hr_sign_flags


def takes(path, text):
    return text.lstrip().startswith("{") and '"testGroups"' in text and ('"MLKEM' in text or '"MlDsa' in text)


def read(path, text, registry):
    document = json.loads(text)
    for group in document["testGroups"]:
        symbol = registry.symbol(group.get("parameterSet", document["algorithm"]))
        for test in group["tests"]:
            yield from KINDS[group["type"]](symbol, group, test)


def result(test):
    return None if test["result"] == "valid" else "fail"


def kem_both(symbol, group, test):
    """A seed, its public key, and a ciphertext with its secret."""
    if test["result"] == "valid":
        yield line(symbol, "public", key=test["seed"], out=test["ek"])
    yield line(symbol, "decapsulate", key=test["seed"], in_=test["c"], out=test["K"], result=result(test))


def kem_encapsulate(symbol, group, test):
    yield line(symbol, "encapsulate", key=test["ek"], in_=test["m"], out=test["K"], tag=test["c"], result=result(test))


def kem_key(symbol, group, test):
    yield line(symbol, "public", key=test["seed"], out=test["ek"], tag=test["dk"], result=result(test))


def kem_decapsulate(symbol, group, test):
    yield line(symbol, "decapsulate", key=test["dk"], in_=test["c"], out=test.get("K", ""), result=result(test))


def dsa_sign(symbol, group, test):
    """Signatures are deterministic, but of the cases that name their randomness."""
    key = group["privateSeed"] if "privateSeed" in group else group["privateKey"]
    internal = "Internal" in test["flags"]
    random = test.get("rnd")
    fields = {"flags": (MU if internal else 0) | (0 if random else DETERMINISTIC), "iv": random}
    yield line(symbol, "sign", key=key, msg=test["mu"] if internal else test["msg"], tag=test["sig"],
               info=None if internal else test.get("ctx"), result=result(test), **fields)


def dsa_verify(symbol, group, test):
    yield line(symbol, "verify", key=group["publicKey"], msg=test["msg"], tag=test["sig"], info=test.get("ctx"), result=result(test))


KINDS = {"MLKEMTest": kem_both, "MLKEMEncapsTest": kem_encapsulate, "MLKEMKeyGen": kem_key,
         "MLKEMDecapsValidationTest": kem_decapsulate, "MlDsaSign": dsa_sign, "MlDsaVerify": dsa_verify}
