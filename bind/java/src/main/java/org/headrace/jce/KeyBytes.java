// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.Key;
import javax.crypto.interfaces.PBEKey;

/** The bytes of the program's keys. */
final class KeyBytes {
  private KeyBytes() {}

  /**
   * A copy of a key's encoding, to be wiped after use; null if the key shows none. The JDK's keys make a
   * copy; others may hand out their own array, which must stay as it is.
   */
  static byte[] copy(Key key) {
    return copy(key, key.getEncoded());
  }

  /** The same of any bytes that a key has handed out. */
  static byte[] copy(Key key, byte[] bytes) {
    return bytes == null || isOfJdk(key) ? bytes : bytes.clone();
  }

  /** The same of a password. */
  static char[] password(PBEKey key) {
    char[] password = key.getPassword();
    return password == null || isOfJdk(key) ? password : password.clone();
  }

  private static boolean isOfJdk(Key key) {
    return key.getClass().getModule() == Object.class.getModule();
  }
}
