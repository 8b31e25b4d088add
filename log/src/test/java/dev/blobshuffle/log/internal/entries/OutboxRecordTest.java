package dev.blobshuffle.log.internal.entries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.internal.format.record.RecordCursor;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

class OutboxRecordTest {
    private static final int CASES = Integer.getInteger("fuzz.cases", 4_000);
    /** As PostgreSQL's int4send and int8send write it: partition 3, timestamp 1000. */
    private static final String RECORD = "b701" + "00000003" + "00000000000003e8"
            + "00000001" + "6b"
            + "00000002" + "7631"
            + "00000002" + "00000001" + "61" + "00000001" + "01" + "00000001" + "62" + "ffffffff";

    @Test
    void readsARecord() {
        Entries entries = EntriesCodec.decode(HexFormat.of().parseHex(RECORD), partition -> partition == 3);

        assertThat(entries.records()).isEqualTo(1);
        Entries.PlainRun run = (Entries.PlainRun) entries.runs().get(0);
        RecordCursor cursor = new RecordCursor();
        run.reset(cursor);
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.timestamp()).isEqualTo(1000);
        assertThat(cursor.key()).isEqualTo("k".getBytes(StandardCharsets.UTF_8));
        assertThat(cursor.value()).isEqualTo("v1".getBytes(StandardCharsets.UTF_8));
        assertThat(cursor.headers().count()).isEqualTo(2);
        assertThat(cursor.headers().name(0)).isEqualTo("a");
        assertThat(cursor.headers().value(0)).containsExactly(1);
        assertThat(cursor.headers().value(1)).isNull();
        assertThat(cursor.next()).isFalse();
    }

    @Test
    void absentKeyAndValueAreNull() {
        byte[] bytes = HexFormat.of()
                .parseHex("b701" + "00000000" + "0000000000000000" + "ffffffff" + "ffffffff" + "00000000");

        Entries.PlainRun run = (Entries.PlainRun)
                EntriesCodec.decode(bytes, partition -> true).runs().get(0);
        RecordCursor cursor = new RecordCursor();
        run.reset(cursor);

        assertThat(cursor.next()).isTrue();
        assertThat(cursor.key()).isNull();
        assertThat(cursor.value()).isNull();
    }

    @Test
    void otherPartitionsAreCountedOnly() {
        Entries entries = EntriesCodec.decode(HexFormat.of().parseHex(RECORD), partition -> false);

        assertThat(entries.runs()).isEmpty();
        assertThat(entries.records()).isEqualTo(1);
    }

    @Test
    void anyBytesAreARecordOrCorrupt() {
        byte[] good = HexFormat.of().parseHex(RECORD);
        for (int length = 1; length < good.length; length++) {
            byte[] cut = Arrays.copyOf(good, length);
            assertThatThrownBy(() -> EntriesCodec.decode(cut, partition -> true))
                    .isInstanceOf(BlobCorruptException.class);
        }
        Random random = new Random(4);
        for (int i = 0; i < CASES; i++) {
            byte[] bytes = good.clone();
            for (int flips = random.nextInt(4); flips >= 0; flips--) {
                bytes[2 + random.nextInt(bytes.length - 2)] = (byte) random.nextInt();
            }
            try {
                assertThat(EntriesCodec.decode(bytes, partition -> true).records())
                        .isEqualTo(1);
            } catch (BlobCorruptException e) {
                assertThat(e).hasMessageContaining("outbox");
            }
        }
    }
}
