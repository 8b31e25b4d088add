package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.settings.ByteSize;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The application's settings {@code blobshuffle.keyparallel.*}: those with the name of a node in front override what its code says, the others hold where the code leaves the default.
 * Stateless.
 */
enum NodeSettings {
    ORDERING("ordering", "key, key-output, partition or unordered") {
        @Override
        KeyParallelOptionsBuilder set(KeyParallelOptionsBuilder options, String value) {
            return options.ordering(
                    Ordering.valueOf(value.toUpperCase(Locale.ROOT).replace('-', '_')));
        }

        @Override
        Object of(KeyParallelOptions options) {
            return options.ordering();
        }
    },
    CONCURRENCY(
            "max.concurrency", "a number of calls, 1 or more, or two of them for what the service can do: 8..1024") {
        @Override
        KeyParallelOptionsBuilder set(KeyParallelOptionsBuilder options, String value) {
            return options.concurrency(Concurrency.parse(value));
        }

        @Override
        Object of(KeyParallelOptions options) {
            return options.concurrency();
        }
    },
    PENDING_RECORDS("max.pending.records", "a number of records, 1 or more") {
        @Override
        KeyParallelOptionsBuilder set(KeyParallelOptionsBuilder options, String value) {
            return options.maxPending(Integer.parseInt(value));
        }

        @Override
        Object of(KeyParallelOptions options) {
            return options.maxPending();
        }
    },
    PENDING_BYTES("max.pending.bytes", "bytes: 16777216 or 16 MiB") {
        @Override
        KeyParallelOptionsBuilder set(KeyParallelOptionsBuilder options, String value) {
            return options.maxPendingBytes(ByteSize.parse(value));
        }

        @Override
        Object of(KeyParallelOptions options) {
            return options.maxPendingBytes();
        }
    },
    PROCESS_BYTES("max.process.bytes", "bytes: 268435456 or 256 MiB") {
        @Override
        KeyParallelOptionsBuilder set(KeyParallelOptionsBuilder options, String value) {
            return options.maxProcessBytes(ByteSize.parse(value));
        }

        @Override
        Object of(KeyParallelOptions options) {
            return options.maxProcessBytes();
        }
    },
    TIMEOUT("timeout.ms", "milliseconds, 1 or more") {
        @Override
        KeyParallelOptionsBuilder set(KeyParallelOptionsBuilder options, String value) {
            return options.timeout(Duration.ofMillis(Long.parseLong(value)));
        }

        @Override
        Object of(KeyParallelOptions options) {
            return options.timeout();
        }
    },
    DRAIN_TIMEOUT("drain.timeout.ms", "milliseconds, 1 or more") {
        @Override
        KeyParallelOptionsBuilder set(KeyParallelOptionsBuilder options, String value) {
            return options.drainTimeout(Duration.ofMillis(Long.parseLong(value)));
        }

        @Override
        Object of(KeyParallelOptions options) {
            return options.drainTimeout();
        }
    };

    static final String PREFIX = "blobshuffle.keyparallel.";

    /** Which nodes {@link KeyParallelWrapper} chooses. */
    static final String WRAP = PREFIX + "wrap";

    private final String key;
    private final String form;

    NodeSettings(String key, String form) {
        this.key = key;
        this.form = form;
    }

    /** Its name, behind the prefix and perhaps a node's name. */
    String key() {
        return key;
    }

    abstract KeyParallelOptionsBuilder set(KeyParallelOptionsBuilder options, String value);

    abstract Object of(KeyParallelOptions options);

    /**
     * What a node's options are in an application.
     *
     * @throws InvalidSettings fatal: a setting is unknown, or its value not of its form
     */
    static KeyParallelOptions applied(KeyParallelOptions code, Map<String, ?> application) {
        checkNames(application);
        KeyParallelOptions defaults = KeyParallelOptions.named(code.name());
        KeyParallelOptionsBuilder options = new KeyParallelOptionsBuilder(code);
        for (NodeSettings setting : values()) {
            String own = PREFIX + code.name() + "." + setting.key;
            String general = PREFIX + setting.key;
            Object overriding = application.get(own);
            Object fallback = application.get(general);
            if (overriding != null) {
                options = setting.parsed(options, own, overriding);
            } else if (fallback != null && setting.of(code).equals(setting.of(defaults))) {
                options = setting.parsed(options, general, fallback);
            }
        }
        return options.build();
    }

    private KeyParallelOptionsBuilder parsed(KeyParallelOptionsBuilder options, String name, Object value) {
        try {
            KeyParallelOptionsBuilder with = set(options, value.toString().strip());
            var ignored = with.build();
            return with;
        } catch (IllegalArgumentException e) {
            throw new InvalidSettings("Cannot use setting " + name + "=" + value + ": it is not " + form + ".", e);
        }
    }

    /** Other nodes' names are not known here; but every setting ends like one of ours. */
    private static void checkNames(Map<String, ?> application) {
        List<String> known = Arrays.stream(values()).map(setting -> setting.key).toList();
        Optional<String> wrong = application.keySet().stream()
                .filter(name -> name.startsWith(PREFIX)
                        && !name.equals(WRAP)
                        && known.stream().noneMatch(key -> isOf(name, key)))
                .findFirst();
        if (wrong.isPresent()) {
            throw new InvalidSettings("Cannot use setting " + wrong.get() + ": there is none of this name. There are "
                    + String.join(", ", known) + ", after " + PREFIX + " or " + PREFIX
                    + "NAME., where NAME is a node's.");
        }
    }

    private static boolean isOf(String name, String key) {
        return name.equals(PREFIX + key) || name.endsWith("." + key);
    }
}
