package dev.blobshuffle.cli.json;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.core.util.Separators.Spacing;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import java.io.IOException;
import java.util.Locale;

/**
 * Writes JSON: maps (in their order) as objects, lists as arrays, text, numbers, booleans and null,
 * indented by two spaces. Numbers that are not finite become null. Stateless.
 */
public final class Json {
    private static final ObjectMapper MAPPER =
            new ObjectMapper().registerModule(new SimpleModule().addSerializer(Double.class, new Decimals()));
    private static final ObjectWriter LINE = MAPPER.writer(new OneLine());
    private static final ObjectWriter DOCUMENT = MAPPER.writer(document());

    private Json() {}

    /**
     * The JSON text of a value, with a final line end.
     *
     * @throws IllegalArgumentException if it contains a value that JSON cannot express
     */
    public static String write(Object value) {
        return text(DOCUMENT, value);
    }

    /**
     * The JSON text of a value on one line, for a stream of values.
     *
     * @throws IllegalArgumentException like {@link #write}
     */
    public static String line(Object value) {
        return text(LINE, value);
    }

    private static String text(ObjectWriter writer, Object value) {
        try {
            return writer.writeValueAsString(value) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("Cannot write as JSON: " + e.getOriginalMessage(), e);
        }
    }

    private static DefaultPrettyPrinter document() {
        Separators separators = Separators.createDefaultInstance()
                .withObjectFieldValueSpacing(Spacing.AFTER)
                .withObjectEmptySeparator("")
                .withArrayEmptySeparator("");
        DefaultPrettyPrinter printer = new DefaultPrettyPrinter(separators);
        DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
        printer.indentObjectsWith(indenter);
        printer.indentArraysWith(indenter);
        return printer;
    }

    /** No line end, and a space after each colon as in a document. */
    private static final class OneLine extends MinimalPrettyPrinter {
        private static final long serialVersionUID = 1L;

        @Override
        public void writeObjectFieldValueSeparator(JsonGenerator out) throws IOException {
            out.writeRaw(": ");
        }
    }

    /**
     * At most three decimals, without trailing zeros: milliseconds to the microsecond. Numbers
     * below 1, such as ratios, have up to six.
     */
    private static final class Decimals extends StdSerializer<Double> {
        private static final long serialVersionUID = 1L;

        Decimals() {
            super(Double.class);
        }

        @Override
        public void serialize(Double number, JsonGenerator out, SerializerProvider provider) throws IOException {
            if (!Double.isFinite(number)) {
                out.writeNull();
                return;
            }
            String format = Math.abs(number) < 1 ? "%.6f" : "%.3f";
            out.writeNumber(String.format(Locale.ROOT, format, number).replaceAll("\\.?0+$", ""));
        }
    }
}
