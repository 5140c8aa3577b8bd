// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.util.List;

/** The services of type KEM. */
final class KemOffers {
  private KemOffers() {}

  static void add(List<Offer> all) {
    for (String[] row : PkOffers.ML_KEM) {
      List<String> aliases = List.of(row).subList(1, row.length);
      all.add(new Offer("KEM", row[0], aliases, MlKem.class.getName(), () -> new MlKem(row[0])));
    }
    all.add(new Offer("KEM", "DHKEM", List.of(), DhKem.class.getName(), DhKem::new));
  }
}
