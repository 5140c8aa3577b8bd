// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assumptions.abort;

import java.security.Provider;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Every service of the provider against the JDK's of the same name, or Bouncy Castle's, by random calls
 * ({@link Walk}). {@code -Dheadrace.test.walks=N} sets how many walks a service takes, and
 * {@code -Dheadrace.test.seed=N} repeats what failed.
 */
class DifferentialTest {
  private static final int STEPS = 40;
  private static final int WALKS = Integer.getInteger("headrace.test.walks", 60);
  private static final long SEED = Long.getLong("headrace.test.seed", System.nanoTime());

  /** Makes a walk with an object of each of two services. */
  interface Maker {
    Walk<?> make(Dice dice, Provider.Service own, Provider model) throws Exception;
  }

  private static final Map<String, Maker> WALKS_BY_TYPE =
      Map.of(
          "MessageDigest", DigestWalk::new, "Mac", MacWalk::new, "Cipher", DifferentialTest::cipher,
          "Signature", SignatureWalk::new, "KeyAgreement", AgreementWalk::new);

  private static Walk<?> cipher(Dice dice, Provider.Service own, Provider model) throws Exception {
    return own.getAlgorithm().startsWith("RSA") ? new RsaWalk(dice, own, model) : new CipherWalk(dice, own, model);
  }

  private static final List<Provider> MODELS = List.of(new Model(), new BouncyCastleProvider());

  /** Whether there is a walk for a service. Others have tests of their own. */
  private static boolean hasWalk(Provider.Service own) {
    return WALKS_BY_TYPE.containsKey(own.getType())
        && !own.getAlgorithm().matches("(?i)NONEwith.*|.*(XTS|KW|Wrap|GMAC|Poly1305|POLY1305).*");
  }

  private static Provider model(Provider.Service own) {
    for (Provider provider : MODELS)
      if (Ours.has(provider, own.getType(), own.getAlgorithm())) return provider;
    return null;
  }

  @TestFactory
  Stream<DynamicTest> services() {
    System.out.println("# -Dheadrace.test.seed=" + SEED + "L, " + WALKS + " walks of " + STEPS + " steps a service");
    return Ours.PROVIDER.getServices().stream()
        .filter(DifferentialTest::hasWalk)
        .sorted(Comparator.comparing(s -> s.getType() + s.getAlgorithm()))
        .map(s -> DynamicTest.dynamicTest(s.getType() + " " + s.getAlgorithm(), () -> compare(s)));
  }

  private static void compare(Provider.Service own) throws Exception {
    Provider model = model(own);
    if (model instanceof BouncyCastleProvider && own.getType().equals("Signature"))
      abort("the JDK has it not, and Bouncy Castle takes keys of its own only");
    if (model == null) abort("neither the JDK nor Bouncy Castle has it");
    for (int i = 0; i < WALKS; i++) {
      Dice dice = new Dice(SEED + i);
      try {
        WALKS_BY_TYPE.get(own.getType()).make(dice, own, model).walk(STEPS);
      } catch (Exception | AssertionError e) {
        throw new AssertionError("walk " + i + " of -Dheadrace.test.seed=" + SEED + ": " + e.getMessage(), e);
      }
    }
  }
}
