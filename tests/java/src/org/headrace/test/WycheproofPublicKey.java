// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.math.BigInteger;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPrivateKeySpec;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.NamedParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.PSSParameterSpec;
import java.security.spec.X509EncodedKeySpec;
import java.security.spec.XECPrivateKeySpec;
import java.security.spec.XECPublicKeySpec;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import javax.crypto.Cipher;
import javax.crypto.KeyAgreement;
import javax.crypto.spec.OAEPParameterSpec;
import javax.crypto.spec.PSource;

/** Wycheproof's schemas of public key. */
final class WycheproofPublicKey {
  static final Map<String, WycheproofTest.Schema> SCHEMAS =
      Map.ofEntries(
          Map.entry("ecdsa_verify", new Verify("EC", "ECDSA", "")),
          Map.entry("ecdsa_p1363_verify", new Verify("EC", "ECDSA", "inP1363Format")),
          Map.entry("dsa_verify", new Verify("DSA", "DSA", "")),
          Map.entry("dsa_p1363_verify", new Verify("DSA", "DSA", "inP1363Format")),
          Map.entry("rsassa_pkcs1_verify", new Verify("RSA", "RSA", "")),
          Map.entry("rsassa_pss_verify", new Verify("RSA", null, "")),
          Map.entry("eddsa_verify", new Verify("Ed25519", "Ed25519", null)),
          Map.entry("mldsa_verify", new Verify("ML-DSA", null, null)),
          Map.entry("mldsa_sign_seed", new Sign("ML-DSA")),
          Map.entry("rsassa_pkcs1_generate", new Sign("RSA")),
          Map.entry("rsaes_oaep_decrypt", new Decrypt("RSA/ECB/OAEPPadding")),
          Map.entry("rsaes_pkcs1_decrypt", new Decrypt("RSA/ECB/PKCS1Padding")),
          Map.entry("ecdh_test", new Agree("EC", "ECDH")),
          Map.entry("ecdh_ecpoint_test", new Agree("EC", "ECDH")),
          Map.entry("xdh_comp", new Agree("XDH", "X25519")));

  private WycheproofPublicKey() {}

  /** Keys are made by the provider where it can, and otherwise by the JDK's. */
  static KeyFactory factory(Provider provider, String algorithm) throws GeneralSecurityException {
    return provider.getService("KeyFactory", algorithm) != null
        ? KeyFactory.getInstance(algorithm, provider)
        : KeyFactory.getInstance(algorithm);
  }

  private static String digest(Vectors.Case one) {
    return one.text("sha").replace("SHA-", "SHA");
  }

  /** Curves whose keys the provider leaves to others. */
  private static final List<String> OTHER_CURVES = List.of("secp192r1", "secp224r1", "secp256k1", "ed448");

  /** A signature by a digest and `algorithm`; without one, it is RSASSA-PSS or the file's algorithm. */
  private record Verify(String keys, String algorithm, String more) implements WycheproofTest.Schema {
    @Override
    public String[] service(String name, Vectors.Case first) {
      String service = name;
      if (more != null) service = algorithm == null ? "RSASSA-PSS" : digest(first) + "with" + algorithm + more;
      else if (algorithm != null) service = algorithm;
      String curve = first.fields().getOrDefault("publicKey.curve", "");
      return new String[] {"Signature", service + (OTHER_CURVES.contains(curve) ? " of " + curve : "")};
    }

    @Override
    public boolean accepts(Provider provider, String service, Vectors.Case one)
        throws GeneralSecurityException {
      PublicKey key = factory(provider, keys).generatePublic(new X509EncodedKeySpec(one.bytes("publicKeyDer")));
      Signature signature = Signature.getInstance(service, provider);
      if (service.equals("RSASSA-PSS"))
        signature.setParameter(
            new PSSParameterSpec(
                one.text("sha"), "MGF1", new MGF1ParameterSpec(one.text("mgfSha")), one.number("sLen"), 1));
      signature.initVerify(key);
      signature.update(one.bytes("msg"));
      return signature.verify(one.bytes("sig"));
    }

    @Override
    public String skips(String service, Vectors.Case one) {
      if (!one.fields().getOrDefault("ctx", "").isEmpty()) return "no context can be given in Java";
      if (!one.has("publicKeyDer") || one.text("publicKeyDer").isEmpty()) return "the key has no encoding";
      return null;
    }
  }

  /** PKCS#1's signature is the one that is listed; ML-DSA's, which is random, must be verified. */
  private record Sign(String keys) implements WycheproofTest.Schema {
    @Override
    public String[] service(String name, Vectors.Case first) {
      return new String[] {"Signature", keys.equals("RSA") ? digest(first) + "withRSA" : name};
    }

