// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The names of digests in parameters and in names of signatures. */
final class DigestNames {
  /** A digest: the library's row of it, and its length. */
  record Name(String row, int number, int length) {}

  private static final Map<String, Name> NAMES = new ConcurrentHashMap<>();

  static {
    for (Name name :
        List.of(
            name("MD5", 16),
            name("SHA-1", 20),
            name("SHA-224", 28),
            name("SHA-256", 32),
            name("SHA-384", 48),
            name("SHA-512", 64),
            name("SHA-512/224", 28),
            name("SHA-512/256", 32),
            name("SHA3-224", 28),
            name("SHA3-256", 32),
            name("SHA3-384", 48),
            name("SHA3-512", 64))) {
      NAMES.put(name.row(), name);
      NAMES.put(name.row().replace("SHA-", "SHA"), name);
    }
    NAMES.put("SHA", NAMES.get("SHA-1"));
  }

  private DigestNames() {}

  private static Name name(String row, int length) {
    return new Name(row, Rows.number(row), length);
  }

  /** The digest of a name, or null. */
  static Name find(String name) {
    return NAMES.get(name.toUpperCase(Locale.ROOT));
  }
}
