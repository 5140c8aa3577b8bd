// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.math.BigInteger;
import java.security.InvalidKeyException;
import java.security.InvalidParameterException;
import java.security.Key;
import java.security.SignatureException;
import java.security.interfaces.DSAKey;
import java.security.interfaces.DSAPrivateKey;
import java.security.interfaces.DSAPublicKey;
import java.util.Arrays;

/** DSA. */
final class DsaSignature extends PairSignature {
  private static final int RAW = 20; // of a message that is a digest itself

  private final String digestName;
  private final int digestLength; // 0: the message is a digest
  private BigInteger order;

  DsaSignature(String name, int digest, int length, boolean isDer) {
    super(PkUse.DSA, digest, digest == 0 ? RAW : length, isDer);
    digestName = name;
    digestLength = length;
  }

  @Override
  void checkKey(Key given, boolean isPrivate) throws InvalidKeyException {
    boolean fits = isPrivate ? given instanceof DSAPrivateKey : given instanceof DSAPublicKey;
    if (!fits || ((DSAKey) given).getParams() == null)
      throw new InvalidKeyException("not a DSA " + (isPrivate ? "private" : "public") + " key");
    BigInteger q = ((DSAKey) given).getParams().getQ();
    if (isPrivate && digestLength > 0 && q.bitLength() > 8 * digestLength)
      throw new InvalidKeyException(
          "The security strength of " + digestName + " digest algorithm is not sufficient for this key size");
  }

  @Override
  void take(Key given, PkKey translated) {
    order = ((DSAKey) given).getParams().getQ();
  }

  @Override
  void checkLength(Message.Kept kept) throws SignatureException {
    if (kept.length() != RAW)
      throw new SignatureException("Data for RawDSA must be exactly " + RAW + " bytes long");
  }

  /** A single byte is refused after a message that is too long; arrays and buffers are not, as in the JDK. */
  @Override
  protected void engineUpdate(byte b) throws SignatureException {
    if (message instanceof Message.Kept kept && kept.isTooLong())
      throw new ArrayIndexOutOfBoundsException("the message has more than " + RAW + " bytes");
    super.engineUpdate(b);
  }

  @Override
  RuntimeException noNamedParameter(String call) {
    return new InvalidParameterException("No parameter accepted");
  }

  @Override
  @Deprecated
  protected Object engineGetParameter(String param) {
    return null;
  }

  /** The numbers r and s, which are read here, as numbers of any length are taken. */
  @Override
  byte[] taken(byte[] signature) throws SignatureException {
    return isDer ? ofDer(signature) : ofHalves(signature);
  }

  private byte[] ofDer(byte[] signature) throws SignatureException {
    try {
      byte[][] numbers = numbersOf(signature);
      return join(numbers[0], numbers[1]);
    } catch (InvalidKeyException e) {
      throw new SignatureException("Invalid encoding for signature", e);
    }
  }

  private byte[] ofHalves(byte[] signature) throws SignatureException {
    int half = signature.length / 2;
    if (half == 0 || signature.length % 2 != 0) throw new SignatureException("invalid signature format");
    return join(Arrays.copyOf(signature, half), Arrays.copyOfRange(signature, half, 2 * half));
  }

  private byte[] join(byte[] r, byte[] s) throws SignatureException {
    int size = key.outLength() / 2;
    byte[] joined = new byte[2 * size];
    System.arraycopy(number(r, size), 0, joined, 0, size);
    System.arraycopy(number(s, size), 0, joined, size, size);
    return joined;
  }

  /** A negative number is read as its shortest bytes without a sign, as in the JDK. */
  private byte[] number(byte[] bytes, int size) throws SignatureException {
    BigInteger number = new BigInteger(bytes);
    if (number.signum() < 0) number = new BigInteger(1, number.toByteArray());
    if (number.signum() == 0 || number.compareTo(order) >= 0)
      throw new SignatureException("invalid signature: out of range values");
    return Parts.bytes(number, size);
  }
}
