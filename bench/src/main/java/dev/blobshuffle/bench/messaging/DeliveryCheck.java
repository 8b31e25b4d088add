package dev.blobshuffle.bench.messaging;

import java.util.List;
import java.util.Properties;

/** Compares what each group received with what was published. Stateless. */
final class DeliveryCheck {
    private DeliveryCheck() {}

    /**
     * The problem; empty if each group received each record once, undamaged and in order per key.
     *
     * @param measured measurements of each process
     */
    static String problem(Workload workload, List<Properties> measured) {
        long published = CellRun.sum(measured, "published");
        long failed = CellRun.sum(measured, "failed");
        if (published == 0) {
            return "no record was published";
        }
        if (failed > 0) {
            return failed + " of " + published + " publishes failed";
        }
        for (int group = 0; group < workload.subscriptions(); group++) {
            long count = CellRun.sum(measured, "count." + group);
            long wrong = CellRun.sum(measured, "wrong." + group);
            if (count != published) {
                return "group " + group + " received " + count + " records of " + published;
            }
            if (wrong > 0) {
                return "group " + group + " received " + wrong + " records damaged or out of order";
            }
            if (CellRun.sum(measured, "sum." + group) != CellRun.sum(measured, "published.sum")) {
                return "group " + group + " received other records than were published";
            }
        }
        return "";
    }
}
