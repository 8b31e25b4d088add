package dev.blobshuffle.examples.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrintedPageTest {
    private static final String TEXT = """
            # Page
            Text, and a command in it: `./blobshuffle plan
            --throughput 1MiB/s`.

                ./run one \\
                    --more
                ./run two

            1. A step:

               ```properties
               name=HOST
               ```

            2. Another one
               goes on:

                   ./run three
            """;

    @TempDir
    private Path directory;

    @Test
    void blocksComeInTheirOrderInListsToo() throws IOException {
        PrintedPage page = page(TEXT).replacing("HOST", "localhost");

        assertThat(page.next("", "one").without("./run one", "a reason").text()).isEqualTo("./run two");
        assertThat(page.next("properties", "name").settings()).containsEntry("name", "localhost");
        assertThat(page.next("", "three").text()).isEqualTo("./run three\n");
        assertThat(page.inline("plan")).isEqualTo("./blobshuffle plan --throughput 1MiB/s");
        page.end();
    }

    @Test
    void aBlockThatIsNeitherTakenNorLeftFails() throws IOException {
        PrintedPage page = page(TEXT);
        page.leave("", "one", "a reason");
        page.leave("properties", "name", "a reason");

        assertThatThrownBy(page::end).isInstanceOf(AssertionError.class).hasMessageContaining("three");
    }

    @Test
    void anotherBlockThanExpectedFails() throws IOException {
        assertThatThrownBy(() -> page(TEXT).next("", "three")).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> page(TEXT).next("yaml", "one")).isInstanceOf(AssertionError.class);
    }

    @Test
    void replacingWhatIsNotPrintedFails() throws IOException {
        PrintedPage page = page(TEXT);
        assertThatThrownBy(() -> page.replacing("ADDRESS", "localhost")).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> page.next("", "one").without("./run four", "a reason"))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void aCommandThatTheToolDoesNotKnowFails() throws IOException {
        PrintedPage page = page("Run `./blobshuffle plan --thruput 1MiB/s`.\n");

        assertThatThrownBy(page::end).isInstanceOf(AssertionError.class).hasMessageContaining("--thruput");
    }

    private PrintedPage page(String text) throws IOException {
        return PrintedPage.open(
                Files.writeString(directory.resolve("page.md"), text).toString());
    }
}
