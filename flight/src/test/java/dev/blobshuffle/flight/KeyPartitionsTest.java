package dev.blobshuffle.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Checks the hash of keys against the table in {@code docs/format.md}, which the Python tests use
 * too.
 */
class KeyPartitionsTest {
    private static final Pattern ROW =
            Pattern.compile("\\| (\\w+) \\| (?:`(.*)`)? ?\\| `([0-9a-f]{16})` \\| (\\d+) \\|");
    private static final Map<String, Integer> NANOS = Map.of("s", 1_000_000_000, "ms", 1_000_000, "us", 1_000, "ns", 1);

    private static List<MatchResult> rows() throws IOException {
        String document = Files.readString(Path.of("../docs/format.md"));
        String chapter = document.substring(document.indexOf("## Partitions of keys"));
        return ROW.matcher(chapter).results().toList();
    }

    @Test
    void theTableInTheFormatIsRight() throws IOException {
        List<String> wrong = new ArrayList<>();
        KeyPartitions partitions = new KeyPartitions(1000);
        for (MatchResult row : rows()) {
            Object value = value(row.group(1), row.group(2) == null ? "" : row.group(2));
            boolean isRight = KeyPartitions.hash(value) == HexFormat.fromHexDigitsToLong(row.group(3))
                    && partitions.of(Collections.singletonList(value)) == Integer.parseInt(row.group(4));
            if (!isRight) {
                wrong.add(row.group());
            }
        }
        assertThat(rows()).hasSizeGreaterThan(40);
        assertThat(wrong).isEmpty();
    }

    private static @Nullable Object value(String kind, String text) {
        return switch (kind) {
            case "null" -> null;
            case "boolean" -> Boolean.valueOf(text);
            case "integer" -> new BigInteger(text);
            case "float" -> Double.valueOf(text);
            case "decimal" -> new BigDecimal(text);
            case "string" -> text;
            case "binary" -> HexFormat.of().parseHex(text);
            default -> time(text.split(" "));
        };
    }

    private static Object time(String[] words) {
        long number = Long.parseLong(words[0]);
        if (words[1].equals("d")) {
            return LocalDate.ofEpochDay(number);
        }
        long unit = NANOS.get(words[1]);
        return words[1].equals("s") ? Duration.ofSeconds(number) : Duration.ofNanos(number * unit);
    }

    @Test
    void rowsOfSeveralColumnsAreThoseOfTheFormat() throws IOException {
        String document = Files.readString(Path.of("../docs/format.md"));
        KeyPartitions partitions = new KeyPartitions(1000);
        assertThat(document)
                .contains("string `x`) has partition " + partitions.of(List.of(1, "x")) + " of")
                .contains("string `y`) has " + partitions.of(Arrays.asList(null, "y")) + ".");
    }

    @Test
    void equalNumbersHaveOnePartitionWhateverTheirTypes() {
        long expected = KeyPartitions.hash(7);
        for (Object same : List.of((byte) 7, (short) 7, 7L, 7f, 7d, BigInteger.valueOf(7), new BigDecimal("7.00"))) {
            assertThat(KeyPartitions.hash(same)).isEqualTo(expected);
        }
        assertThat(KeyPartitions.hash(0.5f)).isEqualTo(KeyPartitions.hash(new BigDecimal("0.50")));
    }

    @Test
    void aLocalTimeIsTheInstantOfTheSameTimeInUtc() {
        LocalDateTime local = LocalDateTime.of(2026, 1, 1, 0, 0);
        assertThat(KeyPartitions.hash(local))
                .isEqualTo(KeyPartitions.hash(local.toLocalDate()))
                .isEqualTo(KeyPartitions.hash(local.toInstant(ZoneOffset.UTC)));
    }

    @Test
    void keysWithoutAHashAreRefused() {
        KeyPartitions partitions = new KeyPartitions(2);
        assertThatThrownBy(() -> partitions.of(List.of(List.of()))).hasMessageContaining("it has no hash");
        assertThatThrownBy(() -> partitions.of(List.of())).hasMessageContaining("give one for each key column");
        assertThatThrownBy(() -> new KeyPartitions(0)).hasMessageContaining("at least one");
    }
}
