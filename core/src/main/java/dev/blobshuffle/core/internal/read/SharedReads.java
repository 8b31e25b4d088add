package dev.blobshuffle.core.internal.read;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Lets the Debatchers of an instance share downloads, because stores charge per request. Each
 * Debatcher states which parts of a section it will read. A read then loads the wanted neighbours
 * too, its own and those of other Debatchers, and the bytes stay until all of them are read. While
 * an instance has several Debatchers, bytes stay for two seconds longer, for Debatchers that learn
 * of the section later, such as other consumer groups.
 *
 * <p>The bytes count in the read budget. With several Debatchers, at most three quarters of it hold
 * shared bytes. If there is no room, a download that is not in use gives way. If others want its
 * bytes, a Debatcher without room waits for them first, for a moment. Thread-safe.
 */
final class SharedReads {
    /**
     * The largest gap between two parts that is read too, instead of paying for a second request.
     */
    static final long LARGEST_GAP = 256 << 10;

    private static final Duration LINGER = Duration.ofSeconds(2);

    private final BlobStore store;
    private final ReadBudget budget;
    private final Time time;

    /** Guarded by this, as are the fields below. */
    private final Map<SharedSection.Key, SharedSection> sections = new HashMap<>();

    /** All downloads, in the order of their start. */
    private final Set<SharedDownload> downloads = new LinkedHashSet<>();

    private long held;
    private int readers;
    private Time.@Nullable Cancellable nextSweep;

    /** @param store lets concurrent reads of the same range share one download */
    SharedReads(BlobStore store, ReadBudget budget, Time time) {
        this.store = store;
        this.budget = budget;
        this.time = time;
    }

    /** A new Debatcher's part. */
    synchronized SharedReader open() {
        readers++;
        return new SharedReader(this);
    }

    /** Called when a Debatcher's part has ended. */
    void closed() {
        synchronized (this) {
            readers--;
            if (readers < 2 && nextSweep != null) {
                nextSweep.cancel();
            }
        }
        sweep();
    }

    /** The number of open Debatchers, at least 1. */
    synchronized int readers() {
        return Math.max(1, readers);
    }

    synchronized void want(SharedReader reader, Notification of, long from) {
        SharedSection.Key key = SharedSection.Key.of(of);
        sections.computeIfAbsent(key, SharedSection::new)
                .want(reader, of.segmentOffset() + from, of.segmentOffset() + of.segmentLength());
    }

    void unwant(SharedReader reader, Notification of, long from) {
        List<BlobBytes> gone = new ArrayList<>(0);
        synchronized (this) {
            SharedSection section = sections.get(SharedSection.Key.of(of));
            if (section != null) {
                section.unwant(reader, of.segmentOffset() + from);
                if (readers < 2) {
                    section.downloads().forEach(each -> dropUnwanted(each, gone));
                }
                forgetEmpty(section);
            }
        }
        gone.forEach(BlobBytes::close);
    }

    synchronized Optional<CompletionStage<BlobBytes>> join(SharedReader reader, BlobId blob, BlobRange range) {
        Optional<SharedDownload> download = covering(blob, range);
        if (download.filter(each -> each.isBegunByAnother(reader)).isPresent()) {
            reader.hasCaughtUp();
        }
        return download.map(each -> each.join(range));
    }

    private synchronized Optional<CompletionStage<BlobBytes>> join(BlobId blob, BlobRange range) {
        return covering(blob, range).map(each -> each.join(range));
    }

    private Optional<SharedDownload> covering(BlobId blob, BlobRange range) {
        SharedSection section = sections.get(SharedSection.Key.of(blob, range));
        return Optional.ofNullable(section == null ? null : section.covering(range));
    }

    /**
     * A read from a new download.
     *
     * @param start sends the request; the caller calls it once
     */
    record Load(CompletionStage<BlobBytes> read, Runnable start) {}

    Optional<Load> load(SharedReader reader, BlobId blob, BlobRange range, long holds) {
        List<BlobBytes> gone = new ArrayList<>(0);
        Optional<Load> load;
        synchronized (this) {
            load = Optional.ofNullable(plan(reader, blob, range, holds, gone))
                    .map(planned -> new Load(planned.join(range), () -> planned.start(ask(blob, planned.range()))));
        }
        gone.forEach(BlobBytes::close);
        return load;
    }

    /**
     * Reads a range for a caller that has memory for it. Joins a download if there is one, unless
     * its bytes were wrong.
     */
    CompletionStage<BlobBytes> get(BlobId blob, BlobRange range) {
        if (range.isAfresh()) {
            spoil(blob, range);
        }
        return join(blob, range).orElseGet(() -> store.get(blob, range));
    }

    private void spoil(BlobId blob, BlobRange range) {
        List<BlobBytes> gone = new ArrayList<>(0);
        synchronized (this) {
            covering(blob, range).ifPresent(download -> {
                download.spoil();
                dropUnwanted(download, gone);
            });
        }
        gone.forEach(BlobBytes::close);
    }

