import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Installs the real servers and tools that the integration tests run with. Each has one fixed
 * version (versions.properties of module testkit). What is there already stays as it is.
 *
 * <pre>.ci/install-servers [OPTION…] [NAME…]</pre>
 *
 * <p>Without names it installs everything but helm:
 *
 * <ul>
 *   <li>with Go: versitygw (S3), fake-gcs-server (GCS), go-client (a Flight client in Go), helm
 *   <li>with npm: azurite (Azure)
 *   <li>with Python: pyarrow, in an environment of its own
 *   <li>with apt, in the system's release: postgresql, pgbouncer, prometheus (for promtool)
 * </ul>
 *
 * <p>Options, of which {@code ./mvnw verify} passes all but the last:
 *
 * <ul>
 *   <li>{@code --where-possible}: never fails. It prints the reason for each thing that it cannot
 *       install, and writes it to the directory {@code missing}, where the skipped tests find it.
 *       It asks each registry for an answer before it begins, uses apt as root only, and does not
 *       repeat a failed installation within an hour.
 *   <li>{@code --offline=true}, {@code --install=false}: installs nothing; this becomes the reason.
 *       Other values have no effect.
 *   <li>{@code --skip=true}: does nothing. Other values have no effect.
 *   <li>{@code --patience=SECONDS}: how long a registry may take to answer, 20 by default.
 * </ul>
 *
 * <p>Everything but the system's packages lies outside the checkout, where a clean build does not
 * remove it: in $BLOBSHUFFLE_SERVERS, else in ~/.cache/blobshuffle-servers. One process installs at
 * a time; the others wait.
 */
public final class InstallServers {
    private static final Duration RETRY_AFTER = Duration.ofHours(1);
    private static final Duration LOCK_POLL = Duration.ofMillis(500);

    private final Options options;
    private final Path cache;
    private final Catalogue catalogue;
    private final Commands commands;

    private InstallServers(Options options, Path cache) throws IOException {
        this.options = options;
        this.cache = cache;
        catalogue = new Catalogue(options.project(), cache);
        commands = new Commands(cache.resolve("logs"));
    }

    /** Exits with 1 if something is missing afterwards, unless the option says "where possible". */
    public static void main(String[] arguments) throws InterruptedException {
        Options options = Options.parse(List.of(arguments));
        if (options.isSkipped()) {
            return;
        }
        Path cache = cache(System.getenv());
        try {
            new InstallServers(options, cache).run();
        } catch (Obstacle e) {
            System.err.println(e.getMessage());
            System.exit(1);
        } catch (IOException | UncheckedIOException e) {
            System.err.println("Cannot install servers for the tests: " + e
                    + ". Set BLOBSHUFFLE_SERVERS to a directory that can be written.");
            System.exit(options.wherePossible() ? 0 : 1);
        }
    }

    private static Path cache(Map<String, String> environment) {
        String home = environment.get("BLOBSHUFFLE_SERVERS");
        if (home == null) {
            String caches = environment.getOrDefault("XDG_CACHE_HOME", System.getProperty("user.home") + "/.cache");
            home = caches + "/blobshuffle-servers";
        }
        return Path.of(home).toAbsolutePath();
    }

