// SPDX-License-Identifier: Apache-2.0
package org.headrace.bench;

import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.Signature;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.headrace.jce.HeadraceBatch;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** A thousand messages: by HeadraceBatch, or by one kept object of the JDK, one after another. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class Batches {
  private static final int NUM = 1000;

  /** Messages. */
  @State(Scope.Thread)
  public abstract static class Messages {
    /** Who computes. */
    @Param({Providers.HEADRACE, Providers.JDK})
    public String who;

    byte[][] messages;

    boolean prepare(int len) {
      messages = new byte[NUM][len];
      for (int i = 0; i < NUM; i++) messages[i][0] = (byte) i;
      return who.equals(Providers.HEADRACE);
    }
  }

  /** Digests and HMACs. */
  public static class Hash extends Messages {
    /** Bytes. */
    @Param({"64", "1024"})
    public int len;

    /** The algorithm. */
    @Param({"MD5", "SHA-256", "SHA-512"})
    public String algorithm;

    MessageDigest digest;
    SecretKeySpec key;
    Mac mac;

    /** Makes the JDK's objects. */
    @Setup
    public void setup() throws GeneralSecurityException {
      key = new SecretKeySpec(new byte[32], "Hmac");
      if (prepare(len)) return;
      digest = MessageDigest.getInstance(algorithm);
      mac = Mac.getInstance(hmac());
      mac.init(key);
    }

    String hmac() {
      return "Hmac" + algorithm.replace("-", "");
    }
  }

  @Benchmark
  public byte[][] batchDigest(Hash t) throws GeneralSecurityException {
    if (t.digest == null) return HeadraceBatch.digest(t.algorithm, t.messages);
    byte[][] out = new byte[NUM][];
    for (int i = 0; i < NUM; i++) out[i] = t.digest.digest(t.messages[i]);
    return out;
  }

  @Benchmark
  public byte[][] batchMac(Hash t) throws GeneralSecurityException {
    if (t.mac == null) return HeadraceBatch.mac(t.hmac(), t.key, t.messages);
    byte[][] out = new byte[NUM][];
    for (int i = 0; i < NUM; i++) out[i] = t.mac.doFinal(t.messages[i]);
    return out;
  }

  /** Signatures. */
  public static class Signing extends Messages {
    /** The signature's algorithm, the generator's, and the key's size. */
    @Param({"SHA256withRSA RSA 2048", "SHA256withECDSA EC 256", "Ed25519 Ed25519 255"})
    public String kind;

    KeyPair pair;
    byte[][] signatures;
    Signature jdk;

    /** Signs all messages. */
    @Setup
    public void setup() throws GeneralSecurityException {
      boolean isOurs = prepare(64);
      String[] words = kind.split(" ");
      KeyPairGenerator generator = KeyPairGenerator.getInstance(words[1]);
      generator.initialize(Integer.parseInt(words[2]));
      pair = generator.generateKeyPair();
      Signature made = Signature.getInstance(words[0]);
      signatures = new byte[NUM][];
      for (int i = 0; i < NUM; i++) {
        made.initSign(pair.getPrivate());
        made.update(messages[i]);
        signatures[i] = made.sign();
      }
      if (!isOurs) jdk = made;
    }
  }

  @Benchmark
  public boolean[] batchVerify(Signing t) throws GeneralSecurityException {
    if (t.jdk == null)
      return HeadraceBatch.verify(t.kind.split(" ")[0], t.pair.getPublic(), t.messages, t.signatures);
    boolean[] out = new boolean[NUM];
    for (int i = 0; i < NUM; i++) {
      t.jdk.initVerify(t.pair.getPublic());
      t.jdk.update(t.messages[i]);
      out[i] = t.jdk.verify(t.signatures[i]);
    }
    return out;
  }
}
