// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.util.List;

/** Key derivation. HKDF is a service of Java since version 25: the class for it has it too. */
final class DeriveOffers {
  private DeriveOffers() {}

  /** Parts of the names of PBKDF2 and of rows. */
  static final String[][] PBKDF2 = {
    {"HmacSHA1", "HMAC-SHA-1"},
    {"HmacSHA224", "HMAC-SHA-224"},
    {"HmacSHA256", "HMAC-SHA-256"},
    {"HmacSHA384", "HMAC-SHA-384"},
    {"HmacSHA512", "HMAC-SHA-512"},
    {"HmacSHA512/224", "HMAC-SHA-512/224"},
    {"HmacSHA512/256", "HMAC-SHA-512/256"},
  };

  static void add(List<Offer> all) {
    for (String[] hash : PBKDF2) {
      String name = "PBKDF2With" + hash[0];
      int row = Rows.number(hash[1]);
      List<String> aliases =
          hash[0].equals("HmacSHA1")
              ? List.of("1.2.840.113549.1.5.12")
              : List.of();
      all.add(
          new Offer(
              "SecretKeyFactory", name, aliases, Pbkdf2.class.getName(), () -> new Pbkdf2(name, row)));
    }
    KdfOffers.add(all);
  }
}
