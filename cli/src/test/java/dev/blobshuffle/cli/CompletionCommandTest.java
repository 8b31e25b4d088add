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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks the completions that a shell proposes after it has loaded the script. */
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
    void optionsAreProposed() throws Exception {
        assertThat(proposed("blobshuffle", "gc", "--"))
                .contains("--execute", "--grace", "--objection", "--config", "--profile");
    }

    @Test
    void theLauncherIsCompletedByItsNameInAnyDirectory() throws Exception {
        assertThat(bash("source \"$1\"; complete -p blobshuffle", script.toString()))
                .singleElement()
                .asString()
                .contains("-F _complete_blobshuffle");
    }

    @Test
    void fishProposesCommandsAndOptionsWhereTheyBelong() {
        String script = fishScript();

        assertThat(script)
                .contains("-n \"__blobshuffle_at ''\" -a doctor -d '")
                .contains("-n \"__blobshuffle_at 'messaging topics'\" -a list -d '")
                .contains("-n \"__blobshuffle_at 'gc'\" -l execute -d '")
                .contains("-n \"__blobshuffle_at 'profile create'\" -l bootstrap -x -d '")
                .contains("-n \"__blobshuffle_at 'status'\" -l config -rF -d '")
                .doesNotContain("grace-seconds", "command-config");
    }

    /**
     * Runs nightly only: the build does not install fish, because its package may upgrade others.
     */
    @Tag("nightly")
    @Test
    void fishCompletesByTheScript() throws Exception {
        Path file = Files.writeString(directory.resolve("completion.fish"), fishScript());
        Process fish = InstalledTool.start(
                new ProcessBuilder(
                        "fish",
                        "--no-config",
                        "-c",
                        "source " + file + "; complete -C 'blobshuffle d'; complete -C 'blobshuffle gc --gr'"),
                "apt-get install fish");
        String output = new String(fish.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(fish.waitFor()).as(output).isZero();
        assertThat(output.lines().map(line -> line.split("\t")[0])).containsExactly("doctor", "drained", "--grace");
    }

    private static String fishScript() {
        StringWriter text = new StringWriter();
        assertThat(Main.commandLine().setOut(new PrintWriter(text)).execute("completion", "fish"))
                .isZero();
        return text.toString();
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
