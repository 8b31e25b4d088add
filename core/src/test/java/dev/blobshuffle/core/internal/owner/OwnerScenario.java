package dev.blobshuffle.core.internal.owner;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A family of schedules: the participants, how often each event may happen, and the points of the
 * protocol that are left out. Time is in ticks: {@code CHECK} and the reserve are one tick, {@code
 * RAISE} is three.
 */
final class OwnerScenario {
    static final OwnerTiming TIMING = new OwnerTiming(ticks(1), ticks(3), ticks(1));

    /** A part of the protocol that can be left out. */
    enum Point {
        VERIFY,
        EVERY_APPLICATION,
        RAISE_AGAIN,
        DOUBT,
        REGISTER_PROMISE,
        PROMISE_HELD,
        TWO_PHASES,
        SECOND_WAIT,
        THIRD_WAIT,
        QUESTION,
        SETTLED_LOGS,
        OWNER_SCOPE,
        NEW_OWNER,
        TOPIC_ID,
        STORES_ONLY_CHECKED,
        SETTLING_DOUBTS,
        LOG_STARTS,
        COUNTER
    }

    /** The kind of the second cluster. */
    enum Second {
        NONE,
        /** A copy, created at any time. */
        COPY,
        /** Another cluster with the same id, for example from a fixed id in a configuration. */
        TWIN,
        /** Another cluster. */
        OTHER
    }

    /** The events that happen a limited number of times. */
    enum Limited {
        START,
        CRASH,
        LOST_ANSWER,
        SEAL,
        STORE_AWAY,
        BROKERS_AWAY,
        RIGHTS_LOST,
        STORE_RESTORE,
        KAFKA_RESTORE,
        TOPIC_AGAIN,
        SETTLE,
        LATE_NOTIFICATION,
        PURGE
    }

    /**
     * An instance that may run.
     *
     * @param promises the promises with which it may start
     * @param forgets the owner that it sweeps by an operator's order
     */
    record Instance(int cluster, int app, boolean sweeps, List<Promise> promises, Optional<Integer> forgets) {}

    final String name;
    Second second = Second.NONE;
    final List<Instance> instances = new ArrayList<>();
    final Map<Limited, Integer> limits = new EnumMap<>(Limited.class);
    final Set<Point> without = EnumSet.noneOf(Point.class);
    boolean isFine;
    /** Whether a sweeper's listing and its read of the logs are separate moves. */
    boolean isSplit;

    boolean isByTopic;
    /** Instances that run, with their first check done, before the exploration starts. */
    final List<Integer> running = new ArrayList<>();

    /** Moves before the exploration starts; they do not count towards the limits. */
    final List<Integer> prelude = new ArrayList<>();

    OwnerScenario(String name) {
        this.name = name;
    }

    static Duration ticks(int ticks) {
        return Duration.ofSeconds(ticks);
    }

    /** A promise without retention by age. */
    static Promise bound(int ticks) {
        return new Promise(ticks(ticks), Optional.empty());
    }

    static Promise retention(int ticks) {
        return new Promise(ticks(1), Optional.of(ticks(ticks)));
    }

    OwnerScenario second(Second kind) {
        second = kind;
        return this;
    }

    OwnerScenario member(int cluster, int app, Promise... promises) {
        instances.add(new Instance(cluster, app, false, List.of(promises), Optional.empty()));
        return this;
    }

    OwnerScenario sweeper(int cluster, int app, Promise... promises) {
        instances.add(new Instance(cluster, app, true, List.of(promises), Optional.empty()));
        return this;
    }

    OwnerScenario forgetter(int cluster, int app, int owner, Promise... promises) {
        instances.add(new Instance(cluster, app, true, List.of(promises), Optional.of(owner)));
        return this;
    }

    OwnerScenario limit(Limited what, int times) {
        limits.put(what, times);
        return this;
    }

    OwnerScenario running(Integer... some) {
        running.addAll(List.of(some));
        return this;
    }

    OwnerScenario after(OwnerMoves.Kind kind, int argument) {
        prelude.add(OwnerMoves.code(kind, argument));
        return this;
    }

    OwnerScenario split() {
        isSplit = true;
        return this;
    }

    OwnerScenario fine() {
        isFine = true;
        isSplit = true;
        return this;
    }

    OwnerScenario byTopic() {
        isByTopic = true;
        return this;
    }

    OwnerScenario without(Point... points) {
        without.addAll(List.of(points));
        return this;
    }

    boolean has(Point point) {
        return !without.contains(point);
    }

    int limit(Limited what) {
        return limits.getOrDefault(what, 0);
    }

    String clusterId(int cluster) {
        return cluster == 1 && second == Second.OTHER ? "D" : "C";
    }

    boolean isCopyPair() {
        return second == Second.COPY;
    }
}
