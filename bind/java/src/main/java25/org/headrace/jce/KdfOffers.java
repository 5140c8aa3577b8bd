// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.util.List;

/** The services of type KDF. */
final class KdfOffers {
  private KdfOffers() {}

  /** Names of HKDF, their rows, and the lengths of a MAC in bytes. */
  private record Row(String name, String hmac, int length) {}

  private static final Row[] ROWS = {
    new Row("HKDF-SHA256", "HMAC-SHA-256", 32),
    new Row("HKDF-SHA384", "HMAC-SHA-384", 48),
    new Row("HKDF-SHA512", "HMAC-SHA-512", 64),
  };

  static void add(List<Offer> all) {
    for (Row row : ROWS) {
      int number = Rows.number(row.hmac());
      all.add(
          new Offer(
              "KDF", row.name(), List.of(), Hkdf.class.getName(),
              () -> Hkdf.make(row.name(), number, row.length())));
    }
  }
}
