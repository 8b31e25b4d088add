package dev.blobshuffle.flightdaemon.internal.server;

import com.google.gson.JsonParser;
import dev.blobshuffle.flight.internal.client.Answers;
import dev.blobshuffle.flight.internal.client.Channels;
import dev.blobshuffle.flight.internal.client.PartitionBytes;
import dev.blobshuffle.flight.internal.wire.FlightMethods;
import dev.blobshuffle.flight.internal.wire.ProtoReader;
import dev.blobshuffle.flight.internal.wire.ProtoWriter;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/** Calls that the client does not offer: with tickets, and with arbitrary bodies. Stateless. */
final class FlightCalls {
    private FlightCalls() {}

    static ManagedChannel open(int port) {
        return Channels.open("127.0.0.1", port, Optional.empty(), Optional.empty());
    }

    static String act(ManagedChannel channel, String action, String body) {
        byte[] request = new ProtoWriter()
                .text(1, action)
                .bytes(2, body.getBytes(StandardCharsets.UTF_8))
                .toBytes();
        byte[] answer = Answers.one(channel.newCall(FlightMethods.DO_ACTION, CallOptions.DEFAULT), request, action);
        ProtoReader reader = new ProtoReader(ByteBuffer.wrap(answer));
        return reader.next() ? reader.text() : "";
    }

    /** A ticket of partition 0 of shuffle s. */
    static byte[] ticket(ManagedChannel channel, String rest) {
        String json =
                act(channel, "ticket", "{\"namespace\":\"default\",\"shuffle\":\"s\",\"partition\":0" + rest + "}");
        return Base64.getDecoder()
                .decode(JsonParser.parseString(json)
                        .getAsJsonObject()
                        .get("ticket")
                        .getAsString());
    }

    static InputStream stream(ManagedChannel channel, byte[] ticket) {
        byte[] request = new ProtoWriter().bytes(1, ticket).toBytes();
        return PartitionBytes.start(channel.newCall(FlightMethods.DO_GET, CallOptions.DEFAULT), request, "a partition");
    }

    static byte[] read(ManagedChannel channel, byte[] ticket) throws IOException {
        try (InputStream stream = stream(channel, ticket)) {
            return stream.readAllBytes();
        }
    }
}
