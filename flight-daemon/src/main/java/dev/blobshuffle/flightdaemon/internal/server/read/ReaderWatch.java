package dev.blobshuffle.flightdaemon.internal.server.read;

import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.flightdaemon.internal.server.call.Connections;
import dev.blobshuffle.flightdaemon.internal.server.call.FlightCounters;
import dev.blobshuffle.flightdaemon.internal.server.call.Holder;
import dev.blobshuffle.flightdaemon.internal.server.call.Sharing;
import dev.blobshuffle.flightdaemon.internal.server.call.TransferRate;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes the connections of clients that read nothing, or that read too slowly while others wait
 * for the memory of their frames. Owned by one thread at a time.
 */
public final class ReaderWatch {
    private static final Logger LOG = LoggerFactory.getLogger(ReaderWatch.class);

    /** The time for which a client may read nothing while others wait for memory. */
    private static final Duration STALL_WHILE_SHORT = Duration.ofSeconds(10);

    private static final Duration STALL = Duration.ofMinutes(5);

    private final Streaming streaming;
    private final Connections connections;
    private final MemoryBudget memory;
    private final Sharing sharing;
    private final FlightCounters counters;
    private final Time time;
    private final Map<Object, TransferRate> rates = new HashMap<>();

    public ReaderWatch(
            Streaming streaming,
            Connections connections,
            MemoryBudget memory,
            Sharing sharing,
            FlightCounters counters,
            Time time) {
        this.streaming = streaming;
        this.connections = connections;
        this.memory = memory;
        this.sharing = sharing;
        this.counters = counters;
        this.time = time;
    }

    /** Checks all connections. */
    public void look() {
        Map<Object, List<PartitionStream>> running = streaming.running().stream()
                .collect(Collectors.groupingBy(stream -> stream.holder().connection()));
        rates.keySet().retainAll(running.keySet());
        running.forEach(this::look);
    }

    private void look(Object connection, List<PartitionStream> streams) {
        Holder holder = streams.get(0).holder();
        boolean isShortForOthers = memory.isShortForOthers(holder);
        boolean isShort = isShortForOthers || memory.isShortFor(connection);
        long limit = (isShort ? STALL_WHILE_SHORT : STALL).toNanos();
        long idle = streams.stream().mapToLong(PartitionStream::idleNanos).min().orElse(0);
        long stalled =
                streams.stream().mapToLong(PartitionStream::stalledNanos).max().orElse(0);
        // A client that reads one stream may let its others stall, unless they block other clients.
        if ((isShortForOthers ? stalled : Math.min(stalled, idle)) > limit) {
            if (end(connection, "it read nothing for " + limit / 1_000_000_000L + " s")) {
                counters.stalled();
            }
        } else if (isTooSlow(connection, isShortForOthers && stalled > 0)
                && end(connection, "it read less than " + sharing.asked() + " while others waited for memory")) {
            counters.tooSlow();
        }
    }

    private boolean isTooSlow(Object connection, boolean isWaitedFor) {
        long now = time.nanos();
        long sent = connections.sent(connection);
        TransferRate rate = rates.computeIfAbsent(connection, key -> TransferRate.of(sharing, now, sent));
        if (isWaitedFor) {
            return rate.isTooSlow(now, sent);
        }
        rate.restart(now, sent);
        return false;
    }

    private boolean end(Object connection, String reason) {
        boolean isEnded = connections.close(
                connection,
                "The daemon ended this connection: " + reason
                        + ". Read all streams that you open, and fewer at a time. Then read again.");
        if (isEnded) {
            LOG.warn("Closed the connection of {}: {}.", connection, reason);
        }
        return isEnded;
    }
}
