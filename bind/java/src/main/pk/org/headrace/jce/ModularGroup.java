// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.io.IOException;
import java.math.BigInteger;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.DSAParameterSpec;
import java.security.spec.DSAPrivateKeySpec;
import java.security.spec.DSAPublicKeySpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import javax.crypto.spec.DHParameterSpec;

/**
 * A group modulo a prime, in which the library makes new keys: its row, how many bits a private number
 * has if the group does not say it, its numbers (pk.h), and how keys become the JDK's.
 */
record ModularGroup(int row, int bits, byte[] parts, Translator translator) {
  interface Translator {
    KeyPair pair(BigInteger x, BigInteger y) throws GeneralSecurityException;
  }

  /** OID 1.2.840.113549.1.3.1, dhKeyAgreement of PKCS#3. */
  private static final byte[] DH_OID = {0x2a, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xf7, 0x0d, 1, 3, 1};

  /** The group, or null if it has numbers that no group has. */
  static ModularGroup of(AlgorithmParameterSpec spec) throws GeneralSecurityException {
    return spec instanceof DHParameterSpec dh ? of(dh) : of((DSAParameterSpec) spec);
  }

  private static ModularGroup of(DSAParameterSpec spec) throws InvalidKeyException {
    if (!areBelow(spec.getP(), spec.getQ(), spec.getG())) return null;
    return new ModularGroup(
        ModularKeys.DSA, 0,
        Parts.join(ModularKeys.bytes(spec.getP()), ModularKeys.bytes(spec.getQ()), ModularKeys.bytes(spec.getG())),
        (x, y) -> dsa(spec, x, y));
  }

  private static ModularGroup of(DHParameterSpec spec) throws InvalidKeyException {
    if (!areBelow(spec.getP(), spec.getG())) return null;
    int bits = spec.getL();
    if (bits == 0) bits = Math.min(Math.max(384, spec.getP().bitLength() / 2), 1024); // as the JDK does
    DHParameterSpec whole = new DHParameterSpec(spec.getP(), spec.getG(), bits);
    return new ModularGroup(
        ModularKeys.DH, bits, Parts.join(ModularKeys.bytes(spec.getP()), ModularKeys.bytes(spec.getG())),
        (x, y) -> dh(whole, x, y));
  }

  private static boolean areBelow(BigInteger p, BigInteger... numbers) {
    for (BigInteger number : numbers) if (number.signum() <= 0 || number.compareTo(p) >= 0) return false;
    return true;
  }

  private static KeyPair dsa(DSAParameterSpec of, BigInteger x, BigInteger y) throws GeneralSecurityException {
    KeyFactory factory = JdkKeys.factory("DSA");
    return new KeyPair(
        factory.generatePublic(new DSAPublicKeySpec(y, of.getP(), of.getQ(), of.getG())),
        factory.generatePrivate(new DSAPrivateKeySpec(x, of.getP(), of.getQ(), of.getG())));
  }

  /** Makes keys of encodings, since the specs of keys have no length of the private number. */
  private static KeyPair dh(DHParameterSpec of, BigInteger x, BigInteger y) throws GeneralSecurityException {
    byte[] algorithm = Der.write(Der.SEQUENCE, Der.write(Der.OID, DH_OID), encode(of));
    byte[] zero = {0};
    byte[] secret = x.toByteArray();
    byte[] number = Der.write(Der.INTEGER, secret), octets = Der.write(Der.OCTET_STRING, number);
    byte[] encoded = Der.write(Der.SEQUENCE, Der.write(Der.INTEGER, zero), algorithm, octets);
    byte[] bits = Der.write(Der.BIT_STRING, zero, Der.write(Der.INTEGER, y.toByteArray()));
    try {
      KeyFactory factory = JdkKeys.factory("DiffieHellman");
      return new KeyPair(
          factory.generatePublic(new X509EncodedKeySpec(Der.write(Der.SEQUENCE, algorithm, bits))),
          factory.generatePrivate(new PKCS8EncodedKeySpec(encoded)));
    } finally {
      for (byte[] copy : new byte[][] {secret, number, octets, encoded}) Arrays.fill(copy, (byte) 0);
    }
  }

  private static byte[] encode(DHParameterSpec of) throws GeneralSecurityException {
    AlgorithmParameters parameters = AlgorithmParameters.getInstance("DiffieHellman", "SunJCE");
    parameters.init(of);
    try {
      return parameters.getEncoded();
    } catch (IOException e) {
      throw new InvalidKeyException(e);
    }
  }
}
