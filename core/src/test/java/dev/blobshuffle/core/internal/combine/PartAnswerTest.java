package dev.blobshuffle.core.internal.combine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.internal.combine.PartAnswer.Entry;
import dev.blobshuffle.core.internal.format.Checksum;
import dev.blobshuffle.core.internal.format.record.BlobLayout;
import dev.blobshuffle.core.internal.write.upload.Placement;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobSection;
import dev.blobshuffle.core.zone.Zone;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PartAnswerTest {
    private static final BlobLayout OWN = TestParts.layout(TestParts.id(1, 0), 0, 1, 4);
    private static final BlobLayout OTHER = TestParts.layout(TestParts.id(2, 0), 0, 1, 4);
    private static final BlobId COMBINED = TestParts.id(99, 5);

    private static PartAnswer right() {
        return combined(COMBINED, OWN);
    }

    /** The answer to a part that is combined with another one before it. */
    private static PartAnswer combined(BlobId id, BlobLayout own) {
        List<Part> parts = Stream.of(OTHER, own)
                .map(each -> Part.read(each.id(), TestParts.STORE, ByteBuffer.wrap(TestParts.bytes(each))))
                .toList();
        return CombinedBlob.of(id, 0, parts).answers().get(1);
    }

    private static PartAnswer placed(Integer... places) {
        return new PartAnswer(COMBINED, right().sections(), right().table(), List.of(places));
    }

    private static PartAnswer withTable(UnaryOperator<List<Entry>> change) {
        List<Entry> table = change.apply(new ArrayList<>(right().table()));
        return new PartAnswer(COMBINED, right().sections(), table, right().places());
    }

    private static List<Entry> resized(List<Entry> table, int index, long by) {
        Entry before = table.get(index);
        table.set(index, new Entry(before.length() + by, before.checksum()));
        return table;
    }

    static Stream<Arguments> wrongAnswers() {
        PartAnswer right = right();
        return Stream.of(
                wrong("owner", combined(new BlobId(8, TestParts.GENERATION, 99, 5), OWN)),
                wrong("generation", combined(new BlobId(TestParts.OWNER, 1, 99, 5), OWN)),
                wrong("part", new PartAnswer(OWN.id(), right.sections(), right.table(), right.places())),
                wrong("fewer segments", placed(1, 3)),
                wrong("the other part's segments", placed(0, 2, 4)),
                wrong("exchanged", placed(3, 1, 5)),
                wrong("one twice", placed(1, 1, 5)),
                wrong("beyond", placed(1, 3, 6)),
                wrong("shifted", withTable(table -> resized(table, 0, 8))),
                wrong("shifted inside a section", withTable(table -> resized(resized(table, 0, 8), 3, -8))),
                wrong("not aligned", withTable(table -> resized(resized(table, 0, 4), 1, -4))),
                wrong("a gap at the end", withTable(table -> table.subList(0, 5))),
                wrong("a negative length", withTable(table -> resized(table, 0, -1 << 20))),
                wrong(
                        "zone",
                        new PartAnswer(
                                COMBINED,
                                List.of(new BlobSection(
                                        new Zone("c"),
                                        0,
                                        right.sections().get(1).end())),
                                right.table(),
                                right.places())),
                wrong("another part's answer", combined(COMBINED, TestParts.layout(TestParts.id(3, 0), 0, 1))));
    }

    private static Arguments wrong(String what, PartAnswer answer) {
        return Arguments.of(what, answer);
    }

    @Test
    void theRightAnswerIsAccepted() {
        assertThat(right().placement(OWN).notifications()).hasSize(3).allSatisfy(moved -> {
            assertThat(moved.blob()).isEqualTo(COMBINED);
            assertThat(moved.store()).isEqualTo(TestParts.STORE);
        });
        assertThat(right().places()).containsExactly(1, 3, 5);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrongAnswers")
    void aWrongAnswerIsRefused(String what, PartAnswer answer) {
        assertThatThrownBy(() -> answer.placement(OWN)).as(what).isInstanceOf(BlobCorruptException.class);
    }

    @Test
    void anAnswerSurvivesItsEncoding() {
        byte[] bytes = PartAnswerCodec.encode(right());
        assertThat(PartAnswerCodec.decode(Arrays.copyOf(bytes, bytes.length + 9), bytes.length))
                .isEqualTo(right());
    }

    /** For any bytes: an answer, or {@code BlobCorruptException}. */
    @Test
    void theDecoderIsTotal() {
        Random random = new Random(7);
        byte[] sound = PartAnswerCodec.encode(right());
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = sound.clone();
            int changes = 1 + random.nextInt(4);
            for (int change = 0; change < changes; change++) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            int length = random.nextInt(bytes.length + 1);
            if (random.nextBoolean()) { // A hub that is wrong has right checksums.
                length = Math.max(4, length);
                int checksum = Checksum.of(bytes, 0, length - 4);
                ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(length - 4, checksum);
            }
            int end = length;
            assertThatCode(() -> placementOrCorrupt(bytes, end)).doesNotThrowAnyException();
        }
    }

    private static void placementOrCorrupt(byte[] bytes, int length) {
        try {
            Placement placement = PartAnswerCodec.decode(bytes, length).placement(OWN);
            assertThat(placement.notifications()).hasSize(3);
        } catch (BlobCorruptException e) {
            assertThat(e).hasMessageContaining("Cannot");
        }
    }
}
