// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import java.security.Provider;
import java.security.Security;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Every service of the provider against the JDK's of the same name, or Bouncy Castle's, by random calls
 * ({@link Walk}). {@code -Dheadrace.test.walks=N} sets how many walks a service takes,
 * {@code -Dheadrace.test.seed=N} takes others, or repeats what failed, and
 * {@code -Dheadrace.test.only=REGEX} takes those services whose types and names match, such as
 * "Cipher AES/.*".
 */
class DifferentialTest {
  private static final int STEPS = 40;
  private static final int WALKS = Integer.getInteger("headrace.test.walks", 6);
  private static final String ONLY = System.getProperty("headrace.test.only", ".*");
  private static final long SEED = Long.getLong("headrace.test.seed", 1);

  /** Makes a walk with an object of each of two services. */
  interface Maker {
    Walk<?> make(Dice dice, Provider.Service own, Provider model) throws Exception;
  }

  /** A type of service, an expression for the names of some of its algorithms, and what walks through these. */
  record Row(String type, String names, Maker maker) {}

  /** The first row that fits counts. */
  private static final List<Row> ROWS =
      Stream.concat(
              Stream.of(
                  new Row("MessageDigest", ".*", DigestWalk::new), new Row("Mac", ".*", MacWalk::new),
                  new Row("Cipher", "RSA.*", RsaWalk::new), new Row("Cipher", "AES.*/KWP?/.*", WrapWalk::new),
                  new Row("Cipher", ".*", CipherWalk::new),
                  new Row("Signature", ".*", SignatureWalk::new), new Row("KeyAgreement", ".*", AgreementWalk::new),
                  new Row("SecretKeyFactory", "PBKDF2.*", PasswordWalk::new)),
              later().stream())
          .toList();

  /** Services that have tests of their own: those that make objects keep nothing between calls. */
  private static final String NO_WALK =
      "(KeyGenerator|KeyPairGenerator|KeyFactory|AlgorithmParameter(s|Generator)|KeyStore) .*|SecretKeyFactory DES.*";

  /** The rows of services that came after Java 17. */
  @SuppressWarnings("unchecked")
  private static List<Row> later() {
    try {
      Class<?> rows = Class.forName("org.headrace.test.LaterWalks");
      return ((Supplier<List<Row>>) rows.getDeclaredConstructor().newInstance()).get();
    } catch (ReflectiveOperationException e) {
      return List.of();
    }
  }

  private static Row row(Provider.Service own) {
    for (Row row : ROWS)
      if (!name(own).matches(NO_WALK) && row.type.equals(own.getType()) && own.getAlgorithm().matches(row.names)) return row;
    return null;
  }

  /** The peers, of which the first that has a service is its model. */
  private static final List<Provider> MODELS = List.of(new Model(), new BouncyCastleProvider(), new XtsModel());

  private static Provider model(Provider.Service own) {
    // Java makes this signature of SunJCE's cipher, which has it not as a service.
    if (own.getAlgorithm().equals("NONEwithRSA")) return Security.getProvider("SunJCE");
    for (Provider provider : MODELS)
      if (Ours.has(provider, own.getType(), own.getAlgorithm())) return provider;
    return null;
  }

  private static String name(Provider.Service own) {
    return own.getType() + " " + own.getAlgorithm();
  }

  /** KEMs, which Java 21 has, walk where the classes for Java 25 can be loaded. */
  @Test
  void noServiceIsForgotten() {
    String none = Runtime.version().feature() < 25 ? NO_WALK + "|KEM .*" : NO_WALK;
    for (Provider.Service own : Ours.PROVIDER.getServices())
      assertTrue(row(own) != null || name(own).matches(none), name(own));
  }

  @TestFactory
  Stream<DynamicTest> services() {
    System.out.println("# -Dheadrace.test.seed=" + SEED + "L, " + WALKS + " walks of " + STEPS + " steps a service");
    return Ours.PROVIDER.getServices().stream()
        .filter(s -> row(s) != null && name(s).matches(ONLY))
        .sorted(Comparator.comparing(DifferentialTest::name))
        .map(s -> DynamicTest.dynamicTest(name(s), () -> compare(s)));
  }

  private static void compare(Provider.Service own) throws Exception {
    Provider model = model(own);
    if (model instanceof BouncyCastleProvider && own.getType().equals("Signature"))
      abort("the JDK has it not, and Bouncy Castle takes keys of its own only");
    if (model == null) abort("neither the JDK nor Bouncy Castle has it");
    for (int i = 0; i < WALKS; i++) {
      Dice dice = new Dice(SEED + i);
      try {
        row(own).maker.make(dice, own, model).walk(STEPS);
      } catch (Exception | AssertionError e) {
        throw new AssertionError("walk " + i + " of -Dheadrace.test.seed=" + SEED + ": " + e.getMessage(), e);
      }
    }
  }
}
