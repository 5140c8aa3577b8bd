// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** What the JDK's key wrap answers in some versions, and in some updates of older ones. */
final class JdkWrap {
  private JdkWrap() {}

  /** The length of a block in bytes: the cipher's, or later that of key wrap, which is the half. */
  static final int BLOCK = block();

  /** Whether key wrap with padding has one IV, that of RFC 5649. */
  static final boolean HAS_ONE_IV = hasOneIv();

  private static int block() {
    try {
      return cipher(WholeMode.KW).getBlockSize();
    } catch (GeneralSecurityException e) {
      return 16;
    }
  }

  private static boolean hasOneIv() {
    try {
      IvParameterSpec other = new IvParameterSpec(new byte[WholeMode.KWP.ivLength()]);
      cipher(WholeMode.KWP).init(Cipher.ENCRYPT_MODE, new SecretKeySpec(new byte[16], "AES"), other);
      return false;
    } catch (InvalidAlgorithmParameterException e) {
      return true;
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  private static Cipher cipher(WholeMode mode) throws GeneralSecurityException {
    return Cipher.getInstance("AES/" + mode + "/NoPadding", "SunJCE");
  }
}
