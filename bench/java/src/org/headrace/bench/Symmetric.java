// SPDX-License-Identifier: Apache-2.0
package org.headrace.bench;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.Provider;
import java.security.spec.AlgorithmParameterSpec;
import java.util.concurrent.TimeUnit;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Ciphers, MACs and digests: one message with a kept object and a kept key, and a new IV where the mode
 * has one. Each bench is a cell of a table: its name, and its length.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Symmetric {
  /** Who computes. */
  @State(Scope.Thread)
  public abstract static class Side {
    /** The word of a provider. */
    @Param({Providers.HEADRACE, Providers.JDK, Providers.ACCP, Providers.CONSCRYPT, Providers.BC})
    public String who;

    Provider provider;

    void find() throws ReflectiveOperationException {
      provider = Providers.of(who);
    }

    Cipher cipher(String name) throws GeneralSecurityException {
      return provider == null ? Cipher.getInstance(name) : Cipher.getInstance(name, provider);
    }
  }

  /** A cipher, a key and a message. */
  public abstract static class Text extends Side {
    Cipher cipher;
    SecretKey key;
    byte[] in;
    byte[] out;
    final ByteBuffer iv = ByteBuffer.allocate(16);

    void prepare(String name, String family, int keyLength, int len) throws Exception {
      find();
      byte[] bytes = new byte[keyLength];
      for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) (10 * i + 1);
      key = new SecretKeySpec(bytes, family);
      cipher = cipher(name);
      in = new byte[len];
      out = new byte[len + 16];
    }

    byte[] next(int len) {
      iv.putInt(0, iv.getInt(0) + 1);
      byte[] made = new byte[len];
      System.arraycopy(iv.array(), 0, made, 0, len);
      return made;
    }

    int run(int op, AlgorithmParameterSpec spec) throws GeneralSecurityException {
      cipher.init(op, key, spec);
      return cipher.doFinal(in, 0, in.length, out, 0);
    }
  }

  /** AES-128-GCM, encryption. */
  public static class Gcm extends Text {
    /** Bytes. */
    @Param({"16", "1024", "16384"})
    public int len;

    /** Makes the cipher. */
    @Setup
    public void setup() throws Exception {
      prepare("AES/GCM/NoPadding", "AES", 16, len);
    }
  }

  /** AES-128-CTR. */
  public static class Ctr extends Text {
    /** Bytes. */
    @Param("16")
    public int len;

    /** Makes the cipher. */
    @Setup
    public void setup() throws Exception {
      prepare("AES/CTR/NoPadding", "AES", 16, len);
    }
  }

  /** AES-128-CBC, decryption. */
  public static class Cbc extends Text {
    /** Bytes. */
    @Param("1024")
    public int len;

    /** Makes the cipher. */
    @Setup
    public void setup() throws Exception {
      prepare("AES/CBC/NoPadding", "AES", 16, len);
    }
  }

  /** Triple DES in CBC, decryption. */
  public static class TripleDes extends Text {
    /** Bytes. */
    @Param({"1024", "16384"})
    public int len;

    /** Makes the cipher. */
    @Setup
    public void setup() throws Exception {
      prepare("DESede/CBC/NoPadding", "DESede", 24, len);
    }
  }

  @Benchmark
  public int gcm(Gcm t) throws GeneralSecurityException {
    return t.run(Cipher.ENCRYPT_MODE, new GCMParameterSpec(128, t.next(12)));
  }

  @Benchmark
  public int ctr(Ctr t) throws GeneralSecurityException {
    return t.run(Cipher.ENCRYPT_MODE, new IvParameterSpec(t.next(16)));
  }

  @Benchmark
  public int cbcDecrypt(Cbc t) throws GeneralSecurityException {
    return t.run(Cipher.DECRYPT_MODE, new IvParameterSpec(t.next(16)));
  }

  @Benchmark
  public int desedeDecrypt(TripleDes t) throws GeneralSecurityException {
    return t.run(Cipher.DECRYPT_MODE, new IvParameterSpec(t.next(8)));
  }

  /** HMAC-SHA-256 under a kept key. */
  public static class Tag extends Side {
    /** Bytes. */
    @Param("64")
    public int len;

    Mac mac;
    byte[] in;

    /** Makes the MAC. */
    @Setup
    public void setup() throws Exception {
      find();
      mac = provider == null ? Mac.getInstance("HmacSHA256") : Mac.getInstance("HmacSHA256", provider);
      mac.init(new SecretKeySpec(new byte[32], "HmacSHA256"));
      in = new byte[len];
    }
  }

  @Benchmark
  public byte[] hmacSha256(Tag t) {
    return t.mac.doFinal(t.in);
  }

  /** A digest. */
  public static class Hash extends Side {
    /** Bytes. */
    @Param({"64", "1024"})
    public int len;

    /** The algorithm. */
    @Param({"SHA-256", "SHA-512", "MD5"})
    public String algorithm;

    MessageDigest digest;
    byte[] in;

    /** Makes the digest. */
    @Setup
    public void setup() throws Exception {
      find();
      digest =
          provider == null
              ? MessageDigest.getInstance(algorithm)
              : MessageDigest.getInstance(algorithm, provider);
      in = new byte[len];
    }
  }

  @Benchmark
  public byte[] digest(Hash t) {
    return t.digest.digest(t.in);
  }

  /** PBKDF2 with HMAC-SHA-256; the length is the number of iterations. */
  public static class Password extends Side {
    /** Iterations. */
    @Param("1000")
    public int len;

    SecretKeyFactory factory;

    /** Makes the factory. */
    @Setup
    public void setup() throws Exception {
      find();
      String name = "PBKDF2WithHmacSHA256";
      factory = provider == null ? SecretKeyFactory.getInstance(name) : SecretKeyFactory.getInstance(name, provider);
    }
  }

  @Benchmark
  public byte[] pbkdf2(Password t) throws GeneralSecurityException {
    PBEKeySpec spec = new PBEKeySpec("correct horse battery".toCharArray(), new byte[16], t.len, 256);
    return t.factory.generateSecret(spec).getEncoded();
  }
}
