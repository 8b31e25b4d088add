package dev.blobshuffle.kstreams.differential.drawn;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The known differences between applications through blobs and native ones, with reasons. Programs
 * do not contain them, and {@code docs/differences.md} has them as a chapter.
 */
final class DrawnDifferences {
    private static final List<Difference> ALL = List.of(new Difference(
            "A record above the limit under `exactly_once_v2`, if the production exception handler continues",
            "the transaction cannot commit any more, and the thread dies with `RecordTooLargeException`",
            "the record is dropped, and the transaction commits the others",
            "The handler's decision holds. The wrapper refuses the record before the transactional producer sees"
                    + " it, so that the transaction is not broken."));

    private DrawnDifferences() {}

    /** A difference that a user can see. */
    private record Difference(String what, String natively, String ours, String reason) {
        String row() {
            return "| " + what + " | " + natively + " | " + ours + " | " + reason + " |\n";
        }
    }

    /** The chapter of {@code docs/differences.md}. */
    static String chapter() {
        return "## Kafka Streams\n\n| what | natively | through blobs | reason |\n|---|---|---|---|\n"
                + ALL.stream().map(Difference::row).collect(Collectors.joining());
    }
}
