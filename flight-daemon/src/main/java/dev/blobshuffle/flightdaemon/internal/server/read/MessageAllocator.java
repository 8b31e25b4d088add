package dev.blobshuffle.flightdaemon.internal.server.read;

import dev.blobshuffle.flight.internal.wire.InPlace;
import io.grpc.netty.shaded.io.netty.buffer.AbstractByteBufAllocator;
import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.buffer.PooledByteBufAllocator;
import io.grpc.netty.shaded.io.netty.buffer.UnpooledDirectByteBuf;
import java.nio.ByteBuffer;

/**
 * Allocates the buffers of gRPC's messages. A frame's buffer uses the memory that already contains
 * its body ({@link InPlace}). Other buffers of up to 1 MiB come from a free list, and small ones
 * from Netty's pool. Netty's pool returns its memory to the system whenever a stream has nothing
 * queued, and then zeroes new memory. This costs an eighth of the CPU time of a daemon that serves
 * uncompressed frames. Thread-safe.
 */
public final class MessageAllocator extends AbstractByteBufAllocator {
    /** The smallest buffer of the free list. Netty's pool caches smaller buffers per thread. */
    private static final int SMALLEST = 32 << 10;

    private final PooledByteBufAllocator small = PooledByteBufAllocator.DEFAULT;
    private final ThreadLocal<InPlace> offered = new ThreadLocal<>();
    private final FrameBuffers free;

    public MessageAllocator(FrameBuffers free) {
        super(true);
        this.free = free;
    }

    /**
     * Makes gRPC use the memory of a message as its buffer.
     *
     * @param send passes the message to gRPC, which allocates its buffer during the call, on this
     *     thread
     * @return whether the buffer owns the memory now and returns it later; if not, the caller still
     *     owns it
     */
    public boolean send(InPlace place, Runnable send) {
        offered.set(place);
        try {
            send.run();
        } finally {
            offered.remove();
        }
        return place.isTaken();
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return small.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        InPlace place = offered.get();
        if (place != null && place.take(initialCapacity)) {
            return new Placed(place);
        }
        return initialCapacity <= SMALLEST
                ? small.directBuffer(initialCapacity, maxCapacity)
                : new Lent(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return true;
    }

    /**
     * A buffer that contains the body before gRPC writes the message. Its memory returns to the
     * list.
     */
    private final class Placed extends UnpooledDirectByteBuf {
        private final InPlace place;

        Placed(InPlace place) {
            super(MessageAllocator.this, place.memory(), place.memory().capacity());
            this.place = place;
            clear();
        }

        @Override
        public ByteBuf setBytes(int index, byte[] source, int sourceIndex, int length) {
            return place.isInPlace(source, index, length) ? this : super.setBytes(index, source, sourceIndex, length);
        }

        @Override
        protected void deallocate() {
            super.deallocate();
            free.giveBack(place.lent());
        }
    }

    /** A buffer whose memory returns to the list when its last reference is released. */
    private final class Lent extends UnpooledDirectByteBuf {
        Lent(int initialCapacity, int maxCapacity) {
            super(MessageAllocator.this, initialCapacity, maxCapacity);
        }

        @Override
        protected ByteBuffer allocateDirect(int length) {
            return free.lend(length);
        }

        @Override
        protected void freeDirect(ByteBuffer buffer) {
            free.giveBack(buffer);
        }
    }
}
