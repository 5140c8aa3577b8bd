// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.ECPrivateKeySpec;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.EdECPoint;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.EdECPublicKeySpec;
import java.security.spec.NamedParameterSpec;
import java.security.spec.RSAPrivateCrtKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.security.spec.XECPrivateKeySpec;
import java.security.spec.XECPublicKeySpec;
import java.util.Arrays;
import java.util.Set;

/** A row whose keys the library makes, and how their parts become keys of the JDK. */
record NewKeys(int row, Translator translator) {
  interface Translator {
    KeyPair pair(byte[][] parts) throws GeneralSecurityException;
  }

  /** Names of generators and of parameter sets that they take. */
  static final Set<String> FAMILIES = Set.of("XDH X25519", "EdDSA Ed25519");

  /** The keys of a generator that needs no parameters, or null. */
  static NewKeys of(String name) {
    return switch (name.toUpperCase(java.util.Locale.ROOT)) {
      case "X25519", "XDH" -> new NewKeys(Rows.number("X25519"), NewKeys::x25519);
      case "ED25519", "EDDSA" -> new NewKeys(Rows.number("Ed25519"), NewKeys::ed25519);
      default -> null;
    };
  }

  static NewKeys of(Curve curve) {
    return new NewKeys(Rows.number("ECDH-" + curve.name), parts -> ec(curve, parts));
  }

  static NewKeys rsa(String algorithm, AlgorithmParameterSpec params) {
    return new NewKeys(Rows.number("RSA-2048"), parts -> rsa(algorithm, params, parts));
  }

  private static KeyPair ec(Curve curve, byte[][] parts) throws GeneralSecurityException {
    KeyFactory factory = JdkKeys.factory("EC");
    return new KeyPair(
        factory.generatePublic(new ECPublicKeySpec(curve.decode(parts[1]), curve.params)),
        factory.generatePrivate(new ECPrivateKeySpec(new BigInteger(1, parts[0]), curve.params)));
  }

  private static KeyPair x25519(byte[][] parts) throws GeneralSecurityException {
    KeyFactory factory = JdkKeys.factory("X25519");
    BigInteger u = new BigInteger(1, Parts.reverse(parts[1]));
    return new KeyPair(
        factory.generatePublic(new XECPublicKeySpec(NamedParameterSpec.X25519, u)),
        factory.generatePrivate(new XECPrivateKeySpec(NamedParameterSpec.X25519, parts[0])));
  }

  private static KeyPair ed25519(byte[][] parts) throws GeneralSecurityException {
    KeyFactory factory = JdkKeys.factory("Ed25519");
    byte[] y = Parts.reverse(parts[1]);
    boolean isXOdd = y[0] < 0;
    y[0] &= 0x7f;
    EdECPoint point = new EdECPoint(isXOdd, new BigInteger(1, y));
    return new KeyPair(
        factory.generatePublic(new EdECPublicKeySpec(NamedParameterSpec.ED25519, point)),
        factory.generatePrivate(new EdECPrivateKeySpec(NamedParameterSpec.ED25519, parts[0])));
  }

  private static KeyPair rsa(String algorithm, AlgorithmParameterSpec params, byte[][] parts)
      throws GeneralSecurityException {
    BigInteger[] n = Arrays.stream(parts).map(p -> new BigInteger(1, p)).toArray(BigInteger[]::new);
    KeyFactory factory = JdkKeys.factory(algorithm);
    return new KeyPair(
        factory.generatePublic(new RSAPublicKeySpec(n[0], n[1], params)),
        factory.generatePrivate(
            new RSAPrivateCrtKeySpec(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], params)));
  }
}
