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
 * What opening a producer and opening a consumer have in common: the client's name, and the parts
 * that the settings name. A part stays open only if the whole opening succeeds; otherwise the end
 * of the opening closes what it has made, the last part first. The real client is made last, for it
 * is the one that has threads and connections. Owned by one thread.
 */
public final class ClientOpening implements AutoCloseable {
    /** Kafka has the setting under this name for both clients. */
    static final String INTERCEPTORS = "interceptor.classes";

    private final AbstractConfig config;
    private final String name;
    private final Map<String, Object> forPlugins;
    private final Deque<AutoCloseable> made = new ArrayDeque<>();

    /**
     * An opening that has made nothing.
     *
     * @param role what the client is, for its name if the application gives none
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

    /** What the application's classes are configured with. */
    public Map<String, Object> forPlugins() {
        return forPlugins;
    }

    /**
     * Settings of the real client: without interceptors, which would see notifications, and under
     * the client's name.
     */
    public Map<String, Object> real(Map<String, Object> kafkas) {
        Map<String, Object> real = new HashMap<>(kafkas);
        real.remove(INTERCEPTORS);
        real.put(CommonClientConfigs.CLIENT_ID_CONFIG, name);
        return real;
    }

    /** Keeps a part open until the opening has failed. */
    public <T extends AutoCloseable> T keep(T part) {
        made.push(part);
        return part;
    }

    /**
     * A serializer or deserializer: the application's own object, or one that a setting names.
     *
     * @param configure how a new one gets its settings
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

    /** Everything is made: it belongs to the client now. */
    public void succeeded() {
        made.clear();
    }

    /** Closes what was made, unless the opening has succeeded. */
    @Override
    public void close() {
        made.forEach(part -> Utils.closeQuietly(part, part.getClass().getName()));
        made.clear();
    }
}
