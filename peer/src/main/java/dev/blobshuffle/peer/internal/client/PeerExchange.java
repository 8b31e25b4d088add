package dev.blobshuffle.peer.internal.client;

import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.peer.internal.settings.Patience;
import dev.blobshuffle.peer.internal.trust.AnswerProof;
import dev.blobshuffle.peer.internal.trust.RequestCheck;
import dev.blobshuffle.peer.internal.trust.RequestProof;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.timeout.IdleStateEvent;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests of one connection to another member, one after the other. Without TLS, every head of
 * an answer needs a proof, including interim answers. Bytes before the proof are not a sign of
 * life.
 *
 * <pre>
 *   IDLE ──request──▶ WAITING ──206 or 201, proof and length accepted──▶ READING ──all bytes──▶ IDLE
 *                     │  ▲ ▲ └────another status, proven────────▶ DISCARDING ──end─────▶ IDLE
 *                     └──┘ └─────request with its turn──────────────┘ first 425
 *                      102, proven
 *   any but IDLE ──deadline, end of the connection, anything else──▶ lost, and the connection closed
 * </pre>
 *
 * <p>Owned by the connection's event loop, except {@link #start}.
 */
final class PeerExchange extends SimpleChannelInboundHandler<HttpObject> {
    static final String NAME = "exchange";

    private static final Logger LOG = LoggerFactory.getLogger(PeerExchange.class);

    /** Most bytes of a refusal to read. */
    private static final int LONGEST_DISCARDED = 16 << 10;

    private enum State {
        IDLE,
        WAITING,
        READING,
        DISCARDING
    }

    /** A request to another member. */
    interface Question {
        /**
         * Writes the request and signs it.
         *
         * @param turn of the request on this connection; empty if it is unknown
         */
        RequestProof.Signed write(String turn);

        /** A written request has left, or will not leave. Called once for each {@link #write}. */
        void written();

        /** The time of the request, by {@code Time.nanos()}. */
        long requested();
    }

    /** Receives the outcome of a request, once. Called by the event loop. */
    interface End {
        /**
         * The server is not a member, or the answer was changed on the way. Called before
         * {@link #lost}.
         */
        void distrusted(String reason);

        /** An answer arrived. The connection can serve the next request if it is still open. */
        void answered(HttpResponseStatus status);

        /**
         * The connection is unusable, and the request has no answer.
         *
         * @param isUntouched whether the other side may have closed the connection before it
         *     received the request
         */
        void lost(String reason, boolean isUntouched);
    }

    private final Patience patience;
    private final Time time;
    private State state = State.IDLE;
    private @Nullable Question question;
    private @Nullable PeerAnswer answer;
    private @Nullable End end;

    /** The turn of the next request; empty if it is unknown. */
    private String turn = "";

    private Optional<AnswerProof> proof = Optional.empty();
    private byte[] bytes = {};
    private int count;
    private HttpResponseStatus status = HttpResponseStatus.OK;
    private boolean isKeptOpen;
    private boolean isTouched;
    private boolean isInterim;
    private boolean isRepeated;
    private long exchanges;
    private AnswerDeadline deadline;

    PeerExchange(Patience patience, Time time) {
        this.patience = patience;
        this.time = time;
        deadline = new AnswerDeadline(patience, time.nanos(), time.nanos());
    }

    /** Sends a request. Any thread may call this once the previous request has ended. */
    void start(Channel channel, Question asked, PeerAnswer wanted, End whenEnded) {
        try {
            channel.eventLoop().execute(() -> begin(channel, asked, wanted, whenEnded));
        } catch (RuntimeException e) {
            whenEnded.lost("the network of instances is closed", false);
        }
    }

    private void begin(Channel channel, Question asked, PeerAnswer wanted, End whenEnded) {
        if (!channel.isActive() || state != State.IDLE) {
            whenEnded.lost("the connection was closed", true);
            return;
        }
        question = asked;
        answer = wanted;
        end = whenEnded;
        isTouched = false;
        isRepeated = false;
        deadline = new AnswerDeadline(patience, asked.requested(), time.nanos());
        exchanges++;
        write(channel, asked);
        watch(channel, exchanges, deadline.left(time.nanos()));
    }

    private void write(Channel channel, Question asked) {
        state = State.WAITING;
        count = 0;
        isInterim = false;
        RequestProof.Signed signed = asked.write(turn);
        proof = signed.proof();
        long exchange = exchanges;
        channel.writeAndFlush(signed.request()).addListener(written -> {
            asked.written();
            if (!written.isSuccess() && exchange == exchanges) {
                if (written.cause() instanceof SSLException) {
                    distrust("TLS failed: " + written.cause());
                }
                lose("the request could not be sent: " + written.cause(), !isTouched);
            }
        });
    }

