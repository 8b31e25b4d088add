package dev.blobshuffle.bench.command;

import java.util.List;

/**
 * One of the plans behind the results in {@code docs/benchmarks.md}: a command of {@code bench}
 * with all its arguments.
 *
 * @param name short, also of the directory for its results
 * @param minutes its approximate duration on two cores
 * @param shows its purpose
 * @param command the words after {@code bench}
 */
record SuitePlan(String name, int minutes, String shows, String command) {
    /**
     * Instances that represent 42.7 MiB/s each, with latencies of S3 that are fitted to the shuffle
     * latencies of the paper, scaled down by 64.
     */
    private static final String PAPER = "run shuffle --variants blobs-s3 --repetitions 1 --jvm -XX:TieredStopAtLevel=1"
            + " --with store-latency=s3-blobshuffle-paper --with store-scale=64 --with zones=3 --with instances=3"
            + " --with partitions=9 --with rate=2050 --with warm-up-seconds=75 --with seconds=60"
            + " --with commit-interval-ms=30000 --with cache-bytes=67108864"
            + " --with main.consumer.fetch.min.bytes=1000000 --with main.consumer.fetch.max.wait.ms=20";

    private static final String PANELS = "run shuffle --variants native,blobs-s3 --repetitions 3"
            + " --with store-latency=s3-blobshuffle-paper --with records=400000 --with warm-up-records=200000";

    /**
     * The session timeout is short and the probing interval as short as Kafka Streams allows. The
     * state is small, so a task may lag by fewer records than the default 10,000 before it needs a
     * warm-up replica.
     */
    private static final String JOINS =
            "run matcher --variants native,blobs-file --repetitions 3 --jvm -XX:TieredStopAtLevel=1 --with rate=500"
                    + " --with guarantee=exactly_once_v2 --with commit-interval-ms=100 --with joins=1 --with warm-up-seconds=25 --with seconds=105"
                    + " --with probing.rebalance.interval.ms=60000 --with acceptable.recovery.lag=1000 --with consumer.session.timeout.ms=10000";

    private static final String SEARCH =
            " --variants native,blobs-file --repetitions 3 --strategy linear --lower-bound";

