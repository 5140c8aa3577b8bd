# SPDX-License-Identifier: Apache-2.0
"""NTT's table of Camellia: `K No.001 : <bytes>`, and pairs of lines P and C under each key."""
import re

from neutral import line

ROW = re.compile(r"^([KPC]) No\.\d+ : ((?:[0-9A-F]{2} ?)+)$", re.M)


def takes(path, text):
    return bool(ROW.search(text))


def read(path, text, registry):
    values = {}
    for name, value in ROW.findall(text):
        values[name] = value.replace(" ", "")
        if name == "C":
            yield line(registry.cipher("CAMELLIA", "ECB", len(values["K"]) // 2), "both", key=values["K"], in_=values["P"],
                       out=values["C"])
