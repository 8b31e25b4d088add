package dev.blobshuffle.cli.doctor;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.postgresql.internal.checkup.LogCheckup;
import dev.blobshuffle.postgresql.internal.connection.PostgresqlUri;
import dev.blobshuffle.postgresql.internal.schema.Migrations;
import java.util.List;

/** Checks a commit log. Stateless. */
final class LogFindings {
    private LogFindings() {}

    /** Queries the log's database, within the doctor's time limit. */
    static List<Finding> of(String uri, Time time, BoundedWait patience) throws InterruptedException {
        try {
            PostgresqlUri parsed = PostgresqlUri.parse(uri);
            List<StoreFinding> findings = patience.call(() -> new LogCheckup(parsed, Migrations.needed(), time).run());
            return findings.stream()
                    .map(finding -> Finding.of(Finding.LOG, finding))
                    .toList();
        } catch (BlobShuffleException e) {
            return List.of(Finding.failed(Finding.LOG, "open", e));
        }
    }
}
