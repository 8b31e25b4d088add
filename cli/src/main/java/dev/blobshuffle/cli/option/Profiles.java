package dev.blobshuffle.cli.option;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.config.ConfigDef;

/**
 * The user's profiles: named settings that commands take as defaults. Each is a properties file in
 * a directory that only the user can read. Stateless except for the files.
 */
public final class Profiles {
    /** The environment variable that names the profile; empty for none. */
    public static final String VARIABLE = "BLOBSHUFFLE_PROFILE";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]*");
    private static final String SUFFIX = ".properties";

    /**
     * The file with the name of the current profile. It has no suffix, so it differs from every
     * profile's file.
     */
    private static final String CURRENT = "current-profile";

    private static final ConfigDef ADMIN = AdminClientConfig.configDef();
    private static final Pattern SECRET_NAME =
            Pattern.compile("(?i).*(password|secret|token|credential|jaas|private\\.?key|access\\.?key).*");

    /** Matches secrets in a URI: user and password, or a secret parameter. */
    private static final Pattern SECRET_IN_URI =
            Pattern.compile("(?i)(?<=://)[^/@]*(?=@)|(?<=[?&](?:password|secret|token|sig|key)=)[^&]*");

    private static final String HIDDEN = "(hidden)";

    private final Path directory;
    private final Map<String, String> environment;

    /** Profiles in a directory, and the environment that selects one. */
    public Profiles(Path directory, Map<String, String> environment) {
        this.directory = directory;
        this.environment = Map.copyOf(environment);
    }

    /** The user's profiles, below {@code XDG_CONFIG_HOME} or {@code ~/.config}. */
    public static Profiles ofUser() {
        Map<String, String> environment = System.getenv();
        Path home = Optional.ofNullable(environment.get("XDG_CONFIG_HOME"))
                .map(Path::of)
                .filter(Path::isAbsolute) // The specification says to ignore relative paths.
                .orElseGet(() -> Path.of(System.getProperty("user.home"), ".config"));
        return new Profiles(home.resolve("blobshuffle"), environment);
    }

    /** A variable of the environment, if it is set. */
    public Optional<String> variable(String name) {
        return Optional.ofNullable(environment.get(name)).filter(value -> !value.isBlank());
    }

    /** Names of all profiles, sorted. */
    public List<String> names() {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .filter(name -> name.endsWith(SUFFIX))
                    .map(name -> name.substring(0, name.length() - SUFFIX.length()))
                    .filter(name -> NAME.matcher(name).matches())
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new InvalidSettingsException(
                    "Cannot list the profiles in " + directory + ": " + e + ". Check its rights.", e);
        }
    }

    /** The default profile of commands: from the environment, else from {@link #use}. */
    public Optional<String> current() {
        String named = environment.get(VARIABLE);
        if (named != null) {
            return Optional.of(named).filter(name -> !name.isBlank());
        }
        Path file = directory.resolve(CURRENT);
        try {
            return Files.exists(file)
                    ? Optional.of(Files.readString(file).strip()).filter(name -> !name.isEmpty())
                    : Optional.empty();
        } catch (IOException e) {
            throw new InvalidSettingsException("Cannot read " + file + ": " + e + ". Check its rights.", e);
        }
    }

    /**
     * The file of a profile, which may not exist.
     *
     * @throws InvalidSettingsException fatal: the name is malformed
     */
    public Path file(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new InvalidSettingsException("Cannot use profile '" + name
                    + "': a name has letters, digits, '.', '_' and '-'. For a file of your own give --config.");
        }
        return directory.resolve(name + SUFFIX);
    }

    /**
     * The file of a profile that exists.
     *
     * @throws InvalidSettingsException fatal: the profile does not exist
     */
    public Path existing(String name) {
        Path file = file(name);
        if (!Files.exists(file)) {
            List<String> names = names();
            throw new InvalidSettingsException("Cannot read --profile: there is no " + file + ". "
                    + (names.isEmpty()
                            ? "Run 'blobshuffle profile create " + name + "'."
                            : "Give one of: " + String.join(", ", names) + "."));
        }
        return file;
    }

    /**
     * The settings of a profile.
     *
     * @throws InvalidSettingsException fatal: it is unreadable, or others may read its secrets
     */
    public Map<String, String> read(String name) {
        Path file = existing(name);
        Map<String, String> read = ConfigOptions.read("--profile", file);
        if (read.entrySet().stream().anyMatch(Profiles::isSecret)) {
            try {
                PrivateFiles.check(file);
            } catch (IOException e) {
                throw new InvalidSettingsException(
                        "Cannot check who may read " + file + ": " + e + ". Check its directory.", e);
            }
        }
        return read;
    }

    /**
     * Writes a whole profile, readable by the user only.
     *
     * @throws InvalidSettingsException fatal: it cannot be written
     */
    public void write(String name, String text) {
        replace(file(name), text);
    }

    /** Makes a profile the current one. */
    public void use(String name) {
        Path ignored = existing(name);
        replace(directory.resolve(CURRENT), name + "\n");
    }

    /** Deletes a profile. If it was the current one, no profile is current afterwards. */
    public void delete(String name) {
        try {
            Files.delete(existing(name));
            Path current = directory.resolve(CURRENT);
            if (Files.exists(current) && Files.readString(current).strip().equals(name)) {
                Files.delete(current);
            }
        } catch (IOException e) {
            throw new InvalidSettingsException(
                    "Cannot delete profile " + name + ": " + e + ". Check its directory.", e);
        }
    }

    private void replace(Path file, String text) {
        Path fresh = directory.resolve("." + file.getFileName() + ".new");
        try {
            PrivateFiles.createDirectories(directory);
            Files.deleteIfExists(fresh);
            try (FileChannel channel = PrivateFiles.create(fresh);
                    var writer = Channels.newWriter(channel, StandardCharsets.UTF_8)) {
                writer.write(text);
            }
            Path ignored = Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new InvalidSettingsException("Cannot write " + file + ": " + e + ". Check its directory.", e);
        }
    }

    /** Settings sorted by name, with secrets hidden. */
    public static Map<String, String> shown(Map<String, String> settings) {
        Map<String, String> shown = new TreeMap<>();
        settings.forEach((name, value) -> shown.put(
                name,
                !value.startsWith("${") && SECRET_NAME.matcher(name).matches() && !name.endsWith(".file")
                        ? HIDDEN
                        : SECRET_IN_URI.matcher(value).replaceAll(HIDDEN)));
        return shown;
    }

    /** Whether a setting is a secret. A reference that a config provider resolves is not. */
    private static boolean isSecret(Map.Entry<String, String> entry) {
        return !entry.getValue().startsWith("${")
                && ADMIN.configKeys().values().stream()
                        .filter(key -> key.type == ConfigDef.Type.PASSWORD)
                        .anyMatch(key -> entry.getKey().equals(key.name)
                                || entry.getKey().endsWith("." + key.name));
    }
}
