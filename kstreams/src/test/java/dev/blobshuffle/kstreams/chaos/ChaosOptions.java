package dev.blobshuffle.kstreams.chaos;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The options of a run.
 *
 * @param kinds kinds of faults
 * @param faults number of faults; all kinds take turns, in random order
 * @param least minimum duration; the run continues with more faults until it is over
 * @param seed determines the order and the targets of faults
 * @param guarantee Kafka Streams' {@code processing.guarantee}
 * @param protocol Kafka Streams' {@code group.protocol}
 * @param brokers 1 or 3; as many replicas
 * @param instances of the application
 * @param rate input records per second
 * @param commits whether commits wait for their records
 * @param variant how records get into blobs; or natively, to show the effect of the same faults on
 *     Kafka itself
 */
record ChaosOptions(
        List<ChaosFault> kinds,
        int faults,
        Duration least,
        long seed,
        String guarantee,
        String protocol,
        int brokers,
        int instances,
        int rate,
        Commits commits,
        ChaosVariant variant) {
    /** Whether commits wait. */
    enum Commits {
        /** They wait, as they must. */
        DRAIN,
        /** They do not: the control, which must lose records. */
        FORGET
    }

    /**
     * A few kinds, of which each takes away another resource: a process, its time, a broker, the
     * store.
     */
    private static final List<ChaosFault> FEW = List.of(
            ChaosFault.KILL_INSTANCE,
            ChaosFault.FREEZE_INSTANCE,
            ChaosFault.KILL_BROKER,
            ChaosFault.STORE_REFUSES,
            ChaosFault.STORE_FLIPS_BITS);

    private static final int USUAL_RATE = 1000;

    /**
     * The options in the system properties {@code chaos.*}. With a number of faults, faults are of
     * every kind. Without it, a few kinds occur once, at half the rate.
     */
    static ChaosOptions given() {
        if (Integer.getInteger("chaos.faults") != null) {
            return everyKind();
        }
        return given(FEW, variant(ChaosVariant.BLOBS), 1, USUAL_RATE / 2);
    }

    /** Each kind of fault, over three brokers. */
    static ChaosOptions everyKind() {
        ChaosVariant variant = variant(ChaosVariant.BLOBS);
        return given(List.of(ChaosFault.values()), variant, variant == ChaosVariant.BLOBS ? 3 : 1, USUAL_RATE);
    }

    private static ChaosVariant variant(ChaosVariant byDefault) {
        return ChaosVariant.valueOf(
                System.getProperty("chaos.variant", byDefault.name()).toUpperCase(Locale.ROOT));
    }

    /**
     * Under at-least-once, with parallel calls after each shuffle. By default without kinds that
     * leave zombies, so that the order can be checked.
     */
    static ChaosOptions atLeastOnce() {
        ChaosOptions given = given(
                List.of(ChaosFault.KILL_INSTANCE, ChaosFault.THROW_IN_USER_CODE),
                ChaosVariant.BLOBS_AND_CALLS,
                1,
                USUAL_RATE / 2);
        return new ChaosOptions(
                given.kinds,
                given.faults,
                given.least,
                given.seed,
                "at_least_once",
                given.protocol,
                given.brokers,
                given.instances,
                given.rate,
                given.commits,
                given.variant);
    }

    /**
     * The same for the operators. By default only the kinds that concern the operators' own code:
     * the engine is the same.
     */
    static ChaosOptions ofOperators() {
        return given(
                List.of(ChaosFault.KILL_INSTANCE, ChaosFault.THROW_IN_USER_CODE, ChaosFault.STORE_REFUSES),
                ChaosVariant.OPERATORS,
                1,
                USUAL_RATE);
    }

    /**
     * The same for parallel functions. They have nothing in a store, so only the order of ends
     * matters.
     */
    static ChaosOptions ofKeyParallel() {
        return given(
                List.of(ChaosFault.KILL_INSTANCE, ChaosFault.ADD_AND_REMOVE_INSTANCE, ChaosFault.THROW_IN_USER_CODE),
                ChaosVariant.KEY_PARALLEL,
                1,
                USUAL_RATE);
    }

    /**
     * The same in three zones, one of which has two instances. By default the kinds that remove a
     * member while others send it requests.
     */
    static ChaosOptions inZones() {
        return given(List.of(ChaosFault.KILL_INSTANCE, ChaosFault.FREEZE_INSTANCE), ChaosVariant.ZONES, 1, USUAL_RATE);
    }

    private static ChaosOptions given(
            List<ChaosFault> byDefault, ChaosVariant variant, int usualBrokers, int usualRate) {
        int brokers = Integer.getInteger("chaos.brokers", usualBrokers);
        List<ChaosFault> chosen = System.getProperty("chaos.kinds") == null
                ? byDefault
                : Stream.of(System.getProperty("chaos.kinds").split(","))
                        .map(ChaosFault::valueOf)
                        .toList();
        List<ChaosFault> kinds = chosen.stream()
                .filter(kind -> brokers > 1 || !kind.needsManyBrokers())
                .filter(kind -> kind.store() == ChaosFault.Store.HEALTHY || !variant.isNative())
                .toList();
        return new ChaosOptions(
                kinds,
                Integer.getInteger("chaos.faults", kinds.size()),
                Duration.ofSeconds(Integer.getInteger("chaos.seconds", 0)),
                Long.getLong("chaos.seed", 1),
                System.getProperty("chaos.guarantee", "exactly_once_v2"),
                System.getProperty("chaos.protocol", "classic"),
                brokers,
                Integer.getInteger("chaos.instances", variant == ChaosVariant.ZONES ? 4 : 2),
                Integer.getInteger("chaos.rate", usualRate),
                Commits.DRAIN,
                variant);
    }

    /** No faults except those of the test. */
    static ChaosOptions calm() {
        return new ChaosOptions(
                List.of(),
                0,
                Duration.ZERO,
                1,
                "exactly_once_v2",
                "classic",
                1,
                2,
                200,
                Commits.DRAIN,
                ChaosVariant.BLOBS);
    }

    /**
     * The control: a few crashes of instances whose commits do not wait. At-least-once, because in
     * transactions late records would also block the next transactions, so that almost nothing
     * would come out.
     */
    static ChaosOptions control() {
        return new ChaosOptions(
                List.of(ChaosFault.KILL_INSTANCE),
                10, // Until one of them has been detected.
                Duration.ZERO,
                Long.getLong("chaos.seed", 1),
                "at_least_once",
                "classic",
                1,
                2,
                Integer.getInteger("chaos.rate", USUAL_RATE),
                Commits.FORGET,
                ChaosVariant.BLOBS);
    }

    /** Whether the order of redeliveries is guaranteed. */
    boolean isOrdered() {
        return kinds.stream().noneMatch(ChaosFault::leavesZombies);
    }

    boolean isNative() {
        return variant.isNative();
    }

    boolean isExactlyOnce() {
        return guarantee.equals("exactly_once_v2");
    }
}
