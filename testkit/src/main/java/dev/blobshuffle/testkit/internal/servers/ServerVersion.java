package dev.blobshuffle.testkit.internal.servers;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server's version: three numbers. Immutable. */
record ServerVersion(int major, int minor, int patch) {
    private static final Pattern NUMBERS = Pattern.compile("\\bv?(\\d+)\\.(\\d+)\\.(\\d+)\\b");
    /** Go writes the main module and its version into each program. */
    private static final Pattern GO_MODULE = Pattern.compile("\nmod\t\\S+\tv(\\d+)\\.(\\d+)\\.(\\d+)\\b");

    private static final Pattern SCRIPT = Pattern.compile("#!\\s*/usr/bin/env\\s+(\\S+)\\s");
    private static final int FIRST_LINE = 128;
    private static final int PATIENCE_SECONDS = 60;

    static ServerVersion parse(String text) {
        return find(NUMBERS, text)
                .orElseThrow(() -> new IllegalArgumentException(
                        "Cannot read a version: '" + text + "' has no three numbers. Write 1.2.3."));
    }

    /** The version that a program prints, or that Go wrote into it. */
    static Optional<ServerVersion> of(Path program) {
        try {
            Optional<ServerVersion> printed = find(NUMBERS, print(program));
            // The program as text, each byte a character.
            return printed.isPresent()
                    ? printed
                    : find(GO_MODULE, Files.readString(program, StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** The interpreter that the program's first line has {@code env} find. */
    static Optional<String> interpreter(Path program) {
        try (var file = Files.newInputStream(program)) {
            Matcher line = SCRIPT.matcher(new String(file.readNBytes(FIRST_LINE), StandardCharsets.ISO_8859_1));
            return line.lookingAt() ? Optional.of(line.group(1)) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Whether this version can replace ours: it has the same major version and is not older. */
    boolean isCompatibleWith(ServerVersion ours) {
        return major == ours.major && (minor > ours.minor || minor == ours.minor && patch >= ours.patch);
    }

    private static String print(Path program) throws IOException {
        Path output = Files.createTempFile("version", ".log");
        Process process = new ProcessBuilder(program.toString(), "--version")
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            process.getOutputStream().close();
            boolean isEnded = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
            return isEnded && process.exitValue() == 0 ? Files.readString(output, StandardCharsets.ISO_8859_1) : "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        } finally {
            process.destroyForcibly();
            Files.delete(output);
        }
    }

    private static Optional<ServerVersion> find(Pattern pattern, String text) {
        Matcher found = pattern.matcher(text);
        return found.find()
                ? Optional.of(new ServerVersion(
                        Integer.parseInt(found.group(1)),
                        Integer.parseInt(found.group(2)),
                        Integer.parseInt(found.group(3))))
                : Optional.empty();
    }

    @Override
    public String toString() {
        return major + "." + minor + "." + patch;
    }
}
