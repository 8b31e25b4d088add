package dev.blobshuffle.flightdaemon.internal.server.call;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.flightdaemon.internal.blob.BlobName;
import dev.blobshuffle.flightdaemon.internal.blob.RefusedException;
import dev.blobshuffle.flightdaemon.internal.blob.RefusedException.Reason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The bearer tokens of a file. Each line is {@code NAMESPACE TOKEN}; {@code *} stands for all
 * namespaces. It stores and compares only SHA-256 hashes, so the time of a comparison reveals
 * nothing. Immutable.
 */
public final class Tokens {
    private static final int SHORTEST = 32;
    private static final String PREFIX = "Bearer ";

    private final Map<String, Set<String>> namespaces = new HashMap<>();

    /**
     * Reads the file.
     *
     * @param served the daemon's namespaces
     * @throws InvalidSettingsException fatal: it is unreadable, others may read it, a line is
     *     malformed, or no token opens a served namespace
     */
    public Tokens(Path file, Set<String> served) {
        try {
            PrivateFiles.check(file);
            int number = 0;
            for (String line : Files.readAllLines(file)) {
                number++;
                if (!line.isBlank() && !line.startsWith("#")) {
                    add(file, number, line.trim().split("\\s+"));
                }
            }
        } catch (IOException e) {
            throw new InvalidSettingsException(
                    "Cannot read the tokens: " + e + ". Give a file of lines NAMESPACE TOKEN.", e);
        }
        if (namespaces.isEmpty()) {
            throw new InvalidSettingsException(
                    "Cannot serve: " + file + " has no token. Give it a line NAMESPACE TOKEN.");
        }
        if (namespaces.values().stream()
                .noneMatch(each -> each.contains("*") || each.stream().anyMatch(served::contains))) {
            throw new InvalidSettingsException("Cannot serve: " + file + " has no token for one of "
                    + new TreeSet<>(served) + ". Give it a line NAMESPACE TOKEN.");
        }
    }

    private void add(Path file, int number, String[] words) {
        if (words.length != 2
                || words[1].length() < SHORTEST
                || !(words[0].equals("*") || BlobName.isShuffle(words[0]))) {
            throw new InvalidSettingsException("Cannot use line " + number + " of " + file
                    + ": legal is NAMESPACE TOKEN with a token of at least " + SHORTEST + " characters.");
        }
        namespaces.computeIfAbsent(digest(words[1]), key -> new TreeSet<>()).add(words[0]);
    }

    /** The number of tenants. A tenant is a set of namespaces that a token permits. */
    public int tenants() {
        return Set.copyOf(namespaces.values()).size();
    }

    /**
     * The namespaces of a token.
     *
     * @param header the call's {@code authorization}
     * @throws RefusedException the token is unknown
     */
    public Set<String> authenticate(@Nullable String header) {
        Set<String> found = header != null && header.startsWith(PREFIX)
                ? namespaces.get(digest(header.substring(PREFIX.length())))
                : null;
        if (found == null) {
            throw new RefusedException(
                    Reason.UNAUTHENTICATED,
                    "Cannot answer: the call has no valid token. Send the header 'authorization: Bearer TOKEN'.");
        }
        return found;
    }

    private static String digest(String token) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Cannot read a token: every JDK has SHA-256.", e);
        }
    }
}
