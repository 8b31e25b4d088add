package dev.blobshuffle.flightdaemon.internal.server.read;

import dev.blobshuffle.flight.internal.wire.FlightFrame;
import dev.blobshuffle.flightdaemon.internal.server.call.Statuses;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** Handles DoGet: opens the source of a ticket and streams it. Thread-safe. */
public final class Streaming implements ServerCallHandler<byte[], FlightFrame> {
    private final Function<byte[], FrameSource> tickets;
    private final PartitionStream.Serving serving;
    private final Set<PartitionStream> running = ConcurrentHashMap.newKeySet();

    public Streaming(Function<byte[], FrameSource> tickets, PartitionStream.Serving serving) {
        this.tickets = tickets;
        this.serving = serving;
    }

    /** The streams that have not ended. */
    public Collection<PartitionStream> running() {
        return running;
    }

    @Override
    public ServerCall.Listener<byte[]> startCall(ServerCall<byte[], FlightFrame> call, Metadata headers) {
        call.request(2);
        return new Listener(call);
    }

    /** Owned by gRPC, which calls one method at a time. */
    private final class Listener extends ServerCall.Listener<byte[]> {
        private final ServerCall<byte[], FlightFrame> call;
        private Optional<PartitionStream> stream = Optional.empty();
        private Optional<byte[]> request = Optional.empty();

        Listener(ServerCall<byte[], FlightFrame> call) {
            this.call = call;
        }

        @Override
        public void onMessage(byte[] message) {
            request = Optional.of(message);
        }

        @Override
        public void onHalfClose() {
            try {
                byte[] asked = request.orElseThrow(
                        () -> new IllegalArgumentException("Cannot read a partition: no ticket came."));
                Answering.checkLength(asked);
                FrameSource source = tickets.apply(asked);
                PartitionStream started = new PartitionStream(call, source, serving);
                stream = Optional.of(started);
                running.add(started);
                serving.counters().started();
                started.wake();
            } catch (RuntimeException e) {
                call.close(Statuses.of(e), new Metadata());
            }
        }

        @Override
        public void onReady() {
            stream.ifPresent(PartitionStream::wake);
        }

        @Override
        public void onCancel() {
            ended();
        }

        @Override
        public void onComplete() {
            ended();
        }

        private void ended() {
            stream.ifPresent(one -> {
                running.remove(one);
                one.ended();
            });
        }
    }
}
