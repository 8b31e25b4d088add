package dev.blobshuffle.core.internal.settings;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** Loads the implementations of an interface that the jars on the class path list. Stateless. */
public final class InstalledProviders {
    private InstalledProviders() {}

    /**
     * The implementations, in the order of the class path.
     *
     * @throws InvalidSettingsException fatal: a jar lists a class that is absent or cannot be
     *     instantiated
     */
    public static <T> List<T> of(Class<T> type) {
        return of(type, type.getClassLoader());
    }

    /**
     * The reason and the remedy for an implementation that no jar lists, to end a message with. One
     * jar made of several artifacts keeps only one of their lists, unless the build merges them.
     *
     * @param artifact the artifact that has it, as {@code group:artifact}
     */
    public static String missing(Class<?> type, String artifact) {
        return artifact + " is not on the class path. Add it in the version of blobshuffle-core. If your jar holds it"
                + " already, let the build of that jar merge all files META-INF/services/" + type.getName() + ".";
    }

    static <T> List<T> of(Class<T> type, ClassLoader loader) {
        try {
            return ServiceLoader.load(type, loader).stream()
                    .map(ServiceLoader.Provider::get)
                    .toList();
        } catch (ServiceConfigurationError | LinkageError e) {
            throw new InvalidSettingsException(
                    "Cannot load what the class path lists in META-INF/services/" + type.getName() + ": "
                            + e.getMessage()
                            + ". Keep the listed classes and all that they need in your jar, or remove the line.",
                    e);
        }
    }
}
