package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.log.internal.LogBatch;
import dev.blobshuffle.log.internal.group.Consumed;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * One commit of a writer: batches and consumed positions. Immutable.
 *
 * @param writer the writer's number
 * @param epoch the writer's epoch
 * @param number of the first batch
 * @param batches to publish
 * @param consumed positions to commit with them
 */
record Publication(long writer, int epoch, long number, List<LogBatch> batches, Optional<Consumed> consumed) {
    Publication {
        batches = List.copyOf(batches);
    }

    /** The effect of the commit. */
    enum Status {
        /** The batches are staged. */
        OK,
        /** They were staged already; nothing has changed. */
        DUPLICATE,
        /** A later writer of this name was opened. */
        FENCED,
        /** The log lacks numbers before this one. */
        GAP
    }

    /**
     * The log's answer.
     *
     * @param status the effect
     * @param ids of the batches; empty if retention has removed one of them since
     * @param isReplicated false if the wait for standbys was cancelled
     */
    record Answer(Status status, List<Long> ids, boolean isReplicated) {}

    private record Row(Status status, List<Long> ids) {}

    /** Calls the schema's function in the connection's transaction. */
    Answer publish(Connection connection, String schema) throws SQLException {
        List<byte[]> blobs = new ArrayList<>();
        List<Integer> batchOfBlob = new ArrayList<>();
        for (int batch = 0; batch < batches.size(); batch++) {
            for (BlobId blob : batches.get(batch).blobs()) {
                blobs.add(BlobKeys.of(blob));
                batchOfBlob.add(batch + 1);
            }
        }
        PositionArrays positions =
                PositionArrays.of(consumed.map(Consumed::positions).orElse(List.of()));
        FunctionCall call = FunctionCall.selecting(
                "status, ids",
                connection,
                schema,
                "publish",
                writer,
                epoch,
                number,
                batches.stream().mapToInt(LogBatch::topic).toArray(),
                batches.stream().mapToLong(LogBatch::bytes).toArray(),
                batches.stream().mapToLong(LogBatch::latest).toArray(),
                batches.stream().map(LogBatch::entries).toArray(byte[][]::new),
                blobs.toArray(byte[][]::new),
                batchOfBlob.stream().mapToInt(Integer::intValue).toArray(),
                consumed.map(Consumed::group).orElse(null),
                consumed.map(Consumed::member).orElse(null),
                positions.topics(),
                positions.partitions(),
                positions.generations(),
                positions.positions(),
                positions.metadata());
        Row row = call.one(columns -> new Row(Status.valueOf(columns.getString(1)), ids(columns.getArray(2))));
        return new Answer(row.status(), row.ids(), !call.isUnreplicated());
    }

    private static List<Long> ids(Array array) throws SQLException {
        if (array == null) {
            return List.of();
        }
        Long[] ids = (Long[]) array.getArray();
        return Stream.of(ids).allMatch(Objects::nonNull) ? List.of(ids) : List.of();
    }
}
