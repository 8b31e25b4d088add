package dev.blobshuffle.flightdaemon.internal.server.http;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.flightdaemon.internal.server.call.Holder;
import dev.blobshuffle.flightdaemon.internal.server.read.CopyReaders;
import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.channel.ChannelFuture;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelPromise;
import io.grpc.netty.shaded.io.netty.util.concurrent.Future;
import io.grpc.netty.shaded.io.netty.util.concurrent.GenericFutureListener;
import java.nio.channels.ClosedChannelException;

/**
 * Sends a range of a copy by HTTP, piece by piece: a worker reads a piece from the store, the event
 * loop writes it, then a worker reads the next. The memory budget of frames counts a piece until it
 * is written, so a client that does not read holds one piece. Owned by one thread at a time.
 */
final class CopySending {
    private static final int PIECE = 1 << 20;

    private final ChannelHandlerContext context;
    private final HttpAnswer.Part part;
    private final CopyReaders readers;
    private final Holder holder;
    private final ChannelPromise sent;
    private final Runnable next = this::next;
    private long at;

    private CopySending(ChannelHandlerContext context, HttpAnswer.Part part, CopyReaders readers) {
        this.context = context;
        this.part = part;
        this.readers = readers;
        holder = new Holder(context.channel(), part.tenant());
        sent = context.newPromise();
        at = part.range().first();
    }

    /** Starts sending. The future completes when all bytes are written, or fails. */
    static ChannelFuture start(ChannelHandlerContext context, HttpAnswer.Part part, CopyReaders readers) {
        CopySending sending = new CopySending(context, part, readers);
        ChannelFuture end = context.channel().closeFuture();
        GenericFutureListener<Future<Void>> whenClosed = closed -> {
            readers.memory().forget(sending.next);
            boolean ignored = sending.sent.tryFailure(new ClosedChannelException());
        };
        end.addListener(whenClosed);
        // A connection may request any number of copies.
        sending.sent.addListener(sent -> end.removeListener(whenClosed));
        sending.next();
        return sending.sent;
    }

    private void next() {
        try {
            readers.workers().execute(this::send);
        } catch (ClosedException e) {
            boolean ignored = sent.tryFailure(e);
        }
    }

    private void send() {
        int length = (int) Math.min(PIECE, part.range().end() - at);
        if (sent.isDone() || !readers.memory().acquire(holder, length, 0, next)) {
            // Either the client has disconnected, or the budget calls back when it has room.
            return;
        }
        ByteBuf piece = context.alloc().directBuffer(length);
        try {
            part.blob().fill(at, piece.nioBuffer(0, length));
        } catch (RuntimeException | Error e) {
            piece.release();
            readers.memory().release(holder, length);
            boolean ignored = sent.tryFailure(e);
            return;
        }
        at += length;
        ChannelFuture ignored =
                context.writeAndFlush(piece.writerIndex(length)).addListener(done -> written(done, length));
    }

    private void written(Future<?> done, int length) {
        readers.memory().release(holder, length);
        if (!done.isSuccess()) {
            boolean ignored = sent.tryFailure(done.cause());
        } else if (at == part.range().end()) {
            boolean ignored = sent.trySuccess();
        } else {
            next();
        }
    }
}
