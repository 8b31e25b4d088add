package dev.blobshuffle.cli.messaging;

import dev.blobshuffle.cli.option.Quantity;
import dev.blobshuffle.core.internal.log.RetentionRule;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads how long a topic keeps its records: {@code forever}, {@code consumed} or a time. */
public final class RetentionOption implements ITypeConverter<RetentionRule> {
    /** Made by the command line. */
    public RetentionOption() {}

    @Override
    public RetentionRule convert(String text) {
        if (text.equals("forever")) {
            return new RetentionRule.Forever();
        }
        if (text.equals("consumed")) {
            return new RetentionRule.UntilConsumed();
        }
        Duration time;
        try {
            time = new Quantity.Time().convert(text);
        } catch (TypeConversionException e) {
            throw new TypeConversionException(
                    "Cannot read '" + text + "'. Give forever, consumed, or a time such as 24h or 7d.");
        }
        if (time.toMillis() < 1) {
            throw new TypeConversionException("Cannot keep records for '" + text + "'. Give 1ms or more.");
        }
        return new RetentionRule.For(time);
    }
}