    private void run() throws IOException, InterruptedException, Obstacle {
        List<Item> wanted = new ArrayList<>();
        for (String name : options.names()) {
            wanted.add(catalogue.item(name));
        }
        if (missing(wanted).isEmpty()) {
            return;
        }
        Files.createDirectories(cache.resolve("bin"));
        Files.createDirectories(cache.resolve("missing"));
        Files.createDirectories(cache.resolve("logs"));
        try (FileChannel file =
                        FileChannel.open(cache.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = lock(file)) {
            List<Item> missing = missing(wanted);
            if (options.wherePossible()) {
                installWherePossible(missing);
            } else {
                for (Item item : missing) {
                    installNow(item);
                }
            }
        }
    }

    /** The items that are missing. An installed item gets its link, and its reason is deleted. */
    private List<Item> missing(List<Item> wanted) throws IOException {
        List<Item> missing = new ArrayList<>();
        for (Item item : wanted) {
            if (item.isInstalled(cache)) {
                settle(item);
            } else {
                missing.add(item);
            }
        }
        return missing;
    }

    /** The system releases the lock when this process ends, however it ends. */
    private static FileLock lock(FileChannel file) throws IOException, InterruptedException {
        for (boolean isFirst = true; ; isFirst = false) {
            FileLock lock = file.tryLock();
            if (lock != null) {
                return lock;
            }
            if (isFirst) {
                say("Another build installs servers for the tests. Waiting for it.");
            }
            Thread.sleep(LOCK_POLL.toMillis());
        }
    }

    private void installNow(Item item) throws IOException, InterruptedException, Obstacle {
        item.requireTool(false);
        try {
            install(item);
        } catch (Failure e) {
            throw new Obstacle(cannot(item, e.getMessage()));
        }
    }

    private void installWherePossible(List<Item> missing) throws IOException {
        Map<Item, String> reasons = new LinkedHashMap<>();
        List<Item> possible = new ArrayList<>();
        for (Item item : missing) {
            Optional<String> reason = reasonNotToTry(item);
            reason.ifPresentOrElse(text -> reasons.put(item, text), () -> possible.add(item));
        }
        Map<String, Optional<String>> obstacles = obstacles(possible);
        for (Item item : possible) {
            Optional<String> reason = obstacles.get(item.tool());
            if (reason.isEmpty()) {
                reason = tryToInstall(item);
            }
            reason.ifPresent(text -> reasons.put(item, text));
        }
        for (Map.Entry<Item, String> one : reasons.entrySet()) {
            Files.writeString(cache.resolve("missing").resolve(one.getKey().name()), one.getValue() + "\n");
            say(cannot(one.getKey(), one.getValue()) + " The tests that need it are skipped.");
        }
    }

    /**
     * Why a tool cannot reach its registry, by tool. All are asked at once, so that a machine
     * without a network waits once.
     */
    private Map<String, Optional<String>> obstacles(List<Item> items) {
        Map<String, CompletableFuture<Optional<String>>> answers = new LinkedHashMap<>();
        for (Item item : items) {
            if (item.preparation().isEmpty()) {
                answers.computeIfAbsent(item.tool(), tool -> CompletableFuture.supplyAsync(() -> probe(item)));
            }
        }
        Map<String, Optional<String>> obstacles = new LinkedHashMap<>();
        answers.forEach((tool, answer) -> obstacles.put(tool, answer.join()));
        boolean isCutOff = !obstacles.isEmpty() && obstacles.values().stream().allMatch(Optional::isPresent);
        for (Item item : items) {
            obstacles.computeIfAbsent(
                    item.tool(),
                    tool -> isCutOff
                            ? Optional.of("no other registry answered. Run .ci/install-servers " + item.name() + ".")
                            : Optional.empty());
        }
        return obstacles;
    }

    private Optional<String> reasonNotToTry(Item item) throws IOException {
        String again = " Run .ci/install-servers " + item.name() + ".";
        if (!options.mayInstall()) {
            return Optional.of("the build has the option -Dservers.install=false." + again);
        }
        try {
            item.requireTool(true);
        } catch (Obstacle e) {
            return Optional.of(e.getMessage());
        }
        if (options.isOffline()) {
            return Optional.of("the build runs offline." + again);
        }
        Path failed = failed(item);
        if (Files.exists(failed)
                && Files.getLastModifiedTime(failed).toInstant().isAfter(Instant.now().minus(RETRY_AFTER))) {
            return Optional.of(Files.readString(failed).strip() + " Builds try again after an hour." + again);
        }
        return Optional.empty();
    }

    private Optional<String> probe(Item item) {
        try {
            Path draft = Files.createTempDirectory(cache, ".probe-");
            try {
                probe(item, draft);
                return Optional.empty();
            } catch (Failure e) {
                return Optional.of(e.getMessage() + " Run .ci/install-servers " + item.name() + ".");
            } finally {
                delete(draft);
            }
        } catch (IOException e) {
            return Optional.of(e.toString());
        }
    }

    private void probe(Item item, Path draft) throws IOException, Failure {
        // apt-get fetches whole lists.
        Duration patience = item.isPackage() ? options.patience().multipliedBy(3).dividedBy(2) : options.patience();
        commands.run(item, filled(item.probe(), draft), draft, patience);
    }

    private Optional<String> tryToInstall(Item item) throws IOException {
        try {
            install(item);
            return Optional.empty();
        } catch (Failure e) {
            Files.writeString(failed(item), e.getMessage() + "\n");
            return Optional.of(e.getMessage() + " Run .ci/install-servers " + item.name() + ".");
        }
    }

    private Path failed(Item item) {
        return cache.resolve("missing").resolve("." + item.name() + "-" + item.version() + ".failed");
    }

    /** Runs the commands in an empty directory, and moves that into place when it is complete. */
    private void install(Item item) throws IOException, Failure {
        say("Installing " + item.title() + " for the tests, once. This takes a minute or some.");
        Instant start = Instant.now();
        Path draft = Files.createTempDirectory(cache, "." + item.name() + "-");
        try {
            for (List<String> command : item.preparation()) {
                commands.run(item, filled(command, draft), draft);
            }
            if (options.wherePossible() && !item.preparation().isEmpty()) {
                probe(item, draft);
            }
            for (List<String> command : item.commands()) {
                commands.run(item, filled(command, draft), draft);
            }
            if (!item.isPackage()) {
                Path home = item.home(cache);
                delete(home);
                Files.move(draft, home, StandardCopyOption.ATOMIC_MOVE);
            }
        } finally {
            delete(draft);
        }
        if (!item.isInstalled(cache)) {
            throw new Failure("its installation ended without an error, but is not complete.");
        }
        settle(item);
        say("Installed " + item.title() + " in "
                + Duration.between(start, Instant.now()).toSeconds() + " s.");
    }

    private static List<String> filled(List<String> command, Path draft) {
        return command.stream().map(part -> part.replace("DRAFT", draft.toString())).toList();
    }

    private void settle(Item item) throws IOException {
        Files.deleteIfExists(cache.resolve("missing").resolve(item.name()));
        Files.deleteIfExists(failed(item));
        if (!item.isPackage() && item.isLinked()) {
            Path link = cache.resolve("bin").resolve(Path.of(item.executable()).getFileName());
            Path target = Path.of("..").resolve(cache.relativize(item.home(cache).resolve(item.executable())));
            if (!Files.isSymbolicLink(link) || !Files.readSymbolicLink(link).equals(target)) {
                Files.deleteIfExists(link);
                Files.createSymbolicLink(link, target);
            }
        }
    }

    private static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private static String cannot(Item item, String reason) {
        return "Cannot install " + item.title() + ": " + reason;
    }

    private static synchronized void say(String text) {
        System.out.println(text);
        System.out.flush();
    }

    /** The installation cannot begin. */
    private static final class Obstacle extends Exception {
        private static final long serialVersionUID = 1L;

        Obstacle(String message) {
            super(message);
        }
    }

    /** A command of the installation failed. */
    private static final class Failure extends Exception {
        private static final long serialVersionUID = 1L;

        Failure(String message) {
            super(message);
        }
    }

    /** The command line. */
    private record Options(
            Path project,
            boolean wherePossible,
            boolean isOffline,
            boolean mayInstall,
            boolean isSkipped,
            Duration patience,
            List<String> names) {
        static Options parse(List<String> arguments) {
            List<String> names =
                    arguments.stream().filter(one -> !one.startsWith("--")).toList();
            return new Options(
                    Path.of(value(arguments, "project").orElse("")).toAbsolutePath().normalize(),
                    arguments.contains("--where-possible"),
                    arguments.contains("--offline=true"),
                    !arguments.contains("--install=false"),
                    arguments.contains("--skip=true"),
                    Duration.ofSeconds(Long.parseLong(value(arguments, "patience").orElse("20"))),
                    names.isEmpty() ? Catalogue.BY_DEFAULT : names);
        }

        private static Optional<String> value(List<String> arguments, String option) {
            String prefix = "--" + option + "=";
            return arguments.stream()
                    .filter(one -> one.startsWith(prefix))
                    .map(one -> one.substring(prefix.length()))
                    .findFirst();
        }
    }

    /**
     * One thing to install. In its commands DRAFT is the directory that becomes its home.
     *
     * @param executable the file that is there once it is complete, relative to its home; for a
     *     package of the system a pattern of absolute paths
     * @param tool the command that installs it
     * @param remedy how to come by that
     * @param preparation commands that need no network; if there are any, the probe follows them
     * @param probe a short command that asks the registry which the installation uses
     */
    private record Item(
            String name,
            String version,
            String executable,
            String tool,
            String remedy,
            List<List<String>> preparation,
            List<String> probe,
            List<List<String>> commands) {
        String title() {
            return isPackage() ? name : name + " " + version;
        }

        boolean isPackage() {
            return tool.equals("apt-get");
        }

        /** Whether the directory bin has it. */
        boolean isLinked() {
            return !tool.equals("python3");
        }

        Path home(Path cache) {
            return cache.resolve(name + "-" + version);
        }

        boolean isInstalled(Path cache) {
            if (!isPackage()) {
                return Files.isExecutable(home(cache).resolve(executable));
            }
            return name.equals("postgresql")
                    ? Commands.hasSystemPostgresql()
                    : Commands.find(executable).isPresent();
        }

        void requireTool(boolean asRootOnly) throws Obstacle {
            if (Commands.find(tool).isEmpty()) {
                throw new Obstacle(
                        (asRootOnly ? "" : "Cannot install " + title() + ": ") + "there is no " + tool + " on the PATH. " + remedy);
            }
            if (isPackage() && asRootOnly && !Commands.isRoot()) {
                throw new Obstacle("apt-get needs root. Run .ci/install-servers " + name + ", or install the package.");
            }
        }
    }

    /** What can be installed. */
    private static final class Catalogue {
        static final List<String> BY_DEFAULT = List.of(
                "versitygw",
                "fake-gcs-server",
                "azurite",
                "pyarrow",
                "go-client",
                "postgresql",
                "pgbouncer",
                "prometheus");

        private static final String VERSIONS =
                "testkit/src/main/resources/dev/blobshuffle/testkit/internal/servers/versions.properties";
        private static final String GO = "Install Go 1.25 or newer, or put a ready one into ";

        private final Path project;
        private final Path cache;
        private final Properties versions = new Properties();

        Catalogue(Path project, Path cache) throws IOException {
            this.project = project;
            this.cache = cache;
            try (InputStream file = Files.newInputStream(project.resolve(VERSIONS))) {
                versions.load(file);
            }
        }

        Item item(String name) throws IOException, Obstacle {
            return switch (name) {
                case "versitygw" -> go(name, "github.com/versity/versitygw", "/cmd/versitygw");
                case "fake-gcs-server" -> go(name, "github.com/fsouza/fake-gcs-server", "");
                case "helm" -> go(name, "helm.sh/helm/v3", "/cmd/helm");
                case "go-client" -> goClient();
                case "azurite" -> azurite();
                case "pyarrow" -> pyarrow();
                case "postgresql" -> systemPackage(name, "");
                case "pgbouncer" -> systemPackage(name, "pgbouncer");
                case "prometheus" -> systemPackage(name, "promtool");
                default ->
                    throw new Obstacle("Cannot install '" + name + "': it is not one of the servers. Name one of "
                            + String.join(", ", BY_DEFAULT) + " or helm.");
            };
        }

        private Item go(String name, String module, String path) {
            String version = versions.getProperty(name);
            return new Item(
                    name,
                    version,
                    name,
                    "go",
                    GO + cache.resolve("bin") + ".",
                    List.of(),
                    List.of("go", "list", "-m", module + "@latest"),
                    List.of(List.of("go", "install", module + path + "@v" + version)));
        }

        /** The version is a checksum of the source, as the tests compute it. */
        private Item goClient() throws IOException {
            Path sources = project.resolve("flight-daemon/src/test/go");
            return new Item(
                    "go-client",
                    checksum(sources),
                    "go-client",
                    "go",
                    "Install Go 1.25 or newer.",
                    List.of(),
                    List.of("go", "list", "-m", "google.golang.org/grpc@latest"),
                    List.of(List.of("go", "-C", sources.toString(), "build", "-o", "DRAFT/go-client", ".")));
        }

        private static String checksum(Path sources) throws IOException {
            try {
                MessageDigest sum = MessageDigest.getInstance("SHA-256");
                try (Stream<Path> files = Files.list(sources)) {
                    for (Path file : files.sorted().toList()) {
                        sum.update(Files.readAllBytes(file));
                    }
                }
                return HexFormat.of().formatHex(sum.digest(), 0, 6);
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("Cannot name the Go client: " + e + ". Use another JDK.", e);
            }
        }

        private Item azurite() {
            String version = versions.getProperty("azurite");
            String wanted = "azurite@" + version;
            return new Item(
                    "azurite",
                    version,
                    "node_modules/.bin/azurite-blob",
                    "npm",
                    "Install Node.js with npm.",
                    List.of(),
                    List.of("npm", "view", "--fetch-retries=0", wanted, "version"),
                    List.of(List.of(
                            "npm",
                            "install",
                            "--prefix",
                            "DRAFT",
                            "--no-audit",
                            "--no-fund",
                            "--no-package-lock",
                            "--loglevel=error",
                            wanted)));
        }

        /** With what the Python package imports beside it. */
        private Item pyarrow() {
            String version = versions.getProperty("pyarrow");
            String python = "DRAFT/bin/python";
            return new Item(
                    "pyarrow",
                    version,
                    "bin/python",
                    "python3",
                    "Install Python 3.10 or newer with venv and pip.",
                    List.of(List.of("python3", "-m", "venv", "--clear", "DRAFT")),
                    List.of(python, "-m", "pip", "download", "-q", "--no-deps", "--retries=0", "-d=DRAFT", "google-crc32c"),
                    List.of(
                            List.of(python, "-m", "pip", "install", "-q", "pyarrow==" + version, "numpy", "google-crc32c")));
        }

        private Item systemPackage(String name, String executable) {
            return new Item(
                    name,
                    "system",
                    executable,
                    "apt-get",
                    "Install " + name + " by your system's package manager.",
                    List.of(),
                    Commands.asRoot(
                            "apt-get",
                            "-qq",
                            "-o=Acquire::Retries=0",
                            "-o=Acquire::http::Timeout=5",
                            "-o=Acquire::https::Timeout=5",
                            "update"),
                    List.of(
                            Commands.asRoot("apt-get", "-qq", "update"),
                            Commands.asRoot("apt-get", "-q", "--simulate", "--no-install-recommends", "install", name),
                            Commands.asRoot(
                                    "apt-get",
                                    "-qq",
                                    "-o=DPkg::Lock::Timeout=300",
                                    "--yes",
                                    "--no-remove",
                                    "--no-install-recommends",
                                    "install",
                                    name)));
        }
    }

    /** Runs commands, each with its output in a log. Thread-safe. */
    private static final class Commands {
        private static final Duration LIMIT = Duration.ofMinutes(30);
        private static final Duration PROGRESS = Duration.ofSeconds(15);
        private static final Pattern CHANGES = Pattern.compile("(\\d+) upgraded, \\d+ newly installed, (\\d+) to remove");

        private final Path logs;

        Commands(Path logs) {
            this.logs = logs;
        }

        /** The first executable of a name on the PATH, or where systems keep their servers. */
        static Optional<Path> find(String name) {
            String path = System.getenv().getOrDefault("PATH", "") + java.io.File.pathSeparator + "/usr/sbin";
            return Stream.of(path.split(java.io.File.pathSeparator))
                    .filter(entry -> !entry.isEmpty())
                    .map(entry -> Path.of(entry, name))
                    .filter(file -> Files.isExecutable(file) && !Files.isDirectory(file))
                    .findFirst();
        }

        static boolean hasSystemPostgresql() {
            Path releases = Path.of("/usr/lib/postgresql");
            if (!Files.isDirectory(releases)) {
                return false;
            }
            try (Stream<Path> found = Files.list(releases)) {
                return found.anyMatch(release -> Files.isExecutable(release.resolve("bin/initdb")));
            } catch (IOException e) {
                return false;
            }
        }

        static boolean isRoot() {
            try {
                return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
            } catch (IOException | RuntimeException e) {
                return "root".equals(System.getProperty("user.name"));
            }
        }

        /** By sudo without a password, unless this process is root's. */
        static List<String> asRoot(String... command) {
            List<String> all = new ArrayList<>(isRoot() ? List.of() : List.of("sudo", "-n"));
            all.addAll(List.of("env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C"));
            all.addAll(List.of(command));
            return all;
        }

        void run(Item item, List<String> command, Path draft) throws IOException, Failure {
            run(item, command, draft, LIMIT);
        }

        /** Runs a command, and says every some seconds that it still does. */
        void run(Item item, List<String> command, Path draft, Duration limit) throws IOException, Failure {
            Path log = logs.resolve(item.name() + ".log");
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(draft.toFile())
                    .redirectErrorStream(true)
                    .redirectInput(new java.io.File("/dev/null"))
                    .redirectOutput(log.toFile());
            builder.environment().putAll(Map.of("GOBIN", draft.toString(), "GOFLAGS", "-trimpath -buildvcs=false"));
            Process process;
            try {
                process = builder.start();
            } catch (IOException e) {
                throw new Failure("cannot run " + command.get(0) + ": " + e.getMessage() + ".");
            }
            awaitEnd(item, process, limit);
            String shown = String.join(" ", command.stream().limit(4).toList()).replace(draft.toString(), "…");
            if (process.isAlive()) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
                throw new Failure("'" + shown + "' did not end within " + limit.toSeconds() + " s. Check the network.");
            }
            String output = Files.readString(log, StandardCharsets.ISO_8859_1).strip();
            if (process.exitValue() != 0) {
                String last = output.substring(output.lastIndexOf('\n') + 1);
                throw new Failure("'" + shown + "' failed with status " + process.exitValue() + ": " + last
                        + " (log: " + log + ").");
            }
            Matcher changes = CHANGES.matcher(output);
            if (command.contains("--simulate") && changes.find() && !changes.group().matches("0 up.* 0 to remove")) {
                throw new Failure("apt-get would upgrade or remove other packages (" + changes.group() + ").");
            }
        }

        private static void awaitEnd(Item item, Process process, Duration limit) {
            Instant start = Instant.now();
            try {
                for (Duration left = limit; !left.isNegative(); left = limit.minus(Duration.between(start, Instant.now()))) {
                    long step = Math.min(left.toMillis(), PROGRESS.toMillis());
                    if (process.waitFor(step, TimeUnit.MILLISECONDS)) {
                        return;
                    }
                    if (limit.equals(LIMIT)) {
                        say("Installing " + item.title() + ": "
                                + Duration.between(start, Instant.now()).toSeconds() + " s so far.");
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
