package dev.blobshuffle.flink.internal.simulation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which senders rest, so that the schedule itself makes no record late: while a sender is idle, and
 * until all receivers know that it is active again, no other one may send a watermark that reaches
 * its next record. Guarded by the simulation's baton.
 */
final class Resting {
    private final int receivers;
    private final List<Rest> rests = new ArrayList<>();
    private long mostEmitted = Long.MIN_VALUE;

    /**
     * A rest of a sender.
     *
     * @param next the time of its next record
     * @param knowing the receivers that have a watermark of the sender from behind that record
     */
    private record Rest(int sender, long next, Set<Integer> knowing) {}

    Resting(int receivers) {
        this.receivers = receivers;
    }

    /** Whether a sender may rest until its next record. */
    boolean mayRest(long next) {
        return mostEmitted < next && rests.stream().noneMatch(rest -> rest.next() == next && next < Long.MAX_VALUE);
    }

    /** A sender rests until its next record. */
    void rests(int sender, long next) {
        rests.add(new Rest(sender, next, new HashSet<>()));
    }

    /** The highest watermark that a sender may send. */
    long most(int sender) {
        return rests.stream()
                .filter(rest -> rest.sender() != sender)
                .mapToLong(rest -> rest.next() - 1)
                .min()
                .orElse(Long.MAX_VALUE - 1);
    }

    /** The watermark that ends all earlier rests of a sender; the lowest if it has none. */
    long end(int sender) {
        return rests.stream()
                .filter(rest -> rest.sender() == sender && rest.next() < Long.MAX_VALUE)
                .mapToLong(Rest::next)
                .max()
                .orElse(Long.MIN_VALUE);
    }

    /** Whether records that have been read may still be behind a rest. */
    boolean isAny() {
        return rests.stream().anyMatch(rest -> rest.next() < Long.MAX_VALUE);
    }

    /** A watermark is sent. */
    void emitted(long watermark) {
        mostEmitted = Math.max(mostEmitted, watermark);
    }

    /** A watermark has arrived. */
    void arrived(int sender, int receiver, long watermark) {
        for (Rest rest : List.copyOf(rests)) {
            if (rest.sender() == sender && rest.next() <= watermark) {
                rest.knowing().add(receiver);
                if (rest.knowing().size() == receivers) {
                    rests.remove(rest);
                }
            }
        }
    }
}
