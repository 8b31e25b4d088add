package dev.blobshuffle.kafka.internal.client;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * The common steps of opening a producer or a consumer: it chooses the client's name, and makes the
 * parts that the settings name. The parts stay open only if the whole opening succeeds; otherwise
 * {@link #close} closes them in reverse order. The real client is made last, because it has threads
 * and connections. Owned by one thread.
 */
public final class ClientOpening implements AutoCloseable {
    /** The name of this setting, which is the same for both kinds of clients. */
    static final String INTERCEPTORS = "interceptor.classes";

    private final AbstractConfig config;
    private final String name;
    private final Map<String, Object> forPlugins;
    private final Deque<AutoCloseable> made = new ArrayDeque<>();

    /**
     * An opening without parts.
     *
     * @param role the kind of client, for its name if the application gives none
     */
    public ClientOpening(AbstractConfig config, String role) {
        this.config = config;
        this.name = ClientSettings.clientId(config.getString(CommonClientConfigs.CLIENT_ID_CONFIG), role);
        this.forPlugins = ClientSettings.forPlugins(config.originals(), name);
    }

    /** The client id. */
    public String name() {
        return name;
    }

    /** The settings for the application's classes. */
    public Map<String, Object> forPlugins() {
        return forPlugins;
    }

    /**
     * The settings of the real client: with the client's name, and without interceptors, which
     * would see notifications.
     */
    public Map<String, Object> real(Map<String, Object> kafkas) {
        Map<String, Object> real = new HashMap<>(kafkas);
        real.remove(INTERCEPTORS);
        real.put(CommonClientConfigs.CLIENT_ID_CONFIG, name);
        return real;
    }

    /** Registers a part to close if the opening fails. */
    public <T extends AutoCloseable> T keep(T part) {
        made.push(part);
        return part;
    }

    /**
     * A serializer or deserializer: the application's own object, or a new one of the class that a
     * setting names.
     *
     * @param configure gives a new one its settings
     */
    @SuppressWarnings("unchecked") // the setting names a class for the application's type
    public <T extends AutoCloseable> T serde(
            String setting, Class<? super T> type, @Nullable T given, BiConsumer<T, Map<String, Object>> configure) {
        if (given != null) {
            return keep(given);
        }
        T named = keep((T) config.getConfiguredInstance(setting, type));
        configure.accept(named, forPlugins);
        return named;
    }

    /** The interceptors that the settings name. */
    @SuppressWarnings("unchecked") // the setting names classes for the application's types
    public <T extends AutoCloseable> List<T> interceptors(Class<? super T> type) {
        List<T> interceptors = (List<T>)
                config.getConfiguredInstances(INTERCEPTORS, type, Map.of(CommonClientConfigs.CLIENT_ID_CONFIG, name));
        interceptors.forEach(this::keep);
        return interceptors;
    }

    /** Ends the opening with success: the client owns the parts now. */
    public void succeeded() {
        made.clear();
    }

    /** Closes the parts, unless the opening has succeeded. */
    @Override
    public void close() {
        made.forEach(part -> Utils.closeQuietly(part, part.getClass().getName()));
        made.clear();
    }
}
