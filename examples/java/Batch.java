// SPDX-License-Identifier: Apache-2.0
// Digests of many messages in one call, here of the lines of stdin:
//     java -cp /usr/share/java/headrace-jce.jar Batch.java SHA-512 <file
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.headrace.jce.HeadraceBatch;

class Batch {
  public static void main(String[] arguments) throws Exception {
    if (arguments.length != 1) {
      System.err.println("usage: Batch.java DIGEST <file");
      System.exit(2);
    }
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    byte[][] messages = in.lines().map(line -> line.getBytes(StandardCharsets.UTF_8)).toArray(byte[][]::new);
    for (byte[] digest : HeadraceBatch.digest(arguments[0], messages))
      System.out.println(HexFormat.of().formatHex(digest));
  }
}
