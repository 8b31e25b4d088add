package dev.blobshuffle.core.internal.combine;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.internal.format.Binding;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.record.BlobLayout;
import dev.blobshuffle.core.internal.write.upload.Placement;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobSection;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * The hub's answer to a part: where the combined blob holds its segments ({@code docs/format.md},
 * "Combined blob"). Sent after the combined blob is stored. It has the lengths and checksums of all
 * segments, so that an answer with a wrong place contradicts itself or the part.
 *
 * @param id the combined blob
 * @param sections its sections, in order
 * @param table its segments, in order
 * @param places for each segment of the part, in the part's order, its index in the table
 */
public record PartAnswer(BlobId id, List<BlobSection> sections, List<Entry> table, List<Integer> places) {
    private static final int ALIGNMENT = 8;

    /**
     * A segment of the combined blob.
     *
     * @param length length, bytes
     * @param checksum CRC32C over the frame headers that the hub found there
     */
    public record Entry(long length, int checksum) {}

    /** Copies the lists. */
    public PartAnswer {
        sections = List.copyOf(sections);
        table = List.copyOf(table);
        places = List.copyOf(places);
    }

    /**
     * The notifications of the part's segments in the combined blob. They have the part's own
     * checksums, counts and bindings; only the blob and the offsets are the hub's.
     *
     * @param own the part as its writer laid it out
     * @throws BlobCorruptException recoverable: the answer contradicts itself or the part, so the
     *     part must be stored by itself
     */
    Placement placement(BlobLayout own) {
        BlobId part = own.id();
        require(id.owner() == part.owner(), "it names owner " + BlobId.hex(id.owner()));
        require(id.generation() == part.generation(), "it names generation " + id.generation());
        require(!id.equals(part), "it names the part");
        List<Notification> notifications = own.notifications();
        require(places.size() == notifications.size(), "it places " + places.size() + " segments");
        require(new HashSet<>(places).size() == places.size(), "it places two segments alike");
        long[] offsets = offsets();
        List<Notification> moved = new ArrayList<>(notifications.size());
        for (int i = 0; i < places.size(); i++) {
            int place = places.get(i);
            require(place >= 0 && place < table.size(), "it has no segment " + place);
            moved.add(moved(own, notifications.get(i), table.get(place), offsets[place]));
        }
        return new Placement(id, moved);
    }

    /** The offsets of the segments, which must cover the sections without gaps. */
    private long[] offsets() {
        long[] offsets = new long[table.size()];
        int section = 0;
        long end = 0;
        for (int i = 0; i < offsets.length; i++) {
            long length = table.get(i).length();
            require(length > 0 && length % ALIGNMENT == 0, "a segment has " + length + " bytes");
            offsets[i] = end;
            end = Math.addExact(end, length);
            require(section < sections.size() && end <= sections.get(section).end(), "a segment crosses a section");
            if (end == sections.get(section).end()) {
                section++;
            }
        }
        require(section == sections.size(), "its segments do not fill its sections");
        return offsets;
    }

    private Notification moved(BlobLayout own, Notification segment, Entry found, long offset) {
        require(
                found.checksum() == segment.checksum() && found.length() == segment.segmentLength(),
                "a segment is another one");
        require(segment.key().isEmpty(), "the part is encrypted");
        BlobSection section = section(own, segment);
        require(offset >= section.offset() && offset < section.end(), "a segment lies outside its section");
        Binding binding = segment.binding().orElseThrow(() -> wrong("the part is not bound"));
        return new Notification(
                id,
                segment.store(),
                section.offset(),
                section.length(),
                offset,
                segment.segmentLength(),
                segment.records(),
                segment.codec(),
                segment.checksum(),
                Optional.of(binding));
    }

    /** The combined blob's section for the zone of a segment. */
    private BlobSection section(BlobLayout own, Notification segment) {
        for (BlobSection before : own.sections()) {
            if (before.offset() == segment.sectionOffset()) {
                return sections.stream()
                        .filter(section -> section.zone().equals(before.zone()))
                        .findFirst()
                        .orElseThrow(() -> wrong(
                                "it has no section for zone " + before.zone().name()));
            }
        }
        throw wrong("the part has no section at " + segment.sectionOffset());
    }

    private void require(boolean isSound, String trouble) {
        if (!isSound) {
            throw wrong(trouble);
        }
    }

    private BlobCorruptException wrong(String trouble) {
        return new BlobCorruptException("Cannot announce combined blob " + id + ": " + trouble
                + ". The part is stored by itself. Check the hub if this lasts.");
    }
}
