package dev.blobshuffle.bench.demo.messaging;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.log.failure.WriterFencedException;
import dev.blobshuffle.messaging.Messaging;
import dev.blobshuffle.messaging.Publisher;
import dev.blobshuffle.messaging.Serde;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** The main class of a publisher: sends orders at a rate until its parent ends it. */
final class PublisherProcess {
    private static final Duration FLUSH = Duration.ofSeconds(60);
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private final ChildSettings settings;
    private final Clock clock = Clock.systemUTC();

    private PublisherProcess(ChildSettings settings) {
        this.settings = settings;
    }

    public static void main(String[] arguments) throws IOException {
        ChildSettings settings = ChildSettings.read(Path.of(arguments[0]));
        ParentWatch parent = ParentWatch.begin();
        new PublisherProcess(settings).run(parent);
        System.exit(0);
    }

    private void run(ParentWatch parent) throws IOException {
        try (Messaging messaging = Messaging.open(settings.messaging());
                Publisher<String, String> publisher =
                        messaging.publisher(settings.name(), Serde.string(), Serde.string());
                Acknowledgements acknowledged = new Acknowledgements(settings.directory(), settings.life())) {
            parent.ready();
            long begin = System.nanoTime();
            long interval = NANOS_PER_SECOND / settings.rate();
            for (long number = 0; !parent.isOver(); number++) {
                for (long wait = begin + number * interval - System.nanoTime();
                        wait > 0;
                        wait = begin + number * interval - System.nanoTime()) {
                    LockSupport.parkNanos(wait);
                }
                send(publisher, number, acknowledged);
            }
            flush(publisher);
        }
    }

    private void send(Publisher<String, String> publisher, long number, Acknowledgements acknowledged) {
        OrderRecord order = new OrderRecord(settings.life(), number, clock.millis());
        try {
            var ignored = publisher
                    .publish(DemoDatabase.ORDERS, order.key(), order.value())
                    .whenComplete((position, failure) -> {
                        if (failure == null) {
                            acknowledged.add(number);
                        }
                    });
        } catch (WriterFencedException e) {
            throw e;
        } catch (BlobShuffleException e) {
            // An earlier batch was lost, or this record was refused: neither was acknowledged.
            e.printStackTrace();
        }
    }

    private static void flush(Publisher<String, String> publisher) {
        try {
            publisher.flush(FLUSH);
        } catch (BlobShuffleException e) {
            e.printStackTrace(); // Records without an acknowledgement do not count.
        }
    }
}
