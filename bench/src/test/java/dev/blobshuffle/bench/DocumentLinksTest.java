package dev.blobshuffle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links between the project's documents lead to files and headings that exist. */
class DocumentLinksTest {
    private static final Set<String> NOT_OURS = Set.of("target", "node_modules", ".venv", ".git");
    private static final Pattern LINK = Pattern.compile("(?:\\]\\(|src=\"|srcset=\"|href=\")([^)\"\\s]+)");

    @Test
    void everyLinkHasItsTarget() throws IOException {
        List<Path> documents = documents(Path.of(".."));

        assertThat(documents).anyMatch(document -> document.endsWith("docs/concepts.md"));
        assertThat(broken(documents)).as("links without a target").isEmpty();
    }

    @Test
    void brokenLinksAreFound(@TempDir Path directory) throws IOException {
        Files.writeString(directory.resolve("there.md"), "# A *fine* heading: `x.y`\n\n## Again\n## Again\n");
        Path document = directory.resolve("a.md");
        Files.writeString(document, """
                [1](there.md) [2](there.md#a-fine-heading-xy) [3](there.md#again-1) [4](#here) [5](https://example.com)
                [6](absent.md) [7](there.md#absent) [8](#absent) <img src="absent.svg">
                ```
                [9](absent.md) in code
                # absent
                ```
                # Here
                """);

        assertThat(broken(List.of(document)))
                .extracting(broken -> broken.substring(broken.indexOf(": ") + 2))
                .containsExactly("absent.md", "there.md#absent", "#absent", "absent.svg");
    }

    private static List<String> broken(List<Path> documents) throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path document : documents) {
            for (String line : prose(document)) {
                Matcher link = LINK.matcher(line.replaceAll("`[^`]*`", "`"));
                while (link.find()) {
                    if (!leadsSomewhere(document, link.group(1))) {
                        broken.add(document + ": " + link.group(1));
                    }
                }
            }
        }
        return broken;
    }

    private static boolean leadsSomewhere(Path document, String link) throws IOException {
        if (link.matches("[a-z]+:.*")) {
            return true;
        }
        int mark = link.indexOf('#');
        String file = mark < 0 ? link : link.substring(0, mark);
        Path target = file.isEmpty() ? document : document.resolveSibling(file);
        if (!Files.exists(target)) {
            return false;
        }
        boolean isPlainFile = mark < 0 || !target.toString().endsWith(".md");
        return isPlainFile || headings(target).contains(link.substring(mark + 1));
    }

    /** The anchors of a document's headings, as GitHub makes them. */
    private static Set<String> headings(Path document) throws IOException {
        Set<String> anchors = new HashSet<>();
        for (String line : prose(document)) {
            if (line.matches("#{1,6} .*")) {
                String text = line.replaceFirst("#+ +", "").replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1");
                String anchor = text.toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-');
                String unique = anchor;
                for (int repeat = 1; !anchors.add(unique); repeat++) {
                    unique = anchor + "-" + repeat;
                }
            }
        }
        return anchors;
    }

    /** The lines of a document that are no code. */
    private static List<String> prose(Path document) throws IOException {
        List<String> lines = new ArrayList<>();
        boolean isCode = false;
        for (String line : Files.readAllLines(document)) {
            boolean isFence = line.strip().startsWith("```");
            isCode ^= isFence;
            if (!isCode && !isFence) {
                lines.add(line);
            }
        }
        return lines;
    }

    private static List<Path> documents(Path root) throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                boolean isOurs = !NOT_OURS.contains(directory.getFileName().toString());
                return isOurs ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.toString().endsWith(".md")) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return found;
    }
}
