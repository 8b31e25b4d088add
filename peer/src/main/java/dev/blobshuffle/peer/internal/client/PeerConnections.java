package dev.blobshuffle.peer.internal.client;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.StoreThrottledException;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.peer.internal.message.PeerQuestion;
import dev.blobshuffle.peer.internal.trust.MemberKeys;
import dev.blobshuffle.peer.internal.trust.Nonces;
import dev.blobshuffle.peer.internal.trust.PeerChallenge;
import dev.blobshuffle.peer.internal.trust.PeerTrust;
import dev.blobshuffle.peer.internal.trust.RequestCheck;
import dev.blobshuffle.peer.internal.trust.RequestProof;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.AttributeKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections to one member. Each request uses its own connection; a limited number of requests
 * waits for the next free connection. If a request is lost, the waiting requests fail as well.
 * Otherwise each of them would wait for the silence to end, one after the other. Thread-safe.
 */
final class PeerConnections {
    private static final Logger LOG = LoggerFactory.getLogger(PeerConnections.class);

    /**
     * The most connections. They can saturate any network. More would only mean more concurrent
     * connection attempts.
     */
    private static final int MOST_CONNECTIONS = 8;

    /**
     * The most waiting requests. Each holds bytes of the read budget, so the limit is not reached
     * in practice.
     */
    private static final int MOST_WAITING = 1024;

    /** The generation of the secrets under which a connection was opened. */
    static final AttributeKey<Object> GENERATION = AttributeKey.valueOf("blobshuffle-generation");

    private final Endpoint endpoint;
    private final Bootstrap bootstrap;
    private final PeerTrust trust;
    private final Nonces nonces;
    private final Time time;

    /** Guarded by this, like the fields below. */
    private final Deque<Channel> idle = new ArrayDeque<>();

    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private int inUse;
    private boolean isRefusedLately;
    private boolean isClosed;

    PeerConnections(Endpoint endpoint, Bootstrap bootstrap, PeerTrust trust, Nonces nonces, Time time) {
        this.endpoint = endpoint;
        this.bootstrap = bootstrap;
        this.trust = trust;
        this.nonces = nonces;
        this.time = time;
    }

    /** @param since when the request was made, by {@code Time.nanos()} */
    private record Waiting(PeerQuestion request, PeerAnswer answer, long since) {}

    void send(PeerQuestion request, PeerAnswer answer) {
        Waiting next = new Waiting(request, answer, time.nanos());
        Channel kept;
        synchronized (this) {
            if (isClosed) {
                answer.fail(closed());
                return;
            }
            if (inUse == MOST_CONNECTIONS) {
                if (waiting.size() == MOST_WAITING) {
                    answer.fail(new StoreThrottledException(
                            "Cannot ask " + endpoint + " for more at a time. The store or the log is asked instead."));
                } else {
                    waiting.addLast(next);
                }
                return;
            }
            inUse++;
            kept = newestIdle();
        }
        start(kept, next);
    }

    private @Nullable Channel newestIdle() {
        Channel channel = idle.pollLast();
        while (channel != null && !isUsable(channel)) {
            channel.close();
            channel = idle.pollLast();
        }
        return channel;
    }

    /** Whether a connection is open, and was opened under the current secrets. */
    @SuppressWarnings("ReferenceEquality") // the object is replaced, never changed
    private boolean isUsable(Channel channel) {
        return channel.isActive() && channel.attr(GENERATION).get() == trust.generation();
    }

    private void start(@Nullable Channel kept, Waiting next) {
        if (kept == null) {
            connect(next);
        } else {
            // If the connection has just been closed, the request is repeated once over a new one.
            exchange(kept, next, () -> connect(next));
        }
    }

    private void connect(Waiting next) {
        ChannelFuture connecting;
        try {
            connecting = bootstrap.connect(endpoint.host(), endpoint.port());
        } catch (IllegalStateException e) { // The threads have stopped.
            lost(next, e.toString());
            return;
        }
        connecting.addListener(connected -> {
            if (connected.isSuccess()) {
                exchange(connecting.channel(), next, null);
            } else {
                lost(next, "no connection: " + connected.cause());
            }
        });
    }

