package dev.blobshuffle.cli.messaging;

import dev.blobshuffle.cli.option.ConfigOptions;
import dev.blobshuffle.cli.option.ExitStatus;
import dev.blobshuffle.cli.option.PrintableText;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.CommitLogs;
import dev.blobshuffle.messaging.internal.MessagingSettings;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Options that select a commit log and the output format, shared by commands. Filled by the command
 * line; owned by the command.
 */
public final class LogOptions {
    /** Exit status: the specified resource does not exist, or already exists. */
    static final int NOT_DONE = 1;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Mixin
    private ConfigOptions config;

    @Option(
            names = "--log",
            paramLabel = "URI",
            description = "The commit log, as in blobshuffle.log (default: from --config or --profile).")
    private @Nullable String log;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    /** Created by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public LogOptions() {}

    /** The action of a command. */
    interface Action {
        /** Runs the action and returns the exit status. */
        int run(PrintWriter out) throws InterruptedException;
    }

    /** The action of a command on an open log. */
    interface LogAction {
        /** Runs the action and returns the exit status. */
        int run(OpenLog log, PrintWriter out) throws InterruptedException;
    }

    ConfigOptions config() {
        if (log != null) {
            config.ignoreCurrent();
        }
        return config;
    }

    boolean isJson() {
        return json;
    }

    /** A writer that does not escape text. The caller escapes control sequences. */
    PrintWriter escapedOut() {
        return spec.commandLine().getOut();
    }

    /** Whether the reader of the output has closed its pipe. */
    boolean isOutputClosed() {
        return spec.commandLine().getOut().checkError();
    }

    /**
     * The URI of the log.
     *
     * @throws InvalidSettingsException no option or setting specifies a log
     */
    String uri() {
        return config().log(log)
                .orElseThrow(
                        () -> new InvalidSettingsException("Cannot find the commit log: none is named. Give --log, or"
                                + " --config or --profile with " + MessagingSettings.LOG.name() + "."));
    }

    /**
     * Runs an action. If it fails, prints the reason and the remedy.
     *
     * @param what completes "Cannot …" for failures whose message lacks it
     */
    int run(String what, Action action) {
        PrintWriter out = PrintableText.to(spec.commandLine().getOut());
        PrintWriter err = PrintableText.to(spec.commandLine().getErr());
        int status = ExitStatus.FAILED;
        try {
            status = action.run(out);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            err.println("Cannot " + what + ": interrupted. Run it again.");
        } catch (BlobShuffleException | IllegalStateException | IllegalArgumentException e) {
            reasons(e).forEach(err::println);
            status = ExitStatus.of(e);
        }
        out.flush();
        err.flush();
        return status;
    }

    /** The message of a failure, then those of its BlobShuffle causes, without duplicates. */
    static List<String> reasons(Throwable failure) {
        List<String> reasons = new ArrayList<>(List.of(String.valueOf(failure.getMessage())));
        for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
            String message = cause.getMessage();
            boolean isNew = message != null && reasons.stream().noneMatch(known -> known.contains(message));
            if (cause instanceof BlobShuffleException && isNew) {
                reasons.add("Reason: " + message);
            }
        }
        return reasons;
    }

    /** Runs an action with the log, and closes the log. */
    int withLog(String what, LogAction action) {
        return run(what, out -> {
            try (SystemTime time = new SystemTime();
                    CommitLog opened = CommitLogs.open(uri(), "blobshuffle-tools", time)) {
                return action.run(new OpenLog(opened, time), out);
            }
        });
    }
}
