package dev.blobshuffle.bench;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import dev.blobshuffle.bench.planted.Outer;
import dev.blobshuffle.bench.planted.inner.Inner;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.zone.Zone;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.Timer;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The directions between modules and packages: arrows point to what may be used, everything else is
 * refused here.
 */
class ArchitectureTest {
    private static final String ROOT = "dev.blobshuffle.";
    private static final String CORE = ROOT + "core..";
    private static final String INTERNAL = ROOT + "core.internal.";
    private static final String KAFKA = ROOT + "kafka..";
    private static final String KSTREAMS = ROOT + "kstreams..";
    private static final String SIMULATOR = ROOT + "simulator..";
    private static final String TESTKIT = ROOT + "testkit..";
    private static final String PLANNER = ROOT + "planner..";
    private static final String S3SIM = ROOT + "s3sim..";
    private static final String KAFKA_EMBEDDED = ROOT + "kafkaembedded..";
    private static final String CLI = ROOT + "cli..";
    private static final String BENCH = ROOT + "bench..";
    private static final String PEER = ROOT + "peer..";
    private static final String HTTP = ROOT + "http..";
    private static final String FLIGHT = ROOT + "flight..";
    private static final String FLIGHT_DAEMON = ROOT + "flightdaemon..";
    private static final String ARROW = ROOT + "arrow..";
    private static final String SPARK = ROOT + "spark..";
    private static final String FLINK = ROOT + "flink..";
    private static final String AWS_KMS = ROOT + "awskms..";
    private static final String MICROMETER = ROOT + "micrometer..";
    private static final String LOG = ROOT + "log..";
    private static final String MESSAGING = ROOT + "messaging..";
    private static final String POSTGRESQL = ROOT + "postgresql..";
    private static final String POSTGRESQL_EMBEDDED = ROOT + "postgresqlembedded..";
    /** Each a module of its own. */
    private static final String[] OBJECT_STORES = {ROOT + "s3..", ROOT + "gcs..", ROOT + "azure.."};

    /** The engine: its contracts, its two sides, and the whole. */
    private static final String[] SHUFFLE = {
        INTERNAL + "shuffle..", INTERNAL + "write..", INTERNAL + "read..", INTERNAL + "engine.."
    };

    private static final String TIME = ROOT + "core.time..";

    /**
     * What stores and settings that are not ours may use: contracts, without the engine behind
     * them.
     */
    private static final String[] CONTRACTS = {
        ROOT + "core.failure..", ROOT + "core.store..", ROOT + "core.encryption..", ROOT + "core.zone..", TIME
    };

    /** The factory method of an interface names what implements it, and nothing else may. */
    private static final ArchRule PACKAGES_WITHOUT_CYCLES = slices().matching(ROOT + "(**)")
            .should()
            .beFreeOfCycles()
            .ignoreDependency(name(ROOT + "messaging.Messaging"), name(ROOT + "messaging.internal.MessagingInstance"));

    /**
     * Modules that are not checked. One lists versions, one only runs applications of others, and
     * the starter needs Spring, which would join the benchmarks' class path.
     */
    private static final Set<String> UNCHECKED = Set.of(".ci", "bom", "examples", "springbootstarter", "sparkbundle");

    private static final long FULLEST_PACKAGE = 36;

    /** Read once, for {@code PublicApiTest} too: it takes seconds. */
    static final JavaClasses OURS = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.blobshuffle");

