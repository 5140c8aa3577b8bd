// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.util.Arrays;
import java.util.List;

/**
 * DigestInfo without the NULL that RFC 8017 section 9.2 has in it. Some signers leave it out, and the JDK takes
 * their signatures.
 */
final class BareDigestInfo {
  private static final byte[] SHA1 = {0x2b, 0x0e, 3, 2, 0x1a};
  private static final byte[] NIST = {0x60, (byte) 0x86, 0x48, 1, 0x65, 3, 4, 2, 0}; // the last one is the digest's

  /** The digests of NIST in the order of their last numbers, which begin with 1. */
  private static final List<String> NAMES =
      List.of(
          "SHA-256", "SHA-384", "SHA-512", "SHA-224", "SHA-512/224", "SHA-512/256", "SHA3-224", "SHA3-256", "SHA3-384",
          "SHA3-512");

  private BareDigestInfo() {}

  private static byte[] oid(int digest) {
    if (Rows.number("SHA-1") == digest) return SHA1;
    for (int i = 0; i < NAMES.size(); i++)
      if (Rows.number(NAMES.get(i)) == digest) {
        byte[] oid = NIST.clone();
        oid[oid.length - 1] = (byte) (i + 1);
        return oid;
      }
    throw new IllegalArgumentException("digest " + digest);
  }

  /** The bytes before a digest of this length. */
  static byte[] prefix(int digest, int length) {
    byte[] whole =
        Der.write(
            Der.SEQUENCE, Der.write(Der.SEQUENCE, Der.write(Der.OID, oid(digest))),
            Der.write(Der.OCTET_STRING, new byte[length]));
    return Arrays.copyOf(whole, whole.length - length);
  }
}
