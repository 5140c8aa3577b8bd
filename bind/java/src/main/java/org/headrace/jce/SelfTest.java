// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/** One known answer, so that a library that does not work here is not offered. */
final class SelfTest {
  private SelfTest() {}

  /** The example "abc" of FIPS 180-4. */
  private static final String SHA256_OF_ABC =
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

  static void run() {
    Digest digest = new Digest(Rows.number("SHA-256"), 32);
    digest.engineUpdate("abc".getBytes(StandardCharsets.US_ASCII), 0, 3);
    if (!Arrays.equals(digest.engineDigest(), HexFormat.of().parseHex(SHA256_OF_ABC)))
      throw new IllegalStateException("the library computes a wrong digest");
  }
}
