package dev.blobshuffle.core.internal.combine;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.internal.format.Binding;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.record.BlobLayout;
import dev.blobshuffle.core.internal.write.upload.Placement;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobSection;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The hub's answer to a part: where the combined blob holds its segments ({@code docs/format.md},
 * "Combined blob"). Sent after the combined blob is stored.
 *
 * @param id the combined blob
 * @param sections its sections, in order
 * @param places one per segment of the part, in the part's order
 */
public record PartAnswer(BlobId id, List<BlobSection> sections, List<Place> places) {
    private static final int ALIGNMENT = 8;

    /**
     * The place of a segment.
     *
     * @param offset start in the combined blob, bytes
     * @param checksum CRC32C over the frame headers that the hub found there
     */
    public record Place(long offset, int checksum) {}

    /** Copies the lists. */
    public PartAnswer {
        sections = List.copyOf(sections);
        places = List.copyOf(places);
    }

    /**
     * The notifications of the part's segments in the combined blob. They have the part's own
     * checksums, counts and bindings; only the blob and the offsets are the hub's.
     *
     * @param own the part as its writer laid it out
     * @throws BlobCorruptException recoverable: the answer contradicts the part, so the part must
     *     be stored by itself
     */
    Placement placement(BlobLayout own) {
        BlobId part = own.id();
        require(id.owner() == part.owner(), "it names owner " + BlobId.hex(id.owner()));
        require(id.generation() == part.generation(), "it names generation " + id.generation());
        require(!id.equals(part), "it names the part");
        List<Notification> notifications = own.notifications();
        require(places.size() == notifications.size(), "it places " + places.size() + " segments");
        List<Notification> moved = new ArrayList<>(notifications.size());
        for (int i = 0; i < places.size(); i++) {
            moved.add(moved(own, notifications.get(i), places.get(i)));
        }
        requireApart(moved);
        return new Placement(id, moved);
    }

    private Notification moved(BlobLayout own, Notification segment, Place place) {
        require(place.checksum() == segment.checksum(), "a checksum differs");
        require(segment.key().isEmpty(), "the part is encrypted");
        BlobSection section = section(own, segment);
        long end = section.end() - segment.segmentLength();
        require(
                place.offset() >= section.offset() && place.offset() <= end && place.offset() % ALIGNMENT == 0,
                "a segment lies outside its section");
        Binding binding = segment.binding().orElseThrow(() -> wrong("the part is not bound"));
        return new Notification(
                id,
                segment.store(),
                section.offset(),
                section.length(),
                place.offset(),
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

    private void requireApart(List<Notification> moved) {
        List<Notification> ordered = new ArrayList<>(moved);
        ordered.sort(Comparator.comparingLong(Notification::segmentOffset));
        long end = 0;
        for (Notification segment : ordered) {
            require(segment.segmentOffset() >= end, "two segments overlap");
            end = segment.segmentOffset() + segment.segmentLength();
        }
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
