package dev.blobshuffle.kstreams.differential;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** The group protocols of Kafka Streams in the Kafka on the class path. */
public final class Protocols {
    private Protocols() {}

    /** {@code classic}, and {@code streams} from Kafka 4.1. */
    public static List<String> all() {
        return hasStreams() ? List.of("classic", "streams") : List.of("classic");
    }

    /** Whether this Kafka can wrap the consumer of the streams protocol. */
    public static boolean hasStreams() {
        try {
            Class.forName("org.apache.kafka.streams.internals.ConsumerWrapper");
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /**
     * Each guarantee and each protocol, in as few runs as possible; with
     * {@code -Ddifferential.all=true} all combinations.
     */
    public static Stream<Arguments> withEachGuarantee() {
        String last = all().get(all().size() - 1);
        return Boolean.getBoolean("differential.all")
                ? withGuarantees()
                : Stream.of(Arguments.of("exactly_once_v2", "classic"), Arguments.of("at_least_once", last));
    }

    /** All combinations of guarantees and protocols. */
    public static Stream<Arguments> withGuarantees() {
        return Stream.of("at_least_once", "exactly_once_v2")
                .flatMap(guarantee -> all().stream().map(protocol -> Arguments.of(guarantee, protocol)));
    }
}
