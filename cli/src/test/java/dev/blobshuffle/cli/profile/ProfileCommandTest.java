package dev.blobshuffle.cli.profile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.cli.Main;
import dev.blobshuffle.cli.option.Profiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Uses profiles as a user does, with an empty home directory and a controlled environment. */
class ProfileCommandTest {
    @TempDir
    private Path home;

    private String output = "";

    @Test
    void whatIsCreatedIsTheDefaultOfCommandsAndOptionsWin() throws Exception {
        assertThat(run(
                        Map.of(),
                        "profile",
                        "create",
                        "dev",
                        "--application-id",
                        "orders",
                        "--bootstrap",
                        "127.0.0.1:1"))
                .isZero();

        assertThat(process(Map.of(), "drained")).isEqualTo(1);
        assertThat(output).contains("whether orders is drained", "connection refused at 127.0.0.1:1");
        assertThat(process(Map.of(), "drained", "--application-id", "bills")).isEqualTo(1);
        assertThat(output).contains("whether bills is drained", "127.0.0.1:1");
        assertThat(process(Map.of("BLOBSHUFFLE_PROFILE", ""), "drained")).isEqualTo(2);
        assertThat(output).contains("Give --application-id, or --config or --profile");
    }

    @Test
    void anotherIsUsedListedAndDeleted() throws Exception {
        run(Map.of(), "profile", "create", "dev", "--bootstrap", "127.0.0.1:1");
        run(Map.of(), "profile", "create", "prod", "--bootstrap", "127.0.0.1:2");

        assertThat(run(Map.of(), "profile", "list")).isZero();
        assertThat(output).isEqualTo("  dev\n* prod\n");
        assertThat(run(Map.of(), "profile", "use", "dev")).isZero();
        assertThat(run(Map.of(), "profile", "list")).isZero();
        assertThat(output).isEqualTo("* dev\n  prod\n");
        assertThat(run(Map.of("BLOBSHUFFLE_PROFILE", "prod"), "profile", "show"))
                .isZero();
        assertThat(output).isEqualTo("bootstrap.servers=127.0.0.1:2\n");

        assertThat(run(Map.of(), "profile", "delete", "dev")).isZero();
        assertThat(run(Map.of(), "profile", "list")).isZero();
        assertThat(output).isEqualTo("  prod\n");
        assertThat(run(Map.of(), "profile", "show")).isEqualTo(2);
        assertThat(output).contains("none is in use");
    }

    @Test
    void onlyTheUserReadsAProfileAndSecretsAreNotPrinted() throws Exception {
        Path from = Files.writeString(
                home.resolve("client.properties"),
                "sasl.jaas.config=module required password\\=\"hunter2\";\nssl.key.password=hunter2\n"
                        + "blobshuffle.peer.secret.file=/etc/peer\nssl.keystore.password=${file:/etc/secret:key}\n");

        assertThat(run(
                        Map.of(),
                        "profile",
                        "create",
                        "dev",
                        "--from",
                        from.toString(),
                        "--log",
                        "postgresql://user:hunter2@db/app"))
                .isZero();
        assertThat(output).doesNotContain("hunter2");
        assertThat(run(Map.of(), "profile", "show")).isZero();

        assertThat(output)
                .contains("sasl.jaas.config=(hidden)", "ssl.key.password=(hidden)", "secret.file=/etc/peer")
                .contains("ssl.keystore.password=${file:", "postgresql://(hidden)@db/app")
                .doesNotContain("hunter2");
        Path file = home.resolve("blobshuffle/dev.properties");
        assertThat(Files.readString(file)).contains("hunter2");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
                .isEqualTo("rwx------");
    }

    @Test
    void anEditorChangesAProfileAndOneThatBreaksItIsUndone() throws Exception {
        run(Map.of(), "profile", "create", "dev", "--set", "client.dns.lookup=use_all_dns_ips");

        assertThat(run(Map.of("EDITOR", "sed -i s/use_all_dns_ips/default/"), "profile", "edit"))
                .as(output)
                .isZero();
        assertThat(run(Map.of(), "profile", "show")).isZero();
        assertThat(output).isEqualTo("client.dns.lookup=default\n");

        String breaking = "sed -i s/=default/=\\\\\\\\u00zz/";
        assertThat(run(Map.of("EDITOR", breaking), "profile", "edit", "dev")).isEqualTo(2);
        assertThat(output).contains("The profile is as it was before.");
        assertThat(run(Map.of(), "profile", "show")).isZero();
        assertThat(output).isEqualTo("client.dns.lookup=default\n");
        assertThat(run(Map.of("EDITOR", "false"), "profile", "edit")).isEqualTo(2);
        assertThat(output).contains("ended with status 1");
    }

    @Test
    void wrongNamesAreWrongUsage() throws Exception {
        run(Map.of(), "profile", "create", "dev");

        assertThat(run(Map.of(), "profile", "create", "dev")).isEqualTo(2);
        assertThat(output).contains("there is one");
        assertThat(run(Map.of(), "profile", "create", "../dev")).isEqualTo(2);
        assertThat(output).contains("Cannot use profile '../dev'");
        assertThat(run(Map.of(), "profile", "use", "none")).isEqualTo(2);
        assertThat(output).contains("Give one of: dev.");
        assertThat(run(Map.of(), "profile", "delete", "none")).isEqualTo(2);
        assertThat(run(Map.of(), "profile")).isEqualTo(2);
    }

    /** Runs a command in this JVM. */
    private int run(Map<String, String> environment, String... arguments) {
        StringWriter out = new StringWriter();
        PrintWriter writer = new PrintWriter(out);
        CommandLine command = new CommandLine(
                        new ProfileCommand(new Profiles(home.resolve("blobshuffle"), environment)))
                .setOut(writer)
                .setErr(writer);
        int status = command.execute(Arrays.copyOfRange(arguments, 1, arguments.length));
        output = out.toString();
        return status;
    }

    /** Runs a command in a process, with these environment variables added. */
    private int process(Map<String, String> environment, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().remove(Profiles.VARIABLE);
        builder.environment().putAll(environment);
        builder.environment().put("XDG_CONFIG_HOME", home.toString());
        Process process = builder.start();
        output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor();
    }
}
