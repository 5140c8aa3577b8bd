// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.InvalidKeyException;
import java.security.Key;
import java.security.SignatureException;
import java.util.Arrays;

/** RSA's signatures by PKCS#1 v1.5. */
class RsaSignature extends PkSignature {
  final PkOptions options;
  private final int digestLength;
  private byte[] barePrefix; // null until it is needed

  RsaSignature(int digest, int length) {
    this(digest, length, new Message.Digested(digest, length));
  }

  RsaSignature(int digest, int length, Message message) {
    super(PkUse.RSA, message);
    options = PkOptions.pkcs1(digest);
    digestLength = length;
  }

  @Override
  void checkKey(Key given, boolean isPrivate) throws InvalidKeyException {
    if (given == null) throw new InvalidKeyException("Key must not be null");
    String algorithm = given.getAlgorithm();
    if (!"RSA".equalsIgnoreCase(algorithm) && !"RSASSA-PSS".equalsIgnoreCase(algorithm))
      throw new InvalidKeyException("Unsupported algorithm " + algorithm);
  }

  @Override
  PkOptions options() {
    return options;
  }

  @Override
  Check otherForm(byte[] in, byte[] signature) {
    if (barePrefix == null) barePrefix = BareDigestInfo.prefix(options.digest(), digestLength);
    byte[] info = Arrays.copyOf(barePrefix, barePrefix.length + in.length);
    System.arraycopy(in, 0, info, barePrefix.length, in.length);
    return new Check(key, PkKey.VERIFY, PkOptions.pkcs1(0), info, signature, null);
  }

  @Override
  boolean keepsUnread() {
    return false;
  }

  @Override
  void requireLength(int len) throws SignatureException {
    if (len != key.outLength()) throw badLength(len, key.outLength());
  }
}
