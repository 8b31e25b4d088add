package dev.blobshuffle.core.internal.store.directory;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.BlobStoreProvider;
import dev.blobshuffle.core.store.NamedBlobs;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoreParameter;
import dev.blobshuffle.core.store.StoreUri;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Opens {@code file:///dir}, or several directories separated by commas:
 * {@code file:///disk1/blobs,/disk2/blobs}. {@code ?fsync=none} selects {@link Fsync#NONE}.
 * Stateless.
 */
public final class FileBlobStoreProvider implements BlobStoreProvider {
    private static final List<StoreParameter> PARAMETERS = List.of(new StoreParameter(
            "fsync", "blob", "`blob`: each blob survives the end of the machine; `none`: it may not"));

    @Override
    public String scheme() {
        return "file";
    }

    @Override
    public List<StoreParameter> parameters() {
        return PARAMETERS;
    }

    @Override
    public BlobStore open(StoreUri uri, StoreContext context) {
        return FileBlobStore.open(directories(uri), fsync(uri), context.time(), context.whenAbsent());
    }

    @Override
    public NamedBlobs openNamed(StoreUri uri, StoreContext context) {
        List<Path> directories = directories(uri);
        if (directories.size() > 1) {
            throw new InvalidSettingsException("Cannot keep blobs under names in file://" + uri.path()
                    + ": these are several directories. Name one.");
        }
        return new FileNamedBlobs(directories.get(0), fsync(uri), context.time());
    }

    /** The directories that a URI names. */
    static List<Path> directories(StoreUri uri) {
        uri.requireKnown(PARAMETERS);
        List<Path> directories = new ArrayList<>();
        for (String directory : uri.path().split(",", -1)) {
            directories.add(directory(directory));
        }
        if (!uri.authority().isEmpty()) {
            throw new InvalidSettingsException(
                    "Cannot open store file://" + uri.authority() + uri.path() + ": '" + uri.authority()
                            + "' would be a host. Give an absolute directory with three slashes: file:///var/lib/blobs.");
        }
        return directories;
    }

    private static Path directory(String text) {
        try {
            Path directory = Path.of(text);
            if (text.length() > 1 && directory.isAbsolute()) {
                return directory;
            }
        } catch (InvalidPathException e) {
            throw new InvalidSettingsException(
                    "Cannot open store file://: '" + text.replace('\0', '?') + "' names no directory: "
                            + e.getReason()
                            + ". Use other characters, or set LC_ALL=C.UTF-8 if this process has a locale without UTF-8.",
                    e);
        }
        throw new InvalidSettingsException(
                "Cannot open store file://: '" + text
                        + "' is not an absolute directory. Give file:///var/lib/blobs, or several as file:///disk1/blobs,/disk2/blobs.");
    }

    private static Fsync fsync(StoreUri uri) {
        String text = uri.parameter("fsync").orElse("blob");
        for (Fsync fsync : Fsync.values()) {
            if (fsync.name().toLowerCase(Locale.ROOT).equals(text)) {
                return fsync;
            }
        }
        throw new InvalidSettingsException(
                "Cannot open store file://: parameter fsync is '" + text + "'. Give none or blob.");
    }
}