    private void exchange(Channel channel, Waiting next, @Nullable Runnable again) {
        PeerExchange exchange = (PeerExchange) channel.pipeline().get(PeerExchange.NAME);
        if (exchange == null) { // The channel is closed, and its handlers are removed.
            lostOrAgain(next, "the connection was closed", again);
            return;
        }
        exchange.start(channel, question(next), next.answer(), new PeerExchange.End() {
            @Override
            public void answered(HttpResponseStatus status) {
                warnIfRefused(status);
                left(channel);
            }

            @Override
            public void distrusted(String reason) {
                warnOfDistrust(reason);
            }

            @Override
            public void lost(String reason, boolean isUntouched) {
                channel.close();
                lostOrAgain(next, reason, isUntouched ? again : null);
            }
        });
    }

    private PeerExchange.Question question(Waiting next) {
        return new PeerExchange.Question() {
            @Override
            public RequestProof.Signed write(String turn) {
                Optional<MemberKeys> keys = trust.keys().stream().findFirst();
                return next.request().write(new RequestProof.Signing(endpoint.toString(), turn, keys, challenge()));
            }

            @Override
            public void written() {
                next.request().written();
            }

            @Override
            public long requested() {
                return next.since();
            }
        };
    }

    /** TLS authenticates the server; without TLS, the answer must contain a proof. */
    private Optional<PeerChallenge> challenge() {
        return trust.usesTls(endpoint)
                ? Optional.empty()
                : Optional.of(new PeerChallenge(nonces.next(), trust.sealsContent()));
    }

    /** Warns that the member may be an impostor, once until it proves itself. */
    private synchronized void warnOfDistrust(String reason) {
        if (!isRefusedLately) {
            LOG.warn(
                    "Instance {} did not authenticate itself: {}. Its bytes are not used; the store or the log is asked instead. During an upgrade this is"
                            + " temporary. Otherwise give all instances the same peer.secret.file, peer.transport and authority, and check"
                            + " which process answers there.",
                    endpoint,
                    reason);
        }
        isRefusedLately = true;
    }

    /** Logs once that a member refuses this one, because an operator must fix it. */
    private synchronized void warnIfRefused(HttpResponseStatus status) {
        boolean isRefused = status.equals(HttpResponseStatus.UNAUTHORIZED)
                || status.equals(HttpResponseStatus.MISDIRECTED_REQUEST)
                || status.equals(RequestCheck.OUT_OF_TURN);
        if (isRefused && !isRefusedLately) {
            LOG.warn(
                    "Instance {} refuses this one, with {}. Give all instances the same peer.secret.file, store and log, and each its own zone and peer.advertised.",
                    endpoint,
                    status);
        }
        isRefusedLately = isRefused;
    }

    private void lostOrAgain(Waiting next, String reason, @Nullable Runnable again) {
        if (again == null) {
            lost(next, reason);
        } else {
            again.run();
        }
    }

    private void lost(Waiting next, String reason) {
        List<Waiting> all = new ArrayList<>();
        boolean isOurEnd;
        synchronized (this) {
            inUse--;
            all.add(next);
            all.addAll(waiting);
            waiting.clear();
            isOurEnd = isClosed;
        }
        for (Waiting one : all) {
            if (isOurEnd) {
                one.answer().fail(closed());
            } else {
                one.answer().unavailable(reason);
            }
        }
    }

    /** Returns a free connection. */
    private void left(Channel channel) {
        Waiting next;
        synchronized (this) {
            next = waiting.pollFirst();
            if (next == null) {
                inUse--;
                if (!isClosed && isUsable(channel)) {
                    idle.addLast(channel);
                    return;
                }
            }
        }
        if (next == null) {
            channel.close();
        } else {
            boolean isKept = isUsable(channel);
            if (!isKept) {
                channel.close();
            }
            start(isKept ? channel : null, next);
        }
    }

    synchronized boolean isUnused() {
        return inUse == 0 && idle.stream().noneMatch(Channel::isActive);
    }

    private ClosedException closed() {
        return new ClosedException("Cannot ask " + endpoint + ": the network of instances is closed. Close it last.");
    }

    /** Fails the waiting requests; running requests end with their connections. */
    void close() {
        List<Waiting> all;
        synchronized (this) {
            isClosed = true;
            all = new ArrayList<>(waiting);
            waiting.clear();
            idle.clear();
        }
        all.forEach(one -> one.answer().fail(closed()));
    }
}
