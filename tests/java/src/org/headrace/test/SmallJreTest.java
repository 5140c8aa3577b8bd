// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.security.Provider;
import org.headrace.jce.HeadraceProvider;
import org.junit.jupiter.api.Test;

/** A JRE of the module java.base only, as jlink makes it, which has no elliptic curves before Java 22. */
class SmallJreTest {
  private static final String[][] SERVICES = {
    {"KeyAgreement", "X25519"}, {"KeyAgreement", "ECDH"}, {"KeyPairGenerator", "EC"}, {"KeyPairGenerator", "X25519"},
    {"Signature", "SHA256withECDSA"}, {"Signature", "Ed25519"}, {"KeyFactory", "EC"},
  };

  /** Exits with the number of these services that can be made, or 100 if there is not even RSA. */
  public static void main(String[] arguments) throws Exception {
    Provider ours = new HeadraceProvider();
    int made = 0;
    for (String[] service : SERVICES)
      try {
        ours.getService(service[0], service[1]).newInstance(null);
        made++;
      } catch (java.security.NoSuchAlgorithmException e) {
        // as without Headrace
      }
    ours.getService("Signature", "SHA256withRSA").newInstance(null);
    System.exit(made);
  }

  @Test
  void servicesThatHaveNoKeysAreNotMade() throws Exception {
    int made =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--limit-modules", "java.base", "-Dheadrace.all=true",
                "-cp", System.getProperty("java.class.path"), SmallJreTest.class.getName())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor();
    assertEquals(Runtime.version().feature() < 22 ? 0 : SERVICES.length, made);
  }
}
