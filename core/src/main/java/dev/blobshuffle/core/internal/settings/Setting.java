package dev.blobshuffle.core.internal.settings;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.settings.ByteSize;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * The definition of a setting: everything except its value. The {@link SettingGroup} of its
 * component creates it in one of the forms below. Immutable.
 *
 * @param <T> type of the value
 */
public final class Setting<T> {
    /** The prefix of the names of all settings. */
    public static final String PREFIX = "blobshuffle.";

    /** The longest duration. A larger number is probably in the wrong unit. */
    private static final Duration LONGEST = Duration.ofDays(3650);

    private final String name;
    private final String form;
    private final String defaultText;
    private final T defaultValue;
    private final String doc;
    private final Function<Object, T> parser;

    private Setting(
            String name, String form, T defaultValue, String defaultText, String doc, Function<Object, T> parser) {
        this.name = name;
        this.form = form;
        this.defaultValue = defaultValue;
        this.defaultText = defaultText;
        this.doc = doc;
        this.parser = parser;
    }

    /** An optional text. */
    public static Setting<Optional<String>> text(String name, String defaultText, String doc) {
        return new Setting<>(name, "text", Optional.empty(), defaultText, doc, value -> {
            String text = value instanceof Class<?> type
                    ? type.getName()
                    : value.toString().strip();
            return text.isEmpty() ? Optional.empty() : Optional.of(text);
        });
    }

    /** {@code true} or {@code false}. */
    public static Setting<Boolean> flag(String name, boolean defaultValue, String doc) {
        return new Setting<>(name, "true or false", defaultValue, String.valueOf(defaultValue), doc, value -> {
            String text = value.toString().strip().toLowerCase(Locale.ROOT);
            if (!text.equals("true") && !text.equals("false")) {
                throw new IllegalArgumentException();
            }
            return text.equals("true");
        });
    }

    /** A size with a minimum. */
    public static Setting<ByteSize> size(String name, ByteSize least, ByteSize defaultValue, String doc) {
        String form = "bytes, from " + least + ": 16777216 or 16 MiB";
        return new Setting<>(name, form, defaultValue, defaultValue.toString(), doc, value -> {
            ByteSize size = value instanceof ByteSize given ? given : ByteSize.parse(value.toString());
            if (size.compareTo(least) < 0) {
                throw new IllegalArgumentException();
            }
            return size;
        });
    }

    /** An optional size. Without a value it follows from other settings. */
    public static Setting<Optional<ByteSize>> optionalSize(String name, String defaultText, String doc) {
        Setting<ByteSize> given = size(name, new ByteSize(0), new ByteSize(0), doc);
        return new Setting<>(
                name,
                given.form(),
                Optional.empty(),
                defaultText,
                doc,
                value -> Optional.of(given.parser.apply(value)));
    }

    /** A duration in milliseconds with a minimum. */
    public static Setting<Duration> millis(String name, long least, long defaultMillis, String doc) {
        String form = "milliseconds, from " + least;
        return new Setting<>(
                name, form, Duration.ofMillis(defaultMillis), String.valueOf(defaultMillis), doc, value -> {
                    long millis = value instanceof Duration given
                            ? given.toMillis()
                            : Long.parseLong(value.toString().strip());
                    if (millis < least || millis > Integer.MAX_VALUE) {
                        throw new IllegalArgumentException();
                    }
                    return Duration.ofMillis(millis);
                });
    }

    /** A duration in milliseconds with a minimum, or a word for no duration, which gives empty. */
    public static Setting<Optional<Duration>> millisOrWord(
            String name, String word, Duration least, Optional<Duration> defaultValue, String doc) {
        String form = word + ", or milliseconds from " + least.toMillis();
        String defaultText =
                defaultValue.map(given -> String.valueOf(given.toMillis())).orElse(word);
        return new Setting<>(name, form, defaultValue, defaultText, doc, value -> {
            String text = value.toString().strip();
            if (text.equalsIgnoreCase(word)) {
                return Optional.empty();
            }
            long millis = value instanceof Duration given ? given.toMillis() : Long.parseLong(text);
            if (millis < least.toMillis() || millis > LONGEST.toMillis()) {
                throw new IllegalArgumentException();
            }
            return Optional.of(Duration.ofMillis(millis));
        });
    }

    /** One of the constants of an enum, in lower case, with hyphens. */
    public static <E extends Enum<E>> Setting<E> choice(String name, E defaultValue, String doc) {
        List<E> choices = List.of(defaultValue.getDeclaringClass().getEnumConstants());
        List<String> names = choices.stream().map(Setting::nameOf).toList();
        return new Setting<>(name, String.join(", ", names), defaultValue, nameOf(defaultValue), doc, value -> {
            int index = names.indexOf(value.toString().strip().toLowerCase(Locale.ROOT));
            if (index < 0) {
                throw new IllegalArgumentException();
            }
            return choices.get(index);
        });
    }

    /**
     * Regular expressions for whole names: a list, or a text separated by commas. Empty by default.
     */
    public static Setting<List<String>> patterns(String name, String defaultText, String doc) {
        return new Setting<>(name, "regular expressions, separated by commas", List.of(), defaultText, doc, value -> {
            Collection<?> parts = value instanceof Collection<?> list
                    ? list
                    : Arrays.asList(value.toString().split(",", -1));
            List<String> patterns = new ArrayList<>();
            for (Object part : parts) {
                String pattern = String.valueOf(part).strip();
                if (!pattern.isEmpty()) {
                    patterns.add(compiled(pattern));
                }
            }
            return List.copyOf(patterns);
        });
    }

    /** Words: a list, or a text separated by commas. Empty by default. */
    public static Setting<List<String>> words(String name, String form, String doc) {
        return new Setting<>(name, form, List.of(), "none", doc, value -> {
            Collection<?> parts = value instanceof Collection<?> list
                    ? list
                    : Arrays.asList(value.toString().split(",", -1));
            return parts.stream()
                    .map(part -> String.valueOf(part).strip())
                    .filter(part -> !part.isEmpty())
                    .toList();
        });
    }

    private static String compiled(String pattern) {
        try {
            return Pattern.compile(pattern).pattern();
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static String nameOf(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The full name, with the prefix. */
    public String name() {
        return PREFIX + name;
    }

    /** The form of a value, for messages. */
    public String form() {
        return form;
    }

    /** The default; in words if it is not a value. */
    public String defaultText() {
        return defaultText;
    }

    /** One sentence for users. */
    public String doc() {
        return doc;
    }

    /** The value if the setting is not given. */
    public T defaultValue() {
        return defaultValue;
    }

    /**
     * Parses a value.
     *
     * @throws InvalidSettingsException fatal: the value does not have the form of this setting
     */
    T parse(Object value) {
        try {
            return parser.apply(value);
        } catch (IllegalArgumentException e) {
            throw new InvalidSettingsException(
                    "Cannot use setting " + name() + ": '" + value + "' is not of its form. Give " + form + ".", e);
        }
    }

    @Override
    public String toString() {
        return name();
    }
}
