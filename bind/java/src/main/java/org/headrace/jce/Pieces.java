// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

/** How much of a message one call takes. */
final class Pieces {
  /** The most bytes of an array that a call may work on, since the collector may wait for it. */
  static final int MAX = 16 * 1024;

  private Pieces() {}
}
