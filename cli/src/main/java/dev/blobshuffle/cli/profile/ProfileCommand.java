package dev.blobshuffle.cli.profile;

import dev.blobshuffle.cli.option.ConfigOptions;
import dev.blobshuffle.cli.option.PrintableText;
import dev.blobshuffle.cli.option.Profiles;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code blobshuffle profile}: manages named settings that commands take as defaults, so you need
 * not repeat brokers and store each time.
 */
@Command(
        name = "profile",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        description = {
            "Keeps named settings (brokers, security, store, application) that commands use as defaults.",
            "Each profile is a properties file in ~/.config/blobshuffle (or XDG_CONFIG_HOME) that only you can read.",
            "--profile NAME or BLOBSHUFFLE_PROFILE chooses another than the one in use. Options win over it."
        })
public final class ProfileCommand {
    private static final String COMMENT = "# A profile of blobshuffle: settings as an application has them.\n";

    @Spec
    private CommandSpec spec;

    private final Profiles profiles;

    /** Created by the command line. */
    public ProfileCommand() {
        this(Profiles.ofUser());
    }

    /** A command with these profiles. */
    @SuppressWarnings("NullAway.Init") // the command line fills the field
    ProfileCommand(Profiles profiles) {
        this.profiles = profiles;
    }

    @Command(
            name = "create",
            mixinStandardHelpOptions = true,
            description = {
                "Creates a profile and selects it for later commands.",
                "Settings of the options win over those of --from."
            })
    int create(
            @Parameters(paramLabel = "NAME", description = "Letters, digits, '.', '_' and '-'.") String name,
            @Option(names = "--bootstrap", paramLabel = "HOST:PORT,…", description = "bootstrap.servers: the brokers.")
                    @Nullable
                    String bootstrap,
            @Option(names = "--store", paramLabel = "URI", description = "blobshuffle.store: the store.") @Nullable
                    String store,
            @Option(names = "--log", paramLabel = "URI", description = "blobshuffle.log: the commit log of messaging.")
                    @Nullable
                    String log,
            @Option(names = "--application-id", paramLabel = "ID", description = "application.id: the application.")
                    @Nullable
                    String application,
            @Option(
                            names = "--from",
                            paramLabel = "FILE",
                            description = "Copies the settings of a file: an application's, or of Kafka's tools.")
                    @Nullable
                    Path from,
            @Option(names = "--set", paramLabel = "NAME=VALUE", description = "Any other setting; may be repeated.")
                    @Nullable
                    Map<String, String> more) {
        return run(out -> {
            if (Files.exists(profiles.file(name))) {
                throw new InvalidSettingsException("Cannot create profile " + name
                        + ": there is one. Run 'blobshuffle profile edit " + name + "', or delete it.");
            }
            Map<String, String> settings = new LinkedHashMap<>();
            if (from != null) {
                settings.putAll(ConfigOptions.read("--from", from));
            }
            put(settings, "bootstrap.servers", bootstrap);
            put(settings, "blobshuffle.store", store);
            put(settings, "blobshuffle.log", log);
            put(settings, "application.id", application);
            if (more != null) {
                settings.putAll(more);
            }
            profiles.write(name, PropertiesText.of(COMMENT, settings));
            profiles.use(name);
            out.println("Created profile " + name + " in " + profiles.file(name) + ". Commands now use it.");
        });
    }

    @Command(name = "use", mixinStandardHelpOptions = true, description = "Selects the profile that commands use.")
    int use(@Parameters(paramLabel = "NAME", description = "The profile.") String name) {
        return run(out -> {
            profiles.use(name);
            out.println("Commands now use profile " + name + ".");
            profiles.current()
                    .filter(current -> !current.equals(name))
                    .ifPresent(current ->
                            out.println(Profiles.VARIABLE + " names " + current + ", which wins in this shell."));
        });
    }

    @Command(
            name = "edit",
            mixinStandardHelpOptions = true,
            description = "Opens a profile in VISUAL, EDITOR or vi, and checks it afterwards.")
    int edit(
            @Parameters(arity = "0..1", paramLabel = "NAME", description = "The profile (default: the one in use).")
                    @Nullable
                    String name) {
        return run(out -> {
            String chosen = chosen(name);
            Path file = profiles.existing(chosen);
            String before = text(file);
            Editor.open(
                    file,
                    profiles.variable("VISUAL")
                            .or(() -> profiles.variable("EDITOR"))
                            .orElse("vi"));
            try {
                Map<String, String> ignored = profiles.read(chosen);
            } catch (InvalidSettingsException e) {
                profiles.write(chosen, before);
                throw new InvalidSettingsException(e.getMessage() + " The profile is as it was before.", e);
            }
            // An editor may have replaced the file, including its permissions.
            profiles.write(chosen, text(file));
            out.println("Saved profile " + chosen + ".");
        });
    }

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = "Lists the profiles. A star marks the one that commands use.")
    int list() {
        return run(out -> {
            Optional<String> current = profiles.current();
            List<String> names = profiles.names();
            names.forEach(name -> out.println((current.filter(name::equals).isPresent() ? "* " : "  ") + name));
            if (names.isEmpty()) {
                out.println("There are no profiles. Run 'blobshuffle profile create NAME'.");
            }
        });
    }

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = "Prints the settings of a profile. Secrets are hidden.")
    int show(
            @Parameters(arity = "0..1", paramLabel = "NAME", description = "The profile (default: the one in use).")
                    @Nullable
                    String name) {
        return run(out ->
                Profiles.shown(profiles.read(chosen(name))).forEach((key, value) -> out.println(key + "=" + value)));
    }

    @Command(name = "delete", mixinStandardHelpOptions = true, description = "Deletes a profile.")
    int delete(@Parameters(paramLabel = "NAME", description = "The profile.") String name) {
        return run(out -> {
            profiles.delete(name);
            out.println("Deleted profile " + name + ".");
        });
    }

    private String chosen(@Nullable String name) {
        return Optional.ofNullable(name)
                .or(profiles::current)
                .orElseThrow(
                        () -> new InvalidSettingsException("Cannot find the profile: none is in use. Give its NAME."));
    }

    private static void put(Map<String, String> settings, String name, @Nullable String value) {
        if (value != null) {
            settings.put(name, value);
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new InvalidSettingsException("Cannot read " + file + ": " + e + ". Check its rights.", e);
        }
    }

    private int run(Consumer<PrintWriter> action) {
        PrintWriter out = PrintableText.to(spec.commandLine().getOut());
        try {
            action.accept(out);
            out.flush();
            return 0;
        } catch (InvalidSettingsException e) {
            throw new CommandLine.ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }
}
