package dev.blobshuffle.bench.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The git checkout that a directory is in: its commit, and the files that differ from it. Kept
 * results and plots do not count as differences, so that several results of one commit can be kept
 * one after the other. Stateless.
 *
 * @param directory any directory of the checkout
 */
public record SourceTree(Path directory) {
    private static final int TIMEOUT_SECONDS = 20;

    /** The checkout of the current directory. */
    public static SourceTree current() {
        return new SourceTree(Path.of("").toAbsolutePath());
    }

    /**
     * The first digits of the commit, with a plus if a file differs from it; empty outside a
     * checkout.
     */
    public Optional<String> commit() {
        return git("rev-parse", "--short=8", "HEAD")
                .map(said -> said.strip() + (changes().isEmpty() ? "" : "+"));
    }

    /** The files that are changed, added or not yet known to git, by their path in the checkout. */
    public List<String> changes() {
        return git("status", "--porcelain", "--", ":/", ":(top,exclude)docs/results", ":(top,exclude)docs/plots")
                .map(said ->
                        said.lines().map(line -> line.substring(3)).sorted().toList())
                .orElse(List.of());
    }

    /** The output of git, or nothing if it is not installed or fails. */
    private Optional<String> git(String... words) {
        List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(words));
        try {
            Process git = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String said = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return git.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS) && git.exitValue() == 0
                    ? Optional.of(said)
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
