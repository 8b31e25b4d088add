package dev.blobshuffle.core.internal.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The examples in {@code docs/format.md}: hexadecimal digits with comments. */
public final class DocumentExample {
    private DocumentExample() {}

    /** The bytes of the example with a name. */
    public static byte[] bytes(String name) {
        Matcher block =
                Pattern.compile("```hex " + name + "\n(.*?)```", Pattern.DOTALL).matcher(document());
        assertThat(block.find()).as("example '%s' in docs/format.md", name).isTrue();
        String digits = block.group(1).replaceAll("(?m);.*$", "").replaceAll("\\s", "");
        return HexFormat.of().parseHex(digits);
    }

    /** The whole page. */
    public static String document() {
        try {
            return Files.readString(Path.of("../docs/format.md"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
