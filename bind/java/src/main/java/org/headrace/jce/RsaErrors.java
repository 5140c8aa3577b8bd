// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.SignatureException;

/** What RSA's signatures throw, in the words of the JDK. */
final class RsaErrors {
  private RsaErrors() {}

  static SignatureException signatureLength(int len, int wanted) {
    return new SignatureException("Bad signature length: got " + len + " but was expecting " + wanted);
  }
}
