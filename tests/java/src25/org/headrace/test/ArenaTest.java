// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.headrace.jce.HeadraceBatch;
import org.junit.jupiter.api.Test;

/** Buffers whose memory an arena has, which may be gone or another thread's. */
class ArenaTest {
  private static final int LONG = 1 << 20;
  private static final SecretKeySpec KEY = new SecretKeySpec(new byte[16], "AES");

  private interface Use {
    void of(ByteBuffer buffer) throws Exception;
  }

  private static void checkThat(Use use) throws Exception {
    Arena arena = Arena.ofConfined();
    ByteBuffer buffer = arena.allocate(1000).asByteBuffer();
    use.of(buffer.duplicate());
    Throwable[] thrown = new Throwable[1];
    Thread other =
        new Thread(() -> thrown[0] = assertThrows(WrongThreadException.class, () -> use.of(buffer.duplicate())));
    other.start();
    other.join();
    assertThrows(WrongThreadException.class, () -> { throw thrown[0]; });
    arena.close();
    assertThrows(IllegalStateException.class, () -> use.of(buffer.duplicate()));
  }

  @Test
  void aBufferOfAClosedArenaIsNotTouched() throws Exception {
    checkThat(buffer -> MessageDigest.getInstance("SHA-256", Ours.PROVIDER).update(buffer));
    checkThat(
        buffer -> {
          Mac mac = Mac.getInstance("HmacSHA256", Ours.PROVIDER);
          mac.init(KEY);
          mac.update(buffer);
        });
    Cipher cipher = Cipher.getInstance("AES/CTR/NoPadding", Ours.PROVIDER);
    cipher.init(Cipher.ENCRYPT_MODE, KEY, new IvParameterSpec(new byte[16]));
    checkThat(buffer -> cipher.doFinal(buffer, ByteBuffer.allocate(1000)));
    checkThat(buffer -> cipher.doFinal(ByteBuffer.allocate(1000), buffer));
  }

  /** Uses buffers of an arena that another thread closes meanwhile: what is used must not go away. */
  private static void closeDuring(Use use) throws Exception {
    for (int i = 0; i < 20; i++) {
      Arena arena = Arena.ofShared();
      ByteBuffer buffer = arena.allocate(LONG).asByteBuffer();
      CountDownLatch begun = new CountDownLatch(1);
      Thread other = new Thread(() -> { begun.countDown(); close(arena); });
      other.start();
      begun.await();
      try {
        for (int n = 0; n < 100; n++) use.of(buffer.duplicate());
      } catch (IllegalStateException e) {
        // it was closed
      }
      Thread.interrupted(); // by the JVM, when it throws at what the thread does with a closed arena
      other.join();
      assertFalse(arena.scope().isAlive());
    }
  }

  private static void close(Arena arena) {
    while (arena.scope().isAlive())
      try {
        arena.close();
      } catch (IllegalStateException e) {
        // the JDK holds it while it copies
      }
  }

  @Test
  void aSharedArenaMayBeClosedAtAnyTime() throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256", Ours.PROVIDER);
    closeDuring(digest::update);
    closeDuring(buffer -> HeadraceBatch.digest("SHA-256", List.of(buffer)));
    Mac mac = Mac.getInstance("HmacSHA256", Ours.PROVIDER);
    mac.init(KEY);
    closeDuring(mac::update);
    Cipher cipher = Cipher.getInstance("AES/CTR/NoPadding", Ours.PROVIDER);
    cipher.init(Cipher.ENCRYPT_MODE, KEY, new IvParameterSpec(new byte[16]));
    closeDuring(buffer -> cipher.update(buffer, ByteBuffer.allocate(LONG)));
    closeDuring(buffer -> cipher.update(ByteBuffer.allocateDirect(LONG), buffer));
  }

  /** The memory of a shared arena is copied: into its place, and no more than there is to write. */
  @Test
  void aSharedArenaIsUsedAsOthersAre() throws Exception {
    Cipher cipher = Cipher.getInstance("AES/CBC/PKCS5Padding", Ours.PROVIDER);
    byte[] text = "a text of more than one block".getBytes(StandardCharsets.US_ASCII);
    cipher.init(Cipher.ENCRYPT_MODE, KEY, new IvParameterSpec(new byte[16]));
    byte[] want = cipher.doFinal(text);
    try (Arena arena = Arena.ofShared()) {
      ByteBuffer all = arena.allocate(1000).asByteBuffer();
      ByteBuffer in = all.slice(100, text.length).put(text).flip(), out = all.slice(110, 500).position(3);
      assertEquals(want.length, cipher.doFinal(in, out)); // in is overwritten
      assertEquals(text.length, in.position());
      assertEquals(3 + want.length, out.position());
      byte[] got = new byte[want.length], behind = new byte[400];
      all.get(113, got).get(113 + want.length, behind);
      assertArrayEquals(want, got);
      assertArrayEquals(new byte[400], behind);
      assertThrows(ShortBufferException.class, () -> cipher.doFinal(in.flip(), all.slice(0, want.length - 1)));
    }
  }

  private static byte[] deep(MessageDigest digest, int left) {
    return left == 0 ? digest.digest(new byte[3]) : deep(digest, left - 1);
  }

  /** A program that catches a StackOverflowError must get one. */
  @Test
  void aFullStackIsNoFaultOfTheLibrary() throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256", Ours.PROVIDER);
    byte[] want = digest.digest(new byte[3]);
    for (int depth = 1000; ; depth += 7) {
      try {
        deep(digest, depth);
      } catch (StackOverflowError e) {
        break;
      }
    }
    digest.reset();
    assertArrayEquals(want, digest.digest(new byte[3]));
  }
}
