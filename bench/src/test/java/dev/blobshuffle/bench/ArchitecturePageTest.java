package dev.blobshuffle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The classes of the walks in {@code docs/architecture.md} exist in the packages that it names. */
class ArchitecturePageTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

    @Test
    void everyClassOfTheWalksExists() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/architecture.md"));

        assertThat(classes(page)).hasSizeGreaterThan(40);
        assertThat(missing(page)).isEmpty();
    }

    @Test
    void aClassThatHasMovedIsFound() throws IOException {
        assertThat(missing("""
                | package | classes | what happens |
                |---|---|---|
                | `core.internal.write` | `Batcher`, `Absent` | |
                | | `PartitionLog` | It is in `write.log`. |
                | `core.internal.write.log` | `PartitionLog` | |
                """)).containsExactly("core.internal.write.Absent", "core.internal.write.PartitionLog");
    }

    private static List<String> missing(String page) throws IOException {
        List<Path> sources = sources();
        return classes(page).stream()
                .filter(name -> {
                    Path file = Path.of("dev", "blobshuffle").resolve(name.replace('.', '/') + ".java");
                    return sources.stream().noneMatch(source -> Files.exists(source.resolve(file)));
                })
                .toList();
    }

    /** The classes of all tables. A row without a package continues that of the row above. */
    private static List<String> classes(String page) {
        List<String> classes = new ArrayList<>();
        String room = "";
        for (String line : page.lines().filter(row -> row.startsWith("| ")).toList()) {
            String[] cells = line.split("\\|", -1);
            for (String named : quoted(cells[1])) {
                room = named;
            }
            for (String name : quoted(cells[2])) {
                classes.add(room + "." + name);
            }
        }
        return classes;
    }

    private static List<String> quoted(String cell) {
        return QUOTED.matcher(cell).results().map(match -> match.group(1)).toList();
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> modules = Files.list(ROOT)) {
            return modules.map(module -> module.resolve("src/main/java"))
                    .filter(Files::exists)
                    .toList();
        }
    }
}
