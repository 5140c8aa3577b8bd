// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.security.InvalidKeyException;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PublicKey;
import java.security.Security;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.headrace.jce.HeadraceBatch;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Batches compute what the JDK's providers compute for one message after another. */
class BatchTest {
  private static final String[] DIGESTS = {
    "MD5", "sha1", "SHA-224", "SHA-256", "SHA-384", "SHA-512", "SHA-512/224", "2.16.840.1.101.3.4.2.6",
    "SHA3-224", "SHA3-256", "SHA3-384", "SHA3-512", "MD2",
  };

  /** Numbers of messages: none, fewer than lanes, and around one call and two. */
  private static final int[] NUMBERS = {0, 1, 3, 17, 255, 256, 257, 600};

  private static byte[][] messages(Dice dice, int num) {
    byte[][] all = new byte[num][];
    for (int i = 0; i < num; i++) all[i] = dice.bytes(dice.length());
    return all;
  }

  private static void assertSame(byte[][] wanted, byte[][] found) {
    assertEquals(wanted.length, found.length);
    for (int i = 0; i < wanted.length; i++) assertArrayEquals(wanted[i], found[i], "message " + i);
  }

  private static byte[][] alone(MessageDigest digest, byte[][] messages) {
    return Arrays.stream(messages).map(digest::digest).toArray(byte[][]::new);
  }

  @TestFactory
  List<DynamicTest> digests() {
    return Arrays.stream(DIGESTS).map(d -> DynamicTest.dynamicTest(d, () -> digest(d))).toList();
  }

  private static void digest(String name) throws Exception {
    MessageDigest model = MessageDigest.getInstance(name, "SUN");
    for (int num : NUMBERS) {
      byte[][] messages = messages(new Dice(num), num);
      assertSame(alone(model, messages), HeadraceBatch.digest(name, messages));
    }
    Dice dice = new Dice(7);
    List<Memory> memories = new ArrayList<>();
    for (int i = 0; i < 300; i++) memories.add(Memory.any(dice, null, 0, false));
    List<ByteBuffer> buffers = memories.stream().map(m -> m.copy().input()).toList();
    byte[][] bytes = memories.stream().map(Memory::input).toArray(byte[][]::new);
    assertSame(alone(model, bytes), HeadraceBatch.digest(name, buffers));
    assertTrue(buffers.stream().noneMatch(ByteBuffer::hasRemaining));
  }

  /** Around a block, its padding, and the longest message that is copied. */
  private static final int[] LENGTHS = {0, 1, 55, 56, 63, 64, 65, 111, 112, 127, 128, 1024, 16384, 16385};

  /** Messages of one length go another way than mixed ones: more than fill all lanes twice, and a rest. */
  @TestFactory
  List<DynamicTest> digestsOfOneLength() {
    return Arrays.stream(DIGESTS).map(d -> DynamicTest.dynamicTest(d, () -> digestOfOneLength(d))).toList();
  }

  private static void digestOfOneLength(String name) throws Exception {
    MessageDigest model = MessageDigest.getInstance(name, "SUN");
    Dice dice = new Dice(5);
    for (int len : LENGTHS) {
      byte[][] messages = new byte[70][];
      Arrays.setAll(messages, i -> dice.bytes(len));
      assertSame(alone(model, messages), HeadraceBatch.digest(name, messages));
    }
  }

  /** While a thread changes two messages, an array and a direct buffer, the digests of the others are right. */
  @Test
  void messagesMayChangeMeanwhile() throws Exception {
    byte[][] messages = new byte[70][1024];
    messages[69] = new byte[999];
    ByteBuffer direct = ByteBuffer.allocateDirect(1024);
    List<ByteBuffer> buffers = new ArrayList<>();
    for (byte[] message : messages) buffers.add(ByteBuffer.wrap(message));
    buffers.set(40, direct);
    byte[][] wanted = alone(MessageDigest.getInstance("MD5"), messages);
    AtomicBoolean isDone = new AtomicBoolean();
    Thread writer =
        new Thread(
            () -> {
              for (byte b = 0; !isDone.get(); b++) {
                Arrays.fill(messages[5], b);
                direct.put(0, messages[5]);
              }
            });
    writer.start();
    try {
      for (int i = 0; i < 500; i++) {
        assertSameBut5And40(wanted, HeadraceBatch.digest("MD5", messages));
        assertSameBut5And40(wanted, HeadraceBatch.digest("MD5", buffers));
        buffers.forEach(ByteBuffer::rewind);
      }
    } finally {
      isDone.set(true);
      writer.join();
    }
  }

