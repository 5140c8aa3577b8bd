// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

/**
 * Functions of {@link Natives} for keys that stay in the accelerator's service, by JNI. They may wait for
 * the service, and never make the garbage collector wait: they work on copies of arrays, of any length.
 */
final class NamedCalls {
  static {
    Calls.version(); // loads the library
  }

  private NamedCalls() {}

  /** An object for a key that {@code PkCalls.namedOpen} has opened, and that must outlive it; or 0. */
  static native long make(long key);

  static native int start(long object, int op, byte[] iv, int ivLen, int extra);

  static native int update(
      long object, byte[] out, long outAt, int room, byte[] in, long inAt, int len);

  static native int finish(long object, byte[] out, long outAt, int room);

  static native int once(
      long object, int op, byte[] iv, int ivLen, int extra, byte[] aad, int aadLen,
      byte[] out, long outAt, int room, byte[] in, long inAt, int len);
}
