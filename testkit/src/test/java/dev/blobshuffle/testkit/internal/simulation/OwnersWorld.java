package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.internal.claim.OwnerClaimant;
import dev.blobshuffle.core.internal.claim.OwnerRegister;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.owner.OwnerText;
import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.owner.Promise;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.testkit.internal.simulation.OwnersCluster.Log;
import dev.blobshuffle.testkit.internal.simulation.OwnersSchedule.Application;
import dev.blobshuffle.testkit.internal.simulation.OwnersUser.Profile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One schedule of owners: a store, its clusters and the instances that come and go, an operator who
 * makes mistakes, and what must hold whenever a blob is deleted. Guarded by the simulation's baton.
 */
final class OwnersWorld {
    /** The protocol's durations, scaled down. */
    static final OwnerTiming TIMING =
            new OwnerTiming(Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofSeconds(5));

    private final SimulatedTime time;
    private final OwnersSchedule schedule;
    private final Ledger ledger = new Ledger();
    private final SimulatedStore store;
    private final List<OwnersCluster> clusters = new ArrayList<>();
    private final Set<OwnersInstance> running = new LinkedHashSet<>();
    private final List<OwnersUser> commands = new ArrayList<>();
    private final Map<OwnersFault, Integer> faults = new EnumMap<>(OwnersFault.class);
    private Optional<OwnersCluster> backup = Optional.empty();
    private Duration storeSkew = Duration.ZERO;
    private boolean isOver;
    private int deleted;
    private int made;

    OwnersWorld(SimulatedTime time) {
        this.time = time;
        schedule = OwnersSchedule.of(time);
        store = new SimulatedStore((fault, oneIn) -> false, time, this::storeMillis, ledger, blob -> false);
    }

    private long storeMillis() {
        return time.wallMillis() + storeSkew.toMillis();
    }

    /** Runs the schedule to its end. */
    void run() {
        clusters.add(cluster("original"));
        if (schedule.hasStranger()) {
            clusters.add(cluster("stranger"));
        }
        for (OwnersCluster cluster : clusters) {
            for (Application application : schedule.applications()) {
                for (int number = 0; number < application.instances(); number++) {
                    start(cluster, application);
                }
            }
        }
        var ignored = time.actor("operator", this::operate);
        time.run();
    }

    private OwnersCluster cluster(String id) {
        OwnersCluster cluster = new OwnersCluster(id);
        for (Application application : schedule.applications()) {
            for (int number = 0; number < application.partitions(); number++) {
                cluster.addLog(new Partition(application.topic(), number), application.topic() + "-1");
            }
        }
        return cluster;
    }

    private void start(OwnersCluster cluster, Application application) {
        Promise promise =
                application.promises().get(time.random(application.promises().size()));
        Duration skew = Duration.ZERO;
        if (strikes(OwnersFault.MEMBER_CLOCK_OFF, 4)) {
            skew = time.random(2) == 0
                    ? Duration.ofMinutes(time.random(20) - 10L)
                    : Duration.ofHours(time.random(60) - 30L);
        }
        OwnersInstance instance = new OwnersInstance(
                this, cluster, application, new Profile(application.claims(), promise, application.floor(), skew));
        running.add(instance);
        instance.start(clusters.indexOf(cluster) > 0 || time.random(3) < schedule.turns());
    }

    private void stop(OwnersInstance instance) {
        instance.process.kill();
        running.remove(instance);
    }

    private void operate() {
        for (int i = 0; i < schedule.strikes() && !ledger.isBroken(); i++) {
            time.pause(Duration.ofMillis(5_000 + time.random(25_000)));
            List<OwnersFault> kinds = List.copyOf(schedule.faults());
            strike(kinds.isEmpty() ? OwnersFault.LOG_PURGED : kinds.get(time.random(kinds.size())));
            if (time.random(2) == 0) {
                purge();
            }
            if (running.isEmpty()) {
                start(any(clusters), any(schedule.applications()));
            }
        }
        isOver = true;
        running.forEach(instance -> instance.process.kill());
        commands.forEach(command -> command.process.kill());
    }

    private <T> T any(List<T> list) {
        return list.get(time.random(list.size()));
    }

    private Optional<OwnersInstance> anyInstance() {
        return running.isEmpty() ? Optional.empty() : Optional.of(any(List.copyOf(running)));
    }

    private Log anyLog() {
        OwnersCluster cluster = any(clusters);
        return cluster.log(any(cluster.partitions())).orElseThrow();
    }

