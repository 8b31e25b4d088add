package dev.blobshuffle.bench.demo;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;
import org.apache.kafka.streams.kstream.TimeWindows;

/**
 * The demo's application: ordinary Kafka Streams code that knows nothing of blobs. From the lines
 * of a text it makes a word count, a word count per minute of reading (final results only), and a
 * concordance: every long word with the line it stands in, joined with the lexicon's entry for it.
 * Each of the three results shuffles its records by word. Stateless.
 */
final class DemoTopology {
    /** Input: lines of text by their number; the timestamp says when the line is read. */
    static final String LINES = "lines";

    /** Input: the lexicon's entry for a word, by word; loaded before the first line. */
    static final String LEXICON = "lexicon";

    /** Output: how often each word occurs, a table by word. */
    static final String COUNTS = "counts";

    /** Output: how often each word occurs in each minute, once the minute is over. */
    static final String MINUTES = "minutes";

    /** Output: the lines of each long word, with its lexicon entry. */
    static final String QUOTATIONS = "quotations";

    /** The window of {@link #MINUTES}. */
    static final Duration WINDOW = Duration.ofMinutes(1);

    /**
     * The largest delay of a line. It is longer than the reading of any text, so no line is too
     * late, however unevenly instances make progress, and two runs have the same windows.
     */
    static final Duration GRACE = Duration.ofDays(30);

    private static final int LONG_WORD = 5;
    private static final Pattern NO_LETTERS = Pattern.compile("[^\\p{L}]+");

    private DemoTopology() {}

    /**
     * The topology.
     *
     * @param shuffledText creates the serde of shuffled values, a new one for each shuffle
     */
    static Topology topology(Supplier<Serde<String>> shuffledText) {
        Serde<String> text = Serdes.String();
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> lines = builder.stream(LINES, Consumed.with(text, text));
        KTable<String, String> lexicon = builder.table(LEXICON, Consumed.with(text, text));
        KStream<String, String> words = lines.flatMapValues(DemoTopology::words);

        words.groupBy((line, word) -> word, Grouped.with("count", text, shuffledText.get()))
                .count(Materialized.as("count-store"))
                .toStream()
                .to(COUNTS, Produced.with(text, Serdes.Long()));

        words.groupBy((line, word) -> word, Grouped.with("minute", text, shuffledText.get()))
                .windowedBy(TimeWindows.ofSizeAndGrace(WINDOW, GRACE))
                .count(Materialized.as("minute-store"))
                .suppress(Suppressed.untilWindowCloses(BufferConfig.unbounded()))
                .toStream(
                        (window, count) -> window.key() + "@" + window.window().start())
                .to(MINUTES, Produced.with(text, Serdes.Long()));

        lines.flatMap((number, line) -> longWords(line).stream()
                        .map(word -> KeyValue.pair(word, line))
                        .toList())
                .join(
                        lexicon,
                        (line, entry) -> entry + ": " + line,
                        Joined.with(text, shuffledText.get(), text, "quotation"))
                .to(QUOTATIONS, Produced.with(text, text));
        return builder.build();
    }

    /** The words of a line, in lower case. */
    static List<String> words(String line) {
        return Arrays.stream(NO_LETTERS.split(line.toLowerCase(Locale.ROOT)))
                .filter(word -> !word.isEmpty())
                .toList();
    }

    /** The words of a line that are long enough for the lexicon. */
    static List<String> longWords(String line) {
        return words(line).stream().filter(word -> word.length() >= LONG_WORD).toList();
    }
}
