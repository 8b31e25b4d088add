package dev.blobshuffle.kafka.internal.position;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
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
        assertThat(real.metadata()).isEqualTo("bs1:5+17:AgAAAZ==:x");
        assertThat(CommitTranslation.toVirtual(real)).isEqualTo(position);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "bs1:",
                "bs1:17:x",
                "bs1:5+17",
                "bs1:5+:x",
                "bs1:+17:x",
                "bs1:5+-1:x",
                "bs1:05+17:x",
                "bs1:5+1048576:x",
                "bs1:5+99999999999999999999:x",
                "bs1:99999999999999999999+1:x",
                "bs2:5+1:x",
                "Agbs1:5+1:"
            })
    void foreignMetadataIsLeftAlone(String metadata) {
        OffsetAndMetadata virtual = CommitTranslation.toVirtual(new OffsetAndMetadata(5, metadata));

        assertThat(virtual).isEqualTo(new OffsetAndMetadata(VirtualOffset.of(5), metadata));
    }

    @Test
    void callersMetadataThatLooksLikeOursIsNotReadAsAnIndex() {
        OffsetAndMetadata position = new OffsetAndMetadata(VirtualOffset.of(5), "bs1:5+17:x");

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

        assertThat(CommitTranslation.toReal(head, delivered).metadata()).isEqualTo("bs1:5+1048575:m");
        assertThat(CommitTranslation.toReal(head, null).metadata()).isEqualTo("bs1:5+1048575:m");
    }

    @Test
    void whatIsGivenUpAheadTravelsWithEveryCommitAndIsNotSeenByTheCaller() {
        delivered.giveUp(new GivenUp(List.of(new GivenUp.Range(2, 3), new GivenUp.Range(7, 9))));
        OffsetAndMetadata position = new OffsetAndMetadata(VirtualOffset.of(5, 17), "caller");
        OffsetAndMetadata real = CommitTranslation.toReal(position, delivered);

        assertThat(real.metadata()).isEqualTo("bsg:5:7-9:bs1:5+17:caller");
        assertThat(CommitTranslation.toVirtual(real)).isEqualTo(position);
        assertThat(GivenUp.of(real).contains(6)).isFalse();
        assertThat(GivenUp.of(real).contains(8)).isTrue();
        assertThat(GivenUp.of(real).contains(9)).isFalse();
        assertThat(CommitTranslation.toReal(new OffsetAndMetadata(VirtualOffset.of(9), "caller"), delivered))
                .isEqualTo(new OffsetAndMetadata(9, "caller"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bsg:",
                "bsg::x",
                "bsg:7-9:x",
                "bsg::7-9:x",
                "bsg:x:7-9:x",
                "bsg:5:1-1:x",
                "bsg:5:5:x",
                "bsg:5:-1-2:x",
                "bsg:5:1-2,:x",
                "bsg:5:9-99999999999999999999:x"
            })
    void metadataThatIsNotQuiteOursGivesNothingUp(String metadata) {
        OffsetAndMetadata committed = new OffsetAndMetadata(5, metadata);

        assertThat(GivenUp.of(committed)).isEqualTo(GivenUp.NONE);
        assertThat(CommitTranslation.toVirtual(committed).metadata()).isEqualTo(metadata);
    }

    /** MirrorMaker's checkpoints translate the offset and keep the metadata. */
    @Test
    void aCommitThatWasMovedOrCopiedBeginsAtTheSegmentAndGivesNothingUp() {
        delivered.giveUp(new GivenUp(List.of(new GivenUp.Range(7, 9))));
        OffsetAndMetadata real =
                CommitTranslation.toReal(new OffsetAndMetadata(VirtualOffset.of(5, 17), "caller"), delivered);
        for (long offset : new long[] {4, 6, 50, 0}) {
            OffsetAndMetadata moved = new OffsetAndMetadata(offset, real.metadata());

            assertThat(CommitTranslation.toVirtual(moved))
                    .isEqualTo(new OffsetAndMetadata(VirtualOffset.of(offset), "caller"));
            assertThat(GivenUp.of(moved)).isEqualTo(GivenUp.NONE);
        }
    }

    @Test
    void callersMetadataThatLooksLikeThingsGivenUpIsNot() {
        OffsetAndMetadata position = new OffsetAndMetadata(VirtualOffset.of(5), "bsg:5:7-9:x");
        OffsetAndMetadata real = CommitTranslation.toReal(position, null);

        assertThat(GivenUp.of(real)).isEqualTo(GivenUp.NONE);
        assertThat(CommitTranslation.toVirtual(real)).isEqualTo(position);
    }

    @Test
    void commitHasRoomForSoManyRangesOnly() {
        List<GivenUp.Range> many = LongStream.range(0, 1000)
                .mapToObj(i -> new GivenUp.Range(1_000_000_000 + 2 * i, 1_000_000_001 + 2 * i))
                .toList();
        OffsetAndMetadata real = new GivenUp(many).in(new OffsetAndMetadata(5, "caller"));

        assertThat(real.metadata().length()).isBetween(2500, 3100);
        assertThat(GivenUp.of(real).contains(1_000_000_000)).isTrue();
        assertThat(GivenUp.of(real).contains(1_000_001_998)).isFalse();
    }
}
