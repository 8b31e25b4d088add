package dev.blobshuffle.log.internal.share;

import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.internal.ReadRequest;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.tail.LogPage;
import dev.blobshuffle.log.internal.tail.LogPage.Source;
import dev.blobshuffle.log.internal.tail.NextPage;
import dev.blobshuffle.log.internal.tail.TopicPages;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Supplies the pages of one topic. While the topic is busy, requests go to the member of the zone
 * that reads it. They go to the log instead if
 *
 * <ul>
 *   <li>the reader must compare what it has read with the log, which it must every 5 seconds;
 *   <li>the member has not answered within 2 seconds, refuses, or answers with something else than
 *       the batches that come next;
 *   <li>the member knows nothing new, and the reader knows that there is more.
 * </ul>
 *
 * <p>Thread-safe.
 */
final class ZoneTopicPages implements TopicPages {
    private static final Logger LOG = LoggerFactory.getLogger(ZoneTopicPages.class);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(2);
    private static final long COMPARE_NANOS = Duration.ofSeconds(5).toNanos();
    private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    private final ZonePages zone;
    private final int topic;
    private final Time time;

    /** Guarded by this, like everything below. */
    private final FlowRate rate;

    private boolean isBusy;
    private long comparedNanos;
    private long pausedUntilNanos;

    ZoneTopicPages(ZonePages zone, int topic) {
        this.zone = zone;
        this.topic = topic;
        time = zone.time();
        long now = time.nanos();
        rate = new FlowRate(now);
        comparedNanos = now;
        pausedUntilNanos = now;
    }

    @Override
    public CompletionStage<LogPage> read(NextPage wanted) {
        if (wanted.before().isEmpty() || wanted.end().isEmpty() || !isShared()) {
            return readLog(wanted.request());
        }
        if (isComparisonDue()) {
            return readLog(new ReadRequest(topic, wanted.request().from(), 1, 1, wanted.before()));
        }
        Optional<Member> chosen = zone.chosen(topic);
        return chosen.isEmpty() ? readLog(wanted.request()) : ask(chosen.get(), wanted);
    }

    /** Busy from the rate on, until it falls below half of it. */
    private synchronized boolean isShared() {
        long now = time.nanos();
        double bytesPerSecond = rate.at(now);
        isBusy = bytesPerSecond >= (isBusy ? zone.busyBytesPerSecond() / 2 : zone.busyBytesPerSecond());
        return isBusy && now - pausedUntilNanos >= 0;
    }

    private synchronized boolean isComparisonDue() {
        return time.nanos() - comparedNanos > COMPARE_NANOS;
    }

    private CompletionStage<LogPage> readLog(ReadRequest request) {
        return zone.reads().read(request).thenApply(batches -> {
            synchronized (this) {
                comparedNanos = time.nanos();
                rate.add(LogPage.bytes(batches), comparedNanos);
            }
            return new LogPage(batches, Source.LOG);
        });
    }

    private CompletionStage<LogPage> ask(Member member, NextPage wanted) {
        int most = (int) Math.min(LogQuestion.MOST_BYTES, wanted.request().maxBytes());
        LogQuestion question = new LogQuestion(zone.id(), topic, wanted.before().orElseThrow(), most);
        CompletableFuture<LogPage> result = new CompletableFuture<>();
        var ignored = answerInTime(member, question).whenComplete((batches, failure) -> {
            Throwable wrong = failure == null ? contradiction(batches, question, wanted.end()) : unwrapped(failure);
            if (wrong == null) {
                came(member, batches);
                result.complete(new LogPage(batches, Source.MEMBER));
                return;
            }
            failed(member, wrong);
            readLog(wanted.request()).whenComplete((page, logFailure) -> {
                if (logFailure == null) {
                    result.complete(page);
                } else {
                    result.completeExceptionally(logFailure);
                }
            });
        });
        return result;
    }

    private CompletableFuture<List<SequencedBatch>> answerInTime(Member member, LogQuestion question) {
        CompletableFuture<List<SequencedBatch>> answer = new CompletableFuture<>();
        Time.Cancellable limit = time.schedule(
                LONGEST_WAIT,
                () -> answer.completeExceptionally(new TimeoutException("no page within " + LONGEST_WAIT)));
        CompletionStage<List<SequencedBatch>> asked;
        try {
            asked = zone.ask(member, question);
        } catch (RuntimeException e) {
            asked = CompletableFuture.failedFuture(e);
        }
        asked.whenComplete((batches, failure) -> {
            limit.cancel();
            if (failure == null) {
                answer.complete(batches);
            } else {
                answer.completeExceptionally(failure);
            }
        });
        return answer;
    }

    /** The reason why an answer is invalid; null if it is valid. */
    private static @Nullable Throwable contradiction(
            List<SequencedBatch> batches, LogQuestion question, OptionalLong end) {
        long expected = question.from();
        for (SequencedBatch batch : batches) {
            if (batch.sequence() != expected++) {
                return new IllegalStateException("sequence " + batch.sequence() + " instead of " + (expected - 1));
            }
        }
        boolean hidesSome = batches.isEmpty() && end.orElse(Long.MAX_VALUE) > question.from();
        return hidesSome ? new IllegalStateException("no batch, and the topic has more") : null;
    }

    /**
     * Records a page of a member. An empty page does not count in the member's favour: it may hide
     * batches.
     */
    private void came(Member member, List<SequencedBatch> batches) {
        if (!batches.isEmpty()) {
            zone.came(member, LogPage.bytes(batches));
            synchronized (this) {
                rate.add(LogPage.bytes(batches), time.nanos());
            }
        }
    }

    private static Throwable unwrapped(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    private void failed(Member member, Throwable failure) {
        LOG.debug(
                "Cannot get a page of topic {} from instance {}; the log is asked: {}",
                topic,
                member.endpoint(),
                failure.toString());
        zone.failed(member, failure);
        if (failure instanceof PageRefusedException) {
            synchronized (this) {
                pausedUntilNanos = time.nanos() + PAUSE_NANOS;
            }
        }
    }
}
