package dev.blobshuffle.messaging.internal.publish;

import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.group.HomeZones;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The home zones of the topics that an instance publishes to. It queries the log every 5 seconds
 * while a topic is in use, and keeps the last answer while the log does not answer. Thread-safe.
 */
public final class TopicHomes {
    private static final Logger LOG = LoggerFactory.getLogger(TopicHomes.class);
    private static final Duration FRESH = Duration.ofSeconds(5);

    private final CommitLog log;
    private final Time time;
    private final Map<Integer, Homes> topics = new ConcurrentHashMap<>();

    /** Starts without topics. */
    public TopicHomes(CommitLog log, Time time) {
        this.log = log;
        this.time = time;
    }

    /** The home zones of a topic. Keep the object: publishing then needs no lookup. */
    Homes of(LogTopic topic) {
        return topics.computeIfAbsent(topic.number(), number -> new Homes(number, time.nanos() - FRESH.toNanos()));
    }

    /** Removes a topic that a publisher has stopped using; other publishers keep their object. */
    void forget(LogTopic topic) {
        topics.remove(topic.number());
    }

    private void ask(Homes homes) {
        int topic = homes.topic;
        try {
            log.groups().zones(topic).whenComplete((zones, failure) -> {
                if (zones != null) {
                    homes.learn(zones);
                } else {
                    LOG.debug("Cannot ask where topic {} is read; the last known zones stay.", topic, failure);
                }
            });
        } catch (RuntimeException e) {
            LOG.debug("Cannot ask where topic {} is read; the last known zones stay.", topic, e);
        }
    }

    /** The home zones of one topic. Thread-safe. */
    final class Homes {
        private final int topic;
        private volatile Known known = new Known(Map.of(), 0, HomeZones.none());
        private long askedNanos;

        private Homes(int topic, long askedNanos) {
            this.topic = topic;
            this.askedNanos = askedNanos;
        }

        /**
         * The current zones: the same object while nothing has changed, so that publishers move
         * their outputs only when necessary. Refreshes them in the background.
         *
         * @param partitions number of the topic's partitions
         */
        HomeZones current(int partitions) {
            if (isDue(time.nanos())) {
                ask(this);
            }
            Known now = known;
            return now.partitions == partitions ? now.zones : resize(partitions);
        }

        private synchronized HomeZones resize(int partitions) {
            if (known.partitions != partitions) {
                known = known(known.readers, partitions);
            }
            return known.zones;
        }

        private Known known(Map<Zone, Integer> readers, int partitions) {
            return new Known(readers, partitions, HomeZones.of(topic, partitions, readers));
        }

        private synchronized boolean isDue(long now) {
            boolean isDue = now - askedNanos >= FRESH.toNanos();
            if (isDue) {
                askedNanos = now;
            }
            return isDue;
        }

        private synchronized void learn(Map<Zone, Integer> readers) {
            if (!readers.equals(known.readers)) {
                known = known(Map.copyOf(readers), known.partitions);
            }
        }
    }

    private record Known(Map<Zone, Integer> readers, int partitions, HomeZones zones) {}
}
