package dev.blobshuffle.cli.inspect;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.internal.format.Container;
import dev.blobshuffle.core.internal.format.ContainerCodec;
import dev.blobshuffle.core.internal.format.ContainerReader;
import dev.blobshuffle.core.internal.format.Trailer;
import dev.blobshuffle.core.store.BlobSection;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A blob of Arrow or opaque content with its footer read. Owned by one thread.
 *
 * @param bytes the whole blob
 * @param version of its format
 * @param container its footer
 */
record InspectedContainer(ByteBuffer bytes, int version, Container container) {
    /**
     * Reads the footer.
     *
     * @throws BlobCorruptException if the end of the blob is damaged
     */
    static InspectedContainer of(ByteBuffer bytes, Trailer trailer) {
        return new InspectedContainer(bytes, trailer.version(), ContainerCodec.decode(bytes, bytes.remaining()));
    }

    /** Verifies every byte. */
    void verify() {
        new ContainerReader(container, (offset, length) -> bytes.slice((int) offset, length)).verify();
    }

    void print(PrintWriter out) {
        head().print(out);
        out.println("version   " + version);
        out.println("bytes     " + bytes.remaining() + ", of which content " + container.contentEnd());
        out.println(
                "rows      " + (container.rows().isPresent() ? container.rows().getAsLong() : "not stated"));
        out.println("prelude   " + line(container.prelude()));
        for (int i = 0; i < container.sections().size(); i++) {
            BlobSection section = container.sections().get(i);
            out.println("section " + i + " zone " + section.zone().name() + "  [" + section.offset() + ", "
                    + section.end() + ")");
            for (int j = 0; j < container.segments().size(); j++) {
                if (container.segments().get(j).section() == i) {
                    out.println(
                            "  segment " + j + " " + line(container.segments().get(j)));
                }
            }
        }
        out.println("postlude  " + line(container.postlude()));
        out.flush();
    }

    private BlobHead head() {
        return new BlobHead(container.id(), container.kind(), container.createdMillis(), container.store());
    }

    private static String line(Optional<Container.Piece> piece) {
        return piece.map(present -> "[" + present.offset() + ", " + (present.offset() + present.length())
                        + ")  checksum " + BlobHead.hex(present.checksum()))
                .orElse("none");
    }

    private static String line(Container.Segment segment) {
        StringBuilder line = new StringBuilder("partition " + segment.partition());
        segment.origin()
                .ifPresent(origin -> line.append("  shuffle ")
                        .append(origin.shuffle())
                        .append(" map ")
                        .append(origin.map())
                        .append(" attempt ")
                        .append(origin.attempt()));
        line.append("  [")
                .append(segment.offset())
                .append(", ")
                .append(segment.end())
                .append(')');
        segment.rows().ifPresent(rows -> line.append("  ").append(rows).append(" rows"));
        segment.rawLength().ifPresent(raw -> line.append("  raw ").append(raw).append(" bytes"));
        if (!segment.frames().isEmpty()) {
            line.append("  ").append(segment.frames().size()).append(" frames");
        }
        return line + "  checksum " + BlobHead.hex(segment.checksum());
    }

    Map<String, Object> toJson() {
        Map<String, Object> json = head().toJson();
        json.put("version", version);
        json.put("bytes", bytes.remaining());
        container.rows().ifPresent(rows -> json.put("rows", rows));
        container.prelude().ifPresent(piece -> json.put("prelude", toJson(piece)));
        json.put(
                "sections",
                container.sections().stream().map(InspectedBlob::toJson).toList());
        json.put(
                "segments",
                container.segments().stream().map(InspectedContainer::toJson).toList());
        container.postlude().ifPresent(piece -> json.put("postlude", toJson(piece)));
        return json;
    }

    private static Map<String, Object> toJson(Container.Piece piece) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("offset_bytes", piece.offset());
        json.put("length_bytes", piece.length());
        json.put("checksum", BlobHead.hex(piece.checksum()));
        return json;
    }

    private static Map<String, Object> toJson(Container.Segment segment) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("section", segment.section());
        json.put("partition", segment.partition());
        segment.origin().ifPresent(origin -> {
            json.put("shuffle", origin.shuffle());
            json.put("map", origin.map());
            json.put("attempt", origin.attempt());
        });
        json.put("offset_bytes", segment.offset());
        json.put("length_bytes", segment.length());
        segment.rows().ifPresent(rows -> json.put("rows", rows));
        segment.rawLength().ifPresent(raw -> json.put("raw_bytes", raw));
        List<Integer> frames =
                segment.frames().stream().map(Container.Frame::length).toList();
        if (!frames.isEmpty()) {
            json.put("frame_bytes", frames);
        }
        json.put("checksum", BlobHead.hex(segment.checksum()));
        return json;
    }
}
