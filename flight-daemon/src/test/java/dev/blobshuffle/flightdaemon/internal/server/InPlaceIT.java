package dev.blobshuffle.flightdaemon.internal.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.flight.internal.wire.ArrowMessage;
import dev.blobshuffle.flight.internal.wire.FlightFrame;
import dev.blobshuffle.flight.internal.wire.FlightMethods;
import dev.blobshuffle.flight.internal.wire.InPlace;
import dev.blobshuffle.flightdaemon.internal.server.read.FrameBuffers;
import dev.blobshuffle.flightdaemon.internal.server.read.MessageAllocator;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Drainable;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks over a real connection that gRPC sends frames without copying them. */
class InPlaceIT {
    private static final int ROOM = 100;

    private final FrameBuffers buffers = new FrameBuffers();
    private final MessageAllocator allocator = new MessageAllocator(buffers);
    private final List<byte[]> batches = new ArrayList<>();
    private final List<Boolean> given = new CopyOnWriteArrayList<>();
    private Server server;
    private ManagedChannel channel;

    @BeforeEach
    void start() throws IOException {
        server = NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                .withChildOption(ChannelOption.ALLOCATOR, allocator)
                .addService(ServerServiceDefinition.builder(FlightMethods.SERVICE)
                        .addMethod(FlightMethods.DO_GET, (call, headers) -> {
                            call.request(1);
                            return new ServerCall.Listener<byte[]>() {
                                @Override
                                public void onHalfClose() {
                                    call.sendHeaders(new Metadata());
                                    batches.forEach(batch -> given.add(send(call, batch)));
                                    call.close(Status.OK, new Metadata());
                                }
                            };
                        })
                        .build())
                .build()
                .start();
        channel = FlightCalls.open(server.getPort());
    }

    @AfterEach
    void close() throws InterruptedException {
        channel.shutdownNow();
        server.shutdownNow();
        assertThat(server.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    }

    private boolean send(ServerCall<byte[], FlightFrame> call, byte[] batch) {
        ByteBuffer lent = buffers.lend(ROOM + batch.length);
        lent.put(ROOM, batch);
        ArrowMessage message =
                ArrowMessage.split(lent.slice(ROOM, batch.length), "a batch").get(0);
        FlightFrame frame = FlightFrame.of(message);
        int bodyAt = ROOM + batch.length - message.body().remaining();
        InPlace place = InPlace.of(frame, lent, bodyAt).orElseThrow();
        return allocator.send(place, () -> call.sendMessage(frame.in(place)));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8, 32 << 10, (256 << 10) + 8, (1 << 20) - 48, 1 << 20, (1 << 20) + 8, 20 << 20})
    void arriveAsTheyAreWithoutACopy(int length) throws InterruptedException {
        ArrowStore store = new ArrowStore(null);
        for (int i = 0; i < 3; i++) {
            batches.add(store.batch(length));
        }

        List<FlightFrame> received = receive();

        assertThat(received).hasSize(batches.size());
        for (int i = 0; i < batches.size(); i++) {
            ArrowMessage sent = ArrowMessage.split(ByteBuffer.wrap(batches.get(i)), "a batch")
                    .get(0);
            assertThat(received.get(i).header()).isEqualTo(sent.metadata());
            assertThat(received.get(i).body()).isEqualTo(sent.body());
        }
        assertThat(given).containsExactly(true, true, true);
    }

    private List<FlightFrame> receive() throws InterruptedException {
        List<FlightFrame> received = new ArrayList<>();
        BlockingQueue<Status> end = new ArrayBlockingQueue<>(1);
        ClientCall<byte[], FlightFrame> call = channel.newCall(FlightMethods.DO_GET, CallOptions.DEFAULT);
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onMessage(FlightFrame frame) {
                        received.add(frame);
                        call.request(1);
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        end.add(status);
                    }
                },
                new Metadata());
        call.request(1);
        call.sendMessage(new byte[0]);
        call.halfClose();
        assertThat(end.poll(30, TimeUnit.SECONDS)).isEqualTo(Status.OK);
        return received;
    }

    private InPlace place(int length) {
        ByteBuffer lent = buffers.lend(ROOM + length);
        FlightFrame frame =
                new FlightFrame(ByteBuffer.allocate(8), lent.slice(ROOM, length), new byte[0], Optional.empty());
        return InPlace.of(frame, lent, ROOM).orElseThrow();
    }

    @Test
    void isNoPlaceForALargerMessage() {
        InPlace place = place(50_000);
        ByteBuf[] asked = new ByteBuf[1];

        boolean isGiven = allocator.send(place, () -> asked[0] = allocator.buffer(60_000));

        assertThat(isGiven).isFalse();
        assertThat(asked[0].capacity()).isGreaterThanOrEqualTo(60_000);
        asked[0].release();
    }

    @Test
    void isThePlaceOfOneMessageOnly() {
        InPlace place = place(50_000);
        List<ByteBuf> asked = new ArrayList<>();

        boolean isGiven = allocator.send(place, () -> {
            asked.add(allocator.buffer(50_000));
            asked.add(allocator.buffer(50_000));
        });

        assertThat(isGiven).isTrue();
        assertThat(asked.get(0).nioBuffer(0, 1).isDirect()).isTrue();
        asked.get(0).setByte(0, 1);
        asked.get(1).setByte(0, 2);
        assertThat(asked.get(0).getByte(0)).isEqualTo((byte) 1);
        asked.forEach(ByteBuf::release);
    }

    @Test
    void needsRoomBeforeTheBody() {
        ByteBuffer lent = buffers.lend(50_000);
        FlightFrame frame =
                new FlightFrame(ByteBuffer.allocate(8), lent.slice(20, 40_000), new byte[100], Optional.empty());

        assertThat(InPlace.of(frame, lent, 20)).isEmpty();
    }

    @Test
    void isGivenBackWhenTheMessageIsReleased() {
        InPlace place = place(50_000);
        ByteBuf[] asked = new ByteBuf[1];
        allocator.send(place, () -> asked[0] = allocator.buffer(50_000));
        ByteBuf slice = asked[0].retainedSlice(0, 1);

        asked[0].release();
        assertThat(buffers.lend(ROOM + 50_000)).isNotSameAs(place.lent());
        slice.release();
        assertThat(buffers.lend(ROOM + 50_000)).isSameAs(place.lent());
    }

    @Test
    void aBodyThatIsWrittenElsewhereIsAnError() {
        InPlace place = place(50_000);
        FlightFrame frame = new FlightFrame(ByteBuffer.allocate(8), place.memory(), new byte[0], Optional.of(place));

        assertThat(place.take(10)).isTrue();
        assertThatThrownBy(() -> {
                    Drainable stream = (Drainable) FlightMethods.DO_GET.streamResponse(frame);
                    stream.drainTo(new ByteArrayOutputStream());
                })
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("gRPC wrote it elsewhere");
    }
}
