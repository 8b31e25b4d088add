package dev.blobshuffle.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.deploy.master.Master$;
import org.apache.spark.deploy.worker.Worker$;
import org.apache.spark.rpc.RpcEnv;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Option;
import scala.Tuple2;

/**
 * A map hangs, and Spark starts it a second time on another host. So the cluster's two workers have
 * addresses of their own.
 */
@Tag("nightly")
class SpeculationIT {
    private static final Duration LONG = Duration.ofMinutes(3);
    private static final int MAPS = 8;
    private static final List<String> HOSTS = List.of("127.0.0.2", "127.0.0.3");

    @TempDir
    private Path directory;

    /** The first attempt ends after the second, and its output is not read. */
    @Test
    void theOutputOfTheLoserIsNotRead() throws IOException {
        Path ignored = Files.createDirectories(Path.of(System.getenv("SPARK_HOME"), "jars"));
        Path second = directory.resolve("second-attempt");
        Map<String, String> settings = new TreeMap<>(Map.of(
                "spark.executor.memory", "512m",
                "spark.executor.extraClassPath", System.getProperty("java.class.path"),
                "spark.speculation", "true",
                "spark.speculation.quantile", "0.5",
                "spark.speculation.interval", "100ms",
                "spark.speculation.multiplier", "1.1",
                "spark.blobshuffle.upload.min.age.ms", "1"));
        RpcEnv master = (RpcEnv) Master$.MODULE$
                .startRpcEnvAndEndpoint("127.0.0.1", 0, 0, new SparkConf(false))
                ._1();
        String url = "spark://127.0.0.1:" + master.address().port();
        settings.put("spark.master", url);
        List<RpcEnv> workers = HOSTS.stream().map(host -> worker(host, url)).toList();
        try (SparkApplication spark = SparkApplication.withPlugin(directory, settings)) {
            await().atMost(LONG)
                    .until(() -> spark.session().sparkContext().statusTracker().getExecutorInfos().length == 3);
            JavaPairRDD<Integer, Long> sums = sums(spark, second.toString());

            assertThat(new TreeMap<>(sums.collectAsMap())).isEqualTo(expected());
            assertThat(second).exists();
            assertThat(new TreeMap<>(sums.collectAsMap())).isEqualTo(expected());
        } finally {
            workers.forEach(RpcEnv::shutdown);
            master.shutdown();
        }
        assertThat(SparkApplication.blobs(directory)).isEmpty();
    }

    private RpcEnv worker(String host, String master) {
        return Worker$.MODULE$.startRpcEnvAndEndpoint(
                host,
                0,
                0,
                1,
                512,
                new String[] {master},
                directory.resolve("worker-" + host).toString(),
                Option.empty(),
                new SparkConf(false),
                Option.empty());
    }

    private static JavaPairRDD<Integer, Long> sums(SparkApplication spark, String second) {
        return spark.context()
                .parallelize(LongStream.range(0, MAPS).boxed().toList(), MAPS)
                .flatMapToPair(map -> {
                    if (map == 0) {
                        hang(second);
                    }
                    return LongStream.range(0, 1000)
                            .mapToObj(value -> new Tuple2<>((int) (value % 7), map * 1000 + value))
                            .iterator();
                })
                .groupByKey(5)
                .mapValues(SpeculationIT::sum);
    }

    private static long sum(Iterable<Long> values) {
        long sum = 0;
        for (long value : values) {
            sum += value;
        }
        return sum;
    }

    /** The first attempt waits for the second. */
    private static void hang(String second) {
        if (TaskContext.get().attemptNumber() == 0) {
            await().atMost(LONG).until(() -> Files.exists(Path.of(second)));
            return;
        }
        try {
            Path ignored = Files.createFile(Path.of(second));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<Integer, Long> expected() {
        Map<Integer, Long> sums = new TreeMap<>();
        LongStream.range(0, MAPS * 1000L).forEach(value -> sums.merge((int) (value % 1000 % 7), value, Long::sum));
        return sums;
    }
}
