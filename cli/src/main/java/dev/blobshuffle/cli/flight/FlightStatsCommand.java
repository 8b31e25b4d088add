package dev.blobshuffle.cli.flight;

import dev.blobshuffle.cli.option.ExitStatus;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.flight.FlightServer;
import dev.blobshuffle.flight.FlightShuffles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code blobshuffle flight stats}: prints the statistics of a daemon. */
@Command(
        name = "stats",
        exitCodeList = {"0:shown", "1:the daemon does not answer"},
        mixinStandardHelpOptions = true,
        description = "Shows the state of a daemon as JSON.")
public final class FlightStatsCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--server",
            defaultValue = "127.0.0.1:8815",
            paramLabel = "HOST:PORT",
            description = "The daemon (default: ${DEFAULT-VALUE}).")
    private String server;

    @Option(names = "--insecure-loopback", description = "The daemon has no TLS and no tokens.")
    private boolean isInsecure;

    @Option(names = "--tls-trust", paramLabel = "FILE", description = "PEM: authority of the daemon's certificate.")
    private @Nullable Path trust;

    @Option(names = "--token-file", paramLabel = "FILE", description = "A file whose content is the token.")
    private @Nullable Path token;

    /** Created by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public FlightStatsCommand() {}

    @Override
    public Integer call() {
        try (FlightShuffles shuffles = FlightShuffles.connect(address(), "default")) {
            spec.commandLine().getOut().println(shuffles.stats());
            return 0;
        } catch (BlobShuffleException e) {
            spec.commandLine().getErr().println(e.getMessage());
            return ExitStatus.of(e);
        }
    }

    private FlightServer address() {
        Endpoint endpoint = Endpoint.parse(server);
        if (isInsecure) {
            return new FlightServer(endpoint.host(), endpoint.port(), Optional.empty(), Optional.empty());
        }
        if (token == null) {
            throw new InvalidSettingsException(
                    "Cannot ask " + endpoint + ": it needs a token. Give --token-file, or --insecure-loopback.");
        }
        try {
            PrivateFiles.check(token);
            String text = Files.readString(token).strip();
            return new FlightServer(endpoint.host(), endpoint.port(), Optional.ofNullable(trust), Optional.of(text));
        } catch (IOException e) {
            throw new InvalidSettingsException(
                    "Cannot read the token: " + e + ". Give a file whose content is the token.", e);
        }
    }
}
