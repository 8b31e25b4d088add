package dev.blobshuffle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

class StandardOutputTest {
    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

    @Test
    void outputThatIsLostIsAFailure() {
        StandardOutput output = failing("No space left on device");
        output.stream().println("result");
        assertThat(status(output, 0)).isEqualTo(1);
        assertThat(errors.toString()).startsWith("Cannot write the output: No space left on device.");
        assertThat(status(output, 2)).isEqualTo(2);
    }

    @Test
    void aReaderThatHasEnoughIsNone() {
        StandardOutput output = failing("Broken pipe");
        output.stream().println("result");
        assertThat(status(output, 0)).isZero();
        assertThat(errors.toString()).isEmpty();
    }

    @Test
    void outputThatArrivesIsNone() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        StandardOutput output = new StandardOutput(bytes);
        output.stream().println("result");
        output.stream().write('x');
        assertThat(status(output, 0)).isZero();
        assertThat(bytes.toString()).startsWith("result");
    }

    /** Java 18 and later take it from the terminal, not from the default encoding. */
    @Test
    void theEncodingStaysJavas() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        String before = System.setProperty("stdout.encoding", "ISO-8859-1");
        try {
            new StandardOutput(bytes).stream().print("ü");
        } finally {
            if (before == null) {
                System.clearProperty("stdout.encoding");
            } else {
                System.setProperty("stdout.encoding", before);
            }
        }
        assertThat(bytes.toByteArray()).containsExactly(0xFC);
    }

    private int status(StandardOutput output, int status) {
        return output.status(status, new PrintStream(errors, true));
    }

    private static StandardOutput failing(String reason) {
        return new StandardOutput(new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                throw new IOException(reason);
            }
        });
    }
}
