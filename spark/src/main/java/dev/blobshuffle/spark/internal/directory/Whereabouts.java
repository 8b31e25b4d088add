package dev.blobshuffle.spark.internal.directory;

import dev.blobshuffle.core.zone.Zone;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Where the bytes of a blob are.
 *
 * @param writer the executor that has the outputs of the blob's maps on its disk; empty if none has
 * @param length the blob's length in the store, bytes; empty if it is not stored
 * @param zone where its maps ran
 */
public record Whereabouts(Optional<Endpoint> writer, OptionalLong length, Zone zone) {
    /** Of a blob that is neither at an executor nor in the store. */
    public static final Whereabouts NOWHERE = new Whereabouts(Optional.empty(), OptionalLong.empty(), Zone.SINGLE);

    private static final String NONE = "-";

    /** The same without a writer. */
    public Whereabouts withoutWriter() {
        return new Whereabouts(Optional.empty(), length, zone);
    }

    /** The same blob, whose bytes are no longer in the store. */
    Whereabouts withoutStored() {
        return new Whereabouts(writer, OptionalLong.empty(), zone);
    }

    /** The same blob, whose bytes are in the store now. */
    Whereabouts stored(long bytes, boolean keepsLocal) {
        return new Whereabouts(keepsLocal ? writer : Optional.empty(), OptionalLong.of(bytes), zone);
    }

    /** The words that {@link #parse} reads. A zone's name may have spaces, so it is last. */
    String text() {
        return writer.map(Endpoint::text).orElse(NONE) + " "
                + (length.isPresent() ? String.valueOf(length.getAsLong()) : NONE) + " " + zone.name();
    }

    /** Parses {@link #text}. */
    static Whereabouts parse(String text) {
        boolean hasWriter = !text.startsWith(NONE + " ");
        String[] words = text.split(" ", hasWriter ? 5 : 3);
        Optional<Endpoint> writer =
                hasWriter ? Optional.of(Endpoint.of(words[0], words[1], words[2])) : Optional.empty();
        String length = words[words.length - 2];
        return new Whereabouts(
                writer,
                length.equals(NONE) ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(length)),
                new Zone(words[words.length - 1]));
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
            return of(words[0], words[1], words[2]);
        }

        private static Endpoint of(String executor, String host, String port) {
            return new Endpoint(executor, host, Integer.parseInt(port));
        }
    }
}
