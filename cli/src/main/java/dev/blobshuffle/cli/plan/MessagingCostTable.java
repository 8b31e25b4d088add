package dev.blobshuffle.cli.plan;

import dev.blobshuffle.planner.messaging.Assumption;
import dev.blobshuffle.planner.messaging.Assumptions;
import dev.blobshuffle.planner.messaging.MessagingCost;
import dev.blobshuffle.planner.messaging.Quantity;
import dev.blobshuffle.planner.messaging.YearlyCost;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/** Prints yearly costs of messaging as Markdown or JSON. Stateless. */
final class MessagingCostTable {
    private MessagingCostTable() {}

    static void print(Assumptions given, MessagingCost cost, PrintWriter out) {
        out.print(comparison(given, cost));
        out.println();
        out.println("| assumption | value | unit | source | date |");
        out.println("|---|---:|---|---|---|");
        for (Assumption line : given.values().values()) {
            out.println("| " + line.quantity().key() + " | " + number(line.value()) + " | "
                    + line.quantity().unit() + " | " + line.source() + " | " + line.date() + " |");
        }
    }

    /** The costs and their explanation, without the assumptions. */
    static String comparison(Assumptions given, MessagingCost cost) {
        List<YearlyCost> systems = List.of(cost.classic(), cost.inkless(), cost.ours());
        StringBuilder text = new StringBuilder();
        text.append("| USD/year, modelled | classic Kafka | Inkless | BlobShuffle |\n|---|---:|---:|---:|\n");
        row(text, "requests", systems, YearlyCost::requests);
        row(text, "traffic between zones", systems, YearlyCost::crossing);
        row(text, "brokers", systems, YearlyCost::brokers);
        row(text, "database", systems, YearlyCost::database);
        row(text, "storage", systems, YearlyCost::storage);
        text.append("| clients' CPU");
        systems.forEach(system -> text.append(" | ")
                .append(system.clients().map(MessagingCostTable::dollars).orElse("left out")));
        text.append(" |\n");
        row(text, "**total**", systems, YearlyCost::total);
        text.append("| published by Aiven for 1 GiB/s | ")
                .append(dollars(given.of(Quantity.CLASSIC_PUBLISHED_TOTAL)))
                .append(" | under ")
                .append(dollars(given.of(Quantity.INKLESS_PUBLISHED_TOTAL)))
                .append(" | |\n\n");
        text.append("The totals of Kafka and Inkless leave the clients' CPU out; BlobShuffle's includes it.\n");
        text.append(verdict(given, cost));
        return text.toString();
    }

    private static String verdict(Assumptions given, MessagingCost cost) {
        String goal = dollars(given.of(Quantity.OURS_GOAL));
        String within = cost.clientCpuWithinGoal()
                .map(cpu -> String.format(
                        Locale.ROOT,
                        "It is reached with up to %.1f CPU s/GiB in the clients (now %s).",
                        cpu,
                        number(given.of(Quantity.OURS_CLIENT_CPU))))
                .orElse("No change of the clients' CPU alone decides it.");
        return "The goal of " + goal + " USD/year is " + (cost.meetsGoal() ? "reached" : "**missed**") + ".\n" + within
                + "\n";
    }

    private static void row(
            StringBuilder text, String name, List<YearlyCost> systems, ToDoubleFunction<YearlyCost> part) {
        text.append("| ").append(name);
        systems.forEach(system -> text.append(" | ").append(dollars(part.applyAsDouble(system))));
        text.append(" |\n");
    }

    static Map<String, Object> json(Assumptions given, MessagingCost cost) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("classic", json(cost.classic()));
        json.put("inkless", json(cost.inkless()));
        json.put("blobshuffle", json(cost.ours()));
        json.put("meets_goal", cost.meetsGoal());
        cost.clientCpuWithinGoal().ifPresent(cpu -> json.put("client_cpu_seconds_per_gib_within_goal", cpu));
        List<Object> lines = new ArrayList<>();
        for (Assumption line : given.values().values()) {
            Map<String, Object> entry = new LinkedHashMap<>();
            entry.put("name", line.quantity().key());
            entry.put("value", line.value());
            entry.put("unit", line.quantity().unit());
            entry.put("source", line.source());
            entry.put("date", line.date());
            lines.add(entry);
        }
        json.put("assumptions", lines);
        return json;
    }

    private static Map<String, Object> json(YearlyCost cost) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("requests_usd", cost.requests());
        json.put("crossing_usd", cost.crossing());
        json.put("brokers_usd", cost.brokers());
        json.put("database_usd", cost.database());
        json.put("storage_usd", cost.storage());
        json.put("clients_included", cost.clients().isPresent());
        Optional<Double> clients = cost.clients();
        clients.ifPresent(usd -> json.put("clients_usd", usd));
        json.put("total_usd", cost.total());
        return json;
    }

    private static String dollars(double usd) {
        return String.format(Locale.ROOT, "%,.0f", usd);
    }

    private static String number(double value) {
        return new BigDecimal(value)
                .round(new MathContext(5))
                .stripTrailingZeros()
                .toPlainString();
    }
}