    @Override
    public boolean accepts(Provider provider, String service, Vectors.Case one)
        throws GeneralSecurityException {
      String name = keys.equals("RSA") ? digest(one) + "withRSA" : service;
      PrivateKey key = factory(provider, keys).generatePrivate(new PKCS8EncodedKeySpec(one.bytes("privateKeyPkcs8")));
      Signature signature = Signature.getInstance(name, provider);
      signature.initSign(key);
      signature.update(one.bytes("msg"));
      byte[] made = signature.sign();
      if (keys.equals("RSA")) return Arrays.equals(made, one.bytes("sig"));
      return made.length == one.text("sig").length() / 2;
    }

    @Override
    public String skips(String service, Vectors.Case one) {
      if (!one.fields().getOrDefault("ctx", "").isEmpty()) return "no context can be given in Java";
      if (!one.has("msg")) return "Java signs messages only";
      if (keys.equals("RSA") && !Ours.has("Signature", digest(one) + "withRSA"))
        return "the provider has no " + digest(one) + "withRSA";
      return null;
    }
  }

  private record Decrypt(String name) implements WycheproofTest.Schema {
    @Override
    public String[] service(String algorithm, Vectors.Case first) {
      return new String[] {"Cipher", name};
    }

    @Override
    public boolean accepts(Provider provider, String service, Vectors.Case one)
        throws GeneralSecurityException {
      PrivateKey key = factory(provider, "RSA").generatePrivate(new PKCS8EncodedKeySpec(one.bytes("privateKeyPkcs8")));
      AlgorithmParameterSpec params = null;
      if (service.contains("OAEP"))
        params =
            new OAEPParameterSpec(
                one.text("sha"), "MGF1", new MGF1ParameterSpec(one.text("mgfSha")),
                new PSource.PSpecified(one.bytes("label")));
      Cipher cipher = Cipher.getInstance(service, provider);
      cipher.init(Cipher.DECRYPT_MODE, key, params);
      return Arrays.equals(cipher.doFinal(one.bytes("ct")), one.bytes("msg"));
    }
  }

  private record Agree(String keys, String name) implements WycheproofTest.Schema {
    @Override
    public String[] service(String algorithm, Vectors.Case first) {
      return new String[] {"KeyAgreement", name};
    }

    @Override
    public boolean accepts(Provider provider, String service, Vectors.Case one)
        throws GeneralSecurityException {
      KeyFactory factory = factory(provider, keys);
      PrivateKey own = keys.equals("EC") ? ecPrivate(factory, one) : xecPrivate(factory, one);
      PublicKey other = keys.equals("EC") ? ecPublic(factory, one) : xecPublic(factory, one);
      KeyAgreement agreement = KeyAgreement.getInstance(service, provider);
      agreement.init(own);
      agreement.doPhase(other, true);
      return Arrays.equals(agreement.generateSecret(), one.bytes("shared"));
    }

    @Override
    public String skips(String service, Vectors.Case one) {
      if (one.fields().getOrDefault("encoding", "").equals("ecpoint") && !one.text("public").startsWith("04"))
        return "Java's specification of a key is both coordinates";
      return null;
    }

    private static ECParameterSpec curve(Vectors.Case one) throws GeneralSecurityException {
      AlgorithmParameters params = AlgorithmParameters.getInstance("EC");
      params.init(new ECGenParameterSpec(one.text("curve")));
      return params.getParameterSpec(ECParameterSpec.class);
    }

    private static PrivateKey ecPrivate(KeyFactory factory, Vectors.Case one) throws GeneralSecurityException {
      return factory.generatePrivate(new ECPrivateKeySpec(one.big("private"), curve(one)));
    }

    private static PublicKey ecPublic(KeyFactory factory, Vectors.Case one) throws GeneralSecurityException {
      if (one.text("encoding").equals("asn")) return factory.generatePublic(new X509EncodedKeySpec(one.bytes("public")));
      byte[] point = one.bytes("public");
      int half = point.length / 2;
      if (point.length != 1 + 2 * ((curve(one).getCurve().getField().getFieldSize() + 7) / 8))
        throw new InvalidKeyException("the point has another length");
      BigInteger x = new BigInteger(1, Arrays.copyOfRange(point, 1, 1 + half));
      BigInteger y = new BigInteger(1, Arrays.copyOfRange(point, 1 + half, point.length));
      return factory.generatePublic(new ECPublicKeySpec(new ECPoint(x, y), curve(one)));
    }

    private static PrivateKey xecPrivate(KeyFactory factory, Vectors.Case one) throws GeneralSecurityException {
      return factory.generatePrivate(new XECPrivateKeySpec(NamedParameterSpec.X25519, one.bytes("private")));
    }

    private static PublicKey xecPublic(KeyFactory factory, Vectors.Case one) throws GeneralSecurityException {
      byte[] little = one.bytes("public"), big = new byte[little.length];
      for (int i = 0; i < big.length; i++) big[i] = little[big.length - 1 - i];
      return factory.generatePublic(new XECPublicKeySpec(NamedParameterSpec.X25519, new BigInteger(1, big)));
    }
  }
}
