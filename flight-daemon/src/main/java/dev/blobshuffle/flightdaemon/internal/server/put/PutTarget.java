package dev.blobshuffle.flightdaemon.internal.server.put;

import dev.blobshuffle.flight.internal.wire.ProtoReader;
import dev.blobshuffle.flightdaemon.internal.blob.MapSet;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The target in a DoPut's descriptor: the path namespace, shuffle, map, attempt, partitions.
 *
 * @param namespace of the shuffle
 * @param shuffle its name
 * @param attempt map and attempt
 * @param partitions the number of partitions of the shuffle
 */
record PutTarget(String namespace, String shuffle, MapSet.Attempt attempt, int partitions) {
    private static final int PATH_TYPE = 1;

    /** The highest attempt. Numbers in a blob's name have at most 18 digits. */
    private static final long MOST_ATTEMPT = 999_999_999_999_999_999L;

    /**
     * Parses a descriptor. Total.
     *
     * @throws IllegalArgumentException it does not name an attempt of a map
     */
    static PutTarget read(byte[] descriptor) {
        long type = 0;
        List<String> path = new ArrayList<>();
        ProtoReader reader = new ProtoReader(ByteBuffer.wrap(descriptor));
        while (reader.next()) {
            switch (reader.field()) {
                case 1 -> type = reader.number();
                case 3 -> path.add(reader.text());
                default -> {
                    // A command. The type excludes it.
                }
            }
        }
        if (type != PATH_TYPE || path.size() != 5) {
            throw new IllegalArgumentException("Cannot put a map: the descriptor of the first message has type " + type
                    + " and " + path.size()
                    + " names. Send the path [namespace, shuffle, map, attempt, partitions].");
        }
        long map = number(path.get(2), MapSet.MOST_MAPS - 1L);
        long attempt = number(path.get(3), MOST_ATTEMPT);
        long partitions = number(path.get(4), Integer.MAX_VALUE);
        if (partitions < 1) {
            throw new IllegalArgumentException("Cannot put a map for 0 partitions: there is at least one.");
        }
        return new PutTarget(path.get(0), path.get(1), new MapSet.Attempt(map, attempt), (int) partitions);
    }

    private static long number(String text, long most) {
        try {
            long number = Long.parseLong(text);
            if (number < 0 || number > most) {
                throw new IllegalArgumentException(
                        "Cannot put a map: its descriptor has number " + text + ", legal are 0 to " + most + ".");
            }
            return number;
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "Cannot put a map: its descriptor has '" + text
                            + "' where a number is needed. Send the path [namespace, shuffle, map, attempt, partitions].",
                    e);
        }
    }
}
