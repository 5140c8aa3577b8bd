// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.Provider;
import java.security.PublicKey;
import java.security.Security;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** What is left of the message of a Signature after a call that was refused: what the JDK's keep. */
class RefusedCallTest {
  private static final String[] NAMES = {
    "SHA256withRSA", "NONEwithRSA", "RSASSA-PSS", "SHA256withECDSA", "SHA256withECDSAinP1363Format",
    "NONEwithECDSA", "SHA256withDSA", "SHA256withDSAinP1363Format", "NONEwithDSA", "Ed25519"
  };
  private static final byte[] MESSAGE = "twenty bytes of text".getBytes(StandardCharsets.US_ASCII);
  private static final int HALF = MESSAGE.length / 2;

  private interface Call {
    void on(Signature signature) throws Exception;
  }

  private static Signature make(String name, boolean isOurs) throws Exception {
    Provider jdk = name.equals("NONEwithRSA") ? Security.getProvider("SunJCE") : null;
    Signature made =
        isOurs || jdk != null
            ? Signature.getInstance(name, isOurs ? Ours.PROVIDER : jdk)
            : Signature.getInstance(name, new Model());
    if (name.equals("RSASSA-PSS"))
      made.setParameter(new PSSParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, 32, 1));
    return made;
  }

  private static KeyPair pair(String name) throws Exception {
    if (name.contains("RSA")) return Keys.rsa(1024);
    if (name.contains("ECDSA")) return Keys.pair("EC", new ECGenParameterSpec("secp256r1"));
    return name.startsWith("Ed") ? Keys.pair("Ed25519", null) : PairsOfKeys.dsa(1024);
  }

  /** Calls that both refuse, or that end the message. */
  private static Map<String, Call> calls(String name, byte[] good) throws Exception {
    KeyPair other = PairsOfKeys.other(name);
    Map<String, Call> all = new LinkedHashMap<>();
    all.put("sign(short)", s -> s.sign(new byte[3], 0, 3));
    all.put("sign", Signature::sign);
    all.put("initSign(other)", s -> s.initSign(other.getPrivate()));
    all.put("initVerify(other)", s -> s.initVerify(other.getPublic()));
    all.put("initVerify(null)", s -> s.initVerify((PublicKey) null));
    all.put("setParameter", s -> s.setParameter(new ECGenParameterSpec("secp256r1")));
    all.put("verify(null)", s -> s.verify(null));
    for (int more : new int[] {-good.length, -1, 1}) {
      // A NumberFormatException is none that Signature names.
      if (more == -good.length && name.equals("SHA256withDSAinP1363Format")) continue;
      if (more > 0 && name.startsWith("Ed")) continue; // JDK 17 takes more bytes
      all.put("verify(" + more + ")", s -> s.verify(Arrays.copyOf(good, good.length + more)));
    }
    for (int value : new int[] {0, -1}) {
      byte[] filled = new byte[good.length];
      Arrays.fill(filled, (byte) value);
      all.put("verify(all " + value + ")", s -> s.verify(filled));
    }
    return all;
  }

  @TestFactory
  Collection<DynamicTest> theMessageGoesOnAsTheJdks() throws Exception {
    List<DynamicTest> tests = new ArrayList<>();
    for (String name : NAMES) {
      KeyPair pair = pair(name);
      Signature signer = make(name, false);
      signer.initSign(pair.getPrivate());
      signer.update(MESSAGE);
      byte[] good = signer.sign();
      for (Map.Entry<String, Call> e : calls(name, good).entrySet())
        tests.add(
            DynamicTest.dynamicTest(
                name + " " + e.getKey(), () -> compare(name, pair, good, e.getValue())));
    }
    return tests;
  }

  private static void compare(String name, KeyPair pair, byte[] good, Call call) throws Exception {
    for (int first : new int[] {0, HALF, MESSAGE.length}) {
      String theirs = verified(name, false, pair, good, call, first);
      assertEquals(theirs, verified(name, true, pair, good, call, first));
      theirs = signed(name, false, pair, call, first);
      assertEquals(theirs, signed(name, true, pair, call, first));
    }
  }

  /** Whether the signature is right for what is left of so many bytes, with the others after it. */
  private static String verified(
      String name, boolean isOurs, KeyPair pair, byte[] good, Call call, int first) throws Exception {
    Signature s = make(name, isOurs);
    s.initVerify(pair.getPublic());
    s.update(MESSAGE, 0, first);
    Object refused = Outcome.of(() -> done(s, call)).key();
    s.update(MESSAGE, first, MESSAGE.length - first);
    return first + ": " + refused + ", " + Outcome.of(() -> s.verify(good)).key();
  }

  /** Of which bytes of the message a signature is made. */
  private static String signed(String name, boolean isOurs, KeyPair pair, Call call, int first)
      throws Exception {
    Signature s = make(name, isOurs);
    s.initSign(pair.getPrivate());
    s.update(MESSAGE, 0, first);
    Object refused = Outcome.of(() -> done(s, call)).key();
    s.update(MESSAGE, first, MESSAGE.length - first);
    Outcome<byte[]> made = Outcome.of(s::sign);
    if (made.value() == null) return first + ": " + refused + ", " + made.thrown();
    Signature reader = make(name, false);
    for (int from : new int[] {0, first}) {
      reader.initVerify(pair.getPublic());
      reader.update(MESSAGE, from, MESSAGE.length - from);
      Object isRight = Outcome.of(() -> reader.verify(made.value())).value();
      if (Boolean.TRUE.equals(isRight)) return first + ": " + refused + ", from " + from;
    }
    return first + ": " + refused + ", of something else";
  }

  private static String done(Signature s, Call call) throws Exception {
    call.on(s);
    return "done";
  }

  private static final int MIB = 1 << 20;
  private static final String[] RAW = {
    "NONEwithRSA", "NONEwithECDSA", "NONEwithECDSAinP1363Format", "NONEwithDSA", "NONEwithDSAinP1363Format"
  };

  /** A message that can only be refused takes no memory, and the object serves the next key. */
  @TestFactory
  Collection<DynamicTest> aMessageThatIsTooLongIsNotKept() {
    List<DynamicTest> tests = new ArrayList<>();
    for (String name : RAW)
      for (boolean isSigning : new boolean[] {false, true}) {
        String text = name + (isSigning ? " signs" : " verifies");
        tests.add(DynamicTest.dynamicTest(text, () -> overfill(name, isSigning)));
      }
    return tests;
  }

  private static void overfill(String name, boolean isSigning) throws Exception {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    KeyPair pair = pair(name);
    Signature s = make(name, true);
    byte[] good = sign(s, pair);
    if (isSigning) s.initSign(pair.getPrivate());
    else s.initVerify(pair.getPublic());
    ByteBuffer piece = ByteBuffer.allocate(MIB);
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < 32; i++) s.update(piece.clear());
    long taken = threads.getCurrentThreadAllocatedBytes() - before;
    assertTrue(taken < MIB, () -> taken + " bytes");
    if (isSigning) assertThrows(SignatureException.class, s::sign);
    else if (name.equals("NONEwithRSA")) assertEquals(false, s.verify(good));
    else assertThrows(SignatureException.class, () -> s.verify(good));
    byte[] again = sign(s, pair);
    s.initVerify(pair.getPublic());
    s.update(MESSAGE);
    assertTrue(s.verify(again));
  }

  private static byte[] sign(Signature s, KeyPair pair) throws Exception {
    s.initSign(pair.getPrivate());
    s.update(MESSAGE);
    return s.sign();
  }
}
