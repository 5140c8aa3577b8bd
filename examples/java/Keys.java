// SPDX-License-Identifier: Apache-2.0
// The keys of the accelerator that this user may use, and a signature by each. Certificates in PEM are
// found by their public keys; without the file the keys have none:
//     java -cp /usr/share/java/headrace-jce.jar Keys.java [certificates.pem]
import java.io.FileInputStream;
import java.io.InputStream;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Security;
import java.security.Signature;
import java.util.Collections;
import java.util.Map;
import org.headrace.jce.HeadraceProvider;

class Keys {
  /** An algorithm for each kind of keys; one whose terms forbid it fails. */
  private static final Map<String, String> ALGORITHMS =
      Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA", "EdDSA", "Ed25519", "ML-DSA", "ML-DSA");

  public static void main(String[] arguments) throws Exception {
    Security.addProvider(new HeadraceProvider()); // not again where it is there already
    KeyStore store = KeyStore.getInstance("Headrace");
    try (InputStream in = arguments.length == 0 ? null : new FileInputStream(arguments[0])) {
      store.load(in, null);
    }
    if (HeadraceProvider.keyStoreFailure() != null) {
      System.err.println("There are no keys: " + HeadraceProvider.keyStoreFailure());
      System.exit(1);
    }
    for (String alias : Collections.list(store.aliases())) {
      if (!(store.getKey(alias, null) instanceof PrivateKey key)) continue; // that of an HMAC
      Signature signature = Signature.getInstance(ALGORITHMS.get(key.getAlgorithm()));
      signature.initSign(key);
      signature.update("a message".getBytes());
      boolean isCertified = store.getCertificate(alias) != null;
      System.out.println(key + (isCertified ? ", certified" : "") + ": " + signature.sign().length + " bytes");
    }
  }
}
