package dev.blobshuffle.http.internal;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.version.HttpPair;
import dev.blobshuffle.core.internal.version.Versions;
import org.apache.hc.client5.http.classic.HttpClient;
import org.apache.hc.client5.http.impl.io.DefaultHttpClientConnectionOperator;

/**
 * Checks the version of Apache's HTTP client on the class path. Frameworks such as Spring Boot
 * select this version, so it may be older than the one that a store depends on. Stateless.
 */
public final class HttpVersion {
    private static final String CLIENT = "org.apache.httpcomponents.client5:httpclient5";
    private static final String CORE = "org.apache.httpcomponents.core5:httpcore5";

    private static final String MODULE = "jdk.net";

    private HttpVersion() {}

    /**
     * Refuses too old versions of Apache's client and of the store's client, and a Java runtime
     * without the module that Apache's client needs.
     *
     * @param scheme of the store
     * @param client {@code group:artifact} of the store's client
     * @param type a class of that client
     * @throws InvalidSettingsException fatal: the message names both versions, or the module, and
     *     the remedy
     */
    public static void requireSupported(String scheme, String client, Class<?> type) {
        String what = "open store " + scheme + "://";
        ClassLoader loader = HttpClient.class.getClassLoader();
        Versions.require(what, CLIENT, loader);
        Versions.present(CLIENT, loader)
                .flatMap(version -> Versions.present(CORE, loader).flatMap(core -> HttpPair.problem(version, core)))
                .ifPresent(problem -> {
                    throw new InvalidSettingsException(
                            "Cannot " + what + ": " + problem + ". " + HttpPair.REMEDY + ".");
                });
        Versions.require(what, client, type.getClassLoader());
        requireModule(what, loader);
    }

    /**
     * Since 5.5.2 Apache's client uses {@code jdk.net}. Java leaves that module out if the
     * application is on the module path, and {@code jlink} unless you name it.
     */
    private static void requireModule(String what, ClassLoader loader) {
        if (ModuleLayer.boot().findModule(MODULE).isPresent()) {
            return;
        }
        try {
            Class.forName(DefaultHttpClientConnectionOperator.class.getName(), true, loader);
        } catch (ClassNotFoundException | LinkageError e) {
            throw new InvalidSettingsException(
                    "Cannot " + what + ": this Java runtime lacks the module " + MODULE
                            + ", which Apache's HTTP client needs. Start Java with --add-modules " + MODULE
                            + ", or add it to the modules that jlink links.",
                    e);
        }
    }
}
