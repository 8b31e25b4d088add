package dev.blobshuffle.core.store;

import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Small named texts that a store keeps beside its blobs. They change by compare-and-set only: of
 * several writers at once, one succeeds. Thread-safe; failures are those of {@link BlobStore}.
 *
 * <p>Every text that is ever written to a register must differ from all others. Some stores derive
 * the version from the content.
 */
public interface Registers {
    /** The most bytes that a text may have in UTF-8. */
    int MOST_BYTES = 1 << 16;

    /**
     * Reads a register; empty if nobody has written it.
     *
     * @param name lower-case letters and dashes
     */
    CompletionStage<Optional<Register>> read(String name);

    /**
     * Writes a register if it still holds what the caller read. If the stage fails, the text may have
     * been written: read the register to find out.
     *
     * @param expected what the caller read; empty if nobody had written it
     * @return whether the text was written
     */
    CompletionStage<Boolean> replace(String name, Optional<Register> expected, String text);
}
