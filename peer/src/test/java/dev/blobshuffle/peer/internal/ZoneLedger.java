package dev.blobshuffle.peer.internal;

import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobSection;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.zone.Zone;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** What the members of each zone put into a store and read from it. Thread-safe. */
final class ZoneLedger {
    private final LongAdder puts = new LongAdder();
    private final LongAdder gets = new LongAdder();
    private final Map<SectionId, Written> written = new ConcurrentHashMap<>();
    private final Map<Download, Integer> downloads = new ConcurrentHashMap<>();
    private final Map<Zone, LongAdder> bytesRead = new ConcurrentHashMap<>();

    /** A section, by where it starts. */
    record SectionId(BlobId blob, long offset) {}

    /** A section that was stored: by which zone, and for which. */
    record Written(Zone by, Zone section) {}

    /** Who reads what. */
    record Download(Zone by, SectionId section) {}

    long puts() {
        return puts.sum();
    }

    long gets() {
        return gets.sum();
    }

    Map<SectionId, Written> written() {
        return written;
    }

    /** How often each zone read each section, or a part of it. */
    Map<Download, Integer> downloads() {
        return downloads;
    }

    long bytesRead(Zone zone) {
        return bytesRead.computeIfAbsent(zone, unread -> new LongAdder()).sum();
    }

    /** The store as a zone's members use it; closing it does nothing. */
    BlobStore seenFrom(Zone zone, BlobStore store) {
        return new ForwardingBlobStore(store) {
            @Override
            public CompletionStage<Void> put(BlobId id, BlobContent content) {
                puts.increment();
                for (BlobSection section : content.sections()) {
                    written.put(new SectionId(id, section.offset()), new Written(zone, section.zone()));
                }
                return super.put(id, content);
            }

            @Override
            public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
                gets.increment();
                downloads.merge(new Download(zone, new SectionId(id, range.sectionOffset())), 1, Integer::sum);
                bytesRead.computeIfAbsent(zone, unread -> new LongAdder()).add(range.length());
                return super.get(id, range);
            }

            @Override
            public void close() {}
        };
    }
}
