// SPDX-License-Identifier: Apache-2.0
// Which services of this JVM Headrace provides, and that one of them works:
//     java -cp /usr/share/java/headrace-jce.jar Served.java
import java.security.Provider;
import java.security.Security;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.headrace.jce.HeadraceProvider;

class Served {
  public static void main(String[] arguments) throws Exception {
    Security.insertProviderAt(new HeadraceProvider(), 1); // not again where it is there already
    Provider headrace = Security.getProvider(HeadraceProvider.NAME);
    if (HeadraceProvider.failure() != null) {
      System.err.println("Headrace offers nothing: " + HeadraceProvider.failure());
      System.exit(1);
    }
    headrace.getServices().stream()
        .map(service -> service.getType() + " " + service.getAlgorithm())
        .sorted()
        .forEach(System.out::println);
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec("key".getBytes(), "HmacSHA256"));
    byte[] tag = mac.doFinal("The quick brown fox jumps over the lazy dog".getBytes());
    System.out.println(mac.getProvider().getName() + ": " + HexFormat.of().formatHex(tag));
  }
}
