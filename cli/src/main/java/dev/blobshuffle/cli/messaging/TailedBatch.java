package dev.blobshuffle.cli.messaging;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.log.internal.BatchOrigin;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.entries.Entries;
import dev.blobshuffle.log.internal.entries.EntriesCodec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A batch of a topic with its decoded entries, without the records in blobs.
 *
 * @param origin the writer; empty if the log does not know it
 */
record TailedBatch(SequencedBatch batch, Entries entries, Optional<BatchOrigin> origin) {
    /**
     * Decodes a batch.
     *
     * @throws dev.blobshuffle.core.failure.BlobCorruptException its bytes are not entries
     */
    static TailedBatch of(SequencedBatch batch, Optional<BatchOrigin> origin) {
        return new TailedBatch(batch, EntriesCodec.decode(batch.entries(), partition -> true), origin);
    }

    /** Segments of one blob. */
    private static final class Part {
        private int segments;
        private long records;
        private long bytes;
    }

    private Map<BlobId, Part> parts() {
        Map<BlobId, Part> parts = new LinkedHashMap<>();
        for (Entries.Run run : entries.runs()) {
            if (run instanceof Entries.SegmentRun segment) {
                Part part = parts.computeIfAbsent(segment.notification().blob(), blob -> new Part());
                part.segments++;
                part.records += segment.records();
                part.bytes += segment.notification().segmentLength();
            }
        }
        return parts;
    }

    /** Records within the entries. */
    private Part inline() {
        Part part = new Part();
        for (Entries.Run run : entries.runs()) {
            if (run instanceof Entries.PlainRun plain) {
                part.records += plain.records();
                part.bytes += plain.length();
            }
        }
        return part;
    }

    private long partitions() {
        return entries.runs().stream()
                .mapToInt(Entries.Run::partition)
                .distinct()
                .count();
    }

    private String writer() {
        if (origin.isEmpty()) {
            return "unknown";
        }
        return origin.get().writer().map(Shown::text).orElse("(outbox)");
    }

    /** The batch as lines of text. */
    String text() {
        StringBuilder text = new StringBuilder();
        text.append("batch ").append(batch.sequence()).append("  ");
        text.append(Instant.ofEpochMilli(batch.committedMillis()))
                .append("  by ")
                .append(writer());
        text.append("  ").append(Shown.count(entries.records(), "record")).append(" in ");
        text.append(Shown.count(partitions(), "partition"));
        origin.ifPresent(known -> text.append(", ").append(Shown.bytes(known.bytes())));
        text.append("; entries ").append(Shown.bytes(batch.entries().length)).append('\n');
        parts().forEach((blob, part) -> text.append("  blob ")
                .append(blob)
                .append("  ")
                .append(Shown.count(part.segments, "segment"))
                .append(", ")
                .append(Shown.count(part.records, "record"))
                .append(", ")
                .append(Shown.bytes(part.bytes))
                .append('\n'));
        Part inline = inline();
        if (inline.records > 0) {
            text.append("  in the log itself  ").append(Shown.count(inline.records, "record"));
            text.append(", ").append(Shown.bytes(inline.bytes)).append('\n');
        }
        return text.toString();
    }

    /** The batch as a mutable JSON object, to which the caller may add records. */
    Map<String, @Nullable Object> json() {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("sequence", batch.sequence());
        json.put("id", batch.id());
        json.put("committed_at", Instant.ofEpochMilli(batch.committedMillis()).toString());
        json.put("writer", origin.flatMap(BatchOrigin::writer).orElse(null));
        json.put("records", entries.records());
        json.put("partitions", partitions());
        json.put("bytes", origin.map(BatchOrigin::bytes).orElse(null));
        json.put("entries_bytes", batch.entries().length);
        List<Map<String, Object>> blobs = new ArrayList<>();
        parts().forEach((blob, part) -> {
            Map<String, Object> shown = new LinkedHashMap<>();
            shown.put("blob", blob.toString());
            shown.put("segments", part.segments);
            shown.put("records", part.records);
            shown.put("bytes", part.bytes);
            blobs.add(shown);
        });
        json.put("blobs", blobs);
        json.put("inline_records", inline().records);
        return json;
    }
}
