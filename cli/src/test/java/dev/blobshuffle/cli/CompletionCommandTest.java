package dev.blobshuffle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What bash proposes when it has read the script. */
class CompletionCommandTest {
    @TempDir
    private Path directory;

    private Path script;

    @BeforeEach
    void printScript() throws IOException {
        StringWriter text = new StringWriter();
        assertThat(Main.commandLine().setOut(new PrintWriter(text)).execute("completion"))
                .isZero();
        script = Files.writeString(directory.resolve("completion.sh"), text.toString());
    }

    @Test
    void commandsAreProposed() throws Exception {
        assertThat(proposed("blobshuffle", "d")).containsExactlyInAnyOrder("doctor", "drained");
    }

    @Test
    void optionsAreProposedButNotTheDeprecatedOnes() throws Exception {
        assertThat(proposed("blobshuffle", "gc", "--"))
                .contains("--execute", "--grace", "--objection", "--config", "--profile")
                .doesNotContain("--delete", "--grace-seconds", "--command-config");
    }

    @Test
    void theLauncherIsCompletedByItsNameInAnyDirectory() throws Exception {
        assertThat(bash("source \"$1\"; complete -p blobshuffle", script.toString()))
                .singleElement()
                .asString()
                .contains("-F _complete_blobshuffle");
    }

    private List<String> proposed(String... words) throws Exception {
        String program = "source \"$1\"; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); COMP_LINE=\"$*\";"
                + " COMP_POINT=${#COMP_LINE}; COMP_TYPE=9; _complete_blobshuffle; printf '%s\\n' \"${COMPREPLY[@]}\"";
        String[] arguments = new String[words.length + 1];
        arguments[0] = script.toString();
        System.arraycopy(words, 0, arguments, 1, words.length);
        return bash(program, arguments);
    }

    private static List<String> bash(String program, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("bash", "-c", program, "bash"));
        command.addAll(List.of(arguments));
        Process bash = InstalledTool.start(new ProcessBuilder(command), "apt-get install bash");
        String output = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(bash.waitFor()).as(output).isZero();
        return output.lines().toList();
    }
}
