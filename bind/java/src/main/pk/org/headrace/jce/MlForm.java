// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Security;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The forms of a private key of ML-DSA or ML-KEM in PKCS#8: the choices of RFC 9881 and RFC 9935. JDK 25
 * began with the key alone. Its updates, and those of 17, have a property for the form of new keys, which
 * is the seed if nobody sets it.
 */
enum MlForm {
  SEED {
    @Override
    byte[] encode(MlSet set, byte[][] parts) {
      return set.encodeSeed(parts[2]);
    }
  },
  EXPANDED {
    @Override
    byte[] encode(MlSet set, byte[][] parts) {
      return set.encodePrivate(parts[0]);
    }
  },
  BOTH {
    @Override
    byte[] encode(MlSet set, byte[][] parts) {
      return set.encodeBoth(parts[2], parts[0]);
    }
  };

  private static final Map<String, Boolean> READS_SEEDS = new ConcurrentHashMap<>();

  /** The encoding of a new key, of which parts has the private key, the public one, and the seed. */
  abstract byte[] encode(MlSet set, byte[][] parts);

  /** The form in which the JDK's generator writes the private keys of a family. */
  static MlForm ofNewKeys(String family) {
    if (!READS_SEEDS.computeIfAbsent(family, MlForm::readsSeeds)) return EXPANDED;
    String property = "jdk." + family.replace("-", "").toLowerCase(Locale.ROOT) + ".pkcs8.encoding";
    String wanted = System.getProperty(property);
    if (wanted == null) wanted = Security.getProperty(property);
    if ("expandedKey".equalsIgnoreCase(wanted)) return EXPANDED;
    return "both".equalsIgnoreCase(wanted) ? BOTH : SEED;
  }

  /** Tells by a key whether the JDK knows seeds: the numbers of versions differ by who made the JDK. */
  private static boolean readsSeeds(String family) {
    if (!JdkKeys.has(family)) return false;
    MlSet set = MlSet.ofName(family);
    try {
      KeyFactory jdk = JdkKeys.factory(family);
      jdk.generatePrivate(new PKCS8EncodedKeySpec(set.encodeSeed(new byte[set.seed()])));
      return true;
    } catch (GeneralSecurityException e) {
      return false;
    }
  }
}
