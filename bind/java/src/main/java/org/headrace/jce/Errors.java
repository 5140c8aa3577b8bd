// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.ProviderException;

/** The errors of the library: enum hr_error of headrace.h. */
final class Errors {
  static final int EINVAL = -1;
  static final int EKEYLEN = -3;
  static final int ELENGTH = -5;
  static final int ESTATE = -7;
  static final int EBUFFER = -8;
  static final int EPADDING = -9;
  static final int EFORMAT = -10;
  static final int EMAC = -12;
  static final int EKEY = -14;
  static final int EHANDLE = -16;
  static final int EGONE = -17;
  static final int EACCESS = -18;
  static final int ESYSTEM = -19;
  static final int EFAULT = -20;

  private Errors() {}

  /** Throws unless the result of a call is a number of bytes, 0 and more. */
  static int check(int result) {
    if (result < 0) throw unexpected(result);
    return result;
  }

  /** What an error of a key in the service means, and of others their number. */
  static String describe(int error) {
    return switch (error) {
      case EHANDLE -> "the accelerator has no such key, or another one by now";
      case EGONE -> "the accelerator's service, or libheadrace-accel, is not there";
      case EACCESS -> "the accelerator's policy or the key's terms forbid it";
      default -> "libheadrace: error " + error;
    };
  }

  /** An error that the arguments, which were checked before, cannot have caused. */
  static RuntimeException unexpected(int error) {
    // The calls of one thread are in order.
    return error == ESTATE
        ? new IllegalStateException("several threads use this object")
        : new ProviderException("libheadrace: error " + error);
  }
}
