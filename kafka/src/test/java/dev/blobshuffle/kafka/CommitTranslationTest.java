package dev.blobshuffle.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommitTranslationTest {
    private final DeliveredRange delivered = new DeliveredRange();

    @Test
    void cleanPositionCommitsTheRealOffsetAndTheCallersMetadata() {
        OffsetAndMetadata position = new OffsetAndMetadata(VirtualOffset.of(5), Optional.of(3), "caller");

        assertThat(CommitTranslation.toReal(position, null))
                .isEqualTo(new OffsetAndMetadata(5, Optional.of(3), "caller"));
    }

    @Test
    void positionInsideASegmentComesBackWithTheCallersMetadata() {
        OffsetAndMetadata position = new OffsetAndMetadata(VirtualOffset.of(5, 17), Optional.of(3), "AgAAAZ==:x");
        OffsetAndMetadata real = CommitTranslation.toReal(position, null);

        assertThat(real.offset()).isEqualTo(5);
        assertThat(real.metadata()).isEqualTo("bs1:17:AgAAAZ==:x");
        assertThat(CommitTranslation.toVirtual(real)).isEqualTo(position);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "bs1:",
                "bs1:17",
                "bs1::x",
                "bs1:-1:x",
                "bs1:1048576:x",
                "bs1:99999999999999999999:x",
                "bs2:1:x",
                "Agbs1:1:"
            })
    void foreignMetadataIsLeftAlone(String metadata) {
        OffsetAndMetadata virtual = CommitTranslation.toVirtual(new OffsetAndMetadata(5, metadata));

        assertThat(virtual).isEqualTo(new OffsetAndMetadata(VirtualOffset.of(5), metadata));
    }

    @Test
    void callersMetadataThatLooksLikeOursIsNotReadAsAnIndex() {
        OffsetAndMetadata position = new OffsetAndMetadata(VirtualOffset.of(5), "bs1:17:x");

        assertThat(CommitTranslation.toVirtual(CommitTranslation.toReal(position, null)))
                .isEqualTo(position);
    }

    @Test
    void offsetOfASingleRecordThatWasHandedOutIsCommittedClean() {
        delivered.delivered(5, 1);
        OffsetAndMetadata head = new OffsetAndMetadata(VirtualOffset.of(5, VirtualOffset.LAST), "m");

        assertThat(CommitTranslation.toReal(head, delivered)).isEqualTo(new OffsetAndMetadata(5, "m"));
    }

    @Test
    void offsetOfTheLastRecordOfASegmentKeepsItsIndex() {
        delivered.delivered(5, 2);
        OffsetAndMetadata head = new OffsetAndMetadata(VirtualOffset.of(5, VirtualOffset.LAST), "m");

        assertThat(CommitTranslation.toReal(head, delivered).metadata()).isEqualTo("bs1:1048575:m");
        assertThat(CommitTranslation.toReal(head, null).metadata()).isEqualTo("bs1:1048575:m");
    }
}
