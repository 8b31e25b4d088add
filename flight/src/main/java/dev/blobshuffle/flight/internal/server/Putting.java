package dev.blobshuffle.flight.internal.server;

import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.flight.internal.blob.Catalog;
import dev.blobshuffle.flight.internal.wire.PutMessage;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Answers DoPut. Thread-safe. */
final class Putting implements ServerCallHandler<PutMessage, byte[]> {
    private final Catalog catalog;
    private final PutStream.Puts puts;
    private final Set<PutStream> running = ConcurrentHashMap.newKeySet();

    Putting(Catalog catalog, Time time, Time.Workers workers, PutBudget memory, FlightCounters counters) {
        this.catalog = catalog;
        puts = new PutStream.Puts(time, workers, memory, counters, running::remove);
    }

    @Override
    public ServerCall.Listener<PutMessage> startCall(ServerCall<PutMessage, byte[]> call, Metadata headers) {
        PutStream stream = new PutStream(call, catalog, puts);
        running.add(stream);
        stream.start();
        return stream;
    }

    /** How many streams have not ended. */
    int running() {
        return running.size();
    }

    /** Has idle streams give memory back, and ends those whose client is silent for too long. */
    void watch(long silentNanos) {
        running.forEach(stream -> {
            if (stream.watch(silentNanos)) {
                puts.counters().stalled();
            }
        });
    }
}
