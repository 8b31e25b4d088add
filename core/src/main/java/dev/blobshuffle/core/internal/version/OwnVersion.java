package dev.blobshuffle.core.internal.version;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/**
 * The version of BlobShuffle. The build writes it into a resource next to this class. So it is
 * known even in a jar with other libraries, whose manifest names the application. Stateless.
 */
public final class OwnVersion {
    private OwnVersion() {}

    /** The version, for example {@code 0.1.0}. */
    public static String text() {
        Properties build = new Properties();
        try (InputStream file = OwnVersion.class.getResourceAsStream("build.properties")) {
            if (file != null) {
                build.load(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read the version of BlobShuffle: " + e.getMessage() + ".", e);
        }
        return build.getProperty("version", "(not packaged)");
    }
}
