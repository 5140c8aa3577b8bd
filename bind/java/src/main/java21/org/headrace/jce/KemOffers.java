// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.util.ArrayList;
import java.util.List;

/** The services of type KEM. */
final class KemOffers {
  private KemOffers() {}

  static void add(List<Offer> all) {
    for (String[] row : PkOffers.ML_KEM) {
      List<String> aliases = new ArrayList<>();
      for (int i = 1; i < row.length; i++) aliases.addAll(List.of(row[i], "OID." + row[i]));
      all.add(new Offer("KEM", row[0], aliases, MlKem.class.getName(), () -> new MlKem(row[0])));
    }
  }
}
