package dev.blobshuffle.arrow;

import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.flightdaemon.internal.server.FlightConfig;
import dev.blobshuffle.flightdaemon.internal.server.FlightConfig.Security;
import dev.blobshuffle.flightdaemon.internal.server.FlightDaemon;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;

/** Daemons over a directory, and the metadata of what arrow-java's client puts. Stateless. */
final class ArrowDaemons {
    private ArrowDaemons() {}

    static FlightDaemon insecure(Path directory, SystemTime time) {
        return start(directory, new Security.InsecureLoopback(), time);
    }

    static FlightDaemon start(Path directory, Security security, SystemTime time) {
        FlightConfig.Budgets budgets = new FlightConfig.Budgets(
                FlightConfig.LEAST_MEMORY, 64 << 20, FlightConfig.LEAST_PUT_MEMORY, 0, OptionalLong.empty());
        return FlightDaemon.start(
                new FlightConfig(
                        "127.0.0.1",
                        0,
                        Optional.empty(),
                        Map.of("default", List.of(directory)),
                        security,
                        budgets,
                        Duration.ofHours(1),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Map.of()),
                time);
    }

    /** A little-endian number. */
    static ArrowBuf metadata(BufferAllocator allocator, int length, long number) {
        ArrowBuf buffer = allocator.buffer(length);
        for (int i = 0; i < length; i++) {
            buffer.writeByte((int) (number >>> 8 * i));
        }
        return buffer;
    }
}
