// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

/** struct pk_options of bind/java/native/pk.h. */
record PkOptions(int padding, int digest, int mgfDigest, int saltLength, byte[] label) {
  /** enum hr_rsa_padding. */
  static final int PKCS1 = 1;

  static final int PSS = 2;
  static final int OAEP = 3;
  static final int NO_PADDING = 4;

  static final PkOptions NONE = new PkOptions(0, 0, 0, 0, null);

  static PkOptions pkcs1(int digest) {
    return new PkOptions(PKCS1, digest, 0, 0, null);
  }
}
