package dev.blobshuffle.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class FlightCommandTest {
    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int execute(String... arguments) {
        return new CommandLine(new FlightCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }

    @Test
    void anUnknownCodecIsRefused() {
        assertThat(execute("--codecs", "snappy")).isEqualTo(2);
        assertThat(err.toString()).contains("Cannot shuffle with codecs [snappy]: legal are none, lz4, zstd.");
    }

    @Test
    void noPartitionsAreRefused() {
        assertThat(execute("--partitions", "0")).isEqualTo(2);
        assertThat(err.toString()).contains("Cannot shuffle scale 1.0 into [0] partitions");
    }

    @Test
    void outsideACheckoutItSaysWhatIsMissing() {
        assertThat(execute("--python-project", directory.toString(), "--cache", directory.toString()))
                .isEqualTo(1);
        assertThat(err.toString()).contains("Cannot run Python's programs").contains("--python-project");
    }
}