  private static void assertSameBut5And40(byte[][] wanted, byte[][] found) {
    assertEquals(16, found[5].length);
    assertEquals(16, found[40].length);
    found[5] = wanted[5];
    found[40] = wanted[40];
    assertSame(wanted, found);
  }

  @TestFactory
  List<DynamicTest> macs() {
    String[] names = {"HmacMD5", "HmacSHA1", "HMACSHA256", "HmacSHA384", "HmacSHA512", "HmacSHA512/256", "HmacSHA3-256"};
    return Arrays.stream(names).map(n -> DynamicTest.dynamicTest(n, () -> mac(n))).toList();
  }

  private static void mac(String name) throws Exception {
    Dice dice = new Dice(3);
    for (int num : NUMBERS) {
      SecretKeySpec key = new SecretKeySpec(dice.bytes(1 + dice.below(200)), name);
      Mac model = Mac.getInstance(name, "SunJCE");
      model.init(key);
      byte[][] messages = messages(dice, num);
      byte[][] wanted = Arrays.stream(messages).map(model::doFinal).toArray(byte[][]::new);
      assertSame(wanted, HeadraceBatch.mac(name, key, messages));
    }
    assertThrows(InvalidKeyException.class, () -> HeadraceBatch.mac(name, null, new byte[1][0]));
  }

  /** An algorithm of signatures, its parameters, and keys. */
  private record Signing(String name, AlgorithmParameterSpec params, KeyPair... pairs) {}

