package dev.blobshuffle.cli.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.cli.json.Json;
import dev.blobshuffle.core.internal.membership.PartitionRanges;
import dev.blobshuffle.core.internal.pricing.PriceTables;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.kafka.internal.membership.MembershipScan;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class StatusTextTest {
    private static final long NOW = 1_800_000_000_000L;

    private static MembershipScan.Seen member(long id, long heard, String... combining) {
        return new MembershipScan.Seen(
                id,
                new Zone("a"),
                Optional.empty(),
                PartitionRanges.none(),
                heard,
                Arrays.stream(combining).findFirst());
    }

    private static Status status(int partitions) {
        List<PartitionLag> lags = IntStream.range(0, partitions)
                .mapToObj(i -> new PartitionLag(
                        new TopicPartition("orders-repartition", i),
                        Optional.of(5L),
                        9,
                        9,
                        i,
                        100L * i,
                        i * 2048L,
                        i == 0 ? Optional.empty() : Optional.of(NOW - 1000L * i),
                        false))
                .toList();
        StoreState store = new StoreState(
                "s3://bucket",
                1000,
                1L << 30,
                false,
                Optional.of(NOW - 3_600_000),
                1000,
                60,
                Optional.of(PriceTables.named("aws")));
        return new Status("orders", NOW, lags, Optional.of(List.of()), Optional.of(store), List.of("a \u001b[2Jnote"));
    }

    @Test
    void aScreenHoldsThePartitionsThatAreMostBehind() {
        String text = StatusText.of(status(100), 3, 23);
        assertThat(text.lines()).hasSizeLessThanOrEqualTo(23);
        assertThat(text)
                .contains("495000 records in 4950 notifications, 99s behind; 100 partitions")
                .contains("partitions with less lag")
                .contains("orders-repartition  99")
                .doesNotContain("orders-repartition  0 ");
    }

    /** 1,000 puts cost 0.005, 1,000 gets for each of two zones 0.0004, and a GiB 0.023 a month. */
    @Test
    void costIsThatOfRequestsAndBytes() {
        StoreState.Cost cost = status(1).store().orElseThrow().cost(3).orElseThrow();
        assertThat(cost.puts()).isEqualTo(0.005);
        assertThat(cost.gets()).isEqualTo(0.0008);
        assertThat(cost.stored()).isEqualTo(0.023 / 730);
        assertThat(StatusText.of(status(1), 3, 100)).contains("about 0.00583 USD an hour", "1000 blobs an hour");
    }

    @Test
    void membersShowWhetherTheyCombine() {
        Status none = status(1);
        assertThat(StatusText.of(none, 3, 100)).doesNotContain("combining");

        Status some = new Status(
                none.application(),
                NOW,
                none.lags(),
                Optional.of(List.of(
                        member(1, NOW, "on"),
                        member(2, NOW, "off large-blobs"),
                        member(3, NOW, "on"),
                        member(4, NOW),
                        member(5, NOW - 3_600_000, "off no-hub"))),
                Optional.empty(),
                List.of());
        assertThat(StatusText.of(some, 3, 100)).contains("\ncombining   off large-blobs: 1, on: 2\n");
        assertThat(Json.write(StatusJson.of(some, 3))).contains("\"combining\": \"off no-hub\"");
    }

    @Test
    void namesCannotCommandTheTerminal() {
        assertThat(StatusText.of(status(1), 3, 100))
                .contains("a \\u001b[2Jnote")
                .doesNotContain("\u001b");
    }

    @Test
    void aTerminalShowsOneViewAndAPipeAllOfThem() {
        assertThat(new Screen(true, 24, 80).show("view\n")).isEqualTo("\u001b[H\u001b[2Jview\n");
        assertThat(Screen.ENDLESS.show("view\n")).isEqualTo("view\n\n");
    }

    @Test
    void noLineOfALiveViewWraps() {
        Screen screen = Screen.ofSize("5 10\n").orElseThrow();

        assertThat(screen.show("0123456789\n0123456789a\n")).endsWith("0123456789\n012345678…\n");
        assertThat(screen.rows()).isEqualTo(5);
        // A terminal that does not know its size reports this.
        assertThat(Screen.ofSize("0 0")).isEmpty();
    }
}
