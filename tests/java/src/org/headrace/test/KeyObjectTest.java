// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.InvalidAlgorithmParameterException;
import java.security.Provider;
import java.security.Security;
import java.security.spec.AlgorithmParameterSpec;
import java.util.ArrayList;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** A key is held in another way for its first message than for those that follow. */
class KeyObjectTest {
  private static final Provider THEIRS = Security.getProvider("SunJCE");

  private record Kind(String name, int key, int iv) {
    AlgorithmParameterSpec spec(int n) {
      byte[] nonce = new byte[iv];
      if (iv > 0) nonce[0] = (byte) n;
      return iv == 0 ? null : iv == 12 ? new GCMParameterSpec(128, nonce) : new IvParameterSpec(nonce);
    }
  }

  private static final Kind[] KINDS = {
    new Kind("AES/ECB/NoPadding", 16, 0), new Kind("AES/ECB/PKCS5Padding", 32, 0),
    new Kind("AES/CBC/NoPadding", 24, 16), new Kind("AES/CBC/PKCS5Padding", 16, 16),
    new Kind("AES/CTR/NoPadding", 32, 16), new Kind("AES/GCM/NoPadding", 16, 12),
    new Kind("DES/ECB/NoPadding", 8, 0), new Kind("DESede/CBC/PKCS5Padding", 24, 8),
  };

  /** A key of zeros that its program can destroy. */
  private static final class Mortal implements SecretKey {
    private static final long serialVersionUID = 1L;
    private boolean isDestroyed;

    @Override
    public String getAlgorithm() {
      return "AES";
    }

    @Override
    public String getFormat() {
      return "RAW";
    }

    @Override
    public byte[] getEncoded() {
      if (isDestroyed) throw new IllegalStateException("destroyed");
      return new byte[16];
    }

    @Override
    public void destroy() {
      isDestroyed = true;
    }
  }

  /** A nonce is known to be used also when the key object is gone, as with the JDK's. */
  @Test
  void aDestroyedKeyLeavesItsNonceUsed() throws Exception {
    for (Provider provider : new Provider[] {THEIRS, Ours.PROVIDER}) {
      Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding", provider);
      Mortal first = new Mortal();
      cipher.init(Cipher.ENCRYPT_MODE, first, new GCMParameterSpec(128, new byte[12]));
      cipher.doFinal(new byte[9]);
      first.destroy();
      assertThrows(
          InvalidAlgorithmParameterException.class,
          () -> cipher.init(Cipher.ENCRYPT_MODE, new Mortal(), new GCMParameterSpec(128, new byte[12])));
      SecretKeySpec other = new SecretKeySpec(new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, "AES");
      cipher.init(Cipher.ENCRYPT_MODE, other, new GCMParameterSpec(128, new byte[12]));
    }
  }

  /** A key whose bytes are nowhere in memory before they are asked for. */
  private record Rising(int length, int first) implements SecretKey {
    static final int STEP = 37;

    @Override
    public String getAlgorithm() {
      return "AES";
    }

    @Override
    public String getFormat() {
      return "RAW";
    }

    @Override
    public byte[] getEncoded() {
      byte[] bytes = new byte[length];
      for (int i = 0; i < length; i++) bytes[i] = (byte) (first + STEP * i);
      return bytes;
    }
  }

  private static SecretKey key(Kind kind, int first) {
    return new SecretKeySpec(new Rising(kind.key(), first).getEncoded(), kind.name().split("/")[0]);
  }

  /** One to three messages after each of some calls of init, with keys that are new or of before. */
  private static List<byte[]> messages(Provider provider, Kind kind, int op) throws Exception {
    List<byte[]> results = new ArrayList<>();
    SecretKey kept = key(kind, 1);
    SecretKey[] keys = {kept, kept, key(kind, 2), key(kind, 2), kept};
    for (int from = 0; from < keys.length; from++) {
      Cipher cipher = Cipher.getInstance(kind.name(), provider);
      for (int i = from; i < keys.length; i++) {
        cipher.init(op, keys[i], kind.spec(i));
        for (int n = 0; n < (kind.iv() == 12 ? 1 : 1 + from % 3); n++) results.add(cipher.doFinal(new byte[48]));
      }
    }
    return results;
  }

