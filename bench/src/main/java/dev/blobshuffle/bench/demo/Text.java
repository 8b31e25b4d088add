package dev.blobshuffle.bench.demo;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The input of the demo: lines with words. Immutable.
 *
 * @param name its name in output
 * @param lines its lines, without blank ones
 */
record Text(String name, List<String> lines) {
    /** The run keeps its results in memory to compare them, and its windows open until the end. */
    private static final long MAX_BYTES = 32 << 20;

    private static final List<String> OWN = List.of("opticks.txt", "sherlock-holmes.txt");

    /** Copies the lines. */
    Text {
        lines = List.copyOf(lines);
    }

    /**
     * The books that come with the demo, in the public domain. {@code texts/README.md} names their
     * sources.
     */
    static Text own() {
        List<String> lines = new ArrayList<>();
        for (String book : OWN) {
            try (InputStream in = Text.class.getResourceAsStream("/texts/" + book)) {
                if (in == null) {
                    throw new DemoFailedException("Cannot read the demo's own text: " + book
                            + " is not on the class path. Build again: ./mvnw -pl bench -am package.");
                }
                addLines(new String(in.readAllBytes(), StandardCharsets.UTF_8), lines);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return new Text("Opticks, Sherlock Holmes", lines);
    }

    /**
     * Reads a file, or the files of a directory and those below it in order of their names, as
     * UTF-8.
     *
     * @throws DemoFailedException if there is no such file, no word in it, or too much
     */
    static Text read(Path path) {
        if (!Files.exists(path)) {
            throw new DemoFailedException("Cannot read input: there is nothing at "
                    + path.toAbsolutePath().normalize() + ". Give a text file or a directory of text files.");
        }
        List<String> lines = new ArrayList<>();
        try {
            List<Path> files = files(path);
            long bytes = 0;
            for (Path file : files) {
                bytes += Files.size(file);
            }
            if (bytes > MAX_BYTES) {
                throw new DemoFailedException("Cannot use input " + path + ": it has " + bytes
                        + " bytes, and the demo compares results in memory. " + "Give at most " + MAX_BYTES
                        + " bytes.");
            }
            for (Path file : files) {
                addLines(new String(Files.readAllBytes(file), StandardCharsets.UTF_8), lines);
            }
        } catch (IOException e) {
            throw new DemoFailedException(
                    "Cannot read input " + path + ": " + e + ". Give a text file that you may read.", e);
        }
        if (lines.isEmpty()) {
            throw new DemoFailedException("Cannot use input " + path
                    + ": there is no word in it. Give a text file or a directory of text files.");
        }
        return new Text(String.valueOf(path.getFileName()), lines);
    }

    private static List<Path> files(Path path) throws IOException {
        try (Stream<Path> all = Files.walk(path)) {
            return all.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private static void addLines(String text, List<String> lines) {
        text.lines().filter(line -> !DemoTopology.words(line).isEmpty()).forEach(lines::add);
    }

    /** The same lines, repeated as a whole until they have this many bytes. */
    Text repeated(long least) {
        List<String> repeated = new ArrayList<>(lines);
        for (long bytes = bytes(); bytes < least; bytes += bytes()) {
            repeated.addAll(lines);
        }
        return new Text(name, repeated);
    }

    /** Bytes of the lines in UTF-8. */
    long bytes() {
        return lines.stream()
                .mapToLong(line -> line.getBytes(StandardCharsets.UTF_8).length)
                .sum();
    }

    /** Number of lines for the warm-up: the first fifth. */
    int warmUpLines() {
        return lines.size() / 5;
    }

    /** The lexicon: for every long word that occurs more than once, its number of occurrences. */
    Map<String, String> lexicon() {
        Map<String, Integer> occurrences = new TreeMap<>();
        for (String line : lines) {
            DemoTopology.longWords(line).forEach(word -> occurrences.merge(word, 1, Integer::sum));
        }
        Map<String, String> lexicon = new TreeMap<>();
        occurrences.forEach((word, count) -> {
            if (count > 1) {
                lexicon.put(word, word + " (" + count + " times)");
            }
        });
        return lexicon;
    }
}