    /** All plans, the most informative first. */
    static final List<SuitePlan> ALL = List.of(
            new SuitePlan(
                    "replication-3",
                    27,
                    "CPU and rate against native with three brokers",
                    "run throughput --replication 3 --gib 4 --repetitions 3"),
            new SuitePlan(
                    "replication-1",
                    15,
                    "the same with one broker",
                    "run throughput --replication 1 --gib 4 --repetitions 3"),
            new SuitePlan(
                    "warm",
                    24,
                    "the same with JVMs that have compiled most",
                    "run throughput --replication 3 --gib 3 --warm-up-gib 4 --repetitions 3 --variants native-tuned,blobs-memory,blobs-file"),
            new SuitePlan(
                    "tls",
                    12,
                    "three brokers, blobs in a simulated S3 over TLS beside files",
                    "run throughput --replication 3 --gib 2 --repetitions 3 --variants native-tuned,blobs-file,blobs-s3"),
            new SuitePlan(
                    "threads",
                    9,
                    "one broker, two stream threads in each instance",
                    "run throughput --replication 1 --threads 2 --gib 2 --repetitions 3 --variants native,native-tuned,blobs-file"),
            new SuitePlan(
                    "operators",
                    7,
                    "the operators beside the client supplier",
                    "run throughput --replication 1 --gib 2 --repetitions 3 --variants native-tuned,blobs-file,operators-file"),
            new SuitePlan(
                    "zone-cache",
                    13,
                    "requests to the store with a cache for each instance, and for each zone",
                    "run shuffle --variants blobs-s3 --repetitions 3 --jvm -XX:TieredStopAtLevel=1"
                            + " --with store-latency=s3-blobshuffle-paper --with zones=2 --with instances=4 --with partitions=8"
                            + " --with rate=3000 --with warm-up-seconds=50 --with seconds=40 --with cache-bytes=67108864"
                            + " --vary zone-cache=false,true"),
            new SuitePlan(
                    "exactly-once",
                    12,
                    "commits every 100 ms, each of which flushes",
                    "run throughput --replication 1 --gib 2 --warm-up-gib 0.75 --repetitions 3 --variants native,native-tuned,blobs-memory"
                            + " --guarantee exactly_once_v2 --commit-interval-ms 100"),
            new SuitePlan(
                    "low-rate",
                    18,
                    "5,000 records per second, with and without a delay",
                    "run shuffle --variants native,blobs-memory --repetitions 3 --with rate=5000 --with warm-up-seconds=40"
                            + " --with seconds=30 --vary batch-delay-ms=0,500"),
            new SuitePlan(
                    "paper-layout",
                    14,
                    "Figures 6, 7 and 8: latency, cost, fill and requests by batch size, 2 to 16 MiB, in the paper's layout",
                    PAPER + " --with batch-layout=per-zone --with inline-bytes=0 --with batch-delay-ms=30000"
                            + " --set-blobs blobshuffle.store.hedge.enabled=false --vary batch-size=32768,65536,131072,262144"),
            new SuitePlan(
                    "packed-layout",
                    13,
                    "the same with our layout, by delay",
                    PAPER + " --with batch-size=786432 --vary batch-delay-ms=300,400,480,600"),
            new SuitePlan(
                    "partitions",
                    9,
                    "Figure 9: by partitions",
                    PANELS + " --with cache-bytes=134217728 --vary partitions=3,6,12,18"),
            new SuitePlan(
                    "partitions-uncached",
                    9,
                    "the same without a cache",
                    PANELS + " --with cache-bytes=0 --vary partitions=3,6,12,18"),
            new SuitePlan(
                    "instances",
                    7,
                    "Figure 10: by instances",
                    PANELS + " --with cache-bytes=134217728 --vary instances=1,2,4"),
            new SuitePlan(
                    "options",
                    42,
                    "Theodolite's study: replicas of topics, standby and warm-up replicas",
                    "run options uc3 --repetitions 3 --jvm -XX:TieredStopAtLevel=1"),
            new SuitePlan(
                    "joins",
                    30,
                    "an instance that joins and leaves, by warm-up replicas",
                    JOINS + " --vary warm-up-replicas=1,3"),
            new SuitePlan("joins-standby", 30, "the same by standby replicas", JOINS + " --vary standby-replicas=0,1"),
            new SuitePlan(
                    "topology-optimization",
                    12,
                    "the same study's topology optimization, where there is a shuffle to save",
                    "run fanout --variants native,blobs-file --repetitions 3 --jvm -XX:TieredStopAtLevel=1 --with replication=3 --with replication.factor=1"
                            + " --with commit-interval-ms=100 --with rate=500 --with warm-up-seconds=30"
                            + " --vary topology-optimization=none,all"),
            new SuitePlan(
                    "search-uc1",
                    8,
                    "demand: instances for a load, without a shuffle",
                    "run search uc1 --loads 5000,20000" + SEARCH),
            new SuitePlan(
                    "search-uc2-rekeyed",
                    8,
                    "demand with a shuffle and windows",
                    "run search uc2-rekeyed --loads 5000,20000" + SEARCH),
            new SuitePlan(
                    "search-uc3", 8, "demand with overlapping windows", "run search uc3 --loads 1000,4000" + SEARCH),
            new SuitePlan(
                    "search-uc4",
                    10,
                    "demand with a hierarchy of groups",
                    "run search uc4 --loads 64,1024 --with commit-interval-ms=1000" + SEARCH),
            new SuitePlan(
                    "faults",
                    6,
                    "exact matches although instances and brokers are killed and the store fails",
                    "run matcher --variants native,blobs-file --repetitions 1 --with guarantee=exactly_once_v2"
                            + " --with commit-interval-ms=500 --with rate=1000 --with seconds=60 --with replication=3 --with kills=3"
                            + " --with broker-kills=2 --with store-faults=50 --with consumer.session.timeout.ms=10000"
                            + " --with drain-seconds=180"),
            new SuitePlan("key-parallel", 15, "slow functions", "run calls --seconds 20 --warm-up-seconds 5"),
            new SuitePlan(
                    "store",
                    5,
                    "a store against its floor",
                    "store --transports tls --mib 8,16 --concurrency 1,4 --gib 1 --repetitions 3"),
            new SuitePlan("peer", 6, "serving a zone's cache against its floor", "peer"),
            new SuitePlan(
                    "flight",
                    12,
                    "columnar shuffles beside Daft, Ray Data and Dask",
                    "flight --partitions 100,1000 --rounds 2"),
            new SuitePlan(
                    "flight-serving",
                    8,
                    "serving partitions, beside Daft's server",
                    "flight --scale 4 --serve --partitions 100 --codecs none,lz4 --rounds 6"),
            new SuitePlan(
                    "spark",
                    50,
                    "jobs of Spark SQL, natively and through blobs in a simulated S3",
                    "spark --store-latency s3-standard"),
            new SuitePlan(
                    "adaptive", 3, "a target latency while the load swings, in virtual time", "run adaptive --virtual"),
            new SuitePlan("paper", 12, "Figures 6 to 10 at their full size, in virtual time", "paper"),
            new SuitePlan(
                    "paper-validation",
                    17,
                    "three points of these figures for real, at a sixty-fourth",
                    "paper --validate"));

    /** The words of the command. */
    List<String> words() {
        return List.of(command.split(" ", -1));
    }

    /** A row of the table in the docs. */
    String row() {
        return "| `" + name + "` | " + shows + " | " + minutes + " |";
    }
}
