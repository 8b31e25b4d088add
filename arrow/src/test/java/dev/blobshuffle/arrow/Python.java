package dev.blobshuffle.arrow;

import dev.blobshuffle.testkit.internal.servers.FlightPrograms;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The Python package with pyarrow; without pyarrow the test is skipped. Stateless. */
final class Python {
    private static final Path PROGRAMS = Path.of("..", "flight-daemon", "src", "test", "python");

    private Python() {}

    /** What the program of the module flight-daemon says of its arguments. */
    static String shuffle(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(program("shuffle.py")));
        command.addAll(List.of(arguments));
        return run(command);
    }

    /** The path of a program of the module flight-daemon. */
    static String program(String name) {
        return PROGRAMS.resolve(name).toAbsolutePath().toString();
    }

    /** What Python prints. */
    static String run(List<String> arguments) throws IOException, InterruptedException {
        return FlightPrograms.run(FlightPrograms.python(arguments));
    }
}
