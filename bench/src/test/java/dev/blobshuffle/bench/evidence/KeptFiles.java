package dev.blobshuffle.bench.evidence;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The kept results of a directory, each read once. Owned by one thread. */
final class KeptFiles {
    /** Commits that results name and that are in no clone of this repository. */
    static final Set<String> LOST = Set.of("6c13c397");

    private final Path directory;
    private final Map<String, JsonNode> read = new HashMap<>();

    KeptFiles(Path directory) {
        this.directory = directory;
    }

    /** The names of all results, sorted. */
    List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".json"))
                    .sorted()
                    .toList();
        }
    }

    /**
     * The content of a result.
     *
     * @throws IllegalArgumentException if there is none of this name
     */
    JsonNode content(String name) {
        return read.computeIfAbsent(name, any -> {
            if (!Files.exists(directory.resolve(name))) {
                throw new IllegalArgumentException("there is no result " + name);
            }
            try {
                return new ObjectMapper().readTree(directory.resolve(name).toFile());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** The commit that a result names; empty if it names none. */
    String commit(String name) {
        return content(name).at("/environment/commit").asText("");
    }

    /** Whether a result names a commit of this repository, without changes. */
    boolean isClean(String name) {
        String commit = commit(name);
        return !commit.isEmpty() && !commit.endsWith("+") && !LOST.contains(commit);
    }
}
