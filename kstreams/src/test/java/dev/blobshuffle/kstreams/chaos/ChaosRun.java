package dev.blobshuffle.kstreams.chaos;

import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.kafkaembedded.KafkaProcess;
import dev.blobshuffle.kstreams.BlobShuffleClientSupplier;
import dev.blobshuffle.kstreams.ChaosSupplier;
import dev.blobshuffle.kstreams.ForgetfulSupplier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * One run: brokers, instances, a flow of records, and one fault after another. Owned by one thread.
 */
final class ChaosRun {
    static final int OUTPUT_PARTITIONS = 4;

    private static final Duration BROKER_START = Duration.ofMinutes(5);
    private static final Duration START = Duration.ofMinutes(3);
    private static final Duration UNTIL_BUSY = Duration.ofSeconds(60);
    private static final Duration RECOVERY = Duration.ofSeconds(20);
    private static final Duration CLOSE = Duration.ofSeconds(60);
    private static final Duration STALL = Duration.ofMinutes(3);
    private static final List<String> ZONES = List.of("a", "b", "c");
    /** Longer than the session of an instance, and than that of a broker. */
    private static final Duration ZOMBIE = Duration.ofSeconds(8);

    private static final Duration TRANSACTION = Duration.ofSeconds(8);
    /** After this time, no further fault begins. */
    private static final int MOST_SECONDS = Integer.getInteger("chaos.most", 10_000);

    private static final int HIT_REQUESTS = 20;
    private static final int PROGRESS = 500;

    private final ChaosOptions options;
    private final Path directory;
    private final Random random;
    private final ChaosLedger ledger = new ChaosLedger();
    private final List<ChaosInstance> instances = new ArrayList<>();
    private final List<ChaosReport.Hit> hits = new ArrayList<>();
    private final long begin = System.nanoTime();
    private KafkaProcess kafka;
    private ChaosNetwork network;
    private long deleted; // by instances that are gone
    private int deaths; // of stream threads, in instances that are gone
    private int unplannedEnds;

    ChaosRun(ChaosOptions options, Path directory) {
        this.options = options;
        this.directory = directory;
        this.random = new Random(options.seed());
    }

    ChaosReport run() throws Exception {
        Files.createDirectories(directory.resolve("blobs"));
        PrivateFiles.write(directory.resolve("secret"), "known to all members");
        try (KafkaProcess cluster = KafkaProcess.builder()
                        .brokers(options.brokers())
                        .startTimeout(BROKER_START)
                        .clientPaths(options.instances() + 1)
                        .property("min.insync.replicas", options.brokers() == 1 ? 1 : 2)
                        .property("transaction.state.log.min.isr", options.brokers() == 1 ? 1 : 2)
                        .start();
                ChaosNetwork ways = new ChaosNetwork(cluster, options.instances() + 1)) {
            kafka = cluster;
            network = ways;
            kafka.createTopic(ChaosTopology.INPUT, ChaosRecord.ORIGINS);
            kafka.createTopic(ChaosTopology.OUTPUT, OUTPUT_PARTITIONS);
            kafka.createTopic(ChaosTopology.COUNTS, OUTPUT_PARTITIONS);
            ChaosOutput output = new ChaosOutput(kafka.bootstrapServers(), ledger);
            for (int i = 0; i < options.instances(); i++) {
                instances.add(start(i));
            }
            ChaosInput input = new ChaosInput(kafka.bootstrapServers(), ledger, options);
            ledger.awaitReceived(PROGRESS, START);
            injectAll();
            input.finish();
            settle();
            if (isStateWrong()) {
                explainState();
            }
            if (!isControl()) {
                closeAll();
                output.finishAtTheEnds();
            } else {
                output.finish();
            }
        } finally {
            instances.forEach(this::end);
        }
        return new ChaosReport(
                options, ledger.verdict(), hits, deaths, unplannedEnds, deleted, seconds(), ledger.slowest());
    }

    private double seconds() {
        return (System.nanoTime() - begin) / 1e9;
    }

