package dev.blobshuffle.log.internal.share;

import dev.blobshuffle.core.internal.cache.PeerNetwork;
import dev.blobshuffle.core.internal.cache.PeerRefusedException;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.log.internal.SequencedBatch;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Connects to the other members of a zone over the network of their caches. Thread-safe. */
public final class NetworkPeers implements LogPeers {
    private final PeerNetwork network;

    /**
     * Peers on a network.
     *
     * @param network stays open; its owner closes it
     */
    public NetworkPeers(PeerNetwork network) {
        this.network = network;
    }

    @Override
    public CompletionStage<List<SequencedBatch>> ask(Member member, LogQuestion question) {
        return network.ask(member, question.text(), PageCodec.longest(question)).handle(NetworkPeers::decoded);
    }

    private static List<SequencedBatch> decoded(@Nullable ByteBuffer page, @Nullable Throwable failure) {
        if (page != null) {
            return PageCodec.decode(page.array(), page.limit());
        }
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof PeerRefusedException refused) {
            throw PageRefusedException.harmless(refused.status())
                    .<PeerRefusedException>map(known -> known)
                    .orElse(refused);
        }
        throw new CompletionException(cause);
    }

    @Override
    public void answerFrom(SharedLog log) {
        network.answerFrom(new SentPages(log));
    }
}
