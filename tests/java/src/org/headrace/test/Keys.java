// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.security.AlgorithmParameters;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Provider;
import java.security.interfaces.ECKey;
import java.security.interfaces.RSAKey;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Keys of the JDK's providers for tests, each made once. */
final class Keys {
  private static final Map<Integer, KeyPair> RSA = new ConcurrentHashMap<>();

  private Keys() {}

  static KeyPair rsa(int bits) {
    return RSA.computeIfAbsent(
        bits,
        b -> {
          try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA", "SunRsaSign");
            generator.initialize(b);
            return generator.generateKeyPair();
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
  }

  static KeyPair pair(String algorithm, AlgorithmParameterSpec params) throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
    if (params != null) generator.initialize(params);
    return generator.generateKeyPair();
  }

  static KeyPair pair(String algorithm, AlgorithmParameterSpec params, Provider provider) throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm, provider);
    if (params != null) generator.initialize(params);
    else if (algorithm.equals("DSA")) generator.initialize(1024); // for SHA-1, too
    return generator.generateKeyPair();
  }

  static ECParameterSpec curve(String name) throws Exception {
    AlgorithmParameters all = AlgorithmParameters.getInstance("EC", "SunEC");
    all.init(new ECGenParameterSpec(name));
    return all.getParameterSpec(ECParameterSpec.class);
  }

  /** The name of a digest in parameters for one in names of signatures. */
  static String name(String digest) {
    return digest.startsWith("SHA3") ? digest : digest.replace("SHA", "SHA-");
  }

  static String describe(KeyPair pair) {
    Key key = pair.getPublic();
    if (key instanceof RSAKey rsa) return key.getAlgorithm() + " " + rsa.getModulus().bitLength();
    if (key instanceof ECKey ec) return "P-" + ec.getParams().getOrder().bitLength();
    return key.getAlgorithm();
  }

  static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