    private void injectAll() throws Exception {
        List<ChaosFault> round = new ArrayList<>();
        for (int i = 0; i < options.faults() || seconds() < options.least().toSeconds(); i++) {
            if (seconds() > MOST_SECONDS || isStateWrong()) {
                return;
            }
            if (round.isEmpty()) {
                round.addAll(options.kinds());
                Collections.shuffle(round, random);
            }
            replaceTheDead();
            long before = ledger.received();
            inject(round.remove(0));
            if (!isControl()) {
                // Not required: the next fault may begin while the last one still has an effect.
                ledger.awaitReceived(before + PROGRESS, RECOVERY);
            } else if (ledger.awaitSkipped(RECOVERY)) {
                // Lost records are detected. Not every kill loses some, so several may be needed.
                return;
            }
        }
    }

    private void inject(ChaosFault fault) throws Exception {
        ChaosInstance target = instances.get(random.nextInt(instances.size()));
        boolean isBusy =
                target.await(status -> status.isRunning() && (status.isBusy() || options.isNative()), UNTIL_BUSY);
        ChaosInstance.Status status = target.status();
        double at = seconds();
        long faults = faults();
        boolean isPossible = true;
        switch (fault) {
            case KILL_INSTANCE -> {
                target.kill();
                replace(target);
            }
            case HALT_INSTANCE -> {
                target.order("halt");
                target.awaitEnd(RECOVERY);
                replace(target);
            }
            case FREEZE_INSTANCE -> target.freeze();
            case THROW_IN_USER_CODE -> {
                target.order("throw");
                target.await(now -> now.deaths() > status.deaths(), RECOVERY);
            }
            case REPLACE_THREAD -> target.order("replace");
            case ADD_AND_REMOVE_INSTANCE -> {
                ChaosInstance another = start(options.instances());
                another.await(now -> now.isRunning() && (now.isBusy() || options.isNative()), START);
                another.order("close");
                another.awaitEnd(START);
                end(another);
            }
            case KILL_BROKER -> {
                int broker = random.nextInt(options.brokers());
                kafka.kill(broker);
                kafka.restart(broker);
            }
            case CUT_OFF_TO_STORE, CUT_OFF_FROM_STORE -> cutOffFromStore(target, fault.store());
            case DISK_IS_FULL -> fillDisk(target);
            default -> {
                if (fault.store() == ChaosFault.Store.HEALTHY) {
                    isPossible = injectIntoBrokers(fault, target);
                } else {
                    spoil(fault.store());
                }
            }
        }
        boolean isOfStore = fault.store() != ChaosFault.Store.HEALTHY || fault == ChaosFault.DISK_IS_FULL;
        boolean isHit = !isOfStore || faults() > faults;
        hits.add(new ChaosReport.Hit(fault, at, status.puts(), status.gets(), isPossible && isBusy && isHit));
        System.out.println(hits.get(hits.size() - 1) + "; " + ledger.behind() + " records under way");
    }

    /** @return whether a fault was injected */
    private boolean injectIntoBrokers(ChaosFault fault, ChaosInstance target) throws Exception {
        List<ChaosProxy> ways = network.ways(target.number());
        switch (fault) {
            case FREEZE_BROKER -> {
                int broker = random.nextInt(options.brokers());
                kafka.pause(broker);
                rest(ZOMBIE);
                kafka.resume(broker);
            }
            case MOVE_LEADERS -> {
                return LeaderMoves.moveAll(kafka.bootstrapServers()) > 0;
            }
            case CUT_OFF_FROM_BROKERS -> cutOff(ways, EnumSet.allOf(ChaosProxy.Direction.class));
            case CUT_OFF_TO_BROKERS -> cutOff(ways, EnumSet.of(ChaosProxy.Direction.TO_BROKER));
            case CUT_OFF_FROM_ANSWERS -> cutOff(ways, EnumSet.of(ChaosProxy.Direction.TO_INSTANCE));
            case CUT_OFF_FROM_ONE_BROKER ->
                cutOff(List.of(ways.get(random.nextInt(ways.size()))), EnumSet.allOf(ChaosProxy.Direction.class));
            case TRANSACTION_TIMES_OUT -> {
                target.order("dawdle " + TRANSACTION.plusSeconds(3).toMillis());
                rest(TRANSACTION.plusSeconds(4));
            }
            case CLOCK_JUMPS -> {
                int hours = random.nextInt(1, 6);
                boolean isForward = random.nextBoolean();
                target.order("clock " + TimeUnit.HOURS.toMillis(isForward ? hours : -hours));
                rest(Duration.ofSeconds(2));
                target.order("clock 0");
            }
            default -> throw new IllegalArgumentException(fault.name());
        }
        return true;
    }

