package dev.blobshuffle.kstreams.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kstreams.internal.commit.PendingTimer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.junit.jupiter.api.Test;

/** Each punctuation makes Kafka Streams commit, so there must be none without pending work. */
class PendingTimerTest {
    private final AtomicInteger calls = new AtomicInteger();

    @Test
    void callsBackWhileSomethingIsPendingAndOnlyThen() {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("input", Consumed.with(Serdes.String(), Serdes.String())).process(() -> new Pending());
        try (InTestDriver driver = InTestDriver.of(builder.build(), settings -> {})) {
            driver.driver().advanceWallClockTime(Duration.ofSeconds(1));
            assertThat(calls).hasValue(0);

            driver.pipe("input", "k", "start", 0);
            driver.pipe("input", "k", "start", 0);
            driver.driver().advanceWallClockTime(Duration.ofMillis(10));
            assertThat(calls).hasValue(1);
            driver.driver().advanceWallClockTime(Duration.ofMillis(10));
            assertThat(calls).hasValue(2);

            driver.pipe("input", "k", "stop", 0);
            driver.pipe("input", "k", "stop", 0);
            driver.driver().advanceWallClockTime(Duration.ofSeconds(1));
            assertThat(calls).hasValue(2);

            driver.pipe("input", "k", "start", 0);
            driver.driver().advanceWallClockTime(Duration.ofMillis(10));
            assertThat(calls).hasValue(3);
        }
    }

    private final class Pending implements Processor<String, String, Void, Void> {
        private PendingTimer timer;

        @Override
        public void init(ProcessorContext<Void, Void> context) {
            timer = new PendingTimer(context, calls::incrementAndGet);
        }

        @Override
        public void process(Record<String, String> record) {
            if (record.value().equals("start")) {
                timer.start();
            } else {
                timer.stop();
            }
        }
    }
}
