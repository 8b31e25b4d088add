package dev.blobshuffle.core.internal.read;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.core.time.Signal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A Debatcher that reads ahead.
 *
 * <p>It first reads the head of every unpaused partition. Then, while the budget lasts, it reads
 * further segments, in the order in which it learned of their sections. Last, it reads the heads of
 * paused partitions. A section is read when the budget has room for all its wanted segments,
 * because parts cost more requests. If neither records nor reads arrive for lack of room, heads are
 * read in small pieces from the reserve. The reserve is bounded too: if it is used up, heads take
 * turns. One partition of each Debatcher always has a piece, so no Debatcher starves.
 *
 * <p>The owner's thread owns all state. Reads end on other threads, which only enqueue them, raise
 * the signal, and call the owner's callback.
 *
 * @see <a href="https://arxiv.org/abs/2606.03364">the BlobShuffle paper, section 3.1: the
 *     Debatcher</a>
 */
final class PrefetchingDebatcher<C> implements Debatcher<C> {
    /**
     * The most segments, besides the heads, that are fetched at once. More would only wait in the
     * store's client.
     */
    private static final int READS_AHEAD = 128;

    /** The time without an answer after which heads no longer wait for room in the budget. */
    private static final long STANDSTILL_NANOS = Duration.ofSeconds(1).toNanos();

    private final String name;
    private final ReadEngine engine;
    private final Signal signal;
    private final SharedReader reader;
    private final FetchPlan plan;
    private final Map<Partition, PartitionQueue<C>> queues = new HashMap<>();

    /** The queues in the order of their creation. The turns rotate over this list. */
    private final List<PartitionQueue<C>> turns = new ArrayList<>();

    /** Bounded by the number of running fetches. */
    private final ConcurrentLinkedQueue<Fetch> arrivals = new ConcurrentLinkedQueue<>();

    /** Records that a key is available, or that its request has failed. Called on any thread. */
    private final Runnable keyAnswered;

    private final SectionOrder sections = new SectionOrder();

    private volatile boolean isKeyAnswered;
    private int firstTurn;

    /** Bytes that are here or being fetched. Valid while reads are planned. */
    private long held;

    /** Whether no planned read was refused for lack of room in this round. */
    private boolean hasRoom;

    /** When a read last ended, or heads were planned without progress. */
    private long progressNanos;

    private boolean isClosed;

    /** @param onProgress called on any thread, after the signal was raised */
    PrefetchingDebatcher(String name, ReadEngine engine, Runnable onProgress) {
        this.name = name;
        this.engine = engine;
        this.signal = engine.time().signal();
        this.reader = engine.shared().open();
        this.keyAnswered = () -> {
            isKeyAnswered = true;
            signal.raise();
            onProgress.run();
        };
        this.plan = new FetchPlan(engine, reader, fetch -> {
            arrivals.add(fetch);
            signal.raise();
            onProgress.run();
        });
    }

    @Override
    public void offer(Partition partition, long offset, Notification notification, int firstRecord, C carrier) {
        queue(partition).offer(offset, notification, firstRecord, carrier);
    }

    @Override
    public void offer(Partition partition, long offset, long bytes, C plain) {
        queue(partition).offer(offset, bytes, plain);
    }

    @Override
    public void pause(Partition partition) {
        queue(partition).pause(true);
    }

    @Override
    public void resume(Partition partition) {
        queue(partition).pause(false);
    }

    @Override
    public void prefetch() {
        absorb();
        reader.beginRound();
        hasRoom = true;
        held = 0;
        for (PartitionQueue<C> queue : turns) {
            held += queue.fetchedBytes();
        }
        planHeads();
        planAhead();
        for (PartitionQueue<C> queue : turns) {
            QueuedSegment<C> head = queue.isPaused() ? queue.headToFetch() : null;
            if (head != null) {
                boolean ignored = planShared(new Candidate<>(queue, head));
            }
        }
        plan.start();
    }

    /** A segment to fetch, and its queue. */
    private record Candidate<C>(PartitionQueue<C> queue, QueuedSegment<C> segment) {}

    /** Candidates in the order in which the Debatcher learned of their sections. */
    private static final Comparator<Candidate<?>> BY_SECTION =
            Comparator.comparingLong(candidate -> candidate.segment().sectionNumber());

