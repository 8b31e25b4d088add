package dev.blobshuffle.postgresql.internal.schema;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * One step of the schema, from one version to the next.
 *
 * @param version the version after the step, from 1
 * @param name the name of its directory, such as {@code v001}
 * @param sql its statements
 */
record Migration(int version, String name, String sql) {
    /** The migration whose files are beside this class, in the directory of its version. */
    static Migration of(int version, String... files) {
        String name = String.format(Locale.ROOT, "v%03d", version);
        String sql = Arrays.stream(files)
                .map(file -> text(name + "/" + file + ".sql"))
                .collect(Collectors.joining("\n"));
        return new Migration(version, name, sql);
    }

    /** The content of a file beside this class. */
    static String text(String name) {
        try (InputStream in = Migration.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(
                        "Cannot read " + name + ": it is not in the jar. Use the jar as built.");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + name + ": " + e.getMessage() + ".", e);
        }
    }

    /** SHA-256 of the statements, in hexadecimal digits. */
    String checksum() {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(sql.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Cannot check " + name + ": this JDK has no SHA-256. Use another JDK.", e);
        }
    }
}
