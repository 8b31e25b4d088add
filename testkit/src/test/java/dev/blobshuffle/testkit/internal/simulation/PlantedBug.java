package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.retention.NotificationLogs;
import dev.blobshuffle.core.internal.retention.SweepTiming;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.shuffle.RecordReceiver;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.simulator.SimulatedTime;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Mistakes that an engine like this one could contain. Each behaves as the engine would with that
 * mistake in it; the simulation must find each.
 */
enum PlantedBug implements Planted, Seams {
    /** A commit that does not wait for the uploads in flight. */
    COMMITS_WITHOUT_WAITING_FOR_UPLOADS("sent outside its transaction") {
        @Override
        public Lane lane(Function<Channel, Lane> open, Channel channel, SimulatedTime time) {
            return new ForwardingLane(open.apply(channel)) {
                @Override
                public void flush(Duration timeout) {}
            };
        }
    },

    /**
     * A queue per zone instead of per lane and partition: order breaks when a partition's readers
     * move to another zone.
     */
    ORDERS_BY_ZONE("came after record") {
        @Override
        public Lane lane(Function<Channel, Lane> open, Channel channel, SimulatedTime time) {
            return new LanePerZone(open, channel);
        }
    },

    /** A failed upload that the next call does not know of any more. */
    FAILURE_DOES_NOT_STICK("came after record") {
        @Override
        public Lane lane(Function<Channel, Lane> open, Channel channel, SimulatedTime time) {
            return new ForwardingLane(open.apply(channel)) {
                @Override
                public void flush(Duration timeout) {
                    forget();
                    super.flush(timeout);
                }

                @Override
                public Output output(Partition partition, Zone zone) {
                    forget();
                    return super.output(partition, zone);
                }

                private void forget() {
                    if (failure() != null) {
                        inner.discard();
                    }
                }
            };
        }
    },

    /** A rollback that forgets the failure and keeps what is queued. */
    DISCARD_KEEPS_THE_QUEUE("sent outside its transaction") {
        @Override
        public Lane lane(Function<Channel, Lane> open, Channel channel, SimulatedTime time) {
            return new ForwardingLane(open.apply(channel)) {
                @Override
                public void discard() {
                    if (failure() != null) {
                        inner.discard();
                    }
                }
            };
        }
    },

    /** A rollback after which uploads that end late are still notified. */
    LATE_UPLOADS_ARE_NOTIFIED("sent outside its transaction") {
        @Override
        public Lane lane(Function<Channel, Lane> open, Channel channel, SimulatedTime time) {
            List<Lane> old = new ArrayList<>();
            return new ForwardingLane(open.apply(channel)) {
                @Override
                public void discard() {
                    old.add(inner);
                    inner = open.apply(channel);
                }

                @Override
                public void close() {
                    old.forEach(Lane::close);
                    super.close();
                }
            };
        }
    },

    /**
     * A small record that goes through the channel at once, while the blob with those before it is
     * in upload.
     */
    INLINED_RECORDS_OVERTAKE_UPLOADS("came after record") {
        @Override
        public Lane lane(Function<Channel, Lane> open, Channel channel, SimulatedTime time) {
            return new ForwardingLane(open.apply(channel)) {
                @Override
                public Output output(Partition partition, Zone zone) {
                    Output output = super.output(partition, zone);
                    return (timestamp, key, value, headers) -> {
                        if (time.random(6) == 0) {
                            channel.send(partition, new OneRecord(timestamp, key, value, headers), IGNORE);
                        } else {
                            output.append(timestamp, key, value, headers);
                        }
                    };
                }
            };
        }
    },

    /** A notification for a blob whose put has only begun. */
    NOTIFIES_BEFORE_THE_PUT_IS_DURABLE("whose range is not stored") {
        @Override
        public BlobStore store(BlobStore store, SimulatedTime time) {
            return new ForwardingBlobStore(store) {
                @Override
                public CompletionStage<Void> put(BlobId id, BlobContent content) {
                    CompletionStage<Void> ignored = super.put(id, content);
                    return CompletableFuture.completedFuture(null);
                }
            };
        }
    },

    /** Memory that is used again while a late attempt of a put still reads it. */
    RECYCLES_MEMORY_UNDER_A_LATE_ATTEMPT(
            "is not stored|not what was appended|reads corrupt|for ever|BlobCorruptException|already recycled") {
        @Override
        public BlobStore store(BlobStore store, SimulatedTime time) {
            return new ForwardingBlobStore(store) {
                @Override
                public CompletionStage<Void> put(BlobId id, BlobContent content) {
                    return super.put(id, new UncountedContent(content));
                }
            };
        }
    },

