// SPDX-License-Identifier: Apache-2.0
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * A Spark job on two executors, processes of their own, with all that they send and spill encrypted:
 * rows are shuffled twice, joined and aggregated.
 */
final class SparkEngine {
  private SparkEngine() {}

  private static SparkConf configure(String cipher) {
    // Commons Crypto would take libcrypto of OpenSSL 1.1 where it finds one.
    String jce = "org.apache.commons.crypto.cipher.JceCipher";
    SparkConf c = new SparkConf();
    c.setAppName("engine");
    c.setMaster("local-cluster[2,1,512]");
    c.set("spark.executor.memory", "512m");
    c.set("spark.ui.enabled", "false");
    c.set("spark.driver.host", "127.0.0.1");
    c.set("spark.driver.bindAddress", "127.0.0.1");
    c.set("spark.local.dir", Engine.WORK.resolve("local").toString());
    c.set("spark.sql.warehouse.dir", Engine.WORK.resolve("warehouse").toString());
    c.set("spark.authenticate", "true");
    c.set("spark.authenticate.secret", "an engine of the tests");
    c.set("spark.network.crypto.enabled", "true");
    c.set("spark.network.crypto.cipher", cipher);
    c.set("spark.network.crypto.config.cipher.classes", jce);
    c.set("spark.io.encryption.enabled", "true");
    c.set("spark.io.encryption.keySizeBits", "256");
    c.set("spark.io.encryption.commons.config.cipher.classes", jce);
    c.set("spark.io.compression.codec", "lz4");
    c.set("spark.shuffle.compress", "false"); // so that much is encrypted
    c.set("spark.sql.shuffle.partitions", "4");
    c.set("spark.default.parallelism", "4");
    c.set("spark.executor.extraClassPath", System.getProperty("java.class.path"));
    c.set("spark.executor.extraJavaOptions", System.getProperty("engine.options"));
    return c;
  }

  private static void job(SparkSession spark, long rows) {
    Dataset<Row> numbers =
        spark
            .range(0, rows, 1, 4)
            .selectExpr("id", "id % 1000 AS k", "sha2(cast(id AS string), 256) AS v")
            .repartition(4);
    Dataset<Row> keys = spark.range(0, 1000, 1, 2).selectExpr("id AS k", "id * id AS w").hint("merge");
    List<Row> sums =
        numbers
            .join(keys, "k")
            .groupBy("k")
            .agg(
                org.apache.spark.sql.functions.expr("sum(w + id)"),
                org.apache.spark.sql.functions.expr("sha2(concat_ws('', sort_array(collect_list(v))), 256)"))
            .orderBy("k")
            .collectAsList();
    for (Row r : sums) Engine.result(r.toString());
  }

  public static void main(String[] args) throws Exception {
    for (String cipher : new String[] {"AES/CTR/NoPadding", "AES/GCM/NoPadding"}) {
      SparkSession spark = SparkSession.builder().config(configure(cipher)).getOrCreate();
      job(spark, Engine.times(100_000));
      // The executors' time is in the whole process's only.
      Engine.timed("driver-" + cipher.substring(4, 7), false, () -> job(spark, Engine.times(1_000_000)));
      spark.stop();
    }
    Engine.end();
  }
}
