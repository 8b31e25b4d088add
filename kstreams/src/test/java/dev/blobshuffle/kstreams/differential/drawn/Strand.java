package dev.blobshuffle.kstreams.differential.drawn;

import java.util.EnumSet;
import java.util.Set;
import org.apache.kafka.streams.kstream.KStream;

/**
 * A stream under construction, with the guarantees of Kafka Streams about its records.
 *
 * @param partitions of its tasks
 */
record Strand(KStream<String, String> stream, int partitions, Set<Trait> traits) {
    /** The properties of a stream. */
    enum Trait {
        /** The records of each partition are the same in each run, in order. */
        TOTAL,
        /** The records of each key come from one task, in the same order in each run. */
        BY_KEY,
        /** The key has changed since the last shuffle. */
        REKEYED,
        /** Some keys are null. */
        NULL_KEYS,
        /** A punctuator forwards the records. */
        BUFFERED,
        /** Records are the same in each run, in any order. */
        UNORDERED,
        /** Headers depend on other records. */
        HEADERLESS,
        /** Only the last value of each key is the same in each run, and its time. */
        LAST_TIMED,
        /** Only the last value of each key is the same in each run. */
        LAST
    }

    boolean has(Trait trait) {
        return traits.contains(trait);
    }

    boolean isLast() {
        return has(Trait.LAST) || has(Trait.LAST_TIMED);
    }

    Strand with(KStream<String, String> other) {
        return new Strand(other, partitions, traits);
    }

    Strand plus(Trait... more) {
        Set<Trait> changed = EnumSet.copyOf(traits);
        changed.addAll(Set.of(more));
        return new Strand(stream, partitions, changed);
    }

    Strand minus(Trait... fewer) {
        Set<Trait> changed = EnumSet.noneOf(Trait.class);
        changed.addAll(traits);
        changed.removeAll(Set.of(fewer));
        return new Strand(stream, partitions, changed);
    }

    /** This stream with new keys. */
    Strand rekeyed(KStream<String, String> other, boolean isLonger) {
        Strand changed = with(other).plus(Trait.REKEYED);
        boolean isOneTask = has(Trait.TOTAL) && partitions == 1;
        return isOneTask ? changed.plus(Trait.BY_KEY) : isLonger ? changed : changed.minus(Trait.BY_KEY);
    }

    /** This stream after a shuffle by key. */
    Strand shuffled(KStream<String, String> other, int newPartitions) {
        Strand changed = new Strand(other, newPartitions, traits).minus(Trait.REKEYED);
        return has(Trait.TOTAL) && partitions == 1 ? changed.plus(Trait.BY_KEY) : changed.minus(Trait.TOTAL);
    }

    /** The input of an operator that shuffles a changed key. */
    Strand shuffledIfRekeyed() {
        return has(Trait.REKEYED) ? shuffled(stream, partitions) : this;
    }

    Strand withoutNullKeys() {
        return has(Trait.NULL_KEYS)
                ? with(stream.filter((key, value) -> key != null)).minus(Trait.NULL_KEYS)
                : this;
    }

    /** The properties that this stream shares with another. */
    Strand meeting(Strand other, KStream<String, String> result) {
        Set<Trait> both = EnumSet.noneOf(Trait.class);
        both.addAll(traits);
        both.addAll(other.traits);
        for (Trait promise : Set.of(Trait.TOTAL, Trait.BY_KEY)) {
            if (!has(promise) || !other.has(promise)) {
                both.remove(promise);
            }
        }
        return new Strand(result, partitions, both);
    }
}