    private void strike(OwnersFault fault) {
        switch (fault) {
            case PROCESS_KILLED -> anyInstance().ifPresent(this::restart);
            case APPLICATION_STOPPED -> stopApplication();
            case OWNER_FORGOTTEN -> forget();
            case CLAIMS_LOST -> loseClaims();
            case CLUSTER_COPIED -> copy();
            case CLUSTER_RESTORED -> restore();
            case CONTEST_SETTLED -> settle();
            case BROKERS_AWAY -> anyInstance().ifPresent(this::cutOff);
            case ISR_SHORT -> shrink();
            case LEADER_CHANGED -> {
                count(fault);
                anyLog().elect();
            }
            case TOPIC_MADE_AGAIN -> makeTopicAgain();
            case STORE_CLOCK_AHEAD -> turnStoreClock(fault, Duration.ofMinutes(30 + time.random(3000)));
            case STORE_CLOCK_BEHIND -> turnStoreClock(fault, Duration.ofMinutes(-30 - time.random(3000)));
            default -> purge();
        }
    }

    private void restart(OwnersInstance instance) {
        count(OwnersFault.PROCESS_KILLED);
        stop(instance);
        time.pause(Duration.ofMillis(time.random(20_000)));
        start(instance.cluster, instance.application());
    }

    private void stopApplication() {
        OwnersCluster cluster = any(clusters);
        Application application = any(schedule.applications());
        stopAll(cluster, application);
        count(OwnersFault.APPLICATION_STOPPED);
        int later = time.random(300);
        if (time.random(3) > 0) {
            var ignored = time.actor("starter", () -> {
                time.pause(Duration.ofSeconds(later));
                if (!isOver) {
                    start(cluster, application);
                }
            });
        }
    }

    private void stopAll(OwnersCluster cluster, Application application) {
        List.copyOf(running).stream()
                .filter(one -> one.cluster == cluster && one.application() == application)
                .forEach(this::stop);
    }

    private void loseClaims() {
        OwnersCluster cluster = any(clusters);
        Application application = any(schedule.applications());
        if (time.random(2) == 0) {
            stopAll(cluster, application);
        }
        cluster.loseClaims(application.claims());
        count(OwnersFault.CLAIMS_LOST);
        start(cluster, application);
    }

    /** The owner of an application that does not run in the operator's cluster. */
    private void forget() {
        OwnersCluster cluster = any(clusters);
        OwnerText text = register();
        List<Integer> gone = text.owners().entrySet().stream()
                .filter(owner -> running.stream()
                        .noneMatch(one -> one.cluster == cluster
                                && one.cluster.id().equals(owner.getValue().cluster())
                                && one.application()
                                        .claims()
                                        .equals(owner.getValue().topic())))
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
        if (!gone.isEmpty()) {
            count(OwnersFault.OWNER_FORGOTTEN);
            int owner = any(gone);
            OwnersForget command =
                    new OwnersForget(this, cluster, owner, text.owners().get(owner), any(schedule.applications()));
            commands.add(command);
            command.start();
        }
    }

    private OwnerText register() {
        try (BlobStore client = store.client(time.process("reader"))) {
            return new OwnerRegister(client, time).read();
        }
    }

    private void copy() {
        if (clusters.size() > 2) {
            return;
        }
        count(OwnersFault.CLUSTER_COPIED);
        OwnersCluster original = clusters.get(0);
        if (time.random(2) == 0) {
            stopAll(original, any(schedule.applications()));
        }
        OwnersCluster copy = original.copy();
        clusters.add(copy);
        time.pause(Duration.ofMillis(time.random(60_000)));
        start(copy, any(schedule.applications()));
        start(copy, any(schedule.applications()));
    }

    private void restore() {
        OwnersCluster cluster = clusters.get(0);
        if (backup.isEmpty() || time.random(2) == 0) {
            backup = Optional.of(cluster.copy());
            return;
        }
        count(OwnersFault.CLUSTER_RESTORED);
        if (time.random(2) == 0) {
            List.copyOf(running).stream().filter(one -> one.cluster == cluster).forEach(this::stop);
        }
        cluster.become(backup.get());
        start(cluster, any(schedule.applications()));
    }

    /** The operator first stops what uses the store from the other cluster, or forgets to. */
    private void settle() {
        List<String> contested = List.copyOf(register().contests().keySet());
        Optional<OwnersInstance> survivor = anyInstance();
        if (survivor.isEmpty() || !contested.contains(survivor.get().cluster.id())) {
            return;
        }
        count(OwnersFault.CONTEST_SETTLED);
        OwnersCluster cluster = survivor.get().cluster;
        if (time.random(3) > 0) {
            List.copyOf(running).stream()
                    .filter(one -> one.cluster != cluster && one.cluster.id().equals(cluster.id()))
                    .forEach(this::stop);
        }
        OwnersUser command = new OwnersUser(this, cluster, "gc", survivor.get().profile());
        commands.add(command);
        var ignored = command.process.actor("settle", () -> {
            try (BlobStore client = command.store()) {
                new OwnerClaimant(command.source().seat(0), TIMING, command.time)
                        .settle(new OwnerRegister(client, command.time).cell());
            } catch (BlobShuffleException e) {
                // The operator tries again later, or not.
            }
        });
    }

