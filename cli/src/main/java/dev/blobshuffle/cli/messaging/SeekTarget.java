package dev.blobshuffle.cli.messaging;

import dev.blobshuffle.cli.option.Quantity;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Where to move a group. */
sealed interface SeekTarget {
    /** The first record that is left. */
    record Start() implements SeekTarget {}

    /** After the last record. */
    record End() implements SeekTarget {}

    /** The first record that was committed at a time or later. */
    record At(Instant time) implements SeekTarget {}

    /** The same, by the log's clock. */
    record Ago(Duration time) implements SeekTarget {}

    /** Reads {@code start}, {@code end}, a point in time, or a time ago. */
    final class Converter implements ITypeConverter<SeekTarget> {
        /** Made by the command line. */
        public Converter() {}

        @Override
        public SeekTarget convert(String text) {
            if (text.equals("start")) {
                return new Start();
            }
            if (text.equals("end")) {
                return new End();
            }
            try {
                return text.indexOf('T') > 0 ? new At(Instant.parse(text)) : new Ago(ago(text));
            } catch (DateTimeParseException | TypeConversionException e) {
                throw new TypeConversionException("Cannot read '" + text
                        + "'. Give start, end, a time ago such as 15m, or a point in time such as"
                        + " 2026-01-31T12:00:00Z.");
            }
        }

        private static Duration ago(String text) {
            Duration time = new Quantity.Time().convert(text);
            if (time.isNegative()) {
                throw new TypeConversionException("negative");
            }
            return time;
        }
    }
}
