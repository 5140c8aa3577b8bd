// SPDX-License-Identifier: Apache-2.0
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.security.ssl.DefaultSslEngineFactory;

/**
 * A Kafka broker, a process of its own with KRaft and one node, and a producer and a consumer that talk
 * with it by TLS: small records that are sent at once, large batches, and handshakes.
 */
final class KafkaEngine {
  private static final int LARGE = 256 * 1024;

  private static Process broker;
  private static int port;

  private KafkaEngine() {}

  private static Map<String, Object> tls() {
    Map<String, Object> p = new TreeMap<>();
    for (String store : new String[] {"keystore", "truststore"}) {
      p.put("ssl." + store + ".location", Engine.KEYS.toString());
      p.put("ssl." + store + ".password", Engine.PASSWORD);
      p.put("ssl." + store + ".type", "PKCS12");
    }
    p.put("ssl.key.password", Engine.PASSWORD);
    p.put("ssl.endpoint.identification.algorithm", "");
    return p;
  }

  private static Map<String, Object> client() {
    Map<String, Object> p = tls();
    p.put("bootstrap.servers", "127.0.0.1:" + port);
    p.put("security.protocol", "SSL");
    p.put("key.serializer", ByteArraySerializer.class);
    p.put("value.serializer", ByteArraySerializer.class);
    p.put("key.deserializer", ByteArrayDeserializer.class);
    p.put("value.deserializer", ByteArrayDeserializer.class);
    return p;
  }

  private static Path configure(int controller) throws Exception {
    Properties p = new Properties();
    tls().forEach((k, v) -> p.put(k, v.toString()));
    p.put("process.roles", "broker,controller");
    p.put("node.id", "1");
    p.put("controller.quorum.voters", "1@127.0.0.1:" + controller);
    p.put("listeners", "SSL://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controller);
    p.put("advertised.listeners", "SSL://127.0.0.1:" + port);
    p.put("listener.security.protocol.map", "SSL:SSL,CONTROLLER:SSL");
    p.put("inter.broker.listener.name", "SSL");
    p.put("controller.listener.names", "CONTROLLER");
    p.put("ssl.client.auth", "required");
    p.put("log.dirs", Engine.WORK.resolve("log").toString());
    p.put("offsets.topic.replication.factor", "1");
    p.put("offsets.topic.num.partitions", "1");
    p.put("message.max.bytes", "1000000");
    Path file = Engine.WORK.resolve("server.properties");
    try (PrintStream out = new PrintStream(file.toFile())) {
      p.forEach((k, v) -> out.println(k + "=" + v));
    }
    return file;
  }

  /** Runs a class of Kafka with the options of this JVM. */
  private static Process java(Path log, String main, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
  }

  private static int freePort() throws Exception {
    try (ServerSocket s = new ServerSocket(0)) {
      return s.getLocalPort();
    }
  }

  private static void start() throws Exception {
    port = freePort();
    Files.createDirectories(Engine.WORK.resolve("log"));
    String config = configure(freePort()).toString();
    Path log = Engine.WORK.resolve("format.log");
    int rc = java(log, "kafka.tools.StorageTool", "format", "-t", "AAAAAAAAAAAAAAAAAAAAAA", "-c", config).waitFor();
    Engine.require(rc == 0, "the storage is formatted: " + Files.readString(log));
    broker = java(Engine.WORK.resolve("broker.log"), "kafka.Kafka", config);
    try (Admin admin = Admin.create(client())) {
      for (String topic : new String[] {"small", "large"}) create(admin, topic);
    }
  }

  private static void create(Admin admin, String topic) throws Exception {
    for (int tries = 0; ; tries++)
      try {
        admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get(60, TimeUnit.SECONDS);
        return;
      } catch (ExecutionException e) {
        Engine.require(broker.isAlive() && tries < 3, "the broker works: " + e);
      }
  }

  private static void produce(String topic, int count, int length, long seed) throws Exception {
    Map<String, Object> p = client();
    p.put("batch.size", length >= LARGE ? "900000" : "0");
    p.put("max.request.size", "1000000");
    p.put("acks", "1");
    try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(p)) {
      List<java.util.concurrent.Future<?>> sent = new ArrayList<>();
      for (int i = 0; i < count; i++)
        sent.add(producer.send(new ProducerRecord<>(topic, Engine.bytes(16, i), Engine.bytes(length, seed + i % 16))));
      for (java.util.concurrent.Future<?> f : sent) f.get();
    }
  }

  private static void consume(String topic, int count, long from) {
    try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(client())) {
      TopicPartition partition = new TopicPartition(topic, 0);
      consumer.assign(List.of(partition));
      consumer.seek(partition, from);
      for (int got = 0; got < count; )
        for (ConsumerRecord<byte[], byte[]> r : consumer.poll(Duration.ofSeconds(10))) {
          Engine.result(r.key());
          Engine.result(r.value());
          got++;
        }
    }
  }

  /** Handshakes as a client with a certificate, and a byte that both sides wait for. */
  private static void handshakes(int count) throws Exception {
    try (DefaultSslEngineFactory factory = new DefaultSslEngineFactory()) {
      Properties p = new Properties();
      p.putAll(client());
      factory.configure(new ConsumerConfig(p).values());
      SSLContext context = factory.sslContext();
      for (int i = 0; i < count; i++) {
        try (SSLSocket s = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", port)) {
          s.startHandshake();
          Engine.result(s.getSession().getCipherSuite() + s.getSession().getProtocol());
          s.getSession().invalidate();
        }
      }
    }
  }

  private static void timed(String name, Engine.Work work) throws Exception {
    long before = broker.toHandle().info().totalCpuDuration().orElseThrow().toMillis();
    Engine.timed(name + "-clients", false, work);
    long after = broker.toHandle().info().totalCpuDuration().orElseThrow().toMillis();
    System.out.println("cpu " + name + "-broker " + (after - before));
  }

  public static void main(String[] args) throws Exception {
    start();
    try {
      int small = Engine.times(20_000);
      int large = Engine.times(1_000);
      int handshakes = Engine.times(200);
      produce("small", small / 4, 200, 1);
      consume("small", small / 4, 0);
      handshakes(handshakes / 4);
      timed("produce-small", () -> produce("small", small, 200, 1));
      timed("consume-small", () -> consume("small", small, small / 4));
      produce("large", large / 4, LARGE, 2);
      consume("large", large / 4, 0);
      timed("produce-large", () -> produce("large", large, LARGE, 2));
      timed("consume-large", () -> consume("large", large, large / 4));
      timed("handshakes", () -> handshakes(handshakes));
    } finally {
      broker.destroy();
      broker.waitFor();
    }
    Engine.end();
  }
}