    private void cutOff(OwnersInstance instance) {
        count(OwnersFault.BROKERS_AWAY);
        instance.away(true);
        var ignored = time.schedule(Duration.ofSeconds(time.random(200)), () -> instance.away(false));
    }

    private void shrink() {
        Log log = anyLog();
        if (!log.isShort()) {
            count(OwnersFault.ISR_SHORT);
            log.shrink();
            boolean isUnclean = time.random(2) == 0;
            var ignored = time.schedule(Duration.ofSeconds(5 + time.random(200)), () -> log.heal(isUnclean));
        }
    }

    private void purge() {
        count(OwnersFault.LOG_PURGED);
        OwnersCluster cluster = any(clusters);
        for (Partition partition : cluster.partitions()) {
            if (time.random(2) == 0) {
                cluster.log(partition).orElseThrow().purge(1 + time.random(8));
            }
        }
    }

    private void makeTopicAgain() {
        count(OwnersFault.TOPIC_MADE_AGAIN);
        OwnersCluster cluster = any(clusters);
        String topic = any(schedule.applications()).topic();
        String id = topic + "-again-" + made++;
        cluster.partitions().stream()
                .filter(partition -> partition.stream().equals(topic))
                .forEach(partition -> cluster.log(partition).orElseThrow().makeAgain(id));
    }

    private void turnStoreClock(OwnersFault fault, Duration skew) {
        if (storeSkew.isZero()) {
            count(fault);
            storeSkew = skew;
            var ignored = time.schedule(Duration.ofSeconds(20 + time.random(200)), () -> storeSkew = Duration.ZERO);
        }
    }

    private void count(OwnersFault fault) {
        faults.merge(fault, 1, Integer::sum);
    }

    /** Whether a kind of fault happens now. */
    boolean strikes(OwnersFault fault, int oneIn) {
        boolean strikes = schedule.faults().contains(fault) && time.random(oneIn) == 0;
        if (strikes) {
            count(fault);
        }
        return strikes;
    }

    /** The instances that live and have ended a check. */
    Set<OwnersInstance> present() {
        Set<OwnersInstance> present = new LinkedHashSet<>(running);
        present.removeIf(instance -> !instance.isPresent());
        return present;
    }

    /**
     * Checks a blob that a sweep is about to delete: what {@code OwnerProtocolExplorationTest}
     * checks.
     */
    void deleted(BlobId blob, OwnersUser by) {
        deleted++;
        Duration age = seemingAge(blob);
        if (age.compareTo(by.floor()) < 0) {
            violation(blob, by, "is younger than the floor: " + age);
        }
        Set<OwnersInstance> heard = present();
        heard.retainAll(by.asked());
        for (OwnersCluster cluster : clusters) {
            boolean isCopy = cluster != by.cluster && cluster.id().equals(by.cluster.id());
            if (isCopy || by.isForgetting(cluster)) {
                if (heard.stream().anyMatch(instance -> instance.cluster == cluster)) {
                    violation(blob, by, "while an instance of cluster " + clusters.indexOf(cluster) + " lives");
                }
            } else if (!by.isByAge() && cluster.names(blob)) {
                violation(blob, by, "which cluster " + clusters.indexOf(cluster) + " names");
            }
        }
        if (by.isByAge()) {
            heard.stream()
                    .filter(instance -> instance.owner() == blob.owner())
                    .filter(instance -> instance.promise()
                            .retention()
                            .filter(retention -> age.compareTo(retention) >= 0)
                            .isEmpty())
                    .forEach(instance -> violation(blob, by, "at " + age + ", which a member keeps"));
        }
    }

    /**
     * The age of a blob. If the clocks of the store and of the writer were both behind when the
     * blob was stored, nothing shows that it is younger.
     */
    private Duration seemingAge(BlobId blob) {
        return store.age(blob).plus(store.looksOlder(blob));
    }

    private void violation(BlobId blob, OwnersUser by, String why) {
        ledger.violation("at " + time.elapsed() + " cluster " + clusters.indexOf(by.cluster) + " (" + by.process.name()
                + ") deletes blob " + blob + " " + why);
    }

    boolean isOver() {
        return isOver;
    }

    SimulatedTime time() {
        return time;
    }

    SimulatedStore store() {
        return store;
    }

    Ledger ledger() {
        return ledger;
    }

    Map<OwnersFault, Integer> faults() {
        return Map.copyOf(faults);
    }

    int deleted() {
        return deleted;
    }
}
