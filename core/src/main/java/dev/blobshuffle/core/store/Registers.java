package dev.blobshuffle.core.store;

import dev.blobshuffle.core.failure.StoreRefusedException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Small named texts that a store keeps beside its blobs. They change only by compare-and-set, so
 * exactly one of several concurrent writers succeeds. Thread-safe; failures are those of
 * {@link BlobStore}.
 *
 * <p>A register must never receive the same text twice, because some stores derive the version from
 * the content.
 */
public interface Registers {
    /** The most bytes that a text may have in UTF-8. */
    int MOST_BYTES = 1 << 16;

    /**
     * Reads a register; empty if it was never written.
     *
     * @param name lower-case letters and dashes
     */
    CompletionStage<Optional<Register>> read(String name);

    /**
     * Writes a register if it still holds the value that the caller read. If the stage fails, the
     * text may have been written: read the register to find out.
     *
     * @param expected the value that the caller read; empty if the register was never written
     * @return whether the text was written
     */
    CompletionStage<Boolean> replace(String name, Optional<Register> expected, String text);

    /**
     * The bytes of a text, after a check of their number. Stores check on write and on read,
     * because a truncated text would have another meaning.
     *
     * @throws StoreRefusedException the text has more than {@link #MOST_BYTES}
     */
    static byte[] bytes(String name, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > MOST_BYTES) {
            throw new StoreRefusedException("Cannot use register " + name + ": its text has more than " + MOST_BYTES
                    + " bytes. Let fewer applications share a store: give some of them a prefix of their own.");
        }
        return bytes;
    }
}
