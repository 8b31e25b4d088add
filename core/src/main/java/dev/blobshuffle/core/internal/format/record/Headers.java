package dev.blobshuffle.core.internal.format.record;

import org.jspecify.annotations.Nullable;

/**
 * The headers of one record, in order; names may repeat. A front door adapts its engine's headers
 * to this interface.
 */
public interface Headers {
    /** No headers. */
    Headers NONE = new Headers() {
        @Override
        public int count() {
            return 0;
        }

        @Override
        public String name(int index) {
            throw new IndexOutOfBoundsException(index);
        }

        @Override
        public byte @Nullable [] value(int index) {
            throw new IndexOutOfBoundsException(index);
        }
    };

    /** Number of headers. */
    int count();

    /** Name of the header at an index from 0. */
    String name(int index);

    /** Value of the header at an index from 0; may be null. */
    byte @Nullable [] value(int index);
}