    private CompletionStage<BlobBytes> ask(BlobId blob, BlobRange range) {
        try {
            return store.get(blob, range);
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private @Nullable SharedDownload plan(
            SharedReader reader, BlobId blob, BlobRange range, long holds, List<BlobBytes> gone) {
        SharedSection.Key key = SharedSection.Key.of(blob, range);
        SharedSection section = sections.getOrDefault(key, new SharedSection(key));
        BlobRange extended = extended(section, range);
        if (!hasShare(extended, holds) || !acquire(reader, extended.length(), gone)) {
            return null;
        }
        SharedDownload download = new SharedDownload(this, section, reader, extended);
        sections.put(key, section);
        section.add(download);
        downloads.add(download);
        return download;
    }

    /** Whether a Debatcher's share has room for a range. */
    synchronized boolean hasShare(BlobRange range, long holds) {
        return holds == 0 || readers < 2 || holds + range.length() <= budget.share(readers);
    }

    private BlobRange extended(SharedSection section, BlobRange range) {
        return section.extended(range, LARGEST_GAP, Math.min(budget.largestRead(), budget.share(readers())));
    }

    private boolean acquire(SharedReader reader, long bytes, List<BlobBytes> gone) {
        while (held + bytes > budget.mostShared(readers()) || !budget.tryAcquire(bytes)) {
            SharedDownload givesWay = givesWay(reader);
            if (givesWay == null) {
                if (readers > 1 && held > 0 && bytes <= budget.mostShared(readers)) {
                    reader.hasNoRoom(time.nanos());
                }
                return false;
            }
            drop(givesWay, gone);
        }
        held += bytes;
        reader.hasRoom();
        return true;
    }

    /**
     * The unused download that gives way to a reader's next one: the oldest that no Debatcher
     * wants, or else the newest that the reader need not leave to another. The older ones are those
     * that a Debatcher behind needs first.
     */
    private @Nullable SharedDownload givesWay(SharedReader reader) {
        List<SharedDownload> wanted = new ArrayList<>();
        for (SharedDownload each : downloads) {
            if (each.isUnused()) {
                if (each.isSpoilt() || !each.section().isWanted(each.range())) {
                    return each;
                }
                wanted.add(each);
            }
        }
        long now = time.nanos();
        if (!wanted.isEmpty() && reader.hasWaited(now)) {
            SharedDownload oldest = wanted.get(0);
            oldest.section().awaited(oldest.range(), reader, now).forEach(each -> each.leaveBehind(now));
        }
        for (int i = wanted.size() - 1; i >= 0; i--) {
            SharedDownload each = wanted.get(i);
            if (each.section().awaited(each.range(), reader, now).isEmpty()) {
                return each;
            }
        }
        return null;
    }

    /** Takes bytes of the budget. Downloads that nothing uses or wants give way. */
    boolean tryAcquireBudget(long bytes) {
        if (budget.tryAcquire(bytes)) {
            return true;
        }
        List<BlobBytes> gone = new ArrayList<>(0);
        boolean isAcquired = false;
        synchronized (this) {
            Iterator<SharedDownload> oldest = List.copyOf(downloads).iterator();
            while (!isAcquired && oldest.hasNext()) {
                dropUnwanted(oldest.next(), gone);
                isAcquired = budget.tryAcquire(bytes);
            }
        }
        gone.forEach(BlobBytes::close);
        return isAcquired;
    }

    /** Called when a reader has closed its view. */
    void viewClosed(SharedDownload download) {
        List<BlobBytes> gone = new ArrayList<>(0);
        synchronized (this) {
            download.viewClosed(time.nanos());
            if (readers < 2 || download.isSpoilt()) {
                dropUnwanted(download, gone);
            } else {
                scheduleSweep();
            }
        }
        gone.forEach(BlobBytes::close);
    }

    /** Called with the lock when a download has failed, or was abandoned. */
    void failed(SharedDownload download) {
        remove(download);
    }

    private void dropUnwanted(SharedDownload download, List<BlobBytes> gone) {
        if (download.isUnused() && (download.isSpoilt() || !download.section().isWanted(download.range()))) {
            drop(download, gone);
        }
    }

    private void drop(SharedDownload download, List<BlobBytes> gone) {
        gone.add(download.takeBytes());
        remove(download);
    }

    private void remove(SharedDownload download) {
        downloads.remove(download);
        download.section().remove(download);
        forgetEmpty(download.section());
        held -= download.range().length();
        budget.release(download.range().length());
    }

    private void forgetEmpty(SharedSection section) {
        if (section.isEmpty()) {
            sections.remove(section.key(), section);
        }
    }

    private void scheduleSweep() {
        if (nextSweep == null) {
            try {
                nextSweep = time.schedule(LINGER, this::sweep);
            } catch (ClosedException e) {
                // The process ends.
            }
        }
    }

    /** Drops downloads that no Debatcher wants, after their time. */
    private void sweep() {
        List<BlobBytes> gone = new ArrayList<>(0);
        synchronized (this) {
            nextSweep = null;
            long now = time.nanos();
            for (SharedDownload each : List.copyOf(downloads)) {
                if (readers < 2 || now - each.unusedSince() >= LINGER.toNanos()) {
                    dropUnwanted(each, gone);
                }
            }
            if (readers > 1 && downloads.stream().anyMatch(SharedDownload::isUnused)) {
                scheduleSweep();
            }
        }
        gone.forEach(BlobBytes::close);
    }

    String location() {
        return store.location();
    }
}
