// SPDX-License-Identifier: Apache-2.0
package org.headrace.bench;

import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * Signatures of 64 bytes, each with an object of its own, as TLS and JWT libraries do it, and keys of the
 * JDK, as programs have them.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class PublicKeys {
  /** A kind of keys, and a signature by one of them. */
  public static class Signing extends Symmetric.Side {
    /** The signature's algorithm, the generator's, and the key's size. */
    @Param({"SHA256withRSA RSA 2048", "SHA256withECDSA EC 256", "Ed25519 Ed25519 255"})
    public String kind;

    KeyPair pair;
    byte[] text;
    final byte[] message = new byte[64];

    Signature signature() throws GeneralSecurityException {
      String name = kind.split(" ")[0];
      return provider == null ? Signature.getInstance(name) : Signature.getInstance(name, provider);
    }

    byte[] sign() throws GeneralSecurityException {
      Signature made = signature();
      made.initSign(pair.getPrivate());
      made.update(message);
      return made.sign();
    }

    /** Makes a key and a signature. */
    @Setup
    public void setup() throws Exception {
      find();
      String[] words = kind.split(" ");
      KeyPairGenerator generator = KeyPairGenerator.getInstance(words[1]);
      generator.initialize(Integer.parseInt(words[2]));
      pair = generator.generateKeyPair();
      text = sign();
    }
  }

  @Benchmark
  public byte[] sign(Signing t) throws GeneralSecurityException {
    return t.sign();
  }

  @Benchmark
  public boolean verify(Signing t) throws GeneralSecurityException {
    Signature made = t.signature();
    made.initVerify(t.pair.getPublic());
    made.update(t.message);
    if (!made.verify(t.text)) throw new GeneralSecurityException("refused");
    return true;
  }
}