  private static List<Signing> signings() throws Exception {
    KeyPair[] rsa = {Keys.rsa(1024), Keys.rsa(2048), Keys.rsa(2056)};
    KeyPair[] ec = new KeyPair[4];
    for (int i = 0; i < ec.length; i++)
      ec[i] = Keys.pair("EC", new ECGenParameterSpec(new String[] {"secp256r1", "secp384r1", "secp521r1"}[i % 3]));
    KeyPair[] dsa = {PairsOfKeys.dsa(1024), PairsOfKeys.dsa(2048)};
    KeyPair[] ed = {Keys.pair("Ed25519", null), Keys.pair("Ed25519", null)};
    PSSParameterSpec pss = new PSSParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, 32, 1);
    List<Signing> all =
        new ArrayList<>(
            List.of(
                new Signing("SHA256withRSA", null, rsa),
                new Signing("SHA1withRSA", null, rsa),
                new Signing("MD2withRSA", null, rsa),
                new Signing("RSASSA-PSS", pss, rsa),
                new Signing("SHA256withECDSA", null, ec),
                new Signing("SHA384withECDSAinP1363Format", null, ec),
                new Signing("SHA256withDSA", null, dsa),
                new Signing("SHA256withDSAinP1363Format", null, dsa),
                new Signing("Ed25519", null, ed)));
    if (Runtime.version().feature() >= 24) all.add(new Signing("ML-DSA", null, Keys.pair("ML-DSA-44", null)));
    return all;
  }

  @TestFactory
  List<DynamicTest> signatures() throws Exception {
    return signings().stream().map(s -> DynamicTest.dynamicTest(s.name(), () -> verify(s, 150))).toList();
  }

  private static Signature jdk(Signing s) throws Exception {
    Signature made = Signature.getInstance(s.name());
    if (s.params() != null) made.setParameter(s.params());
    return made;
  }

  /** Right signatures, and some that were changed, cut, made longer, or of another key. */
  private static void verify(Signing s, int num) throws Exception {
    Dice dice = new Dice(11);
    byte[][] messages = messages(dice, num), signatures = new byte[num][];
    PublicKey[] keys = new PublicKey[num];
    boolean[] wanted = new boolean[num];
    Signature model = jdk(s);
    for (int i = 0; i < num; i++) {
      KeyPair pair = dice.of(s.pairs());
      model.initSign(pair.getPrivate());
      model.update(messages[i]);
      signatures[i] = change(dice, model.sign());
      keys[i] = dice.oneIn(8) ? dice.of(s.pairs()).getPublic() : pair.getPublic();
      wanted[i] = isRight(jdk(s), keys[i], messages[i], signatures[i]);
    }
    assertArrayEquals(wanted, HeadraceBatch.verify(s.name(), s.params(), keys, messages, signatures));
    List<Boolean> boxed = new ArrayList<>();
    for (boolean b : wanted) boxed.add(b);
    assertTrue(boxed.contains(true) && boxed.contains(false));
  }

  private static byte[] change(Dice dice, byte[] signature) {
    switch (dice.below(12)) {
      case 0 -> signature[dice.below(signature.length)] ^= (byte) (1 << dice.below(8));
      case 1 -> {
        return Arrays.copyOf(signature, dice.below(signature.length));
      }
      case 2 -> {
        return Arrays.copyOf(signature, signature.length + 1 + dice.below(300));
      }
      case 3 -> Arrays.fill(signature, (byte) 0);
      default -> {}
    }
    return signature;
  }

  private static boolean isRight(Signature model, PublicKey key, byte[] message, byte[] signature) throws Exception {
    try {
      model.initVerify(key);
      model.update(message);
      return model.verify(signature);
    } catch (SignatureException e) {
      return false;
    }
  }

  @Test
  void wrongArgumentsAreRefused() throws Exception {
    PublicKey rsa = Keys.rsa(1024).getPublic();
    byte[][] one = {new byte[3]};
    assertThrows(NoSuchAlgorithmException.class, () -> HeadraceBatch.digest("SHA-257", one));
    assertThrows(NoSuchAlgorithmException.class, () -> HeadraceBatch.verify("SHA9withRSA", rsa, one, one));
    assertThrows(InvalidKeyException.class, () -> HeadraceBatch.verify("SHA256withECDSA", rsa, one, one));
    assertThrows(IllegalArgumentException.class, () -> HeadraceBatch.verify("SHA256withRSA", rsa, one, new byte[2][]));
    assertThrows(NullPointerException.class, () -> HeadraceBatch.digest("SHA-256", new byte[2][]));
    assertFalse(HeadraceBatch.verify("SHA256withRSA", rsa, one, one)[0]);
  }

  /** Of messages before one that cannot be taken, memory outside the heap keeps nothing. */
  @Test
  void whatFailedIsWiped() throws Exception {
    byte[][] messages = new byte[9][4096];
    for (byte[] message : messages) Arrays.fill(message, (byte) 0x5a);
    messages[8] = null;
    assertThrows(NullPointerException.class, () -> HeadraceBatch.digest("SHA-256", messages));
    Field idle = Class.forName("org.headrace.jce.Scratch").getDeclaredField("IDLE");
    Field memory = Class.forName("org.headrace.jce.Scratch").getDeclaredField("memory");
    idle.setAccessible(true);
    memory.setAccessible(true);
    Collection<?> all = (Collection<?>) idle.get(null);
    assertFalse(all.isEmpty());
    for (Object scratch : all) {
      ByteBuffer bytes = ((ByteBuffer) memory.get(scratch)).duplicate();
      assertEquals(-1, bytes.mismatch(ByteBuffer.allocate(bytes.capacity())));
    }
  }

  /** A thread of Java may have less stack than signatures side by side need. */
  @Test
  void threadsWithLittleStackVerify() throws Exception {
    List<Throwable> failures = new ArrayList<>();
    Thread thread =
        new Thread(
            null,
            () -> {
              try {
                for (Signing s : signings()) verify(s, 40);
              } catch (Throwable t) {
                failures.add(t);
              }
            },
            "small",
            1);
    thread.start();
    thread.join();
    assertEquals(List.of(), failures);
  }

  /** Prints digests, of a library that is not there. */
  public static void main(String[] none) throws Exception {
    if (org.headrace.jce.HeadraceProvider.failure() == null) throw new IllegalStateException("there is a library");
    byte[][] messages = messages(new Dice(1), 20);
    assertSame(alone(MessageDigest.getInstance("SHA-256"), messages), HeadraceBatch.digest("SHA-256", messages));
    for (Signing s : signings()) if (Security.getProviders("Signature." + s.name()) != null) verify(s, 20);
    mac("HmacSHA256");
    System.out.println("done");
  }

  @Test
  void worksWithoutTheLibrary() throws Exception {
    ProcessBuilder child =
        new ProcessBuilder(
            System.getProperty("java.home") + "/bin/java", "-Dheadrace.library=/nonexistent", "-cp",
            System.getProperty("java.class.path"), BatchTest.class.getName());
    Process process = child.redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes());
    assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    assertTrue(said.endsWith("done\n"), said);
  }
}