  @Test
  void messagesAreTheJdks() throws Exception {
    for (Kind kind : KINDS) {
      List<byte[]> model = messages(THEIRS, kind, Cipher.ENCRYPT_MODE);
      List<byte[]> own = messages(Ours.PROVIDER, kind, Cipher.ENCRYPT_MODE);
      assertEquals(model.size(), own.size());
      for (int i = 0; i < own.size(); i++) assertArrayEquals(model.get(i), own.get(i), kind + " " + i);
    }
  }

  @Test
  void isTakenAgainAfterAnError() throws Exception {
    for (Kind kind : KINDS) {
      Cipher model = Cipher.getInstance(kind.name(), THEIRS), own = Cipher.getInstance(kind.name(), Ours.PROVIDER);
      for (Cipher cipher : new Cipher[] {model, own}) {
        cipher.init(Cipher.ENCRYPT_MODE, key(kind, 1), kind.spec(1));
        assertThrows(ShortBufferException.class, () -> cipher.doFinal(new byte[48], 0, 48, new byte[47]));
      }
      assertArrayEquals(model.doFinal(new byte[48]), own.doFinal(new byte[48]), kind.name());
    }
  }

  @Test
  void knowsTheNonceOfBefore() throws Exception {
    Kind kind = new Kind("AES/GCM/NoPadding", 16, 12);
    Cipher own = Cipher.getInstance(kind.name(), Ours.PROVIDER);
    own.init(Cipher.ENCRYPT_MODE, key(kind, 1), kind.spec(1));
    own.doFinal(new byte[16]);
    assertThrows(
        InvalidAlgorithmParameterException.class,
        () -> own.init(Cipher.ENCRYPT_MODE, key(kind, 1), kind.spec(1)));
    own.init(Cipher.ENCRYPT_MODE, key(kind, 2), kind.spec(1));
    own.doFinal(new byte[16]);
  }

  @Test
  void macsHaveTwins() throws Exception {
    for (int length : new int[] {16, 64, 65, 200}) {
      Mac model = Mac.getInstance("HmacSHA512", THEIRS), own = Mac.getInstance("HmacSHA512", Ours.PROVIDER);
      for (Mac mac : new Mac[] {model, own}) mac.init(new Rising(length, 1));
      byte[] result = model.doFinal(new byte[100]);
      for (int i = 0; i < 3; i++) {
        Mac twin = (Mac) own.clone();
        assertArrayEquals(result, own.doFinal(new byte[100]));
        assertArrayEquals(result, twin.doFinal(new byte[100]));
      }
    }
  }

  /** How often a rising row of so many bytes is in a dump of the heap. */
  private static int found(int length) throws Exception {
    Path folder = Files.createTempDirectory("headrace-test-"), dump = folder.resolve("heap.hprof");
    try {
      ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(dump.toString(), true);
      byte[] heap = Files.readAllBytes(dump);
      int found = 0;
      for (int i = 1, row = 1; i < heap.length; i++) {
        row = (byte) (heap[i - 1] + Rising.STEP) == heap[i] ? row + 1 : 1;
        if (row == length) found++;
      }
      return found;
    } finally {
      Files.deleteIfExists(dump);
      Files.delete(folder);
    }
  }

  @Test
  void isNotOnTheHeap() throws Exception {
    Rising key = new Rising(32, 3);
    Cipher first = Cipher.getInstance("AES/ECB/NoPadding", Ours.PROVIDER);
    Cipher second = Cipher.getInstance("AES/GCM/NoPadding", Ours.PROVIDER);
    Mac mac = Mac.getInstance("HmacSHA256", Ours.PROVIDER);
    first.init(Cipher.ENCRYPT_MODE, key);
    second.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, new byte[12]));
    second.doFinal(new byte[16]);
    mac.init(key);
    int before = found(32);
    byte[] control = key.getEncoded();
    assertEquals(before + 1, found(32));
    assertEquals(0, before);
    Reference.reachabilityFence(new Object[] {first, second, mac, control});
  }
}
