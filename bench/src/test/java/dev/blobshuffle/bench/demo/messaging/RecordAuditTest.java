package dev.blobshuffle.bench.demo.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RecordAuditTest {
    /** As many as there are keys: the next number has the key of the first. */
    private static final int KEYS = 60;

    private final RecordAudit audit = new RecordAudit();
    private final Set<OrderRecord> acknowledged = new HashSet<>();

    RecordAuditTest() {
        for (int number = 0; number < 2 * KEYS; number++) {
            acknowledged.add(new OrderRecord("p.0", number, 0));
        }
    }

    @Test
    void recordsOfDifferentKeysAndPublishersMayMix() {
        for (int number = KEYS - 1; number >= 0; number--) {
            audit.see("p.0", number);
            audit.see("p.1", number);
            audit.see("p.0", number + KEYS);
        }
        assertThat(audit.lost(acknowledged)).isZero();
        assertThat(audit.doubled()).isZero();
        assertThat(audit.outOfOrder()).isZero();
        assertThat(audit.arrived()).isEqualTo(3 * KEYS);
    }

    @Test
    void anAcknowledgedRecordThatIsMissingIsLost() {
        for (int number = 0; number < 2 * KEYS; number++) {
            if (number != 7) {
                audit.see("p.0", number);
            }
        }
        assertThat(audit.lost(acknowledged)).isEqualTo(1);
        assertThat(audit.outOfOrder()).isZero();
    }

    @Test
    void aRecordOfAnotherLifeDoesNotStandForOne() {
        acknowledged.forEach(record -> audit.see("p.1", record.number()));
        assertThat(audit.lost(acknowledged)).isEqualTo(2 * KEYS);
    }

    @Test
    void aSecondArrivalIsDoubledAndNotOutOfOrder() {
        audit.see("p.0", 0);
        audit.see("p.0", KEYS);
        audit.see("p.0", 0);
        assertThat(audit.doubled()).isEqualTo(1);
        assertThat(audit.outOfOrder()).isZero();
        assertThat(audit.arrived()).isEqualTo(2);
    }

    @Test
    void anEarlierRecordOfAKeyIsOutOfOrder() {
        audit.see("p.0", KEYS);
        audit.see("p.0", 0);
        assertThat(audit.outOfOrder()).isEqualTo(1);
    }
}
