package dev.blobshuffle.flightdaemon.internal.server.put;

import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.flight.internal.wire.PutMessage;
import dev.blobshuffle.flightdaemon.internal.blob.Catalog;
import dev.blobshuffle.flightdaemon.internal.server.call.FlightCounters;
import dev.blobshuffle.flightdaemon.internal.server.call.Sharing;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Handles DoPut. Thread-safe. */
public final class Putting implements ServerCallHandler<PutMessage, byte[]> {
    private final Catalog catalog;
    private final PutStream.Puts puts;
    private final Set<PutStream> running = ConcurrentHashMap.newKeySet();

    public Putting(
            Catalog catalog,
            Time time,
            Time.Workers workers,
            PutBudget memory,
            Sharing sharing,
            FlightCounters counters) {
        this.catalog = catalog;
        puts = new PutStream.Puts(time, workers, memory, sharing, counters, running::remove);
    }

    @Override
    public ServerCall.Listener<PutMessage> startCall(ServerCall<PutMessage, byte[]> call, Metadata headers) {
        PutStream stream = new PutStream(call, catalog, puts);
        running.add(stream);
        stream.start();
        return stream;
    }

    /** The number of streams that have not ended. */
    public int running() {
        return running.size();
    }

    /** Makes streams free memory, and ends slow streams that others wait for. */
    public void watch() {
        running.forEach(PutStream::watch);
        puts.memory()
                .mustGive(puts.time().nanos(), puts.sharing().longestWait().toNanos())
                .flatMap(this::leastOf)
                .ifPresent(PutStream::giveWay);
    }

    /** The stream of a tenant that has sent the least, so the client repeats the least work. */
    private Optional<PutStream> leastOf(Object tenant) {
        return running.stream()
                .filter(stream -> stream.tenant().equals(tenant))
                .filter(stream -> stream.progress().isPresent())
                .min(Comparator.comparingLong(stream -> stream.progress().orElse(Long.MAX_VALUE)));
    }
}
