package dev.blobshuffle.bench.demo.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AcknowledgementsTest {
    @TempDir
    private Path directory;

    @Test
    void numbersOfAllLivesComeBackWithoutClose() throws Exception {
        Acknowledgements first = new Acknowledgements(directory, "p.0");
        first.add(3);
        first.add(1L << 40);
        new Acknowledgements(directory, "p.1").add(3);
        Files.writeString(directory.resolve("p.0.log"), "not a number");
        assertThat(Acknowledgements.all(directory))
                .containsExactlyInAnyOrder(
                        new OrderRecord("p.0", 3, 0),
                        new OrderRecord("p.0", 1L << 40, 0),
                        new OrderRecord("p.1", 3, 0));
        first.close();
    }

    @Test
    void aNumberThatWasCutIsNoNumber() throws Exception {
        Files.write(directory.resolve("p.0.acknowledged"), new byte[] {0, 0, 0, 0, 0, 0, 0, 9, 1, 2, 3});
        assertThat(Acknowledgements.all(directory)).containsExactly(new OrderRecord("p.0", 9, 0));
    }
}
