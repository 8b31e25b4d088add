package dev.blobshuffle.cli.status;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The terminal that a live view fills. If the output goes elsewhere, such as into a pipe, each view
 * follows the one before.
 *
 * @param isTerminal whether the output is one
 * @param rows its height, lines
 */
record Screen(boolean isTerminal, int rows) {
    private static final int USUAL_ROWS = 24;
    private static final long PATIENCE_SECONDS = 5;

    /** The one that this process writes to. */
    static Screen find() {
        boolean isTerminal =
                !"dumb".equals(System.getenv("TERM")) && run("test", "-t", "1").isPresent();
        int rows = isTerminal
                ? run("stty", "size")
                        .map(size -> size.strip().split(" ")[0])
                        .flatMap(Screen::number)
                        .orElse(USUAL_ROWS)
                : Integer.MAX_VALUE;
        return new Screen(isTerminal, rows);
    }

    /** What to print for a view, so that it replaces the one before. */
    String show(String view) {
        return isTerminal ? "\u001b[H\u001b[2J" + view : view + "\n";
    }

    private static Optional<Integer> number(String text) {
        return text.matches("[1-9][0-9]{0,4}") ? Optional.of(Integer.parseInt(text)) : Optional.empty();
    }

    /**
     * What a program says about the terminal of this process, which the JVM does not tell before
     * version 22; empty if it fails or is not there.
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
