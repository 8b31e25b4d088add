package dev.blobshuffle.spark.internal.directory;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * Where the bytes of a blob are.
 *
 * @param writer the executor that has the outputs of the blob's maps on its disk; empty if none has
 * @param length the blob's length in the store, bytes; empty if it is not stored
 */
public record Whereabouts(Optional<Endpoint> writer, OptionalLong length) {
    /** Of a blob that is neither at an executor nor in the store. */
    public static final Whereabouts NOWHERE = new Whereabouts(Optional.empty(), OptionalLong.empty());

    private static final String NONE = "-";

    /** The same without a writer. */
    public Whereabouts withoutWriter() {
        return new Whereabouts(Optional.empty(), length);
    }

    /** The words that {@link #parse} reads. */
    String text() {
        return writer.map(Endpoint::text).orElse(NONE) + " "
                + (length.isPresent() ? String.valueOf(length.getAsLong()) : NONE);
    }

    /** What {@link #text} made. */
    static Whereabouts parse(String text) {
        int end = text.lastIndexOf(' ');
        String writer = text.substring(0, end);
        String length = text.substring(end + 1);
        return new Whereabouts(
                writer.equals(NONE) ? Optional.empty() : Optional.of(Endpoint.parse(writer)),
                length.equals(NONE) ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(length)));
    }

    /**
     * Where an executor serves its blocks.
     *
     * @param executor its id
     * @param host its host
     * @param port its port
     */
    public record Endpoint(String executor, String host, int port) {
        String text() {
            return executor + " " + host + " " + port;
        }

        static Endpoint parse(String text) {
            String[] words = text.split(" ", -1);
            return new Endpoint(words[0], words[1], Integer.parseInt(words[2]));
        }
    }
}
