// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.Provider;

/**
 * One measurement of a service: an operation, and how much of it. Cells of one operation follow each
 * other and have one unit.
 */
record CalibrateCell(String operation, String unit, String size, Maker maker) {
  /** Makes the operation by a provider, with keys and messages of its own. */
  interface Maker {
    CalibrateRace.Op make(Provider provider) throws Exception;
  }
}
