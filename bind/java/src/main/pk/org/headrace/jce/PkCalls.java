// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

/**
 * The flat functions of public key (bind/java/native/pk.h), by JNI, as {@link Calls} has the others.
 * They take long, so they work on copies of the arrays, and wipe these.
 */
final class PkCalls {
  static {
    Calls.version(); // loads the library
  }

  private PkCalls() {}

  static native long make(int algorithm, int isPrivate, byte[] parts, int len);

  static native void free(long key);

  static native int outLength(long key);

  static native int run(
      long key, int op, int padding, int digest, int mgfDigest, int saltLen, byte[] label,
      byte[] out, byte[] in, int at, int len);

  static native int generate(int algorithm, int bits, long exponent, byte[] out);

  static native long ephemeral(int algorithm);

  static native int generateIn(int algorithm, int bits, byte[] group, byte[] out);

  static native int namedKeys(byte[] out);

  static native int namedPublic(byte[] name, byte[] out);

  static native long namedOpen(byte[] name, int algorithm, int outLength);
}
