package dev.blobshuffle.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.pricing.PriceTables;
import dev.blobshuffle.planner.messaging.Assumptions;
import dev.blobshuffle.planner.messaging.AssumptionsFile;
import dev.blobshuffle.planner.messaging.MessagingCost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * Checks that the table in the planner's guide equals the model's result for the shipped
 * assumptions.
 */
class MessagingCostDocsTest {
    private static final Path PAGE = Path.of("..", "docs", "guides", "planner.md");
    private static final String BEGIN = "<!-- begin: plan messaging -->\n";
    private static final String END = "<!-- end: plan messaging -->\n";

    @Test
    void thePageHasTheTableOfTheModel() throws IOException {
        Assumptions shipped = AssumptionsFile.shipped(PriceTables.named("aws"));
        String table = MessagingCostTable.comparison(shipped, new MessagingCost(shipped));
        String page = Files.readString(PAGE);
        assertThat(page).contains(BEGIN, END);
        String expected = page.substring(0, page.indexOf(BEGIN) + BEGIN.length())
                + "\n"
                + table
                + "\n"
                + page.substring(page.indexOf(END));
        if (Boolean.getBoolean("docs.update")) {
            Files.writeString(PAGE, expected);
        }
        assertThat(PAGE)
                .as("docs/guides/planner.md has the model's table; update it: ./mvnw -q -Pquick -pl cli -am test"
                        + " -Dtest=MessagingCostDocsTest -Dsurefire.failIfNoSpecifiedTests=false -Ddocs.update=true")
                .hasContent(expected);
    }
}
