package dev.blobshuffle.testkit.internal.simulation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Compares the records that were delivered for good with those that were written. */
final class Deliveries {
    private final Schedule schedule;
    private final Input input;
    private final Ledger ledger;

    Deliveries(Schedule schedule, Input input, Ledger ledger) {
        this.schedule = schedule;
        this.input = input;
        this.ledger = ledger;
    }

    /**
     * The records whose order is kept: those of a writer with one key (and so one partition);
     * without transactions, within one reader's span.
     */
    private record OrderKey(int lane, int key, int stream) {}

    /** Checks that each record came as often as promised, and in order. */
    void check(List<SimulatedLog.Output> outputs) {
        int[][] times = new int[input.lanes()][schedule.records()];
        Map<OrderKey, Integer> last = new HashMap<>();
        for (SimulatedLog.Output output : outputs) {
            Input.Row row = output.row();
            times[row.lane()][row.index()]++;
            if (schedule.exactlyOnce() || !ledger.hasZombies() && !ledger.hasSkips()) {
                checkOrder(last, output);
            }
        }
        for (int lane = 0; lane < times.length; lane++) {
            for (int index = 0; index < times[lane].length; index++) {
                checkTimes(lane, index, times[lane][index]);
            }
        }
    }

    private void checkOrder(Map<OrderKey, Integer> last, SimulatedLog.Output output) {
        Input.Row row = output.row();
        int stream = schedule.exactlyOnce() ? 0 : output.stream();
        Integer before = last.put(new OrderKey(row.lane(), row.key(), stream), row.keyIndex());
        // Without transactions records are replayed from some point on, but in order. No record is
        // skipped.
        boolean inOrder = before == null
                ? !schedule.exactlyOnce() || row.keyIndex() == 0
                : schedule.exactlyOnce() ? row.keyIndex() == before + 1 : row.keyIndex() <= before + 1;
        if (!inOrder) {
            ledger.violation("record " + row.keyIndex() + " of key " + row.key() + " of lane " + row.lane()
                    + " came after record " + before);
        }
    }

    private void checkTimes(int lane, int index, int times) {
        if (times == 0) {
            ledger.violation("record " + index + " of lane " + lane + " was lost");
        } else if (times > 1 && schedule.exactlyOnce()) {
            ledger.violation("record " + index + " of lane " + lane + " came " + times + " times");
        }
    }
}
