package dev.blobshuffle.core.internal.owner;

import java.util.Optional;

/**
 * The decision after one read of the register and one of a claims topic. The caller first writes
 * {@code remember} into its own claims topic and awaits the acknowledgement. Then it replaces the
 * register that it read. If both succeed, {@code next} holds. If the topic cannot be written, the
 * caller decides again with {@link ClaimsTopic.Unreadable}. If the register has changed, or its
 * answer is lost, the caller begins again with a read, the former state and fresh values.
 *
 * @param verdict the caller's knowledge afterwards
 * @param next the instance's state afterwards
 * @param remember the record for the own claims topic
 * @param replace the new text of the register
 */
public record Step(Verdict verdict, MemberState next, Optional<Remember> remember, Optional<OwnerText> replace) {
    /** An instance's knowledge about its cluster's line. */
    public enum Verdict {
        /** The own cluster wrote the line. */
        OWN,
        /** The cluster is contested. */
        CONTESTED,
        /** The instance cannot verify whether the own cluster wrote the line. */
        IN_DOUBT,
        /** The step concerned the owner only. Begin the next step at once. */
        AGAIN
    }

    /** A record for a claims topic. */
    public sealed interface Remember {
        /**
         * A raise.
         *
         * @param counter the counter of the text that will hold the raise
         */
        record Raise(String id, long counter) implements Remember {}

        /** A created owner. */
        record Owner(int owner) implements Remember {}
    }
}
