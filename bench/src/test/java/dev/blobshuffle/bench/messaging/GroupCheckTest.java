package dev.blobshuffle.bench.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class GroupCheckTest {
    private static final Workload WORKLOAD =
            new Workload("test", 1, 1, 100, 0.5, 3, 1, 1, 1, 0, Duration.ZERO, Duration.ofSeconds(1));

    private final GroupCheck check = new GroupCheck(WORKLOAD);
    private final Payload payload = new Payload(WORKLOAD, 0);

    @Test
    void allRecordsOnceAndInOrderPerKeyAreRight() {
        receive(0, 2, 1, 0L + Payload.KEYS);
        assertThat(problem(0, 1, 2, 0L + Payload.KEYS)).isEmpty();
    }

    @Test
    void lostDoubledAndMixedUpRecordsAreFound() {
        receive(0, Payload.KEYS, 0);
        assertThat(problem(0, Payload.KEYS)).isEqualTo("group 0 received 3 records of 2");
        assertThat(problem(0, Payload.KEYS, 1)).isEqualTo("group 0 received 1 records damaged or out of order");
    }

    @Test
    void otherRecordsThanThePublishedAreFound() {
        receive(0, 1);
        assertThat(problem(0, 2)).isEqualTo("group 0 received other records than were published");
    }

    @Test
    void damagedRecordsAreFound() {
        byte[] value = payload.value(7, 0);
        value[value.length - 1]++;
        check.receive(ByteBuffer.wrap(value));
        check.receive(ByteBuffer.wrap(new byte[5]));
        assertThat(check.wrong()).isEqualTo(2);
    }

    private void receive(long... numbers) {
        for (long number : numbers) {
            check.receive(ByteBuffer.wrap(payload.value(number, 0)));
        }
    }

    private String problem(long... published) {
        long sum = 0;
        for (long number : published) {
            sum += Payload.seal(number, 0);
        }
        Properties measured = new Properties();
        measured.setProperty("published", Long.toString(published.length));
        measured.setProperty("published.sum", Long.toString(sum));
        measured.setProperty("failed", "0");
        measured.setProperty("count.0", Long.toString(check.count()));
        measured.setProperty("sum.0", Long.toString(check.sum()));
        measured.setProperty("wrong.0", Long.toString(check.wrong()));
        return DeliveryCheck.problem(WORKLOAD, List.of(measured));
    }
}
