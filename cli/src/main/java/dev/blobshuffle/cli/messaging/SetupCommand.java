package dev.blobshuffle.cli.messaging;

import dev.blobshuffle.cli.json.Json;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.postgresql.internal.connection.PostgresqlUri;
import dev.blobshuffle.postgresql.internal.schema.ClientRole;
import dev.blobshuffle.postgresql.internal.schema.ClientUse;
import dev.blobshuffle.postgresql.internal.schema.SchemaName;
import dev.blobshuffle.postgresql.internal.schema.SchemaSetup;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code blobshuffle messaging setup}: creates or upgrades the schema of a log, and grants a role
 * its use.
 */
@Command(
        name = "setup",
        mixinStandardHelpOptions = true,
        description = {
            "Creates or upgrades the schema of a commit log in PostgreSQL, and lets a role of applications use it.",
            "Log in as the owner of the schema, or as a role that may create it. Applications need a role of their own.",
            "Without --execute it only says what it would do."
        })
public final class SetupCommand implements Callable<Integer> {
    @Mixin
    private LogOptions options;

    @Option(
            names = "--client-role",
            paramLabel = "ROLE",
            description = "A role that may call the log's functions and has no right on its tables. It must exist.")
    private @Nullable String clientRole;

    @Option(
            names = "--grant",
            paramLabel = "USES",
            description = "The only rights of the client role, separated by commas: publish, subscribe, administer"
                    + " (default: all). Instances whose role may administer delete batches and blobs that are no"
                    + " longer needed.")
    private @Nullable String grant;

    @Option(names = "--execute", description = "Apply the changes instead of only reporting them.")
    private boolean executes;

    /** Created by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public SetupCommand() {}

    @Override
    public Integer call() {
        return options.run("set up the log", this::setUp);
    }

    private int setUp(PrintWriter out) {
        PostgresqlUri uri = PostgresqlUri.parse(options.uri());
        try (SchemaSetup setup = SchemaSetup.open(uri, role())) {
            SchemaSetup.Plan plan = setup.plan();
            if (executes) {
                setup.execute();
            }
            out.print(options.isJson() ? json(uri, plan) : text(uri, plan));
            return 0;
        }
    }

    private Optional<ClientRole> role() {
        if (clientRole == null && grant != null) {
            throw new InvalidSettingsException(
                    "Cannot set up the log: --grant is for a --client-role, and none is given. Give both.");
        }
        Set<ClientUse> uses = grant == null ? ClientUse.all() : ClientUse.parse(grant);
        return Optional.ofNullable(clientRole).map(name -> new ClientRole(new SchemaName(name), uses));
    }

    private String text(PostgresqlUri uri, SchemaSetup.Plan plan) {
        StringBuilder text = new StringBuilder("Log " + uri + "\n");
        plan.steps().forEach(step -> text.append("  ").append(step).append('\n'));
        if (plan.steps().isEmpty()) {
            return text.append("Nothing to do: the log has version " + plan.to() + ".\n")
                    .toString();
        }
        return text.append(executes ? "Done.\n" : "Nothing was changed; run it with --execute.\n")
                .toString();
    }

    private String json(PostgresqlUri uri, SchemaSetup.Plan plan) {
        Map<String, Object> setup = new LinkedHashMap<>();
        setup.put("log", uri.toString());
        plan.from().ifPresent(version -> setup.put("from_version", version));
        setup.put("to_version", plan.to());
        setup.put("steps", plan.steps());
        setup.put("executed", executes && !plan.steps().isEmpty());
        return Json.write(Map.of("setup", setup));
    }
}
