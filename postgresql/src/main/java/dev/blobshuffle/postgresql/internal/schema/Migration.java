package dev.blobshuffle.postgresql.internal.schema;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * One numbered SQL file.
 *
 * @param version its number, from 1
 * @param name the file's name
 * @param sql what it holds
 */
record Migration(int version, String name, String sql) {
    /** The file of a name such as {@code V001__tables.sql}, beside this class. */
    static Migration of(String name) {
        return new Migration(Integer.parseInt(name.substring(1, 4)), name, text(name));
    }

    /** What a file beside this class holds. */
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

    /** SHA-256 of the file, in hexadecimal digits. */
    String checksum() {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(sql.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Cannot check " + name + ": this JDK has no SHA-256. Use another JDK.", e);
        }
    }
}
