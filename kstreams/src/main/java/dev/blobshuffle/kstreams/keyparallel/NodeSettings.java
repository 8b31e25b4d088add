package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.settings.ByteSize;
import dev.blobshuffle.kafka.internal.settings.NodeSetting;
import dev.blobshuffle.kstreams.keyparallel.calls.Concurrency;
import dev.blobshuffle.kstreams.keyparallel.calls.Ordering;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;

/**
 * The application's settings {@code blobshuffle.keyparallel.*}. A setting with a node's name
 * overrides the node's code. A setting without a name applies if the code leaves the default.
 * Stateless.
 */
enum NodeSettings {
    ORDERING(NodeSetting.ORDERING) {
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
    NULL_KEYS(NodeSetting.NULL_KEYS) {
        @Override
        KeyParallelOptionsBuilder set(KeyParallelOptionsBuilder options, String value) {
            return options.nullKeys(NullKeys.valueOf(value.toUpperCase(Locale.ROOT)));
        }

        @Override
        Object of(KeyParallelOptions options) {
            return options.nullKeys();
        }
    },
    CONCURRENCY(NodeSetting.MAX_CONCURRENCY) {
        @Override
        KeyParallelOptionsBuilder set(KeyParallelOptionsBuilder options, String value) {
            return options.concurrency(Concurrency.parse(value));
        }

        @Override
        Object of(KeyParallelOptions options) {
            return options.concurrency();
        }
    },
    PENDING_RECORDS(NodeSetting.MAX_PENDING_RECORDS) {
        @Override
        KeyParallelOptionsBuilder set(KeyParallelOptionsBuilder options, String value) {
            return options.maxPending(Integer.parseInt(value));
        }

        @Override
        Object of(KeyParallelOptions options) {
            return options.maxPending();
        }
    },
    PENDING_BYTES(NodeSetting.MAX_PENDING_BYTES) {
        @Override
        KeyParallelOptionsBuilder set(KeyParallelOptionsBuilder options, String value) {
            return options.maxPendingBytes(ByteSize.parse(value));
        }

        @Override
        Object of(KeyParallelOptions options) {
            return options.maxPendingBytes();
        }
    },
    PROCESS_BYTES(NodeSetting.MAX_PROCESS_BYTES) {
        @Override
        KeyParallelOptionsBuilder set(KeyParallelOptionsBuilder options, String value) {
            return options.maxProcessBytes(ByteSize.parse(value));
        }

        @Override
        Object of(KeyParallelOptions options) {
            return options.maxProcessBytes();
        }
    },
    TIMEOUT(NodeSetting.TIMEOUT) {
        @Override
        KeyParallelOptionsBuilder set(KeyParallelOptionsBuilder options, String value) {
            return options.timeout(Duration.ofMillis(Long.parseLong(value)));
        }

        @Override
        Object of(KeyParallelOptions options) {
            return options.timeout();
        }
    },
    DRAIN_TIMEOUT(NodeSetting.DRAIN_TIMEOUT) {
        @Override
        KeyParallelOptionsBuilder set(KeyParallelOptionsBuilder options, String value) {
            return options.drainTimeout(Duration.ofMillis(Long.parseLong(value)));
        }

        @Override
        Object of(KeyParallelOptions options) {
            return options.drainTimeout();
        }
    };

    private final NodeSetting setting;

    NodeSettings(NodeSetting setting) {
        this.setting = setting;
    }

    /** Its name, form and default. */
    NodeSetting setting() {
        return setting;
    }

    abstract KeyParallelOptionsBuilder set(KeyParallelOptionsBuilder options, String value);

    abstract Object of(KeyParallelOptions options);

    /**
     * A node's options in an application.
     *
     * @throws InvalidSettingsException fatal: a setting is unknown, or its value is malformed
     */
    static KeyParallelOptions applied(KeyParallelOptions code, Map<String, ?> application) {
        application.keySet().forEach(NodeSetting::requireKnown);
        KeyParallelOptions defaults = KeyParallelOptions.named(code.name());
        KeyParallelOptionsBuilder options = new KeyParallelOptionsBuilder(code);
        for (NodeSettings setting : values()) {
            String own = setting.setting.nameFor(code.name());
            String general = setting.setting.nameForAll();
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
            throw new InvalidSettingsException(
                    "Cannot use setting " + name + "=" + value + ": it is not " + setting.form() + ".", e);
        }
    }
}
