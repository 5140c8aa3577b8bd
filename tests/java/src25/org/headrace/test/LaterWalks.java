// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.util.List;
import java.util.function.Supplier;

/** Walks through services that came after Java 17, which {@link DifferentialTest} finds by this name. */
final class LaterWalks implements Supplier<List<DifferentialTest.Row>> {
  @Override
  public List<DifferentialTest.Row> get() {
    return List.of(new DifferentialTest.Row("KDF", ".*", KdfWalk::new), new DifferentialTest.Row("KEM", ".*", KemWalk::new));
  }
}
