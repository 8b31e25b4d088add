package dev.blobshuffle.kafka.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.PartitionRanges;
import dev.blobshuffle.core.zone.Zone;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PresenceCodecTest {
    private static final Presence PRESENCE = new Presence(
            0x17fL,
            new Zone("us-east-1a"),
            Optional.of(new Endpoint("10.0.0.7", 7400)),
            1,
            PartitionRanges.of(List.of(
                    new Partition("orders", 0),
                    new Partition("orders", 3),
                    new Partition("orders", 4),
                    new Partition("orders", 5),
                    new Partition("bills", 7))));

    private static String text(Presence presence) {
        return new String(PresenceCodec.value(presence), StandardCharsets.UTF_8);
    }

    private static Optional<Presence> parse(String text) {
        return PresenceCodec.presence(1, text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void recordIsTheTextOfTheFormatPage() {
        assertThat(new String(PresenceCodec.key(PRESENCE.id()), StandardCharsets.US_ASCII))
                .isEqualTo("000000000000017f");
        assertThat(text(PRESENCE)).isEqualTo("""
                        blobshuffle-member 1
                        zone us-east-1a
                        endpoint 10.0.0.7:7400
                        format 1
                        reads 7 bills
                        reads 0,3-5 orders
                        """);
    }

    @Test
    void everyPresenceComesBack() {
        Random random = new Random(1);
        for (int round = 0; round < 500; round++) {
            Set<Partition> reads = new HashSet<>();
            for (int i = random.nextInt(40); i > 0; i--) {
                reads.add(new Partition("topic." + random.nextInt(3), random.nextInt(30)));
            }
            Optional<Endpoint> endpoint = random.nextBoolean()
                    ? Optional.empty()
                    : Optional.of(new Endpoint("fe80::1", random.nextInt(65536)));
            Presence presence = new Presence(
                    random.nextLong(),
                    new Zone("zone " + round),
                    endpoint,
                    1 + round,
                    PartitionRanges.of(reads),
                    random.nextBoolean() ? Optional.empty() : Optional.of("off large-blobs"));
            assertThat(PresenceCodec.id(PresenceCodec.key(presence.id()))).contains(presence.id());
            assertThat(PresenceCodec.presence(presence.id(), PresenceCodec.value(presence)))
                    .contains(presence);
        }
    }

    @Test
    void whatLaterVersionsAddIsPassedOver() {
        assertThat(parse("blobshuffle-member 1\nneeds everything\nzone a\n\n"))
                .contains(new Presence(1, new Zone("a"), Optional.empty(), 1, PartitionRanges.none()));
    }

    @Test
    void whatCannotBeUnderstoodIsNobody() {
        assertThat(parse("")).isEmpty();
        assertThat(parse("blobshuffle-member 2\nzone a\n")).isEmpty();
        assertThat(parse("blobshuffle-member 1\n")).isEmpty();
        assertThat(parse("blobshuffle-member 1\nzone\n")).isEmpty();
        assertThat(parse("blobshuffle-member 1\nzone a\nendpoint nowhere\n")).isEmpty();
        assertThat(parse("blobshuffle-member 1\nzone a\nformat 0\n")).isEmpty();
        assertThat(parse("blobshuffle-member 1\nzone a\nreads 0,x orders\n")).isEmpty();
        assertThat(parse("blobshuffle-member 1\nzone a\nreads 0\n")).isEmpty();
        assertThat(PresenceCodec.id(null)).isEmpty();
        assertThat(PresenceCodec.id(new byte[] {1, 2})).isEmpty();
    }

    @Test
    void rangesStayRangesWhateverTheyName() {
        Presence huge = parse("blobshuffle-member 1\nzone a\nreads 0-999999999 orders\n")
                .orElseThrow();
        assertThat(huge.reads().ranges()).isEqualTo(1);
        assertThat(huge.reads().contains(new Partition("orders", 123_456_789))).isTrue();
        assertThat(parse("blobshuffle-member 1\nzone a\nreads 3-2 t\n")).isEmpty();
        assertThat(parse("blobshuffle-member 1\nzone a\nreads 0-5,5 t\n")).isEmpty();
        assertThat(parse("blobshuffle-member 1\nzone a\nreads 0 t\nreads 1 t\n"))
                .isEmpty();
        assertThat(parse("blobshuffle-member 1\nzone " + "a".repeat(600) + "\n"))
                .isEmpty();
        assertThat(parse("blobshuffle-member 1\nzone a\nreads 0 " + "t".repeat(250) + "\n"))
                .isEmpty();
        assertThat(parse("blobshuffle-member 1\nzone a\n" + "x".repeat(1 << 20)))
                .isEmpty();
    }

    /** Moves whole words, so that most texts are nearly valid; memory stays in proportion. */
    @Test
    void anyWordsAreAPresenceOrNobody() {
        Random random = new Random(3);
        String[] words = {
            "blobshuffle-member 1",
            "zone",
            "endpoint",
            "format",
            "reads",
            "epoch",
            "signature",
            " ",
            "\n",
            "a",
            "-",
            ",",
            "0",
            "999999999",
            "0-999999999",
            ":",
            "[::1]:7400",
            "1e9",
            "\u0000",
            "\uD83D\uDE00"
        };
        for (int round = 0; round < 50_000; round++) {
            StringBuilder text = new StringBuilder("blobshuffle-member 1\nzone z\n");
            for (int i = random.nextInt(20); i > 0; i--) {
                text.append(words[random.nextInt(words.length)]);
            }
            byte[] value = text.toString().getBytes(StandardCharsets.UTF_8);
            PresenceCodec.presence(1, value)
                    .ifPresent(presence -> assertThat(presence.reads().ranges()).isLessThanOrEqualTo(value.length));
        }
    }

    @Test
    void anyBytesAreAPresenceOrNobody() {
        Random random = new Random(2);
        byte[] sound = PresenceCodec.value(PRESENCE);
        for (int round = 0; round < 20_000; round++) {
            byte[] damaged = sound.clone();
            for (int i = 1 + random.nextInt(3); i > 0; i--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
            }
            assertThat(PresenceCodec.presence(1, damaged)).isNotNull();
        }
    }
}
