package dev.blobshuffle.bench.command;

import dev.blobshuffle.bench.cloud.CloudCheck;
import dev.blobshuffle.bench.cloud.CloudCheckPlan;
import dev.blobshuffle.cli.option.Quantity;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.pricing.PriceTables;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The command {@code blobshuffle bench cloud-check}: checks a bucket with everything that an
 * application does to it.
 */
@Command(
        name = "cloud-check",
        exitCodeList = {"0:no errors, and nothing is left", "1:errors"},
        description = {
            "Tries a bucket: checks, the contract of a store, a small shuffle, a latency profile, and their cost.",
            "Writes about 200 MiB below a random prefix of its own, changes nothing else, and deletes it at the end,",
            "also after a failure and Ctrl-C. Takes some minutes and less than a cent in the bucket's region."
        },
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class CloudCheckCommand implements Callable<Integer> {
    @Parameters(
            index = "0",
            paramLabel = "STORE",
            description = "The bucket, with a prefix if you like, as in blobshuffle.store: s3://, gs:// or az://.")
    private String store;

    @Option(
            names = "--requests",
            defaultValue = "30",
            description = "Puts, and as many gets, of 1 MiB and of 4 MiB for the latency profile.")
    private int requests;

    @Option(
            names = "--profile-out",
            paramLabel = "FILE",
            description = "File for the latency profile, for `bench paper --profile`.")
    private @Nullable Path profile;

    @Option(
            names = "--prices",
            paramLabel = "NAME|FILE",
            description = "Prices, as in blobshuffle.store.prices (by the store's URI).")
    private @Nullable String prices;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "30s",
            converter = Quantity.Time.class,
            description = "How long an answer to a check may take.")
    private Duration timeout;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException, IOException {
        PrintWriter out = spec.commandLine().getOut();
        try (SystemTime time = new SystemTime()) {
            CloudCheck check;
            try {
                check = new CloudCheck(store, plan(), time, line -> {
                    out.println(line);
                    out.flush();
                });
            } catch (InvalidSettingsException e) {
                throw new CommandLine.ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
            }
            return check.run() ? 0 : 1;
        }
    }

    private CloudCheckPlan plan() {
        Map<String, String> settings = new HashMap<>();
        settings.put("blobshuffle.store", store);
        if (prices != null) {
            settings.put("blobshuffle.store.prices", prices);
        }
        return new CloudCheckPlan(
                requests, timeout, PriceTables.of(KafkaSettings.parse(settings)), Optional.ofNullable(profile));
    }
}
