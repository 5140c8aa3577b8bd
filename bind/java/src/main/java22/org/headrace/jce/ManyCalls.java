// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.lang.invoke.MethodHandle;

/** Batches by java.lang.foreign. */
final class ManyCalls {
  private static final MethodHandle DIGEST = Calls.slowFunction("hrj_digest_many", "IIJJIJ");
  private static final MethodHandle MAC = Calls.slowFunction("hrj_mac_many", "IJJJIJ");
  private static final MethodHandle VERIFY = Calls.slowFunction("hrj_verify_many", "IIIIIIJIJIJ");
  private static final MethodHandle WIPE = Calls.slowFunction("hrj_wipe", "VJJ");

  private ManyCalls() {}

  static int digest(int algorithm, long in, long lengths, int num, long out) {
    try {
      return (int) DIGEST.invokeExact(algorithm, in, lengths, num, out);
    } catch (Throwable t) {
      throw Calls.fault(t);
    }
  }

  static int mac(long object, long in, long lengths, int num, long out) {
    try {
      return (int) MAC.invokeExact(object, in, lengths, num, out);
    } catch (Throwable t) {
      throw Calls.fault(t);
    }
  }

  static int verify(
      int op, int padding, int digest, int mgfDigest, int saltLen, long label, int labelLen,
      long checks, int num, long results) {
    try {
      return (int)
          VERIFY.invokeExact(
              op, padding, digest, mgfDigest, saltLen, label, labelLen, checks, num, results);
    } catch (Throwable t) {
      throw Calls.fault(t);
    }
  }

  static void wipe(long at, long len) {
    try {
      WIPE.invokeExact(at, len);
    } catch (Throwable t) {
      throw Calls.fault(t);
    }
  }
}
