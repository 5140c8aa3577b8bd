// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/**
 * One object that several threads use at once, as programs do by mistake. What they get is not said, but the JVM
 * must not crash, and afterwards the object must work.
 */
class SharedTest {
  private static final int THREADS = 4;
  private static final int CALLS = 60_000;

  private interface Call {
    void with(Random random) throws Exception;
  }

  private static void share(Call call) throws InterruptedException {
    share(CALLS, call);
  }

  private static void share(int calls, Call call) throws InterruptedException {
    Thread[] threads = new Thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
      Random random = new Random(i);
      threads[i] =
          new Thread(
              () -> {
                for (int n = 0; n < calls; n++)
                  try {
                    call.with(random);
                  } catch (Exception e) {
                    // any is right
                  }
              });
      threads[i].start();
    }
    for (Thread thread : threads) thread.join();
  }

  @Test
  void digests() throws Exception {
    byte[] text = new byte[1000];
    for (String name : new String[] {"SHA-256", "SHA3-256"}) {
      MessageDigest digest = MessageDigest.getInstance(name, Ours.PROVIDER);
      byte[] first = digest.digest(text);
      share(
          random -> {
            if (random.nextInt(4) == 0) digest.digest();
            else digest.update(text, 0, random.nextInt(text.length));
          });
      digest.reset();
      assertArrayEquals(first, digest.digest(text));
    }
  }

  @Test
  void macs() throws Exception {
    byte[] text = new byte[1000];
    SecretKeySpec[] keys = {new SecretKeySpec(new byte[16], "AES"), new SecretKeySpec(text, 0, 16, "AES")};
    for (String name : new String[] {"HmacSHA256", "AESCMAC"}) {
      Mac mac = Mac.getInstance(name, Ours.PROVIDER);
      mac.init(keys[0]);
      byte[] first = mac.doFinal(text);
      share(
          random -> {
            switch (random.nextInt(8)) {
              case 0 -> mac.init(keys[random.nextInt(2)]);
              case 1 -> mac.doFinal();
              case 2 -> mac.clone();
              default -> mac.update(text, 0, random.nextInt(text.length));
            }
          });
      mac.init(keys[0]);
      assertArrayEquals(first, mac.doFinal(text));
    }
  }

  @Test
  void ciphers() throws Exception {
    byte[] text = new byte[2000];
    for (String name : new String[] {"AES/GCM/NoPadding", "AES/CBC/PKCS5Padding"}) {
      Cipher cipher = Cipher.getInstance(name, Ours.PROVIDER);
      Call init =
          random -> {
            byte[] key = new byte[random.nextBoolean() ? 16 : 32], iv = new byte[16];
            random.nextBytes(iv);
            cipher.init(
                1 + random.nextInt(2), new SecretKeySpec(key, "AES"),
                name.contains("GCM") ? new GCMParameterSpec(128, iv) : new IvParameterSpec(iv));
          };
      share(
          random -> {
            int length = random.nextInt(text.length);
            switch (random.nextInt(6)) {
              case 0 -> init.with(random);
              case 1 -> cipher.doFinal(text, 0, length);
              case 2 -> cipher.updateAAD(text, 0, length);
              case 3 -> cipher.update(text, 0, length, new byte[length], 0);
              default -> cipher.update(text, 0, length);
            }
          });
      byte[] iv = new byte[16];
      iv[0] = 1;
      cipher.init(
          Cipher.ENCRYPT_MODE, new SecretKeySpec(new byte[16], "AES"),
          name.contains("GCM") ? new GCMParameterSpec(128, iv) : new IvParameterSpec(iv));
      Cipher fresh = Cipher.getInstance(name, Ours.PROVIDER);
      fresh.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(new byte[16], "AES"), cipher.getParameters());
      assertArrayEquals(fresh.doFinal(text), cipher.doFinal(text));
    }
  }

  /** A text with a wrong tag is not given out, at whichever piece the other threads disturb its decryption. */
  @Test
  void noUnverifiedTextIsLeft() throws Exception {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding", Ours.PROVIDER);
    cipher.init(Cipher.DECRYPT_MODE, new SecretKeySpec(new byte[16], "AES"), new GCMParameterSpec(128, new byte[12]));
    byte[] forged = new byte[200_000], none = new byte[forged.length];
    AtomicInteger left = new AtomicInteger();
    share(
        400,
        random -> {
          byte[] out = new byte[forged.length];
          try {
            cipher.doFinal(forged, 0, forged.length, out, 0);
          } finally {
            if (!Arrays.equals(none, out)) left.incrementAndGet();
          }
        });
    assertEquals(0, left.get());
  }
}
