package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.write.upload.BlobSink;
import dev.blobshuffle.core.internal.write.upload.Placement;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** Mistakes that combining could contain; the simulation must find each. */
enum PlantedCombiningBug implements Planted {
    /** A hub that answers when its put has begun. */
    ANSWERS_BEFORE_THE_PUT("whose range is not stored", EarlyHub::new),

    /** A contributor that announces both blobs. */
    ANNOUNCES_BOTH("came 2 times|came after record", BothAnnounced::new),

    /** A contributor that announces the hub's blob with its own offsets. */
    DOES_NOT_SHIFT("of other bytes", Unshifted::new);

    private final Pattern violation;
    private final Supplier<Seams> seams;

    PlantedCombiningBug(String violation, Supplier<Seams> seams) {
        this.violation = Pattern.compile(violation);
        this.seams = seams;
    }

    /** The seams of one schedule. */
    Seams seams() {
        return seams.get();
    }

    @Override
    public Pattern violation() {
        return violation;
    }

    private static final class EarlyHub implements Seams {
        @Override
        public BlobStore hubStore(BlobStore store, SimulatedTime time) {
            return new ForwardingBlobStore(store) {
                @Override
                public CompletionStage<Void> put(BlobId id, BlobContent content) {
                    CompletionStage<Void> ignored = super.put(id, content);
                    return CompletableFuture.completedFuture(null);
                }
            };
        }
    }

    private static final class Unshifted implements Seams {
        @Override
        public BlobSink sink(BlobSink sink, BlobStore store) {
            return (id, layout, content) -> sink.put(id, layout, content).thenApply(placement -> {
                List<Notification> unshifted = new ArrayList<>();
                for (int i = 0; i < placement.notifications().size(); i++) {
                    Notification moved = placement.notifications().get(i);
                    Notification own = layout.notifications().get(i);
                    long end = moved.sectionOffset() + moved.sectionLength();
                    unshifted.add(new Notification(
                            moved.blob(),
                            moved.store(),
                            0,
                            Math.max(end, own.segmentOffset() + own.segmentLength()),
                            own.segmentOffset(),
                            own.segmentLength(),
                            own.records(),
                            own.codec(),
                            own.checksum(),
                            own.binding()));
                }
                return new Placement(placement.id(), unshifted);
            });
        }
    }

    private static final class BothAnnounced implements Seams {
        /** The stored own copies of segments, by checksum. */
        private final Map<Integer, Notification> others = new HashMap<>();

        @Override
        public BlobSink sink(BlobSink sink, BlobStore store) {
            return (id, layout, content) -> {
                var ignored = store.put(id, content)
                        .thenRun(() -> layout.notifications().forEach(own -> others.put(own.checksum(), own)));
                return sink.put(id, layout, content);
            };
        }

        @Override
        public Lane lane(Function<Channel, Lane> open, Channel channel, SimulatedTime time) {
            return open.apply(new Twice(channel, others));
        }
    }

    /** Announces a segment's second copy after the first. */
    private record Twice(Channel channel, Map<Integer, Notification> others) implements Channel {
        private static final Delivery IGNORED = new Delivery() {
            @Override
            public void delivered() {}

            @Override
            public void failed(Throwable cause) {}
        };

        @Override
        public Duration longestDelivery() {
            return channel.longestDelivery();
        }

        @Override
        public void send(
                Partition partition, Notification notification, long earliest, long latest, Delivery delivery) {
            channel.send(partition, notification, earliest, latest, delivery);
            Notification own = others.remove(notification.checksum());
            if (own != null && !own.blob().equals(notification.blob())) {
                channel.send(partition, own, earliest, latest, IGNORED);
            }
        }

        @Override
        public void send(Partition partition, SegmentRecords records, Delivery delivery) {
            channel.send(partition, records, delivery);
        }

        @Override
        public void flush() {
            channel.flush();
        }
    }
}
