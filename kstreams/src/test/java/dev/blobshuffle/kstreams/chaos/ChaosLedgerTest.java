package dev.blobshuffle.kstreams.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The ledger of a chaotic run detects each kind of error. */
class ChaosLedgerTest {
    private final ChaosLedger ledger = new ChaosLedger();
    private final List<ChaosRecord> records = new ArrayList<>();

    private void send(int number) {
        for (int i = 0; i < number; i++) {
            records.add(ledger.send(1, 7));
        }
        ledger.count(7, number);
    }

    private void receive() {
        records.forEach(record -> ledger.receive(record, record.sequence() + 1));
    }

    @Test
    void whatComesOutOnceAndInOrderIsExact() {
        send(10);
        receive();

        assertThat(ledger.verdict()).matches(ChaosLedger.Verdict::isExact);
        assertThat(ledger.isComplete()).isTrue();
    }

    @Test
    void lostRecordIsNoticed() {
        send(10);
        records.remove(4);
        receive();

        assertThat(ledger.verdict().lost()).isEqualTo(1);
        assertThat(ledger.verdict()).matches(verdict -> !verdict.isExact() && !verdict.isWithoutLoss());
    }

    @Test
    void doubledRecordIsNoticed() {
        send(10);
        records.add(4, records.get(4));
        receive();

        assertThat(ledger.verdict().duplicated()).isEqualTo(1);
        assertThat(ledger.verdict()).matches(verdict -> !verdict.isExact() && verdict.isWithoutLoss());
    }

    @Test
    void swappedRecordsAreNoticed() {
        send(10);
        Collections.swap(records, 4, 5);
        receive();

        assertThat(ledger.verdict().outOfOrder()).isEqualTo(1);
        assertThat(ledger.verdict()).matches(verdict -> !verdict.isExact() && verdict.isWithoutLoss());
    }

    @Test
    void reDeliveriesThatRestartEarlierAreInOrder() {
        send(10);
        records.addAll(7, List.copyOf(records.subList(2, 7)));
        receive();

        assertThat(ledger.verdict().duplicated()).isEqualTo(5);
        assertThat(ledger.verdict())
                .matches(ChaosLedger.Verdict::isOrdered)
                .matches(ChaosLedger.Verdict::isWithoutLoss);
    }

    @Test
    void reDeliveriesThatLeaveSomethingOutAreNoticed() {
        send(10);
        records.add(7, records.get(6));
        records.add(7, records.get(2));
        receive();

        assertThat(ledger.verdict().outOfOrder()).isZero();
        assertThat(ledger.verdict().jumps()).isEqualTo(1);
        assertThat(ledger.verdict()).matches(verdict -> !verdict.isOrdered() && verdict.isWithoutLoss());
    }

    @Test
    void wrongStateAndWrongCountsAreNoticed() {
        send(10);
        records.forEach(record -> ledger.receive(record, record.sequence() + 2));
        assertThat(ledger.verdict().wrongState()).isEqualTo(10);

        ledger.count(7, 9);
        assertThat(ledger.verdict().missingInCounts()).isEqualTo(1);
        ledger.count(7, 11);
        assertThat(ledger.verdict().surplusInCounts()).isEqualTo(1);
        assertThat(ledger.verdict()).matches(verdict -> !verdict.isExact());
    }

    @Test
    void firstWrongNumberOfAKeyIsNamed() {
        send(3);
        ledger.receive(records.get(0), 1);
        ledger.receive(records.get(1), 1);
        ledger.receive(records.get(2), 2);

        assertThat(ledger.verdict().wrongState()).isEqualTo(2);
        assertThat(ledger.wrong()).singleElement().asString().contains("sequence=1", "number 1");
    }
}
