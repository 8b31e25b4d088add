package dev.blobshuffle.flightdaemon.internal.blob;

import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps open the directories of the most recently read shuffles. If a thread closes a directory
 * that another thread uses, that thread gets a {@code ClosedDirectoryStreamException}. Thread-safe:
 * guarded by itself.
 */
final class OpenDirectories {
    private static final Logger LOG = LoggerFactory.getLogger(OpenDirectories.class);
    private static final int MOST = 32;

    private final Map<String, SecureDirectoryStream<Path>> open = new LinkedHashMap<>(16, 0.75f, true);

    /** The directory of a shuffle, if it is open. */
    synchronized Optional<SecureDirectoryStream<Path>> held(String shuffle) {
        return Optional.ofNullable(open.get(shuffle));
    }

    /** Takes over an open directory. */
    synchronized void hold(String shuffle, SecureDirectoryStream<Path> directory) {
        close(open.put(shuffle, directory));
        Iterator<SecureDirectoryStream<Path>> oldest = open.values().iterator();
        while (open.size() > MOST) {
            close(oldest.next());
            oldest.remove();
        }
    }

    /** Closes the directory of a shuffle. */
    synchronized void drop(String shuffle) {
        close(open.remove(shuffle));
    }

    private static void close(@Nullable SecureDirectoryStream<Path> directory) {
        if (directory == null) {
            return;
        }
        try {
            directory.close();
        } catch (IOException e) {
            LOG.debug("Cannot close a directory.", e);
        }
    }
}
