package dev.blobshuffle.core.internal.store.directory;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.store.StoreMarker;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The {@link StoreMarker} of one directory of a file store. It names the store, the directory, and
 * all directories of the store. Markers of earlier versions name the store only. Earlier versions
 * ignore the lines that they do not know.
 *
 * @param store the store's id
 * @param place which directory of the store this is; empty in markers of earlier versions
 */
record DirectoryMarker(String store, Optional<Place> place) {
    private static final Pattern PLACE = Pattern.compile(
            "\\ndirectory ([0-9a-f]{8})\\ndirectories ([0-9a-f]{8}(?: [0-9a-f]{8})*)\\nedition ([1-9][0-9]{0,17})\\n");

    /**
     * A directory in its store.
     *
     * @param directory its id
     * @param layout all directories
     */
    record Place(String directory, StoreLayout layout) {
        String content() {
            return StoreMarker.content(layout.store()) + "directory " + directory + "\ndirectories "
                    + String.join(" ", layout.directories()) + "\nedition " + layout.edition() + "\n";
        }
    }

    /**
     * Reads a marker's content.
     *
     * @param where the marker's location for messages
     * @throws InvalidSettingsException fatal: the content is not a marker
     */
    static DirectoryMarker parse(String content, String where) {
        String store = StoreMarker.id(content, where);
        Matcher matcher = PLACE.matcher(content);
        if (!matcher.find()) {
            if (content.contains("\ndirector")) {
                throw notAMarker(where);
            }
            return new DirectoryMarker(store, Optional.empty());
        }
        List<String> directories = List.of(matcher.group(2).split(" "));
        if (directories.stream().distinct().count() < directories.size() || !directories.contains(matcher.group(1))) {
            throw notAMarker(where);
        }
        StoreLayout layout = new StoreLayout(store, Long.parseLong(matcher.group(3)), directories);
        return new DirectoryMarker(store, Optional.of(new Place(matcher.group(1), layout)));
    }

    private static InvalidSettingsException notAMarker(String where) {
        return new InvalidSettingsException("Cannot open store: " + where
                + " names the store's directories in a way that this version cannot read."
                + " Upgrade this instance, or restore the marker.");
    }

    /**
     * The marker in a directory; empty if there is none.
     *
     * @throws InvalidSettingsException fatal: the file is not a marker
     */
    static Optional<DirectoryMarker> read(Path directory) throws IOException {
        Path marker = directory.resolve(StoreMarker.NAME);
        try {
            if (Files.size(marker) > 4L * StoreMarker.LONGEST) {
                throw notAMarker(marker.toString());
            }
            return Optional.of(parse(Files.readString(marker, StandardCharsets.UTF_8), marker.toString()));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /**
     * Creates the marker of a directory.
     *
     * @throws FileAlreadyExistsException another process has created it
     */
    static void create(Path directory, Place place) throws IOException {
        Path draft = draft(directory, place);
        try {
            write(draft, place);
            Path ignored = Files.createLink(directory.resolve(StoreMarker.NAME), draft);
        } catch (UnsupportedOperationException e) {
            throw new IOException("the file system of " + directory + " has no hard links", e);
        } finally {
            Files.deleteIfExists(draft);
        }
        BlobDirectory.force(directory);
    }

    /** Replaces the marker of a directory. A reader finds the former marker or this one. */
    static void replace(Path directory, Place place) throws IOException {
        Path draft = draft(directory, place);
        try {
            write(draft, place);
            Path ignored = Files.move(draft, directory.resolve(StoreMarker.NAME), StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(draft);
        }
        BlobDirectory.force(directory);
    }

    private static Path draft(Path directory, Place place) {
        return directory.resolve(StoreMarker.NAME + "." + place.directory() + ".tmp");
    }

    private static void write(Path draft, Place place) throws IOException {
        Files.deleteIfExists(draft);
        try (FileChannel channel = FileChannel.open(draft, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = StandardCharsets.UTF_8.encode(place.content());
            while (bytes.hasRemaining()) {
                int ignored = channel.write(bytes);
            }
            channel.force(true);
        }
    }
}
