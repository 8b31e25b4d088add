package dev.blobshuffle.cli.inspect;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.internal.format.ContentKind;
import dev.blobshuffle.core.internal.format.Footer;
import dev.blobshuffle.core.internal.format.FooterCodec;
import dev.blobshuffle.core.internal.format.record.SegmentReader;
import dev.blobshuffle.core.store.BlobSection;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A blob of records with its footer read. Owned by one thread.
 *
 * @param bytes the whole blob
 * @param footer its footer
 */
record InspectedBlob(ByteBuffer bytes, Footer footer) {
    /**
     * Reads the footer.
     *
     * @throws BlobCorruptException if the bytes are not a blob, or its end is damaged
     */
    static InspectedBlob of(ByteBuffer bytes) {
        return new InspectedBlob(bytes, FooterCodec.decode(bytes, bytes.remaining()));
    }

    /** The first records, in the order of the blob. */
    List<InspectedRecord> records(int limit, Keyring keys) {
        List<InspectedRecord> records = new ArrayList<>();
        for (int i = 0; i < footer.segments().size() && records.size() < limit; i++) {
            Footer.Segment segment = footer.segments().get(i);
            SegmentReader reader = new SegmentReader(
                    footer.notification(segment), segment.partition(), keys, SegmentReader.Memory.UNLIMITED);
            reader.input(bytes.slice((int) segment.offset(), (int) segment.length()));
            while (records.size() < limit && reader.next()) {
                records.add(new InspectedRecord(
                        i, reader.index(), reader.timestamp(), reader.headers().count(), reader.key(), reader.value()));
            }
        }
        return records;
    }

    void print(PrintWriter out) {
        head().print(out);
        out.println("version   " + footer.version()
                + footer.key().map(key -> ", encrypted with key " + key).orElse(", not encrypted"));
        out.println("bytes     " + bytes.remaining() + ", of which segments " + footer.segmentsEnd());
        for (int i = 0; i < footer.sections().size(); i++) {
            BlobSection section = footer.sections().get(i);
            out.println("section " + i + " zone " + section.zone().name() + "  [" + section.offset() + ", "
                    + section.end() + ")");
            for (int j = 0; j < footer.segments().size(); j++) {
                if (footer.segments().get(j).section() == i) {
                    out.println("  segment " + j + " " + line(footer.segments().get(j)));
                }
            }
        }
        out.flush();
    }

    private BlobHead head() {
        return new BlobHead(footer.id(), ContentKind.RECORDS, footer.createdMillis(), footer.store());
    }

    private static String line(Footer.Segment segment) {
        return segment.partition().stream() + "-" + segment.partition().number() + "  lane " + segment.lane() + "  ["
                + segment.offset() + ", " + (segment.offset() + segment.length()) + ")  " + segment.records()
                + " records  " + Instant.ofEpochMilli(segment.minTimestamp()) + " to "
                + Instant.ofEpochMilli(segment.maxTimestamp()) + "  codec "
                + segment.codec().toString().toLowerCase(Locale.ROOT) + "  checksum "
                + BlobHead.hex(segment.checksum());
    }

    Map<String, Object> toJson(List<InspectedRecord> records, boolean showData) {
        Map<String, Object> json = head().toJson();
        json.put("version", footer.version());
        footer.key().ifPresent(key -> json.put("encryption_key", key));
        json.put("bytes", bytes.remaining());
        json.put(
                "sections",
                footer.sections().stream().map(InspectedBlob::toJson).toList());
        json.put(
                "segments",
                footer.segments().stream().map(InspectedBlob::toJson).toList());
        if (!records.isEmpty()) {
            json.put(
                    "records",
                    records.stream().map(record -> record.toJson(showData)).toList());
        }
        return json;
    }

    static Map<String, Object> toJson(BlobSection section) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("zone", section.zone().name());
        json.put("offset_bytes", section.offset());
        json.put("length_bytes", section.length());
        return json;
    }

    private static Map<String, Object> toJson(Footer.Segment segment) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("section", segment.section());
        json.put("topic", segment.partition().stream());
        json.put("partition", segment.partition().number());
        json.put("lane", segment.lane());
        json.put("offset_bytes", segment.offset());
        json.put("length_bytes", segment.length());
        json.put("records", segment.records());
        json.put("min_timestamp_ms", segment.minTimestamp());
        json.put("max_timestamp_ms", segment.maxTimestamp());
        json.put("codec", segment.codec().toString().toLowerCase(Locale.ROOT));
        json.put("checksum", BlobHead.hex(segment.checksum()));
        return json;
    }

    static Map<String, @Nullable Object> failureToJson(BlobShuffleException failure) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("sound", false);
        json.put("failure", Objects.toString(failure.getMessage(), failure.toString()));
        return json;
    }
}
