package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.log.failure.LogWentBackException;
import dev.blobshuffle.log.failure.PositionTrimmedException;
import dev.blobshuffle.log.internal.Bookmark;
import dev.blobshuffle.log.internal.ReadRequest;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.postgresql.internal.connection.PostgresqlUri;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads batches in order, and detects a log that went back. A batch that a server process has
 * returned does not change while that process runs. So a bookmark is compared with its batch only
 * if another process returned the batch: after a failover, a restart, a restored backup, or at the
 * first read. Thread-safe.
 */
final class LogReader {
    private static final String COLUMNS = "pg_postmaster_start_time() as server, r.*";

    private final PostgresqlUri uri;
    private final Seen seen = new Seen();

    LogReader(PostgresqlUri uri) {
        this.uri = uri;
    }

    List<SequencedBatch> read(Connection connection, ReadRequest request) throws SQLException {
        Optional<Instant> server = request.last().flatMap(last -> seen.by(request.topic(), last));
        Answer answer = ask(connection, request, server.isEmpty());
        boolean isOther = server.isPresent() && !server.equals(Optional.of(answer.server()));
        if (isOther) {
            answer = ask(connection, request, true);
        }
        check(request, answer, server.isEmpty() || isOther);
        if (!answer.batches().isEmpty()) {
            request.last().ifPresent(last -> seen.forget(request.topic(), last));
            SequencedBatch latest = answer.batches().get(answer.batches().size() - 1);
            seen.add(request.topic(), Bookmark.at(latest), answer.server());
        } else if (request.last().isPresent()) {
            seen.add(request.topic(), request.last().get(), answer.server());
        }
        return answer.batches();
    }

    private Answer ask(Connection connection, ReadRequest request, boolean isMarkWanted) throws SQLException {
        Long mark = isMarkWanted ? request.last().map(Bookmark::sequence).orElse(null) : null;
        List<Row> rows = FunctionCall.selecting(
                        COLUMNS,
                        connection,
                        uri.schema(),
                        "read_order",
                        request.topic(),
                        request.from(),
                        request.maxBatches(),
                        request.maxBytes(),
                        mark)
                .rows(LogReader::row);
        Row first = rows.get(0);
        List<SequencedBatch> batches =
                rows.stream().skip(1).flatMap(row -> row.batch().stream()).toList();
        return new Answer(first.server(), first.start(), first.next(), first.batch(), batches);
    }

    private void check(ReadRequest request, Answer answer, boolean isMarkRead) {
        request.last().ifPresent(last -> {
            boolean isBeyond = last.sequence() >= answer.next();
            boolean isOther = isMarkRead
                    && last.sequence() >= answer.start()
                    && !answer.marked().map(Bookmark::at).equals(Optional.of(last));
            if (isBeyond || isOther) {
                throw wentBack(
                        request,
                        "the batch read last, " + last.sequence() + ", is "
                                + (isBeyond ? "beyond its end, " + answer.next() : "another one now"));
            }
        });
        if (request.from() > answer.next()) {
            throw wentBack(request, "position " + request.from() + " is beyond its end, " + answer.next());
        }
        if (request.from() < answer.start()) {
            throw new PositionTrimmedException(
                    "Cannot read topic " + request.topic() + " in " + uri + ": retention has passed"
                            + " position " + request.from() + "; the first is " + answer.start()
                            + ". Seek, or set a reset policy.");
        }
    }

    private LogWentBackException wentBack(ReadRequest request, String reason) {
        return new LogWentBackException("Cannot read topic " + request.topic() + " in " + uri + ": " + reason
                + ". Find out whether a standby that was behind was promoted, or a backup was restored; then seek.");
    }

    private static Row row(ResultSet row) throws SQLException {
        OffsetDateTime committed = row.getObject("committed_at", OffsetDateTime.class);
        byte[] entries = row.getBytes("entries");
        Optional<SequencedBatch> batch = committed == null || entries == null
                ? Optional.empty()
                : Optional.of(new SequencedBatch(
                        row.getLong("seq"),
                        row.getLong("id"),
                        committed.toInstant().toEpochMilli(),
                        entries));
        return new Row(
                row.getObject("server", OffsetDateTime.class).toInstant(),
                row.getLong("log_start"),
                row.getLong("next_seq"),
                batch);
    }

    private record Row(Instant server, long start, long next, Optional<SequencedBatch> batch) {}

    /**
     * The answer to a read.
     *
     * @param server when the server process started
     * @param start the topic's first sequence
     * @param next the topic's end
     * @param marked the batch at the bookmark's sequence
     * @param batches the batches after it
     */
    private record Answer(
            Instant server, long start, long next, Optional<SequencedBatch> marked, List<SequencedBatch> batches) {}

    /**
     * The server process that returned a bookmark's batch, for the latest bookmarks. Thread-safe.
     */
    private static final class Seen {
        /** Each reader has one bookmark. */
        private static final int MOST = 10_000;

        private record Key(int topic, Bookmark bookmark) {}

        private final Map<Key, Instant> servers = new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.@Nullable Entry<Key, Instant> eldest) {
                return size() > MOST;
            }
        };

        synchronized Optional<Instant> by(int topic, Bookmark bookmark) {
            return Optional.ofNullable(servers.get(new Key(topic, bookmark)));
        }

        synchronized void add(int topic, Bookmark bookmark, Instant server) {
            servers.put(new Key(topic, bookmark), server);
        }

        synchronized void forget(int topic, Bookmark bookmark) {
            servers.remove(new Key(topic, bookmark));
        }
    }
}
