package dev.blobshuffle.http.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HttpVersionTest {
    /** As an application on the module path runs, and one in a runtime of {@code jlink}. */
    @ParameterizedTest
    @CsvSource({
        "java.se, 'Cannot open store s3://: this Java runtime lacks the module jdk.net, which Apache''s HTTP client needs. Start Java with --add-modules jdk.net'",
        "'java.se,jdk.net', opened"
    })
    void aRuntimeWithoutTheModuleOfApachesClientIsRefusedWithTheRemedy(String modules, String said) throws Exception {
        assertThat(run(modules)).contains(said);
    }

    private static String run(String modules) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--limit-modules", modules, "-cp", System.getProperty("java.class.path")));
        command.add(Opening.class.getName());
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }

    /** Opens a store's connections in a JVM of its own. */
    static final class Opening {
        private Opening() {}

        public static void main(String[] arguments) throws IOException {
            HttpVersion.requireSupported("s3", "software.amazon.awssdk:s3", HttpVersionTest.class);
            HttpClients.createDefault().close();
            System.out.println("opened");
        }
    }
}
