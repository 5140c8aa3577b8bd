// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.ProviderException;

/** The errors of the library: enum hr_error of headrace.h. */
final class Errors {
  static final int ELENGTH = -5;
  static final int EBUFFER = -8;
  static final int EPADDING = -9;
  static final int EMAC = -12;

  private Errors() {}

  /** Throws unless the result of a call is a number of bytes, 0 and more. */
  static int check(int result) {
    if (result < 0) throw unexpected(result);
    return result;
  }

  /** An error that the arguments, which were checked before, cannot have caused. */
  static ProviderException unexpected(int error) {
    return new ProviderException("libheadrace: error " + error);
  }
}
