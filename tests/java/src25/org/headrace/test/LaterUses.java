// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.security.KeyPair;
import java.security.Provider;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Supplier;
import javax.crypto.KDF;
import javax.crypto.KEM;
import javax.crypto.spec.HKDFParameterSpec;

/** Uses of services that came after Java 17, which {@link Uses} finds by this name. */
final class LaterUses implements Supplier<Map<String, Uses.Use>> {
  @Override
  public Map<String, Uses.Use> get() {
    return Map.of("KDF", LaterUses::derive, "KEM", LaterUses::encapsulate);
  }

  private static byte[] derive(Provider.Service s, Dice dice) throws Exception {
    KDF kdf = KDF.getInstance(s.getAlgorithm(), s.getProvider());
    return kdf.deriveData(
        HKDFParameterSpec.ofExtract().addIKM(dice.bytes(32)).addSalt(dice.bytes(20)).thenExpand(dice.bytes(9), 100));
  }

  private static byte[] encapsulate(Provider.Service s, Dice dice) throws Exception {
    KeyPair keys = Keys.pair(s.getAlgorithm().equals("DHKEM") ? "X25519" : s.getAlgorithm(), null);
    KEM.Encapsulated sent =
        KEM.getInstance(s.getAlgorithm(), s.getProvider()).newEncapsulator(keys.getPublic()).encapsulate();
    byte[] found =
        KEM.getInstance(s.getAlgorithm(), s.getProvider())
            .newDecapsulator(keys.getPrivate())
            .decapsulate(sent.encapsulation())
            .getEncoded();
    if (!Arrays.equals(sent.key().getEncoded(), found)) throw new AssertionError(s.getAlgorithm());
    return new byte[0];
  }
}
