// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.util.HexFormat;
import javax.crypto.IllegalBlockSizeException;

/** What differs between ciphers that take a message as a whole, with the JDK's words where it has them. */
enum WholeMode {
  /** RFC 3394. */
  KW("a6a6a6a6a6a6a6a6", "Invalid IV") {
    @Override
    int size(int len, boolean isDecryption) {
      return isDecryption ? len - 8 : Math.addExact(len, 8);
    }

    @Override
    void check(int len, boolean isDecryption) throws IllegalBlockSizeException {
      checkBlocks(len, isDecryption ? 24 : 16);
    }
  },
  /** RFC 5649. */
  KWP("a65959a6", "Invalid IV length") {
    @Override
    int size(int len, boolean isDecryption) {
      return isDecryption ? len - 8 : Math.addExact(len, 15) / 8 * 8;
    }

    @Override
    void check(int len, boolean isDecryption) throws IllegalBlockSizeException {
      if (isDecryption) checkBlocks(len, 16);
      else if (len == 0) throw new IllegalBlockSizeException("data should have at least 1 byte");
      else checkLength(len);
    }
  },
  /** IEEE 1619: a message is a data unit, and its IV the unit's number, little-endian. */
  XTS(null, "Wrong IV length: must be 16 bytes long") {
    @Override
    int size(int len, boolean isDecryption) {
      return len;
    }

    @Override
    void check(int len, boolean isDecryption) throws IllegalBlockSizeException {
      if (len < 16 || len > 1 << 24)
        throw new IllegalBlockSizeException("a data unit has 16 to 16777216 bytes");
    }
  };

  /** The IV that a message has if none is given; null: there must be one. */
  final byte[] defaultIv;

  final String wrongIv;

  WholeMode(String defaultIv, String wrongIv) {
    this.defaultIv = defaultIv == null ? null : HexFormat.of().parseHex(defaultIv);
    this.wrongIv = wrongIv;
  }

  int ivLength() {
    return defaultIv == null ? 16 : defaultIv.length;
  }

  /** How much room the result of a message needs; of decryption it may be negative. */
  abstract int size(int len, boolean isDecryption);

  abstract void check(int len, boolean isDecryption) throws IllegalBlockSizeException;

  private static void checkBlocks(int len, int least) throws IllegalBlockSizeException {
    if (len < least || len % 8 != 0)
      throw new IllegalBlockSizeException(
          "data should be at least " + least + " bytes and multiples of 8");
    checkLength(len);
  }

  /** Six passes cannot be made in pieces. */
  private static void checkLength(int len) throws IllegalBlockSizeException {
    if (len > Pieces.MAX) throw new IllegalBlockSizeException("a key has at most " + Pieces.MAX + " bytes");
  }
}
