// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.util.List;

/** The services of type KDF, which Java has since version 25: none before. */
final class KdfOffers {
  private KdfOffers() {}

  static void add(List<Offer> all) {}
}
