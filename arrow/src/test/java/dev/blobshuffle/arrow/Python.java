package dev.blobshuffle.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The Python package with pyarrow, in an environment of the build. Stateless. */
final class Python {
    private static final Path SHUFFLES = Path.of("..", "flight", "src", "test", "python", "shuffle.py");

    private Python() {}

    /** What the module flight's program says of its arguments. */
    static String shuffle(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(SHUFFLES.toAbsolutePath().toString()));
        command.addAll(List.of(arguments));
        return run(command);
    }

    /** What Python prints. */
    static String run(List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(interpreter().toString()));
        command.addAll(arguments);
        return output(command);
    }

    /** That of the package's own tests, of the module flight, or one of this module. */
    private static Path interpreter() throws IOException, InterruptedException {
        Path own = Path.of("target", "venv").toAbsolutePath();
        Path found = Stream.of(Path.of("..", "python", ".venv"), Path.of("..", "flight", "target", "venv"), own)
                .map(environment -> environment.toAbsolutePath().resolve("bin").resolve("python"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(own.resolve("bin").resolve("python"));
        if (!Files.isExecutable(found)) {
            output(List.of("python3", "-m", "venv", own.toString()));
            output(List.of(found.toString(), "-m", "pip", "install", "-q", "../python"));
        }
        return found;
    }

    private static String output(List<String> command) throws IOException, InterruptedException {
        Path output = Files.createTempFile("python", ".log");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            boolean isEnded = process.waitFor(10, TimeUnit.MINUTES);
            String text = Files.readString(output);
            assertThat(isEnded && process.exitValue() == 0)
                    .as("%s: %s", command, text)
                    .isTrue();
            return text;
        } finally {
            Files.delete(output);
        }
    }
}
