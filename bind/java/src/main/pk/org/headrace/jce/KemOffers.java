// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.util.List;

/** The services of type KEM, which Java has since version 21: none before. */
final class KemOffers {
  private KemOffers() {}

  static void add(List<Offer> all) {}
}
