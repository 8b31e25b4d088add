package dev.blobshuffle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Lines that are wholly comment end at column 100; the formatter wraps code only, at 120. Drawings
 * and examples in {@code <pre>} may be wider, and so may a word that fits in no line.
 */
class CommentWidthTest {
    private static final int WIDTH = 100;

    private static final Set<String> NOT_OURS = Set.of("target", ".git");

    @Test
    void commentsEndAtColumn100() throws IOException {
        List<String> tooLong = new ArrayList<>();
        List<Path> sources = sources(Path.of(".."));
        for (Path source : sources) {
            tooLong.addAll(tooLong(source.toString(), Files.readAllLines(source)));
        }

        assertThat(sources).anyMatch(source -> source.endsWith("CommentWidthTest.java"));
        assertThat(tooLong)
                .as("comment lines of more than " + WIDTH + " columns; wrap them")
                .isEmpty();
    }

    @Test
    void onlyLinesOfTextThatCouldBeWrappedAreTooLong() {
        String text = "word ".repeat(WIDTH / 5) + "end";
        String word = "word".repeat(WIDTH / 4);
        String code = "int number = " + "1 + ".repeat(WIDTH / 4) + "1;";

        assertThat(tooLong(
                        "X.java",
                        List.of(
                                "/** " + text + " */",
                                "/**",
                                " * " + text,
                                " * @param name " + text,
                                " * " + word,
                                " * <pre>",
                                " * " + text,
                                " * </pre>",
                                " */",
                                code,
                                "    // " + text,
                                code + " // " + text,
                                "        * " + code)))
                .containsExactly("X.java:1", "X.java:3", "X.java:4", "X.java:11");
    }

    /** Where a file has too long lines of comment. */
    private static List<String> tooLong(String name, List<String> lines) {
        List<String> found = new ArrayList<>();
        boolean inBlock = false;
        boolean isPreformatted = false;
        for (int line = 0; line < lines.size(); line++) {
            String text = lines.get(line).strip();
            inBlock |= text.startsWith("/*");
            isPreformatted |= inBlock && text.contains("<pre>");
            if ((inBlock || text.startsWith("//")) && !isPreformatted && couldBeWrapped(lines.get(line))) {
                found.add(name + ":" + (line + 1));
            }
            isPreformatted &= !text.contains("</pre>");
            inBlock &= !text.contains("*/");
        }
        return found;
    }

    /** Whether a line is too long, and has a blank to wrap it at between its words. */
    private static boolean couldBeWrapped(String line) {
        String text = line.stripLeading().replaceFirst("^(/[*]+|[*]+|//) *", "");
        int start = line.length() - text.length();
        int blank = text.indexOf(' ');
        return line.length() > WIDTH && blank >= 0 && start + blank <= WIDTH;
    }

    /** The sources of all modules. */
    private static List<Path> sources(Path root) throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                boolean isOurs = !NOT_OURS.contains(directory.getFileName().toString());
                return isOurs ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.toString().endsWith(".java")) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return found;
    }
}
