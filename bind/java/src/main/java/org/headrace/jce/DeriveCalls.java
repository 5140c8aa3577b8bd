// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

/** Key derivation by the library (bind/java/native/derive.h), by JNI; it works on copies of the arrays. */
final class DeriveCalls {
  static {
    Calls.version(); // loads the library
  }

  private DeriveCalls() {}

  static native int pbkdf2(int algorithm, byte[] password, byte[] salt, long iterations, byte[] out);

  static native int hkdfExtract(int algorithm, byte[] salt, byte[] ikm, byte[] out);

  static native int hkdfExpand(int algorithm, byte[] prk, byte[] info, byte[] out);
}
