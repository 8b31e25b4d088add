package dev.blobshuffle.cli.plan;

import dev.blobshuffle.core.internal.pricing.PriceTable;
import dev.blobshuffle.core.internal.pricing.PriceTables;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of commands that compare costs: whose prices, and JSON. The command line fills it. */
final class CostOptions {
    @Option(
            names = "--provider",
            paramLabel = "NAME",
            description =
                    "Whose prices: aws, aws-s3-express, gcp, azure, r2 or self-hosted (default: ${DEFAULT-VALUE}).")
    private String provider = "aws";

    @Option(
            names = "--prices",
            paramLabel = "FILE",
            description = "Your own price table, as docs/guides/planner.md describes.")
    private @Nullable Path prices;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            arity = "0..1",
            fallbackValue = "",
            description = "Print the costs as JSON, or write them into a file.")
    @Nullable
    String json;

    PriceTable table() {
        return prices == null ? PriceTables.named(provider.toLowerCase(Locale.ROOT)) : PriceTables.read(prices);
    }
}