    private void planHeads() {
        List<Candidate<C>> heads = new ArrayList<>(0);
        for (int i = 0; i < turns.size(); i++) {
            PartitionQueue<C> queue = turns.get((firstTurn + i) % turns.size());
            QueuedSegment<C> head = queue.isPaused() ? null : queue.headToFetch();
            if (head != null) {
                heads.add(new Candidate<>(queue, head));
            }
        }
        if (heads.isEmpty()) {
            return;
        }
        heads.sort(BY_SECTION);
        boolean isProgressing = isProgressing();
        for (Candidate<C> each : heads) {
            if (!planShared(each) && (each.segment.isReadAfresh() || !(isProgressing || isWaiting()))) {
                planAlone(each);
            }
        }
        progressNanos = isProgressing ? progressNanos : engine.time().nanos();
    }

    /** Plans a read within the budget or from the reserve, because nothing else arrives. */
    private void planAlone(Candidate<C> head) {
        QueuedSegment<C> segment = head.segment;
        if (engine.shared().tryAcquireBudget(segment.planRead(engine.budget().largestRead()))) {
            head.queue.planned(segment);
            plan.add(segment);
        } else if (acquireReserve(segment.planRead(engine.budget().pieceSize(turns.size())))) {
            head.queue.planned(segment);
            plan.addFromReserve(segment);
        }
    }

    /** Whether records are ready, or reads end at least once per second. */
    private boolean isProgressing() {
        boolean isFetching = false;
        for (PartitionQueue<C> queue : turns) {
            if (!queue.isPaused()) {
                if (queue.isReady()) {
                    return true;
                }
                isFetching |= queue.fetches() > 0;
            }
        }
        return isFetching && engine.time().nanos() - progressNanos < STANDSTILL_NANOS;
    }

    /** Whether other Debatchers leave this one no room for a moment. */
    private boolean isWaiting() {
        return reader.isWaiting(engine.time().nanos());
    }

    private boolean acquireReserve(long bytes) {
        if (engine.budget().tryAcquireReserve(bytes)) {
            return true;
        }
        for (PartitionQueue<C> queue : turns) {
            if (!queue.isPaused() && queue.holdsReserve()) {
                return false; // Another head gets its turn when this piece has been returned.
            }
        }
        engine.budget().acquireReserve(bytes);
        return true;
    }

    /**
     * Plans segments in the order of their sections, until the budget, this Debatcher's share of it
     * or the number of reads is used up. Within its share it still takes what other downloads have,
     * so that they are not loaded again.
     */
    private void planAhead() {
        int reads = 0;
        for (PartitionQueue<C> queue : turns) {
            reads += queue.fetches();
        }
        PriorityQueue<Candidate<C>> candidates = new PriorityQueue<>(BY_SECTION);
        turns.forEach(queue -> addNext(queue, candidates));
        for (Candidate<C> next = candidates.poll(); next != null; next = candidates.poll()) {
            hasRoom &= reads < READS_AHEAD;
            if (planShared(next)) {
                reads++;
                addNext(next.queue, candidates);
            }
        }
    }

    private static <C> void addNext(PartitionQueue<C> queue, PriorityQueue<Candidate<C>> candidates) {
        QueuedSegment<C> next = queue.isPaused() ? null : queue.nextToFetch();
        if (next != null) {
            candidates.add(new Candidate<>(queue, next));
        }
    }

    /** Plans a read from a shared download, if there is one, or room for one. */
    private boolean planShared(Candidate<C> next) {
        long ignored = next.segment.planRead(engine.budget().largestRead());
        if (!plan.share(next.segment, held, hasRoom)) {
            hasRoom &= next.segment.isReadAfresh(); // Later sections must not take the room of this one.
            return false;
        }
        next.queue.planned(next.segment);
        held += next.segment.readLength();
        return true;
    }