    /** Read bytes that are decoded and never given back. */
    KEEPS_READ_BYTES("were not given back") {
        @Override
        public BlobStore store(BlobStore store, SimulatedTime time) {
            return new ForwardingBlobStore(store) {
                @Override
                public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
                    return super.get(id, range).thenApply(bytes -> BlobBytes.of(bytes.buffer()));
                }
            };
        }
    },

    /**
     * Read bytes that are given back, and so overwritten, while a segment may still be decoded from
     * them.
     */
    GIVES_READ_BYTES_BACK_EARLY("reads corrupt of which none was falsified") {
        @Override
        public BlobStore store(BlobStore store, SimulatedTime time) {
            return new ForwardingBlobStore(store) {
                @Override
                public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
                    return super.get(id, range).thenApply(bytes -> {
                        Time.Cancellable ignored = time.schedule(Duration.ofMillis(1 + time.random(30)), bytes::close);
                        return bytes;
                    });
                }
            };
        }
    },

    /** A commit that takes a segment of which some records were handed out for done. */
    COMMITS_THE_NEXT_NOTIFICATION("came after record") {
        @Override
        public <C> Debatcher<C> debatcher(Debatcher<C> debatcher) {
            return new ForwardingDebatcher<>(debatcher) {
                @Override
                public Optional<Position> head(Partition partition) {
                    return super.head(partition).map(at -> at.index() == 0 ? at : new Position(at.offset() + 1, 0));
                }
            };
        }
    },

    /** A restart that begins a segment anew of which some records were committed. */
    RESTART_IGNORES_THE_INDEX("came after record") {
        @Override
        public <C> Debatcher<C> debatcher(Debatcher<C> debatcher) {
            return new ForwardingDebatcher<>(debatcher) {
                @Override
                public void offer(
                        Partition partition, long offset, Notification notification, int firstRecord, C carrier) {
                    super.offer(partition, offset, notification, 0, carrier);
                }
            };
        }
    },

    /** A sweep that does not wait until notifications are in the log. */
    SWEEPS_TOO_EARLY("whose blob is not stored any more|whose range is not stored|a notification leads to it") {
        @Override
        public SweepTiming sweeps(SweepTiming timing) {
            return new SweepTiming(Duration.ofMillis(5), Duration.ofMillis(5));
        }
    },

    /** A sweep that reads one partition and decides on blobs of all. */
    SWEEPS_BY_ONE_PARTITION("was deleted although a notification leads to it") {
        @Override
        public NotificationLogs logs(NotificationLogs logs) {
            return new NotificationLogs() {
                @Override
                public Set<String> topics() throws InterruptedException {
                    return logs.topics();
                }

                @Override
                public Map<Partition, Extent> read(Set<String> topics, Receiver receiver) throws InterruptedException {
                    return logs.read(topics, new Receiver() {
                        @Override
                        public void notification(
                                Partition partition, long position, Notification notification, boolean isMarked) {
                            if (partition.number() == 0) {
                                receiver.notification(partition, position, notification, isMarked);
                            }
                        }

                        @Override
                        public void read(long bytes) throws InterruptedException {
                            receiver.read(bytes);
                        }
                    });
                }

                @Override
                public void close() {
                    logs.close();
                }
            };
        }
    },

    /** A reader that gives up what it cannot find and goes on after it. */
    SKIPS_A_MISSING_BLOB("came after record") {
        @Override
        public <C> Debatcher<C> debatcher(Debatcher<C> debatcher) {
            Set<Partition> partitions = new LinkedHashSet<>();
            return new ForwardingDebatcher<>(debatcher) {
                @Override
                public void offer(
                        Partition partition, long offset, Notification notification, int firstRecord, C carrier) {
                    partitions.add(partition);
                    super.offer(partition, offset, notification, firstRecord, carrier);
                }

                @Override
                public int drain(int maxRecords, long maxBytesPerPartition, Sink<C> sink) {
                    try {
                        return super.drain(maxRecords, maxBytesPerPartition, sink);
                    } catch (BlobMissingException e) {
                        partitions.forEach(this::drop);
                        return 0;
                    }
                }
            };
        }
    };

    private final Pattern expected;

    PlantedBug(String expected) {
        this.expected = Pattern.compile(expected);
    }

    @Override
    public Pattern violation() {
        return expected;
    }

    private static final Channel.Delivery IGNORE = new Channel.Delivery() {
        @Override
        public void delivered() {}

        @Override
        public void failed(Throwable cause) {}
    };

    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record OneRecord(long timestamp, byte @Nullable [] key, byte @Nullable [] value, Headers headers)
            implements Channel.SegmentRecords {
        @Override
        public int count() {
            return 1;
        }

        @Override
        public void forEach(RecordReceiver receiver) {
            receiver.receive(timestamp, key, value, headers);
        }
    }

    private record UncountedContent(BlobContent content) implements BlobContent {
        @Override
        public long length() {
            return content.length();
        }

        @Override
        public List<ByteBuffer> buffers() {
            return content.buffers();
        }

        @Override
        public void retain() {}

        @Override
        public void release() {}
    }

    private static final class LanePerZone implements Lane {
        private final Function<Channel, Lane> open;
        private final Channel channel;
        private final Map<Zone, Lane> lanes = new LinkedHashMap<>();

        LanePerZone(Function<Channel, Lane> open, Channel channel) {
            this.open = open;
            this.channel = channel;
        }

        private Collection<Lane> lanes() {
            return lanes.values();
        }

        @Override
        public Output output(Partition partition, Zone zone) {
            return lanes.computeIfAbsent(zone, unknown -> open.apply(channel)).output(partition, zone);
        }

        @Override
        public boolean forget(Partition partition) {
            return lanes().stream().allMatch(lane -> lane.forget(partition));
        }

        @Override
        public void seal() {
            lanes().forEach(Lane::seal);
        }

        @Override
        public void flush(Duration timeout) {
            lanes().forEach(lane -> lane.flush(timeout));
        }

        @Override
        public void discard() {
            lanes().forEach(Lane::discard);
        }

        @Override
        public @Nullable RuntimeException failure() {
            for (Lane lane : lanes()) {
                RuntimeException failure = lane.failure();
                if (failure instanceof BlobShuffleException) {
                    return failure;
                }
            }
            return null;
        }

        @Override
        public boolean isDrained() {
            return lanes().stream().allMatch(Lane::isDrained);
        }

        @Override
        public void giveUp() {
            lanes().forEach(Lane::giveUp);
        }

        @Override
        public void close() {
            lanes().forEach(Lane::close);
        }
    }
}