    @Test
    void coreKnowsNoEngineAndNoCloud() {
        classes()
                .that()
                .resideInAPackage(CORE)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        CORE,
                        "java..",
                        "javax.crypto..",
                        "javax.management..",
                        "org.slf4j..",
                        "org.jspecify..",
                        "net.jpountz..",
                        "com.github.luben.zstd..")
                .check(OURS);
    }

    @Test
    void enginesUseCoreAndNeverTestCode() {
        noClasses()
                .that()
                .resideInAPackage(KAFKA)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(KSTREAMS, TESTKIT, KAFKA_EMBEDDED, CLI, "org.apache.kafka.streams..")
                .check(OURS);
        noClasses()
                .that()
                .resideInAPackage(KSTREAMS)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(TESTKIT, KAFKA_EMBEDDED, CLI)
                .check(OURS);
    }

    @Test
    void objectStoresUseCoreOnlyAndNobodyNamesThem() {
        noClasses()
                .that()
                .resideInAnyPackage(OBJECT_STORES)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(KAFKA, KSTREAMS, TESTKIT, KAFKA_EMBEDDED, CLI)
                .check(OURS);
        noClasses()
                .that()
                .resideInAnyPackage(CORE, KAFKA, KSTREAMS, TESTKIT)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(OBJECT_STORES)
                .because("a store is found by the scheme of its URI")
                .check(OURS);
    }

    @Test
    void keyServicesUseCoreOnlyAndNobodyNamesThem() {
        classes()
                .that()
                .resideInAPackage(AWS_KMS)
                .should()
                .onlyDependOnClassesThat(DescribedPredicate.or(
                        resideOutsideOfPackage("dev.blobshuffle.."), resideInAnyPackage(CORE, AWS_KMS)))
                .check(OURS);
        noClasses()
                .that()
                .resideOutsideOfPackage(AWS_KMS)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(AWS_KMS)
                .because("a key service is found by the scheme of its URI")
                .check(OURS);
    }

    /** The starter of Spring Boot, which is not on this class path, and applications bind them. */
    @Test
    void metersUseCoreOnlyAndNobodyNamesThem() {
        classes()
                .that()
                .resideInAPackage(MICROMETER)
                .should()
                .onlyDependOnClassesThat(DescribedPredicate.or(
                        resideOutsideOfPackage("dev.blobshuffle.."), resideInAnyPackage(CORE, MICROMETER)))
                .check(OURS);
        noClasses()
                .that()
                .resideOutsideOfPackage(MICROMETER)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(MICROMETER, "io.micrometer..")
                .check(OURS);
    }

    /** The engine and the other front doors work without the commit log of messaging. */
    @Test
    void theLogUsesCoreOnlyAndOnlyMessagingUsesIt() {
        classes()
                .that()
                .resideInAPackage(LOG)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(CORE, LOG, "java..", "org.slf4j..", "org.jspecify..")
                .check(OURS);
        noClasses()
                .that()
                .resideOutsideOfPackages(LOG, MESSAGING, POSTGRESQL, TESTKIT, CLI, BENCH)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(LOG)
                .check(OURS);
    }

    /** A database is found by the scheme of its URI. The tools also check one. */
    @Test
    void messagingUsesTheLogAndNamesNoDatabase() {
        classes()
                .that()
                .resideInAPackage(MESSAGING)
                .should()
                .onlyDependOnClassesThat(DescribedPredicate.or(
                        resideOutsideOfPackage("dev.blobshuffle.."), resideInAnyPackage(CORE, LOG, MESSAGING)))
                .check(OURS);
        noClasses()
                .that()
                .resideInAPackage(MESSAGING)
                .and()
                .resideOutsideOfPackage(ROOT + "messaging.kafka..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.apache.kafka..")
                .because("kafka-clients is optional")
                .check(OURS);
        classes()
                .that()
                .resideInAPackage(POSTGRESQL)
                .should()
                .onlyDependOnClassesThat(DescribedPredicate.or(
                        resideOutsideOfPackage("dev.blobshuffle.."), resideInAnyPackage(CORE, LOG, POSTGRESQL)))
                .check(OURS);
        noClasses()
                .that()
                .resideOutsideOfPackages(POSTGRESQL, POSTGRESQL_EMBEDDED, CLI, BENCH)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(POSTGRESQL, POSTGRESQL_EMBEDDED)
                .check(OURS);
    }

    @Test
    void objectStoresDoNotKnowEachOther() {
        for (String store : OBJECT_STORES) {
            classes()
                    .that()
                    .resideInAPackage(store)
                    .should()
                    .onlyDependOnClassesThat(DescribedPredicate.or(
                            resideOutsideOfPackage("dev.blobshuffle.."), resideInAnyPackage(CORE, HTTP, store)))
                    .allowEmptyShould(true)
                    .check(OURS);
        }
    }

    @Test
    void connectionsUseCoreOnlyAndOnlyObjectStoresUseThem() {
        classes()
                .that()
                .resideInAPackage(HTTP)
                .should()
                .onlyDependOnClassesThat(DescribedPredicate.or(
                        resideOutsideOfPackage("dev.blobshuffle.."), resideInAnyPackage(CORE, HTTP)))
                .check(OURS);
        noClasses()
                .that()
                .resideOutsideOfPackages(HTTP, ROOT + "s3..", ROOT + "gcs..", ROOT + "azure..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(HTTP)
                .check(OURS);
    }

    /**
     * Members of a zone talk about blobs, whatever they are for. Only the command line runs a
     * server by itself, and only the benchmarks measure one.
     */
    @Test
    void peersUseCoreOnlyAndNobodyElseUsesTheirs() {
        noClasses()
                .that()
                .resideInAPackage(PEER)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(KAFKA, KSTREAMS, TESTKIT, KAFKA_EMBEDDED, CLI)
                .check(OURS);
        noClasses()
                .that()
                .resideOutsideOfPackages(PEER, CLI, BENCH)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(PEER)
                .check(OURS);
    }

    /** Users of arrow-java get the client, the command line the daemon. */
    @Test
    void flightIsAClientThatUsesCoreOnly() {
        classes()
                .that()
                .resideInAPackage(FLIGHT)
                .should()
                .onlyDependOnClassesThat(DescribedPredicate.or(
                        resideOutsideOfPackage("dev.blobshuffle.."), resideInAnyPackage(CORE, FLIGHT)))
                .check(OURS);
        noClasses()
                .that()
                .resideOutsideOfPackages(FLIGHT, FLIGHT_DAEMON, ARROW, CLI, BENCH)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(FLIGHT)
                .check(OURS);
    }

    /** Only the command line runs the daemon. */
    @Test
    void flightDaemonSharesTheWireWithTheClientOnly() {
        classes()
                .that()
                .resideInAPackage(FLIGHT_DAEMON)
                .should()
                .onlyDependOnClassesThat(DescribedPredicate.or(
                        resideOutsideOfPackage("dev.blobshuffle.."),
                        resideInAnyPackage(CORE, FLIGHT_DAEMON, ROOT + "flight.internal.wire")))
                .check(OURS);
        noClasses()
                .that()
                .resideOutsideOfPackages(FLIGHT_DAEMON, CLI, BENCH)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(FLIGHT_DAEMON)
                .check(OURS);
    }

    /** Only who has arrow-java can use it, so nothing else may need it. */
    @Test
    void arrowUsesTheDaemonsClientAndNobodyNamesIt() {
        classes()
                .that()
                .resideInAPackage(ARROW)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        ARROW,
                        ROOT + "core.failure..",
                        ROOT + "flight",
                        "org.apache.arrow.memory..",
                        "org.apache.arrow.vector..",
                        "net.jpountz..",
                        "com.github.luben.zstd..",
                        "java..",
                        "org.jspecify..")
                .check(OURS);
        noClasses()
                .that()
                .resideOutsideOfPackage(ARROW)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(ARROW, "org.apache.arrow..")
                .check(OURS);
    }

    /** Spark loads it by name, and only its users have Spark. */
    @Test
    void sparkUsesCoreOnlyAndNobodyNamesIt() {
        classes()
                .that()
                .resideInAPackage(SPARK)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        CORE,
                        SPARK,
                        "org.apache.spark..",
                        "scala..",
                        "com.codahale.metrics",
                        "java..",
                        "org.slf4j..",
                        "org.jspecify..")
                .check(OURS);
        noClasses()
                .that()
                .resideOutsideOfPackage(SPARK)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(SPARK, "org.apache.spark..", "scala..")
                .check(OURS);
    }

    /** Jobs bring it, and only they have Flink. */
    @Test
    void flinkUsesCoreOnlyAndNobodyNamesIt() {
        classes()
                .that()
                .resideInAPackage(FLINK)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(CORE, FLINK, "org.apache.flink..", "java..", "org.slf4j..", "org.jspecify..")
                .check(OURS);
        noClasses()
                .that()
                .resideOutsideOfPackage(FLINK)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(FLINK, "org.apache.flink..")
                .check(OURS);
    }

    /** The operators meet in the references between them only. */
    @Test
    void theOperatorsOfFlinkDoNotKnowEachOther() {
        noClasses()
                .that()
                .resideInAPackage(ROOT + "flink.internal.batch..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(ROOT + "flink.internal.debatch..")
                .check(OURS);
        noClasses()
                .that()
                .resideInAPackage(ROOT + "flink.internal.debatch..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(ROOT + "flink.internal.batch..")
                .check(OURS);
    }

    /** What waits on the way to a store, and what comes back, meet in the directory only. */
    @Test
    void theSidesOfSparkDoNotKnowEachOther() {
        for (String side : List.of("read", "write")) {
            noClasses()
                    .that()
                    .resideInAPackage(ROOT + "spark.internal." + side + "..")
                    .should()
                    .dependOnClassesThat(resideInAnyPackage(SPARK)
                            .and(resideOutsideOfPackages(
                                    ROOT + "spark.internal." + side + "..",
                                    ROOT + "spark.internal.directory..",
                                    ROOT + "spark.internal.shim..")))
                    .check(OURS);
        }
    }

    @Test
    void nobodyKnowsTheBenchmarks() {
        noClasses()
                .that()
                .resideOutsideOfPackage(BENCH)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(BENCH)
                .check(OURS);
    }

    /** Each would put Kafka's server, RocksDB or test code on the class path of the tools. */
    @Test
    void toolsUseNoKafkaStreamsNoBrokerAndNoTestCode() {
        noClasses()
                .that()
                .resideInAPackage(CLI)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        KSTREAMS, KAFKA_EMBEDDED, POSTGRESQL_EMBEDDED, TESTKIT, "org.apache.kafka.streams..")
                .check(OURS);
    }

    /**
     * The engine decides by {@code core.pricing}; the model is for the tools and for what simulates
     * a store's latencies.
     */
    @Test
    void thePlannerUsesCoreOnlyAndNoEngineUsesIt() {
        classes()
                .that()
                .resideInAPackage(PLANNER)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(CORE, PLANNER, "java..", "org.jspecify..")
                .check(OURS);
        noClasses()
                .that()
                .resideOutsideOfPackages(PLANNER, S3SIM, SIMULATOR, CLI, BENCH)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(PLANNER)
                .check(OURS);
    }

    /** Only the benchmarks run a simulator, so nothing else ships one. */
    @Test
    void theS3SimulatorUsesCoreAndThePlannerAndOnlyBenchmarksUseIt() {
        classes()
                .that()
                .resideInAPackage(S3SIM)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(CORE, PLANNER, S3SIM, "java..", "javax.net..", "org.jspecify..")
                .check(OURS);
        noClasses()
                .that()
                .resideOutsideOfPackages(S3SIM, BENCH)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(S3SIM)
                .check(OURS);
    }

    /** Test code ships for users' tests. What ships besides never runs on it. */
    @Test
    void onlyTestsUseTheTestkit() {
        noClasses()
                .that()
                .resideOutsideOfPackage(TESTKIT)
                .and()
                .doNotHaveSimpleName("EmbeddedShuffleExtension") // of JUnit
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(TESTKIT, "org.junit..", "org.assertj..")
                .check(OURS);
    }

    @Test
    void testkitUsesCoreTheLogAndTheSimulatorOnly() {
        classes()
                .that()
                .resideInAPackage(TESTKIT)
                .should()
                .onlyDependOnClassesThat(DescribedPredicate.or(
                        resideOutsideOfPackages("dev.blobshuffle..", "org.apache.kafka.."),
                        resideInAnyPackage(CORE, LOG, SIMULATOR, TESTKIT)))
                .check(OURS);
    }

    /** Virtual time is for tests and benchmarks: nothing that runs in an application knows it. */
    @Test
    void theSimulatorUsesCoreAndThePlannerAndOnlyTestsAndBenchmarksUseIt() {
        classes()
                .that()
                .resideInAPackage(SIMULATOR)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(CORE, PLANNER, SIMULATOR, "java..", "org.slf4j..", "org.jspecify..")
                .check(OURS);
        noClasses()
                .that()
                .resideOutsideOfPackages(SIMULATOR, TESTKIT, BENCH)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(SIMULATOR)
                .check(OURS);
    }

    @Test
    void embeddedBrokersUseNothingOfOurs() {
        noClasses()
                .that()
                .resideInAPackage(KAFKA_EMBEDDED)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(CORE, KAFKA, KSTREAMS, TESTKIT, CLI)
                .check(OURS);
    }

    /**
     * A section belongs to a zone, so the format may name one; it must not know how zones are found
     * or what they do. Of stores it knows the names and the places of blobs.
     */
    @Test
    void formatUsesContractsAndKeysOnly() {
        classes()
                .that()
                .resideInAPackage(INTERNAL + "format..")
                .should()
                .onlyDependOnClassesThat(DescribedPredicate.or(
                        resideOutsideOfPackage("dev.blobshuffle.."),
                        equivalentTo(Zone.class),
                        nameMatching(".*[.]core[.]store[.](Blob(Id|Section|Content)|GenerationSpan)"),
                        resideInAnyPackage(
                                INTERNAL + "format..", INTERNAL + "encryption..", ROOT + "core.failure..", TIME)))
                .check(OURS);
    }

    /** A store of somebody else's needs nothing of the engine. */
    @Test
    void contractsUseNothingOfTheEngine() {
        classes()
                .that()
                .resideInAnyPackage(CONTRACTS)
                .should()
                .onlyDependOnClassesThat(DescribedPredicate.or(
                        resideOutsideOfPackage("dev.blobshuffle.."),
                        resideInAnyPackage(CONTRACTS),
                        resideInAnyPackage(INTERNAL + "concurrent..", INTERNAL + "text..")))
                .check(OURS);
    }

    @Test
    void storesAndCachesDoNotKnowTheShuffle() {
        noClasses()
                .that()
                .resideInAnyPackage(ROOT + "core.store..", INTERNAL + "store..", INTERNAL + "cache..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(SHUFFLE)
                .check(OURS);
    }

    /** A cache is a store to them; only the engine puts both together. */
    @Test
    void shuffleDoesNotKnowCaches() {
        noClasses()
                .that()
                .resideInAnyPackage(SHUFFLE)
                .and()
                .resideOutsideOfPackage(INTERNAL + "engine..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(INTERNAL + "cache..")
                .check(OURS);
    }

    /**
     * Front doors program against the contracts: what lies behind them may change, and only
     * {@code engine} sees both sides.
     */
    @Test
    void theSidesOfTheEngineDoNotKnowEachOther() {
        noClasses()
                .that()
                .resideInAPackage(INTERNAL + "write..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(INTERNAL + "read..", INTERNAL + "engine..")
                .check(OURS);
        noClasses()
                .that()
                .resideInAPackage(INTERNAL + "read..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(INTERNAL + "write..", INTERNAL + "engine..")
                .check(OURS);
    }

    /**
     * Append, seal, upload, deliver: each room of the write side calls the rooms of the later steps
     * only.
     */
    @Test
    void theWriteSideFollowsTheWayOfARecord() {
        String write = INTERNAL + "write";
        List<String> way = List.of(".deliver", ".upload", ".seal", "");
        for (int room = 0; room < way.size() - 1; room++) {
            noClasses()
                    .that()
                    .resideInAPackage(write + way.get(room))
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(way.subList(room + 1, way.size()).stream()
                            .map(later -> write + later)
                            .toArray(String[]::new))
                    .check(OURS);
        }
        noClasses()
                .that()
                .resideInAPackage(write + ".log")
                .should()
                .dependOnClassesThat(resideInAnyPackage(write + "..").and(resideOutsideOfPackage(write + ".log")))
                .because("an append tells others by the two interfaces of the log")
                .check(OURS);
    }

    /**
     * What a store can do is asked by a method, which decorators forward. A type behind a decorator
     * is not seen.
     */
    @Test
    void aStoreHasNoOptionalInterfaces() {
        assertThat(OURS.stream()
                        .filter(type -> type.isInterface() && type.isAssignableTo(BlobStore.class))
                        .map(type -> type.getSimpleName()))
                .as("CachedBlobStore is what a cache is to the code that makes it")
                .containsExactlyInAnyOrder("BlobStore", "CachedBlobStore");
    }

    /** A reader sees at a glance what a package holds. A fuller one becomes several. */
    @Test
    void packagesHoldAtMost36Classes() {
        Map<String, Long> classesOfPackage = OURS.stream()
                .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
                .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));
        assertThat(classesOfPackage.values()).isNotEmpty();
        classesOfPackage.values().removeIf(count -> count <= FULLEST_PACKAGE);
        assertThat(classesOfPackage).as("packages that should be split").isEmpty();
    }

    /**
     * Each package by itself, those below it apart; then the rooms of core, and the modules,
     * each with all that is below.
     */
    @Test
    void packagesHaveNoCycles() {
        PACKAGES_WITHOUT_CYCLES.check(OURS);
        slices().matching(INTERNAL + "(*)..").should().beFreeOfCycles().check(OURS);
        slices().matching(ROOT + "(*)..").should().beFreeOfCycles().check(OURS);
    }

    @Test
    void aCycleBetweenAPackageAndOneBelowItIsSeen() {
        JavaClasses planted = new ClassFileImporter().importPackagesOf(Outer.class, Inner.class);

        assertThat(PACKAGES_WITHOUT_CYCLES.evaluate(planted).getFailureReport().getDetails())
                .singleElement(STRING)
                .contains("bench.planted", "bench.planted.inner");
    }

    /** A module that is not on this module's class path would be checked by no rule. */
    @Test
    void everyModuleIsChecked() throws IOException {
        Set<String> modules = Pattern.compile("<module>(.*)</module>")
                .matcher(Files.readString(Path.of("..", "pom.xml")))
                .results()
                .map(module -> module.group(1).replace("-", ""))
                .collect(Collectors.toSet());
        Set<String> checked = OURS.stream()
                .map(type -> type.getPackageName().substring(ROOT.length()).split("[.]", 2)[0])
                .collect(Collectors.toSet());

        assertThat(modules).contains("core", "bench");
        assertThat(checked)
                .containsAll(modules.stream()
                        .filter(module -> !UNCHECKED.contains(module))
                        .toList());
    }

    @Test
    void timeChanceAndThreadsComeFromOnePlace() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        CORE,
                        LOG,
                        HTTP,
                        FLIGHT,
                        KAFKA,
                        KSTREAMS,
                        SPARK,
                        FLINK,
                        ROOT + "s3..",
                        ROOT + "gcs..",
                        ROOT + "azure..")
                .and()
                .resideOutsideOfPackage(TIME)
                .should()
                .callCodeUnitWhere(readsTheRealWorld())
                .because("the whole engine runs under a virtual clock and a seed")
                .check(OURS);
    }

    @Test
    void namesSayWhatAThingIs() {
        noClasses()
                .should()
                .haveNameMatching(".*[.$](Abstract|Base)[A-Z][^.$]*|.*(Impl|Manager|Helper|Utils?)")
                .orShould()
                .resideInAnyPackage("..common..", "..util..", "..utils..", "..misc..")
                .check(OURS);
    }

    /**
     * Calls that make two runs with the same seed differ, or that start a thread nobody passed in.
     */
    private static DescribedPredicate<JavaCall<?>> readsTheRealWorld() {
        return DescribedPredicate.or(
                        call(System.class, "currentTimeMillis|nanoTime"),
                        call(Instant.class, "now"),
                        call(Clock.class, "system.*"),
                        call(Thread.class, "<init>|sleep|startVirtualThread|ofVirtual|ofPlatform"),
                        call(Executors.class, "new.*"),
                        call(ThreadPoolExecutor.class, "<init>"),
                        call(ScheduledThreadPoolExecutor.class, "<init>"),
                        call(ForkJoinPool.class, "<init>|commonPool"),
                        call(CompletableFuture.class, ".*Async").and(withoutExecutor()),
                        call(CompletableFuture.class, "orTimeout|completeOnTimeout|delayedExecutor"),
                        call(Timer.class, "<init>"),
                        call(Random.class, "<init>"),
                        call(ThreadLocalRandom.class, "current"),
                        call(UUID.class, "randomUUID"),
                        call(Math.class, "random"))
                .as("read a clock, draw a random number or start a thread");
    }

    private static DescribedPredicate<JavaCall<?>> call(Class<?> type, String names) {
        return target(owner(equivalentTo(type)))
                .and(target(nameMatching(names)))
                .forSubtype();
    }

    private static DescribedPredicate<JavaCall<?>> withoutExecutor() {
        return DescribedPredicate.describe(
                "without an executor",
                call -> call.getTarget().getRawParameterTypes().stream()
                        .noneMatch(type -> type.isEquivalentTo(Executor.class)));
    }
}
