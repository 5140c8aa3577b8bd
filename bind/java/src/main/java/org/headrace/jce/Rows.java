// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.nio.charset.StandardCharsets;

/** The numbers of the library's rows (include/headrace/algorithms.def), by their names. */
final class Rows {
  private Rows() {}

  /** The number of a row, such as "AES-128-GCM"; 0 if this library has none of that name. */
  static int number(String name) {
    byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
    return Calls.algorithm(bytes, bytes.length);
  }
}
