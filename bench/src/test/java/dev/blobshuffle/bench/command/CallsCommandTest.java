package dev.blobshuffle.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class CallsCommandTest {
    @ParameterizedTest
    @ValueSource(strings = {"--rows=none", "--seconds=0"})
    void whatCannotBeMeasuredIsRefused(String option) {
        StringWriter err = new StringWriter();
        int exit =
                new CommandLine(new CallsCommand()).setErr(new PrintWriter(err)).execute(option);

        assertThat(exit).isEqualTo(2);
        assertThat(err.toString()).contains("Cannot measure rows").contains("table-2-5ms, table-2-20ms");
    }
}
