package dev.blobshuffle.core.internal.owner;

import java.util.Optional;

/**
 * What follows from one read of the register and one of a claims topic. The caller first writes
 * {@code remember} into its own claims topic and awaits the acknowledgement. Then it replaces the
 * register that it read. If both succeed, {@code next} holds. If the topic cannot be written, the
 * caller decides again with {@link ClaimsTopic.Unreadable}. If the register changed, or its answer
 * is lost, the caller begins again with a read, the former state and fresh values.
 *
 * @param verdict what the caller knows then
 * @param next the instance's state then
 * @param remember for the own claims topic
 * @param replace for the register
 */
public record Step(Verdict verdict, MemberState next, Optional<Remember> remember, Optional<OwnerText> replace) {
    /** What an instance knows of its cluster's line. */
    public enum Verdict {
        /** The own cluster wrote it. */
        OWN,
        /** The cluster is contested. */
        CONTESTED,
        /** Nobody knows whether the own cluster wrote it. */
        IN_DOUBT,
        /** The step was about the owner only: begin the next one at once. */
        AGAIN
    }

    /** A record for a claims topic. */
    public sealed interface Remember {
        /**
         * A raise.
         *
         * @param counter of the text that will hold it
         */
        record Raise(String id, long counter) implements Remember {}

        /** An owner that is made. */
        record Owner(int owner) implements Remember {}
    }
}
