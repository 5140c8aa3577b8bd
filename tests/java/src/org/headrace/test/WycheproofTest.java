// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.security.GeneralSecurityException;
import java.security.Provider;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Wycheproof's cases by the provider's services. A valid one must give its result; an invalid one must
 * be refused, by an exception of java.security or by the verdict; of the others what is accepted must be
 * right. Where the JDK's own provider departs from that in the same way, by accepting a form or refusing
 * a length, the provider agrees with the JDK; such cases are counted. A file whose service the provider
 * has not is skipped by name.
 */
class WycheproofTest {
  /** How a case of a schema is computed. */
  interface Schema {
    /** The service that cases of a file need: its type and its name; null where none can serve. */
    String[] service(String algorithm, Vectors.Case first);

    /**
     * Whether the case was accepted, with the result that it names; false if it was refused. Throws an
     * AssertionError if a wrong result came out.
     */
    boolean accepts(Provider provider, String service, Vectors.Case one) throws GeneralSecurityException;

    /** Why a case says nothing about the provider, or null. */
    default String skips(String service, Vectors.Case one) {
      return null;
    }
  }

  private static final String REFUSED = "was refused";
  private static final Provider MODEL = new Model();
  private static final Map<String, Schema> SCHEMAS = new HashMap<>();

  static {
    SCHEMAS.putAll(WycheproofSymmetric.SCHEMAS);
    SCHEMAS.putAll(WycheproofPublicKey.SCHEMAS);
  }

  @TestFactory
  Stream<DynamicTest> files() throws Exception {
    List<Vectors.File> files = Vectors.read();
    if (files.isEmpty())
      return Stream.of(DynamicTest.dynamicTest("collection", () -> abort("there is no collection of vectors")));
    return files.stream().map(file -> DynamicTest.dynamicTest(file.name(), () -> run(file)));
  }

  private static void run(Vectors.File file) {
    Schema schema = SCHEMAS.get(file.schema());
    if (schema == null) abort("nothing in Java is of the form " + file.schema());
    String[] service = schema.service(file.algorithm(), file.cases().get(0));
    if (service == null) abort("Java has no " + file.algorithm());
    if (!Ours.has(service[0], service[1])) abort("the provider has no " + service[0] + " " + service[1]);
    List<String> wrong = new ArrayList<>();
    Map<String, Integer> skipped = new HashMap<>();
    int done = 0, alike = 0;
    for (Vectors.Case one : file.cases()) {
      String why = schema.skips(service[1], one);
      if (why != null) {
        skipped.merge(why, 1, Integer::sum);
        continue;
      }
      done++;
      String error = error(Ours.PROVIDER, schema, service[1], one);
      if (error == null) continue;
      if (!error.equals(REFUSED) && error.equals(error(MODEL, schema, service[1], one))) alike++;
      else wrong.add(one + ": " + error);
    }
    System.out.println("# " + file.name() + ": " + done + " cases of " + service[1] + ", " + alike + " as the JDK" + skipped(skipped));
    assertTrue(done > 0, "all cases are skipped");
    if (!wrong.isEmpty())
      fail(wrong.size() + " of " + done + " cases\n" + String.join("\n", wrong.subList(0, Math.min(20, wrong.size()))));
  }

  private static String skipped(Map<String, Integer> counts) {
    StringBuilder text = new StringBuilder();
    counts.forEach((why, count) -> text.append(", ").append(count).append(" skipped: ").append(why));
    return text.toString();
  }

  /** What is wrong with a provider's answer, or null. */
  private static String error(Provider provider, Schema schema, String service, Vectors.Case one) {
    try {
      boolean accepted = schema.accepts(provider, service, one);
      if (one.isValid() && !accepted) return REFUSED;
      return one.isInvalid() && accepted ? "was accepted" : null;
    } catch (GeneralSecurityException e) {
      return one.isValid() ? e.getClass().getName() : null;
    } catch (RuntimeException | Error e) {
      return e + " at " + (e.getStackTrace().length > 0 ? e.getStackTrace()[0] : "");
    }
  }
}
