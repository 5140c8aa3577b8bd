// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

/** The flat functions of batches (bind/java/native/many.h), by JNI. All their memory is named by address. */
final class ManyCalls {
  static {
    Calls.version(); // loads the library
  }

  private ManyCalls() {}

  static native int digest(int algorithm, long in, long lengths, int num, long out);

  static native int mac(long object, long in, long lengths, int num, long out);

  static native int verify(
      int op, int padding, int digest, int mgfDigest, int saltLen, long label, int labelLen,
      long checks, int num, long results);

  static native void wipe(long at, long len);
}