    private void cutOff(List<ChaosProxy> ways, Set<ChaosProxy.Direction> directions) throws InterruptedException {
        ChaosNetwork.block(ways, directions);
        rest(ZOMBIE);
        boolean isDelivered = random.nextBoolean();
        ChaosNetwork.heal(ways, isDelivered ? ChaosProxy.Backlog.DELIVERED : ChaosProxy.Backlog.LOST);
    }

    private void cutOffFromStore(ChaosInstance target, ChaosFault.Store mood) throws InterruptedException {
        long enough = target.status().faults() + HIT_REQUESTS;
        target.order("store " + mood);
        target.await(status -> status.faults() >= enough, Duration.ofSeconds(6));
        target.order("store " + ChaosFault.Store.HEALTHY);
    }

    private void fillDisk(ChaosInstance target) throws Exception {
        if (!target.limitFiles("1024")) {
            System.out.println("chaos: prlimit does not work here");
        }
        rest(Duration.ofSeconds(5));
        target.limitFiles("unlimited");
    }

    /** The time for which a fault lasts. */
    private void rest(Duration time) throws InterruptedException {
        boolean ignored = ledger.awaitReceived(Long.MAX_VALUE, time);
    }

    /**
     * Lets the store misbehave for every instance. If it refuses, for longer than an upload may
     * take, and until some requests are slow. If it answers wrongly, until enough requests were
     * hit.
     */
    private void spoil(ChaosFault.Store mood) throws InterruptedException {
        Duration time = mood == ChaosFault.Store.REFUSE ? Duration.ofSeconds(6) : Duration.ofSeconds(4);
        boolean isWrong = mood != ChaosFault.Store.REFUSE && mood != ChaosFault.Store.SLOW;
        long enough = faults() + HIT_REQUESTS;
        instances.forEach(instance -> instance.order("store " + mood));
        instances.get(0).await(status -> isWrong && faults() >= enough, time);
        instances.forEach(instance -> instance.order("store " + ChaosFault.Store.HEALTHY));
    }

    private long faults() {
        return instances.stream()
                .mapToLong(instance -> instance.status().faults())
                .sum();
    }

    private void replaceTheDead() throws IOException {
        for (ChaosInstance instance : List.copyOf(instances)) {
            if (!instance.isAlive()) {
                unplannedEnds++;
                replace(instance);
            }
        }
    }

    private void replace(ChaosInstance gone) throws IOException {
        end(gone);
        instances.set(instances.indexOf(gone), start(gone.number()));
    }

    private void end(ChaosInstance instance) {
        instance.kill();
        deaths += instance.status().deaths();
        deleted += instance.status().deleted();
    }

    /** Closes everything that still runs, properly if possible, so that no writer is left. */
    private void closeAll() throws Exception {
        instances.forEach(instance -> instance.order("close"));
        for (ChaosInstance instance : instances) {
            if (!instance.awaitEnd(CLOSE)) {
                System.out.println("chaos: instance " + instance.number() + " did not close in order");
            }
        }
    }

    /** Ends input and faults, and waits for all records. */
    private void settle() throws Exception {
        if (isControl()) {
            boolean ignored = ledger.awaitSkipped(START);
            return;
        }
        // During the last fault, nothing may have come out for any time.
        long begun = System.nanoTime();
        long before;
        do {
            replaceTheDead();
            before = ledger.events();
        } while (!ledger.awaitComplete(Duration.ofSeconds(5))
                && (ledger.events() > before
                        || System.nanoTime() - begun < STALL.toNanos()
                        || !ledger.isStalled(STALL)));
        if (!ledger.isComplete()) {
            explain();
        }
    }

    /** Whether the state is wrong: further faults would only hide the cause. */
    private boolean isStateWrong() {
        return options.isExactlyOnce() && !ledger.wrong().isEmpty();
    }

    private boolean isControl() {
        return options.commits() == ChaosOptions.Commits.FORGET;
    }

