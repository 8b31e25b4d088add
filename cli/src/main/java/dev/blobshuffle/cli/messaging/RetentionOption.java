package dev.blobshuffle.cli.messaging;

import dev.blobshuffle.cli.option.Quantity;
import dev.blobshuffle.log.internal.RetentionRule;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Parses the retention of a topic: {@code forever}, {@code consumed}, {@code consumed:30d} or a
 * time.
 */
public final class RetentionOption implements ITypeConverter<RetentionRule> {
    private static final String CONSUMED = "consumed";

    /** Created by the command line. */
    public RetentionOption() {}

    @Override
    public RetentionRule convert(String text) {
        if (text.equals("forever")) {
            return new RetentionRule.Forever();
        }
        if (text.equals(CONSUMED)) {
            return new RetentionRule.UntilConsumed();
        }
        return text.startsWith(CONSUMED + ":")
                ? new RetentionRule.UntilConsumed(Optional.of(time(text, text.substring(CONSUMED.length() + 1))))
                : new RetentionRule.For(time(text, text));
    }

    private static Duration time(String text, String part) {
        Duration time;
        try {
            time = new Quantity.Time().convert(part);
        } catch (TypeConversionException e) {
            throw new TypeConversionException(
                    "Cannot read '" + text + "'. Give forever, a time such as 24h or 7d, consumed, or consumed:30d.");
        }
        if (!RetentionRule.isLegal(time)) {
            throw new TypeConversionException(
                    "Cannot keep records for '" + text + "'. Give 1ms to 36500d, or forever.");
        }
        return time;
    }
}