    private void watch(Channel channel, long exchange, long nanos) {
        var ignored = channel.eventLoop()
                .schedule(
                        () -> {
                            if (exchange != exchanges || state == State.IDLE) {
                                return;
                            }
                            long now = time.nanos();
                            long left = deadline.left(now);
                            if (left > 0) {
                                watch(channel, exchange, left);
                            } else {
                                lose(deadline.reason(now), false);
                                channel.close();
                            }
                        },
                        nanos,
                        TimeUnit.NANOSECONDS);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, HttpObject message) {
        isTouched = true;
        PeerAnswer wanted = answer;
        if (state == State.IDLE || wanted == null || message.decoderResult().isFailure()) {
            lose("it does not speak HTTP", false);
            context.close();
            return;
        }
        if (message instanceof HttpResponse response) {
            head(context, response, wanted);
        }
        if (message instanceof HttpContent content && state != State.IDLE) {
            content(context, content, wanted);
        }
    }

    private void head(ChannelHandlerContext context, HttpResponse response, PeerAnswer wanted) {
        status = response.status();
        isKeptOpen = HttpUtil.isKeepAlive(response);
        isInterim = status.codeClass() == HttpStatusClass.INFORMATIONAL;
        String next = response.headers().get(RequestProof.TURN, "");
        String given = response.headers().get(AnswerProof.HEADER, "");
        if (proof.filter(needed -> !needed.accepts(status.code(), next, given)).isPresent()) {
            distrust("it does not know the secret, or has another version, and answered " + status.code());
            context.close();
            return;
        }
        deadline.alive(time.nanos());
        if (status.equals(HttpResponseStatus.PROCESSING)) {
            return;
        }
        turn = next;
        if (isInterim) {
            lose("it answered " + status, false);
            context.close();
        } else if (!status.equals(HttpResponseStatus.PARTIAL_CONTENT) && !status.equals(HttpResponseStatus.CREATED)) {
            state = State.DISCARDING;
        } else if (wanted.accepts(HttpUtil.getContentLength(response, -1L) - sealLength())) {
            state = State.READING;
            bytes = new byte[Math.toIntExact(HttpUtil.getContentLength(response, -1L))];
        } else {
            lose("it sent another length than was asked for", false);
            context.close();
        }
    }

    private int sealLength() {
        return proof.map(AnswerProof::sealLength).orElse(0);
    }

    private void content(ChannelHandlerContext context, HttpContent content, PeerAnswer wanted) {
        ByteBuf part = content.content();
        int length = part.readableBytes();
        boolean isEnd = content instanceof LastHttpContent;
        if (isInterim) {
            return;
        }
        if (length > (state == State.READING ? bytes.length : LONGEST_DISCARDED) - count || state == State.WAITING) {
            lose("it sent more than was asked for", false);
            context.close();
            return;
        }
        if (state == State.READING) {
            part.readBytes(bytes, count, length);
        }
        count += length;
        if (length > 0) {
            deadline.alive(time.nanos());
        }
        if (isEnd) {
            finish(context, wanted);
        }
    }

    private void finish(ChannelHandlerContext context, PeerAnswer wanted) {
        boolean isWhole = state == State.READING && count == bytes.length;
        boolean isShort = state == State.READING && !isWhole;
        byte[] read = bytes;
        int length = read.length - sealLength();
        if (isWhole
                && proof.filter(needed -> needed.isSealed() && !needed.accepts(read, length))
                        .isPresent()) {
            distrust("its bytes were changed on the way");
            context.close();
            return;
        }
        Question asked = question;
        if (status.equals(RequestCheck.OUT_OF_TURN) && !isRepeated && isKeptOpen && asked != null) {
            isRepeated = true; // The turn is known now.
            write(context.channel(), asked);
            return;
        }
        if (!isKeptOpen || isShort) {
            context.close();
        }
        End ended = reset();
        if (isShort) {
            ended.lost("it sent less than was asked for", false);
            return;
        }
        ended.answered(status);
        if (isWhole) {
            wanted.arrived(read, length);
        } else {
            wanted.refused(status);
        }
    }

    private End reset() {
        End ended = end;
        state = State.IDLE;
        question = null;
        answer = null;
        end = null;
        bytes = new byte[0];
        if (ended == null) {
            throw new IllegalStateException("Cannot end a request: there is none.");
        }
        return ended;
    }

    private void distrust(String reason) {
        End ended = end;
        if (ended != null) {
            ended.distrusted(reason);
        }
        lose(reason, false);
    }

    private void lose(String reason, boolean isUntouched) {
        if (state != State.IDLE) {
            reset().lost(reason, isUntouched);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        lose("the connection ended", !isTouched);
        context.fireChannelInactive();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
        if (!(event instanceof IdleStateEvent)) {
            super.userEventTriggered(context, event);
        } else if (state == State.IDLE) {
            context.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.debug("A connection to another instance failed.", cause);
        if (cause instanceof SSLException || cause.getCause() instanceof SSLException) {
            distrust("TLS failed: " + cause);
        }
        lose("the connection failed: " + cause, !isTouched);
        context.close();
    }
}
