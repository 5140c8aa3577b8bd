// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.InvalidKeyException;
import java.security.Key;
import java.security.SignatureException;
import java.util.Arrays;

/** RSA's signatures by PKCS#1 v1.5. */
final class RsaSignature extends PkSignature {
  private static final int PADDING = 11; // the least bytes beside what is signed

  private final PkOptions options;
  private final int digestLength; // 0: the message itself is signed
  private byte[] barePrefix; // null until it is needed

  /** Signatures of a digest, or of digest 0 of the message itself. */
  RsaSignature(int digest, int length) {
    super(PkUse.RSA, digest == 0 ? new Message.Kept() : new Message.Digested(digest, length));
    options = PkOptions.pkcs1(digest);
    digestLength = digest == 0 ? 0 : length;
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
    if (digestLength == 0) return null;
    if (barePrefix == null) barePrefix = BareDigestInfo.prefix(options.digest(), digestLength);
    byte[] info = Arrays.copyOf(barePrefix, barePrefix.length + in.length);
    System.arraycopy(in, 0, info, barePrefix.length, in.length);
    return new Check(key, PkKey.VERIFY, PkOptions.pkcs1(0), info, signature, null);
  }

  @Override
  byte[] end() throws SignatureException {
    int most = key.outLength() - PADDING;
    if (message instanceof Message.Kept kept && kept.length() > most) {
      reset();
      throw new SignatureException("doFinal() failed: data must not be longer than " + most + " bytes");
    }
    return super.end();
  }

  @Override
  boolean hasLength(int len) throws SignatureException {
    if (len == key.outLength()) return true;
    if (message instanceof Message.Kept && len < key.outLength()) return false;
    if (message instanceof Message.Kept) throw new SignatureException("doFinal() failed: too long");
    throw badLength(len, key.outLength());
  }
}
