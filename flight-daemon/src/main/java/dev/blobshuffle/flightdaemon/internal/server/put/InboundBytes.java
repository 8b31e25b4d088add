package dev.blobshuffle.flightdaemon.internal.server.put;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the bytes of a call's messages as they arrive. A message arrives in many parts; the call
 * sees it only when it is complete. Thread-safe.
 */
public final class InboundBytes extends ServerStreamTracer {
    private static final Context.Key<InboundBytes> KEY = Context.key("blobshuffle-inbound-bytes");

    private final AtomicLong bytes = new AtomicLong();

    /** A factory that makes a server count the bytes of every call. */
    public static ServerStreamTracer.Factory factory() {
        return new ServerStreamTracer.Factory() {
            @Override
            public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
                return new InboundBytes();
            }
        };
    }

    /** The counter of the present call. */
    static InboundBytes present() {
        return KEY.get();
    }

    /** The number of bytes that have arrived. */
    long count() {
        return bytes.get();
    }

    @Override
    public Context filterContext(Context context) {
        return context.withValue(KEY, this);
    }

    @Override
    public void inboundWireSize(long arrived) {
        bytes.addAndGet(arrived);
    }
}