    @Override
    public boolean isReady() {
        absorb();
        for (PartitionQueue<C> queue : turns) {
            if (!queue.isPaused() && queue.isReady()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean isFetching() {
        absorb();
        if (isWaiting()) {
            return true;
        }
        for (PartitionQueue<C> queue : turns) {
            if (!queue.isPaused() && (queue.fetches() > 0 || queue.isAwaitingKey())) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void awaitProgress(Duration timeout) throws InterruptedException {
        long deadline = engine.time().nanos() + timeout.toNanos();
        long seen = signal.count();
        while (!isReady() && signal.await(seen, deadline)) {
            seen = signal.count();
            if (isKeyAnswered) {
                isKeyAnswered = false;
                prefetch();
            }
        }
    }

    @Override
    public int drain(int maxRecords, long maxBytesPerPartition, Sink<C> sink) {
        if (maxRecords < 1 || maxBytesPerPartition < 1) {
            throw new IllegalArgumentException("Cannot drain " + maxRecords + " records and " + maxBytesPerPartition
                    + " bytes per partition: " + "both must be 1 or more.");
        }
        absorb();
        throwFailure();
        int records = handOut(maxRecords, maxBytesPerPartition, sink);
        if (records == 0) {
            throwFailure();
            feedStarved();
        }
        prefetch(); // Use the budget that this drain released, and fetch what heads still need.
        return records;
    }

    /** A partition that may have more to return in this drain, and what it has returned. */
    private static final class Turn<C> {
        private final PartitionQueue<C> queue;
        private final int number;
        private long bytes;

        Turn(PartitionQueue<C> queue, int number) {
            this.queue = queue;
            this.number = number;
        }
    }

    /**
     * Returns a segment of one partition after the other. So the partitions proceed together, are
     * done with a section at about the same time, and its bytes make room for the next.
     */
    private int handOut(int maxRecords, long maxBytesPerPartition, Sink<C> sink) {
        ArrayDeque<Turn<C>> ready = new ArrayDeque<>();
        for (int i = 0; i < turns.size(); i++) {
            int number = (firstTurn + i) % turns.size();
            PartitionQueue<C> queue = turns.get(number);
            if (!queue.isPaused() && queue.isReady()) {
                ready.add(new Turn<>(queue, number));
            }
        }
        int records = 0;
        while (records < maxRecords && !ready.isEmpty()) {
            Turn<C> turn = ready.remove();
            DrainQuota quota = new DrainQuota(maxRecords - records, maxBytesPerPartition - turn.bytes);
            boolean hasMore = turn.queue.handOut(quota, sink);
            records += quota.records();
            turn.bytes += quota.bytes();
            if (hasMore && turn.bytes < maxBytesPerPartition) {
                ready.add(turn);
            }
            firstTurn = turn.number + 1;
        }
        return records;
    }

    /**
     * Throws the failure of a head. No partition returns records then, so that the failure is not
     * overlooked while other partitions are busy.
     */
    private void throwFailure() {
        for (PartitionQueue<C> queue : turns) {
            BlobShuffleException failure = queue.isPaused() ? null : queue.takeFailure();
            if (failure != null) {
                throw failure;
            }
        }
    }

    /**
     * Lets one decoder continue that found no memory. It drops the decoded bytes of all heads that
     * are not in use, and then lets the first starved one exceed the budget. A Debatcher exceeds
     * its budget by at most one frame.
     */
    private void feedStarved() {
        for (PartitionQueue<C> queue : turns) {
            QueuedSegment<C> starved = queue.isPaused() ? null : queue.starvedHead();
            if (starved != null) {
                turns.forEach(PartitionQueue::dropDecoded);
                starved.exceedBudget();
                return;
            }
        }
    }

    @Override
    public Optional<Position> head(Partition partition) {
        PartitionQueue<C> queue = queues.get(partition);
        return queue == null ? Optional.empty() : queue.head();
    }

    @Override
    public long undelivered(Partition partition) {
        PartitionQueue<C> queue = queues.get(partition);
        return queue == null ? 0 : queue.undelivered();
    }

    @Override
    public int queuedItems(Partition partition) {
        PartitionQueue<C> queue = queues.get(partition);
        return queue == null ? 0 : queue.size();
    }

    @Override
    public long queuedBytes(Partition partition) {
        PartitionQueue<C> queue = queues.get(partition);
        return queue == null ? 0 : queue.bytes();
    }

    @Override
    public void drop(Partition partition) {
        PartitionQueue<C> queue = queues.remove(partition);
        if (queue != null) {
            turns.remove(queue);
            queue.clear();
        }
    }

    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        for (PartitionQueue<C> queue : turns) {
            queue.clear();
        }
        turns.clear();
        queues.clear();
        arrivals.clear();
        reader.close();
    }

    private void absorb() {
        for (Fetch fetch = arrivals.poll(); fetch != null; fetch = arrivals.poll()) {
            fetch.announce();
            progressNanos = engine.time().nanos();
        }
    }

    private PartitionQueue<C> queue(Partition partition) {
        PartitionQueue<C> queue = queues.get(partition);
        return queue == null ? newQueue(partition) : queue;
    }

    private PartitionQueue<C> newQueue(Partition partition) {
        if (isClosed) {
            throw new ClosedException(
                    "Cannot queue for " + partition + ": the Debatcher " + name + " is closed. Open a new one.");
        }
        PartitionQueue<C> queue = new PartitionQueue<>(engine, partition, reader, sections, keyAnswered);
        queues.put(partition, queue);
        turns.add(queue);
        return queue;
    }
}
