// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Buffers that another thread moves by mistake, and buffers of the largest size. */
class BuffersTest {
  private static final SecretKeySpec KEY = new SecretKeySpec(new byte[16], "AES");
  private static final int LENGTH = 4096;
  private static final int CALLS = 200_000;

  /** Sets a buffer's position to its beginning and almost to its end, until it is interrupted. */
  private static Thread mover(ByteBuffer buffer) {
    Thread thread =
        new Thread(
            () -> {
              while (!Thread.currentThread().isInterrupted()) {
                buffer.position(LENGTH - 16);
                buffer.position(0);
              }
            });
    thread.start();
    return thread;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void nothingIsWrittenBehindABufferThatMoves(boolean isDirect) throws Exception {
    ByteBuffer all = isDirect ? ByteBuffer.allocateDirect(2 * LENGTH) : ByteBuffer.allocate(2 * LENGTH);
    ByteBuffer out = all.slice(0, LENGTH);
    Cipher cipher = Cipher.getInstance("AES/CTR/NoPadding", Ours.PROVIDER);
    cipher.init(Cipher.ENCRYPT_MODE, KEY, new IvParameterSpec(new byte[16]));
    Thread mover = mover(out);
    for (int i = 0; i < CALLS; i++)
      try {
        cipher.update(ByteBuffer.allocate(LENGTH / 2), out);
      } catch (Exception e) {
        // any is right
      }
    mover.interrupt();
    mover.join();
    byte[] behind = new byte[LENGTH];
    all.get(LENGTH, behind);
    assertArrayEquals(new byte[LENGTH], behind);
  }

  /** The JVM must not crash, as it does where memory behind a buffer is read that is not there. */
  @Test
  void nothingIsReadBehindABufferThatMoves() throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256", Ours.PROVIDER);
    mac.init(KEY);
    MessageDigest digest = MessageDigest.getInstance("SHA-256", Ours.PROVIDER);
    ByteBuffer buffer = ByteBuffer.allocateDirect(LENGTH);
    Thread mover = mover(buffer);
    for (int i = 0; i < CALLS; i++)
      try {
        digest.update(buffer);
        mac.update(buffer);
      } catch (Exception e) {
        // any is right
      }
    mover.interrupt();
    mover.join();
    digest.reset();
    buffer.clear();
    digest.update(buffer);
    assertArrayEquals(MessageDigest.getInstance("SHA-256", "SUN").digest(new byte[LENGTH]), digest.digest());
  }

  /** 2 GiB less a byte of zeros, which take no place in this file. */
  @Test
  void theLargestBufferIsTaken() throws Exception {
    Path folder = Path.of(BuffersTest.class.getProtectionDomain().getCodeSource().getLocation().toURI()).getParent();
    Path file = Files.createTempFile(folder, "zeros", null);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer zeros = channel.map(FileChannel.MapMode.READ_WRITE, 0, Integer.MAX_VALUE).asReadOnlyBuffer();
      MessageDigest digest = MessageDigest.getInstance("SHA-1", Ours.PROVIDER);
      digest.update(zeros);
      assertEquals("57785721e81952fac3e15272ffb04ba0eb73a0fa", HexFormat.of().formatHex(digest.digest())); // of sha1sum
      Mac mac = Mac.getInstance("AESGMAC", Ours.PROVIDER);
      mac.init(KEY, new IvParameterSpec(new byte[12]));
      mac.update(zeros.clear());
      byte[] whole = mac.doFinal();
      mac.init(KEY, new IvParameterSpec(new byte[11]));
      mac.init(KEY, new IvParameterSpec(new byte[12]));
      mac.update(zeros.clear().limit(1 << 30));
      mac.update(zeros.limit(Integer.MAX_VALUE));
      assertArrayEquals(mac.doFinal(), whole);
    } finally {
      Files.delete(file);
    }
  }
}