    /** Makes the instances print their state, and shows their output. */
    private void explain() throws Exception {
        StuckLogs.describe(kafka.bootstrapServers()).forEach(line -> System.out.println("brokers stuck: " + line));
        instances.forEach(instance -> instance.order("describe"));
        instances.get(0).await(status -> false, Duration.ofSeconds(3));
        for (ChaosInstance instance : instances) {
            Files.readAllLines(log(instance)).stream()
                    .filter(line -> line.startsWith("stuck: "))
                    .forEach(line -> System.out.println("instance " + instance.number() + " " + line));
        }
    }

    /** Shows the missing entries of the stores, and the restorations. */
    private void explainState() throws IOException {
        ledger.wrong().forEach(line -> System.out.println("wrong state: " + line));
        WrongState.inChangelogs(kafka.bootstrapServers()).forEach(line -> System.out.println("wrong state: " + line));
        for (ChaosInstance instance : instances) {
            WrongState.inLog(log(instance))
                    .forEach(line -> System.out.println("wrong state: instance " + instance.number() + " " + line));
        }
    }

    private Path log(ChaosInstance instance) {
        return directory.resolve("instance-" + instance.number()).resolve("output.log");
    }

    private ChaosInstance start(int number) throws IOException {
        Properties settings = settings(options, network.bootstrapServers(number), directory);
        if (!isControl() && !options.isNative() && !options.variant().isOfOperators()) {
            settings.setProperty("default.client.supplier", ChaosSupplier.class.getName());
        }
        if (options.variant() == ChaosVariant.ZONES) {
            settings.setProperty("blobshuffle.zone", ZONES.get(number % ZONES.size()));
            settings.setProperty("blobshuffle.cache.zone.enabled", "true");
            settings.setProperty("blobshuffle.cache.memory.bytes", "32 MiB");
            settings.setProperty("blobshuffle.peer.listen", "127.0.0.1:0");
            settings.setProperty(
                    "blobshuffle.peer.secret.file", directory.resolve("secret").toString());
        }
        return ChaosInstance.start(number, directory, settings);
    }

    /** The settings of an instance, without those that differ between instances. */
    static Properties settings(ChaosOptions options, String bootstrapServers, Path directory) {
        Properties settings = new Properties();
        settings.setProperty("application.id", "chaos");
        settings.setProperty("bootstrap.servers", bootstrapServers);
        settings.setProperty("processing.guarantee", options.guarantee());
        settings.setProperty("group.protocol", options.protocol());
        settings.setProperty("num.stream.threads", "2");
        settings.setProperty("commit.interval.ms", "200");
        settings.setProperty("repartition.purge.interval.ms", "2000");
        settings.setProperty("poll.ms", "20");
        settings.setProperty("auto.offset.reset", "earliest");
        settings.setProperty("reconnect.backoff.max.ms", "200");
        settings.setProperty("producer.linger.ms", "5");
        settings.setProperty("producer.request.timeout.ms", "8000");
        settings.setProperty("producer.transaction.timeout.ms", Long.toString(TRANSACTION.toMillis()));
        if (options.protocol().equals("classic")) {
            settings.setProperty("main.consumer.session.timeout.ms", "5000");
            settings.setProperty("main.consumer.heartbeat.interval.ms", "1000");
        }
        settings.setProperty(ChaosVariant.SETTING, options.variant().name());
        if (options.isNative()) {
            return settings;
        }
        settings.setProperty("blobshuffle.store", "chaos://" + directory.resolve("blobs"));
        settings.setProperty("blobshuffle.batch.max.bytes", "64 KiB");
        settings.setProperty("blobshuffle.batch.max.delay.ms", "100");
        settings.setProperty("blobshuffle.delivery.timeout.ms", "4000");
        settings.setProperty("blobshuffle.inline.max.bytes", "0");
        if (options.commits() == ChaosOptions.Commits.DRAIN) {
            return options.variant().isOfOperators() ? settings : BlobShuffleClientSupplier.addTo(settings);
        }
        if (!options.variant().isOfOperators()) {
            settings.setProperty("default.client.supplier", ForgetfulSupplier.class.getName());
        }
        // At any moment there are committed records that are not stored.
        settings.setProperty("blobshuffle.batch.max.delay.ms", "1000");
        return settings;
    }
}
