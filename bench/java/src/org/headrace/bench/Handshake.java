// SPDX-License-Identifier: Apache-2.0
package org.headrace.bench;

import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.Provider;
import java.security.Security;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * Full handshakes of TLS 1.3 by JSSE, in memory: {@code Handshake WHO KEYSTORE [NUMBER]} prints the
 * median of the server's CPU time in microseconds. The provider is the first one of all that JSSE asks.
 */
public final class Handshake {
  private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();
  private static final char[] PASSWORD = "changeit".toCharArray();

  private Handshake() {}

  /** Whoever it is: this is about the server's time. */
  private static final class AnyServer implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }

  /** Runs the steps of one side, until it must wait for the other's bytes. */
  private static void step(SSLEngine engine, ByteBuffer in, ByteBuffer out, ByteBuffer text)
      throws SSLException {
    for (; ; ) {
      switch (engine.getHandshakeStatus()) {
        case NEED_TASK -> engine.getDelegatedTask().run();
        case NEED_WRAP -> engine.wrap(ByteBuffer.allocate(0), out);
        case NEED_UNWRAP -> {
          in.flip();
          SSLEngineResult result = engine.unwrap(in, text);
          in.compact();
          text.clear();
          if (result.getStatus() == SSLEngineResult.Status.BUFFER_UNDERFLOW) return;
        }
        default -> {
          return;
        }
      }
    }
  }

  /** One handshake; returns the server's CPU time in nanoseconds. */
  private static long handshake(SSLContext server) throws GeneralSecurityException, SSLException {
    SSLContext client = SSLContext.getInstance("TLSv1.3"); // a new one resumes no session
    client.init(null, new TrustManager[] {new AnyServer()}, null);
    SSLEngine its = client.createSSLEngine();
    its.setUseClientMode(true);
    SSLEngine ours = server.createSSLEngine();
    ours.setUseClientMode(false);
    ByteBuffer toServer = ByteBuffer.allocate(64 * 1024);
    ByteBuffer toClient = ByteBuffer.allocate(64 * 1024);
    ByteBuffer text = ByteBuffer.allocate(64 * 1024);
    its.beginHandshake();
    ours.beginHandshake();
    long spent = 0;
    for (int round = 0; round < 8 && (isBusy(its) || isBusy(ours)); round++) {
      step(its, toClient, toServer, text);
      long start = CLOCK.getCurrentThreadCpuTime();
      step(ours, toServer, toClient, text);
      spent += CLOCK.getCurrentThreadCpuTime() - start;
    }
    if (isBusy(its) || isBusy(ours)) throw new SSLException("the handshake does not end");
    return spent;
  }

  private static boolean isBusy(SSLEngine engine) {
    return engine.getHandshakeStatus() != SSLEngineResult.HandshakeStatus.NOT_HANDSHAKING;
  }

  /**
   * Measures.
   *
   * @param args who, the file of the server's key, and how many handshakes
   */
  public static void main(String[] args) throws Exception {
    Provider provider = Providers.of(args[0]);
    if (provider != null) Security.insertProviderAt(provider, 1);
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(Path.of(args[1]))) {
      keys.load(in, PASSWORD);
    }
    KeyManagerFactory managers = KeyManagerFactory.getInstance("SunX509");
    managers.init(keys, PASSWORD);
    SSLContext server = SSLContext.getInstance("TLSv1.3");
    server.init(managers.getKeyManagers(), null, null);
    long[] times = new long[args.length > 2 ? Integer.parseInt(args[2]) : 1000];
    for (int i = 0; i < 2 * times.length; i++) handshake(server); // until it is compiled
    for (int i = 0; i < times.length; i++) times[i] = handshake(server);
    Arrays.sort(times);
    System.out.printf("%.1f%n", times[times.length / 2] / 1e3);
  }
}
