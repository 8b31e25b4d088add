package dev.blobshuffle.flight.internal.wire;

import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;

/** The methods of {@code arrow.flight.protocol.FlightService} that daemon and client use. */
public final class FlightMethods {
    /** The service's full name. */
    public static final String SERVICE = "arrow.flight.protocol.FlightService";

    private static final Marshaller<byte[]> BYTES = new BytesMarshaller();

    /** {@code Criteria} to {@code FlightInfo}. */
    public static final MethodDescriptor<byte[], byte[]> LIST_FLIGHTS =
            method("ListFlights", MethodType.SERVER_STREAMING, BYTES);
    /** {@code FlightDescriptor} to {@code FlightInfo}. */
    public static final MethodDescriptor<byte[], byte[]> GET_FLIGHT_INFO =
            method("GetFlightInfo", MethodType.UNARY, BYTES);
    /** {@code FlightDescriptor} to {@code SchemaResult}. */
    public static final MethodDescriptor<byte[], byte[]> GET_SCHEMA = method("GetSchema", MethodType.UNARY, BYTES);
    /** {@code Ticket} to {@code FlightData}. */
    public static final MethodDescriptor<byte[], FlightFrame> DO_GET =
            method("DoGet", MethodType.SERVER_STREAMING, new FrameMarshaller());
    /** {@code Action} to {@code Result}. */
    public static final MethodDescriptor<byte[], byte[]> DO_ACTION =
            method("DoAction", MethodType.SERVER_STREAMING, BYTES);
    /** {@code Empty} to {@code ActionType}. */
    public static final MethodDescriptor<byte[], byte[]> LIST_ACTIONS =
            method("ListActions", MethodType.SERVER_STREAMING, BYTES);

    /** {@code FlightData} to {@code PutResult}. */
    public static final MethodDescriptor<PutMessage, byte[]> DO_PUT = MethodDescriptor.newBuilder(
                    new PutMarshaller(), BYTES)
            .setType(MethodType.BIDI_STREAMING)
            .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "DoPut"))
            .build();

    private FlightMethods() {}

    private static <T> MethodDescriptor<byte[], T> method(String name, MethodType type, Marshaller<T> answers) {
        return MethodDescriptor.newBuilder(BYTES, answers)
                .setType(type)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
                .build();
    }
}
