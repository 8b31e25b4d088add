package dev.blobshuffle.kstreams.keyparallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.kstreams.internal.commit.RecordOrigin;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.processor.api.Record;
import org.junit.jupiter.api.Test;

class ArrivalCodecFuzzTest {
    private static final int ROUNDS = 1_000;

    private final ArrivalCodec<String, byte[]> codec =
            new ArrivalCodec<>("changelog", Serdes.String(), Serdes.ByteArray());

    @Test
    void everyRecordComesBack() {
        Random random = new Random(1);
        for (int i = 0; i < ROUNDS / 10; i++) {
            Arrival<String, byte[]> arrival = random(random, i);
            Arrival<String, byte[]> back = codec.decode(i, codec.encode(arrival));
            assertThat(back.number()).isEqualTo(i);
            assertThat(back.record()).usingRecursiveComparison().isEqualTo(arrival.record());
            assertThat(back.origin()).usingRecursiveComparison().isEqualTo(arrival.origin());
        }
    }

    /** Any bytes give a record, or the one failure with a remedy. */
    @Test
    void brokenBytesGiveTheirOneFailure() {
        Random random = new Random(2);
        int refused = 0;
        for (int i = 0; i < ROUNDS; i++) {
            byte[] bytes = codec.encode(random(random, i));
            byte[] broken = random.nextBoolean() ? bytes.clone() : Arrays.copyOf(bytes, random.nextInt(bytes.length));
            for (int flips = random.nextInt(4); flips >= 0 && broken.length > 0; flips--) {
                broken[random.nextInt(broken.length)] = (byte) random.nextInt();
            }
            try {
                assertThat(codec.decode(i, broken)).isNotNull();
            } catch (StreamsException e) {
                assertThat(e).hasMessageContaining("changelog");
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(ROUNDS / 2);
    }

    @Test
    void otherVersionIsNamed() {
        byte[] bytes = codec.encode(random(new Random(3), 1));
        bytes[0] = 9;
        assertThatThrownBy(() -> codec.decode(1, bytes))
                .isInstanceOf(StreamsException.class)
                .hasMessageContaining("version 9");
    }

    /** Version 1 stays readable, and is still written. */
    @Test
    void versionOneIsAsItWas() {
        byte[] golden = HexFormat.of()
                .parseHex("01" + "0000000000000005" + "00000001" + "0000000000000002" + "0000000174" + "00000001"
                        + "0000000168" + "ffffffff" + "000000016b" + "0000000107" + "01" + "00");
        Arrival<String, byte[]> arrival = codec.decode(3, golden);
        assertThat(arrival.record().key()).isEqualTo("k");
        assertThat(arrival.record().value()).containsExactly(7);
        assertThat(arrival.record().timestamp()).isEqualTo(5);
        assertThat(arrival.record().headers().lastHeader("h").value()).isNull();
        assertThat(arrival.origin()).hasToString("t-1 at offset 2");
        assertThat(codec.encode(arrival)).isEqualTo(golden);
    }

    private static Arrival<String, byte[]> random(Random random, int number) {
        RecordHeaders headers = new RecordHeaders();
        for (int left = random.nextInt(3); left > 0; left--) {
            headers.add("h" + random.nextInt(2), random.nextInt(4) == 0 ? null : bytes(random));
        }
        String key = random.nextInt(5) == 0 ? null : "key " + random.nextInt();
        byte[] value = random.nextInt(5) == 0 ? null : bytes(random);
        RecordOrigin origin = new RecordOrigin(
                random.nextInt(5) == 0 ? null : "töpic",
                random.nextInt(10),
                random.nextLong(),
                random.nextBoolean() ? null : bytes(random),
                random.nextBoolean() ? value : bytes(random));
        return Arrival.of(new Record<>(key, value, random.nextInt(1_000_000), headers), origin, number);
    }

    private static byte[] bytes(Random random) {
        byte[] bytes = new byte[random.nextInt(20)];
        random.nextBytes(bytes);
        return bytes;
    }
}
