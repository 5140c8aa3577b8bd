// SPDX-License-Identifier: Apache-2.0
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.Security;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.TrustManagerFactory;

/**
 * Full TLS 1.3 handshakes of JSSE in memory: the CPU time that the server takes for one, with a key of
 * P-256 and one of RSA-2048. A client in the same thread is not counted. With the argument "headrace"
 * the provider is the first one:
 *
 * <pre>java -cp build/java/headrace-jce-VERSION.jar bench/java/Handshakes.java [headrace] [SECONDS]</pre>
 */
public final class Handshakes {
  private static final char[] PASSWORD = "password".toCharArray();
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final SSLContext server;
  private final SSLContext client;
  private long serverTime;

  private Handshakes(KeyStore keys) throws Exception {
    KeyManagerFactory managers = KeyManagerFactory.getInstance("SunX509");
    managers.init(keys, PASSWORD);
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(keys);
    server = SSLContext.getInstance("TLSv1.3");
    server.init(managers.getKeyManagers(), null, null);
    client = SSLContext.getInstance("TLSv1.3");
    client.init(null, trust.getTrustManagers(), null);
  }

  /** Runs it for both kinds of keys, and prints the microseconds of each. */
  public static void main(String[] args) throws Exception {
    boolean isOurs = args.length > 0 && args[0].equals("headrace");
    int seconds = args.length > 0 ? Integer.parseInt(args[args.length - 1].replaceAll("\\D", "0")) : 0;
    if (isOurs) {
      Object provider = Class.forName("org.headrace.jce.HeadraceProvider").getConstructor().newInstance();
      Security.insertProviderAt((java.security.Provider) provider, 1);
    }
    String[][] kinds = {{"EC", "-groupname", "secp256r1"}, {"RSA", "-keysize", "2048"}};
    for (String[] kind : kinds) {
      Handshakes loop = new Handshakes(newKeys(kind));
      loop.measure(Math.max(seconds, 4) / 2); // compiles
      System.out.printf(
          "%s %s %s: %.1f us of the server's CPU a handshake%n",
          Runtime.version().feature(), isOurs ? "Headrace" : "JDK", kind[0] + " " + kind[2],
          loop.measure(Math.max(seconds, 4)));
    }
  }

  private double measure(int seconds) throws Exception {
    serverTime = 0;
    long end = System.nanoTime() + seconds * 1_000_000_000L;
    int count = 0;
    for (; System.nanoTime() < end; count++) handshake();
    return serverTime / 1e3 / count;
  }

  /** A store with a new key and its certificate, by keytool. */
  private static KeyStore newKeys(String[] kind) throws Exception {
    Path folder = Files.createTempDirectory("handshakes");
    Path file = folder.resolve("keys.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair", "-alias",
                "server", "-keyalg", kind[0], kind[1], kind[2], "-dname", "CN=localhost", "-storetype", "PKCS12",
                "-keystore", file.toString(), "-storepass", new String(PASSWORD))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (keytool.waitFor() != 0) throw new IllegalStateException("keytool failed");
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      keys.load(in, PASSWORD);
    }
    Files.delete(file);
    Files.delete(folder);
    KeyStore both = KeyStore.getInstance("PKCS12");
    both.load(null, null);
    both.setKeyEntry("server", keys.getKey("server", PASSWORD), PASSWORD, keys.getCertificateChain("server"));
    both.setCertificateEntry("trusted", keys.getCertificate("server"));
    return both;
  }

  private static boolean isDone(SSLEngine engine) {
    return engine.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING;
  }

  private void handshake() throws Exception {
    long before = THREADS.getCurrentThreadCpuTime();
    SSLEngine ours = server.createSSLEngine();
    ours.setUseClientMode(false);
    serverTime += THREADS.getCurrentThreadCpuTime() - before;
    SSLEngine peer = client.createSSLEngine();
    peer.setUseClientMode(true);
    int room = peer.getSession().getPacketBufferSize() * 2;
    ByteBuffer toServer = ByteBuffer.allocate(room);
    ByteBuffer toClient = ByteBuffer.allocate(room);
    peer.beginHandshake();
    ours.beginHandshake();
    for (int i = 0; i < 40 && !(isDone(ours) && isDone(peer) && toClient.position() == 0); i++) {
      turn(peer, toClient, toServer);
      before = THREADS.getCurrentThreadCpuTime();
      turn(ours, toServer, toClient);
      serverTime += THREADS.getCurrentThreadCpuTime() - before;
    }
    if (!isDone(ours) || !isDone(peer)) throw new IllegalStateException("the handshake does not end");
  }

  /** Lets an engine read what there is, compute, and write. */
  private static void turn(SSLEngine engine, ByteBuffer in, ByteBuffer out) throws Exception {
    ByteBuffer none = ByteBuffer.allocate(0);
    ByteBuffer text = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize());
    in.flip();
    while (in.hasRemaining()) {
      int left = in.remaining();
      engine.unwrap(in, text);
      compute(engine);
      if (in.remaining() == left && engine.getHandshakeStatus() != HandshakeStatus.NEED_UNWRAP) break;
    }
    in.compact();
    while (engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
      engine.wrap(none, out);
      compute(engine);
    }
  }

  private static void compute(SSLEngine engine) {
    for (Runnable task; engine.getHandshakeStatus() == HandshakeStatus.NEED_TASK; )
      while ((task = engine.getDelegatedTask()) != null) task.run();
  }
}
