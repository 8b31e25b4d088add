package dev.blobshuffle.cli.status;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The terminal of a live view. If the output is not a terminal, such as a pipe, views follow each
 * other.
 *
 * @param isTerminal whether the output is a terminal
 * @param rows its height, lines
 * @param columns its width, characters
 */
record Screen(boolean isTerminal, int rows, int columns) {
    /** The screen of a single view, which is printed completely. */
    static final Screen ENDLESS = new Screen(false, Integer.MAX_VALUE, Integer.MAX_VALUE);

    private static final Screen USUAL = new Screen(true, 24, 80);
    private static final long PATIENCE_SECONDS = 5;

    /** The screen of this process's output. */
    static Screen find() {
        boolean isTerminal =
                !"dumb".equals(System.getenv("TERM")) && run("test", "-t", "1").isPresent();
        return isTerminal ? run("stty", "size").flatMap(Screen::ofSize).orElse(USUAL) : ENDLESS;
    }

    /** A terminal, of the size that {@code stty} prints: rows and columns; empty if it is 0. */
    static Optional<Screen> ofSize(String size) {
        if (!size.strip().matches("[1-9][0-9]{0,4} [1-9][0-9]{0,4}")) {
            return Optional.empty();
        }
        String[] numbers = size.strip().split(" ");
        return Optional.of(new Screen(true, Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1])));
    }

    /**
     * The text that replaces the previous view by a new one. Lines too long for the terminal are
     * cut. If they wrapped, they would push the first lines off the screen.
     */
    String show(String view) {
        return isTerminal
                ? "\u001b[H\u001b[2J" + view.lines().map(this::cut).collect(Collectors.joining("\n", "", "\n"))
                : view + "\n";
    }

    private String cut(String line) {
        return line.length() <= columns ? line : line.substring(0, columns - 1) + "…";
    }

    /**
     * The output of a program that inspects this process's terminal; empty if the program fails or
     * is missing. The JVM itself does not report terminals before version 22.
     */
    private static Optional<String> run(String... command) {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.INHERIT)
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        if (command[0].equals("test")) {
            builder.redirectOutput(ProcessBuilder.Redirect.INHERIT);
        }
        try {
            Process process = builder.start();
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            boolean hasEnded = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
            return hasEnded && process.exitValue() == 0 ? Optional.of(text) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
