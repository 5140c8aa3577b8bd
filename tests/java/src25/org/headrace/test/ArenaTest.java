// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** Buffers whose memory an arena has, which may be gone or another thread's. */
class ArenaTest {
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
