package dev.blobshuffle.peer.internal.server;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection whose request does not arrive completely in time. The time of the first
 * request starts with the connection, including TLS. That of later requests starts with their first
 * byte. No deadline runs between requests. Owned by the connection's event loop.
 */
final class RequestDeadline extends ChannelInboundHandlerAdapter {
    private final Duration deadline;
    private final Runnable whenLate;
    private boolean isAnswering;
    private @Nullable ScheduledFuture<?> timer;

    /** @param whenLate runs before the connection is closed */
    RequestDeadline(Duration deadline, Runnable whenLate) {
        this.deadline = deadline;
        this.whenLate = whenLate;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        start(context);
        context.fireChannelActive();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) {
        if (timer == null && !isAnswering) {
            start(context);
        }
        context.fireChannelRead(bytes);
    }

    private void start(ChannelHandlerContext context) {
        timer = context.executor()
                .schedule(
                        () -> {
                            whenLate.run();
                            context.close();
                        },
                        deadline.toMillis(),
                        TimeUnit.MILLISECONDS);
    }

    /** Ends the deadline: a whole request has arrived. */
    void arrived() {
        isAnswering = true;
        stop();
    }

    /** Records that the answer has been sent. */
    void answered() {
        isAnswering = false;
    }

    private void stop() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        stop();
        context.fireChannelInactive();
    }
}
