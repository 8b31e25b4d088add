package dev.blobshuffle.cli.option;

import dev.blobshuffle.core.failure.InvalidSettings;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** Names and forms of options that still work, and what replaces them. Stateless. */
public final class Replaced {
    /** How the description of a replaced option starts; the option is hidden. */
    private static final String MARK = "Deprecated: ";

    private Replaced() {}

    /**
     * Runs the last command of a command line. Before, prints to standard error what it should name
     * in another way.
     */
    public static int runAndWarn(ParseResult parsed) {
        Optional<ParseResult> command = Optional.of(parsed);
        while (command.isPresent()) {
            command.get().matchedOptions().forEach(Replaced::warn);
            command = Optional.ofNullable(command.get().subcommand());
        }
        return new CommandLine.RunLast().execute(parsed);
    }

    private static void warn(OptionSpec option) {
        String name = option.longestName();
        String[] description = option.description();
        if (option.hidden() && description.length > 0 && description[0].startsWith(MARK)) {
            print(option, name + " is deprecated: " + description[0].substring(MARK.length()));
        }
        for (CommandLine.ITypeConverter<?> converter : option.converters()) {
            if (converter instanceof Quantity.TakesBareNumber bare) {
                option.originalStringValues().stream()
                        .filter(Quantity::isBare)
                        .forEach(value -> print(
                                option,
                                name + " " + value + " has no unit: write " + value.strip() + bare.unit() + "."));
            }
        }
    }

    private static void print(OptionSpec option, String line) {
        option.command().commandLine().getErr().println(line);
        option.command().commandLine().getErr().flush();
    }

    /**
     * The value of an option that has replaced another.
     *
     * @param name of the option
     * @param value empty if it is not given
     * @param former the value of the option that it has replaced
     * @throws InvalidSettings fatal: both are given
     */
    public static <T> Optional<T> of(String name, @Nullable T value, @Nullable T former) {
        if (value != null && former != null) {
            throw new InvalidSettings(
                    "Cannot use both " + name + " and the option that it replaces. Give " + name + " alone.");
        }
        return Optional.ofNullable(value).or(() -> Optional.ofNullable(former));
    }
}
