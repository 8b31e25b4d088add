package dev.blobshuffle.cli.flight;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Checks the options of the daemon against the guide, and the combinations that it refuses. */
class FlightOptionsTest {
    private static final Path GUIDE = Path.of("..", "docs", "guides", "flight.md");

    @TempDir
    private Path directory;

    @Test
    void theGuideNamesEveryOptionAndItsDefault() throws IOException {
        List<String> rows = Files.readAllLines(GUIDE).stream()
                .filter(line -> line.startsWith("| `--"))
                .toList();
        for (OptionSpec option :
                new CommandLine(new FlightServeCommand()).getCommandSpec().options()) {
            if (option.usageHelp() || option.versionHelp()) {
                continue;
            }
            List<String> about = rows.stream()
                    .filter(row -> row.split("\\|")[1].matches(".*`" + option.longestName() + "[` ].*"))
                    .toList();
            assertThat(about)
                    .as("rows of %s in %s", option.longestName(), GUIDE)
                    .hasSize(1);
            if (option.defaultValue() != null) {
                assertThat(about.get(0).split("\\|")[3])
                        .as("default of %s", option.longestName())
                        .contains('`' + option.defaultValue() + '`');
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "--connections, 1",
        "--connections-per-address, 0",
        "--first-call-time, 0s",
        "--idle-time, 0s",
        "--puts-per-tenant, 0",
        "--puts-per-tenant, 9",
        "--calls-per-tenant, 0",
        "--least-rate, 0",
        "--least-rate-time, 0s",
        "--longest-wait, 0s",
        "--connections, 2000000000"
    })
    void whatCannotBeSharedIsRefusedAndTheOptionNamed(String option, String value) {
        CommandLine serve = new CommandLine(new FlightServeCommand());
        StringWriter said = new StringWriter();
        serve.setErr(new PrintWriter(said));
        serve.setOut(new PrintWriter(new StringWriter()));

        int status = serve.execute(
                "--directory=" + directory,
                "--listen=127.0.0.1:0",
                "--insecure-loopback",
                "--memory=32MiB",
                "--put-memory=64MiB",
                "--footer-memory=1MiB",
                option + "=" + value);

        assertThat(status).isEqualTo(2);
        assertThat(said.toString()).contains("Cannot serve", option);
    }
}
