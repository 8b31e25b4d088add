package dev.blobshuffle.cli.messaging;

import dev.blobshuffle.cli.option.Quantity;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The target position of a seek. */
sealed interface SeekTarget {
    /** The first retained record. */
    record Start() implements SeekTarget {}

    /** After the last record. */
    record End() implements SeekTarget {}

    /** The first record committed at this time or later. */
    record At(Instant time) implements SeekTarget {}

    /** The first record committed within this time before now, by the log's clock. */
    record Ago(Duration time) implements SeekTarget {}

    /** Parses {@code start}, {@code end}, a point in time, or a time ago. */
    final class Converter implements ITypeConverter<SeekTarget> {
        /** Created by the command line. */
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
