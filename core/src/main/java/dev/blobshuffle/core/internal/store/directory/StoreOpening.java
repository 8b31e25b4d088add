package dev.blobshuffle.core.internal.store.directory;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.core.internal.store.StoreFingerprint;
import dev.blobshuffle.core.internal.store.StoreMarker;
import dev.blobshuffle.core.store.StoreContext.WhenAbsent;
import dev.blobshuffle.core.time.Time;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks that the named directories are one whole file store, and opens it. The markers decide
 * ({@link DirectoryMarker}), not the paths, so the order of the paths does not matter. An
 * unavailable directory is skipped until it is available, but it counts as one of the named ones.
 * If the context allows it, this also creates the store. For an operator, it adds directories, and
 * completes an interrupted change.
 *
 * <p>Markers are written under {@link MarkerLock}. Owned by the thread that opens the store.
 */
final class StoreOpening {
    private static final Logger LOG = LoggerFactory.getLogger(StoreOpening.class);

    /**
     * The most attempts to write the markers, because a process of an earlier version may create
     * one at the same moment.
     */
    private static final int ATTEMPTS = 5;

    private final List<BlobDirectory> directories;
    private final String where;
    private final Time time;
    private final WhenAbsent whenAbsent;
    private final List<IOException> failures = new ArrayList<>();

    /** The markers of the available directories, in the order of the URI. */
    private final Map<BlobDirectory, DirectoryMarker> marked = new LinkedHashMap<>();

    StoreOpening(List<BlobDirectory> directories, Time time, WhenAbsent whenAbsent) {
        this.directories = directories;
        this.time = time;
        this.whenAbsent = whenAbsent;
        where = "file://" + directories.stream().map(BlobDirectory::toString).collect(Collectors.joining(","));
    }

    /**
     * A store whose directories are known.
     *
     * @param store its id
     * @param layout its directories; empty if the markers do not name them
     * @param registers the directory of the registers; empty if the layout names it, or if it is
     *     unavailable
     * @param toMark the markers to write first, in this order
     */
    private record Plan(
            String store,
            Optional<StoreLayout> layout,
            Optional<BlobDirectory> registers,
            Map<BlobDirectory, String> toMark) {
        static Plan of(StoreLayout layout, Map<BlobDirectory, String> toMark) {
            return new Plan(layout.store(), Optional.of(layout), Optional.empty(), toMark);
        }
    }

    /**
     * The opened store.
     *
     * @param store its id
     * @param members its directories
     * @param registers the directory of the registers, if the markers do not name it
     */
    record Opened(String store, StoreMembers members, Optional<BlobDirectory> registers) {}

    /**
     * Opens the directories. Blocks.
     *
     * @throws InvalidSettingsException fatal: the directories are not one whole store;
     *     {@code StoreAbsentException} if there is no store and none may be created
     * @throws StoreUnavailableException recoverable: no directory can be used, or one that is
     *     needed cannot
     */
    Opened open() {
        List<Path> paths = directories.stream().map(BlobDirectory::path).toList();
        DirectoryPaths.check(paths);
        if (whenAbsent != WhenAbsent.FAIL) {
            createDirectories();
            DirectoryPaths.check(paths);
        }
        Plan plan = plan();
        if (!plan.toMark().isEmpty()) {
            plan = change();
        }
        StoreMembers members = new StoreMembers(plan.store(), directories.size(), plan.layout());
        boolean isUsable = false;
        for (BlobDirectory directory : directories) {
            try {
                directory.open(members);
                isUsable = true;
            } catch (IOException e) {
                directory.await(members);
                failures.add(e);
            }
        }
        if (!isUsable) {
            throw unusable("no directory can be used", "Check that they are mounted and writable.");
        }
        return new Opened(plan.store(), members, plan.registers());
    }

    private void createDirectories() {
        for (BlobDirectory directory : directories) {
            try {
                PrivateFiles.createDirectories(directory.path());
            } catch (IOException e) {
                failures.add(e);
            }
        }
    }

    private Plan change() {
        Path first = directories.stream()
                .map(BlobDirectory::path)
                .filter(Files::isDirectory)
                .min(Comparator.naturalOrder())
                .orElseThrow(() -> unusable("no directory can be used", "Check that they are mounted and writable."));
        try (MarkerLock lock = MarkerLock.take(first)) {
            for (int attempt = 1; ; attempt++) {
                Plan plan = plan();
                try {
                    mark(plan);
                    return plan;
                } catch (FileAlreadyExistsException e) {
                    if (attempt == ATTEMPTS) {
                        throw e;
                    }
                }
            }
        } catch (IOException e) {
            failures.add(e);
            throw unusable("its markers cannot be written", "Check that all directories are mounted and writable.");
        }
    }

    private void mark(Plan plan) throws IOException {
        StoreLayout layout = plan.layout().orElseThrow();
        for (Map.Entry<BlobDirectory, String> mark : plan.toMark().entrySet()) {
            DirectoryMarker.Place place = new DirectoryMarker.Place(mark.getValue(), layout);
            if (place.content().length() > StoreMarker.LONGEST) {
                throw new InvalidSettingsException("Cannot open store " + where + ": " + layout.size()
                        + " directories are too many. Name fewer, or combine disks.");
            }
            if (marked.containsKey(mark.getKey())) {
                DirectoryMarker.replace(mark.getKey().path(), place);
            } else {
                DirectoryMarker.create(mark.getKey().path(), place);
            }
        }
    }

    private StoreUnavailableException unusable(String reason, String remedy) {
        String causes = failures.stream().map(IOException::toString).distinct().collect(Collectors.joining("; "));
        StoreUnavailableException failure = new StoreUnavailableException("Cannot open store " + where + ": " + reason
                + (causes.isEmpty() ? "" : " (" + causes + ")") + ". " + remedy);
        failures.forEach(failure::addSuppressed);
        return failure;
    }

    private InvalidSettingsException refused(String reason) {
        return new InvalidSettingsException("Cannot open store " + where + ": " + reason);
    }

    private Plan plan() {
        marked.clear();
        for (BlobDirectory directory : directories) {
            try {
                directory.marker().ifPresent(marker -> marked.put(directory, marker));
            } catch (IOException e) {
                failures.add(e);
            }
        }
        if (marked.isEmpty()) {
            return newStore();
        }
        requireOneStore();
        Optional<StoreLayout> newest = marked.values().stream()
                .flatMap(marker -> marker.place().stream())
                .map(DirectoryMarker.Place::layout)
                .max(Comparator.comparingLong(StoreLayout::edition));
        return newest.isPresent() ? laidOut(newest.get()) : earlier();
    }

    private Plan newStore() {
        if (whenAbsent == WhenAbsent.FAIL) {
            throw failures.isEmpty()
                    ? StoreMarker.absent(where)
                    : unusable(
                            "its marker cannot be read",
                            "Check the mount, and that this process runs as the user who owns the store.");
        }
        if (!failures.isEmpty()) {
            throw unusable(
                    "there is no store in it, and a new one needs all its directories",
                    "Check that they are mounted and writable.");
        }
        for (BlobDirectory directory : directories) {
            try {
                DirectoryPaths.requireAlone(directory.path());
            } catch (IOException e) {
                failures.add(e);
                throw unusable("a directory cannot be listed", "Check that the directories are readable.");
            }
        }
        List<String> ids = new ArrayList<>();
        directories.forEach(directory -> ids.add(newId(ids)));
        Map<BlobDirectory, String> toMark = new LinkedHashMap<>();
        directories.stream()
                .sorted(Comparator.comparing(BlobDirectory::path))
                .forEach(directory -> toMark.put(directory, ids.get(directories.indexOf(directory))));
        return Plan.of(new StoreLayout(StoreMarker.newId(time), 1, ids), toMark);
    }

    private String newId(List<String> taken) {
        while (true) {
            String id = String.format(Locale.ROOT, "%08x", (int) time.randomLong());
            if (!taken.contains(id)) {
                return id;
            }
        }
    }

    private void requireOneStore() {
        Map.Entry<BlobDirectory, DirectoryMarker> first =
                marked.entrySet().iterator().next();
        marked.forEach((directory, marker) -> {
            if (!marker.store().equals(first.getValue().store())) {
                throw refused(
                        first.getKey() + " belongs to store " + first.getValue().store() + " and " + directory
                                + " to store " + marker.store() + ". Name the directories of one store only.");
            }
        });
    }

    /**
     * The marked directories, by their relation to a layout.
     *
     * @param members those of the layout, by their ids in it
     * @param stale members whose marker has an earlier layout
     * @param strangers directories that are not in the layout
     */
    private record Sorted(
            Map<String, BlobDirectory> members, List<BlobDirectory> stale, List<BlobDirectory> strangers) {}

    private Sorted sorted(StoreLayout layout) {
        Sorted sorted = new Sorted(new LinkedHashMap<>(), new ArrayList<>(), new ArrayList<>());
        marked.forEach((directory, marker) -> {
            Optional<DirectoryMarker.Place> place = marker.place().filter(found -> layout.has(found.directory()));
            if (place.isEmpty()) {
                sorted.strangers.add(directory);
                return;
            }
            BlobDirectory same = sorted.members.put(place.get().directory(), directory);
            if (same != null) {
                throw refused(same + " and " + directory + " are both directory "
                        + place.get().directory() + " of store " + layout.store()
                        + ": two names of one directory, or a copy. Name each directory once.");
            }
            if (place.get().layout().edition() < layout.edition()) {
                sorted.stale.add(directory);
            } else if (!place.get().layout().equals(layout)) {
                throw refused(directory + " names the directories "
                        + place.get().layout().directories() + " of store " + layout.store()
                        + ", and another directory names " + layout.directories()
                        + ". Name the directories of one store only, and move aside the marker of a directory that"
                        + " an interrupted command has left.");
            }
        });
        return sorted;
    }

    private Plan laidOut(StoreLayout layout) {
        Sorted sorted = sorted(layout);
        Map<String, BlobDirectory> members = sorted.members();
        List<BlobDirectory> stale = sorted.stale();
        List<BlobDirectory> strangers = sorted.strangers();
        List<BlobDirectory> unmarked = directories.stream()
                .filter(directory -> !marked.containsKey(directory))
                .toList();
        List<String> missing = layout.directories().stream()
                .filter(id -> !members.containsKey(id))
                .toList();
        boolean isWhole = stale.isEmpty() && strangers.isEmpty() && directories.size() == layout.size();
        if (isWhole) {
            return isUnfinished(layout, members)
                    ? extended(layout, members, stale, strangers, unmarked)
                    : Plan.of(layout, Map.of());
        }
        boolean isUpgrading = stale.isEmpty()
                && strangers.stream()
                        .allMatch(directory -> Optional.ofNullable(marked.get(directory))
                                .flatMap(DirectoryMarker::place)
                                .isEmpty())
                && directories.size() == layout.size();
        if (isUpgrading) { // Another instance is upgrading the markers, or was interrupted.
            return Plan.of(layout, pairs(strangers, missing));
        }
        if (whenAbsent != WhenAbsent.CREATE_OR_EXTEND || !missing.isEmpty()) {
            throw notWhole(layout, members, missing, unmarked, strangers);
        }
        return extended(layout, members, stale, strangers, unmarked);
    }

    /**
     * Whether the creation of the store was interrupted. Users register before their first blob, so
     * a store without registers is still empty.
     */
    private boolean isUnfinished(StoreLayout layout, Map<String, BlobDirectory> members) {
        BlobDirectory first = members.get(layout.first());
        try {
            return whenAbsent != WhenAbsent.FAIL
                    && layout.edition() == 1
                    && members.size() < layout.size()
                    && first != null
                    && !first.hasRegister()
                    && first.listing().sample(1).isEmpty();
        } catch (IOException e) {
            failures.add(e);
            return false;
        }
    }

    private static Map<BlobDirectory, String> pairs(List<BlobDirectory> directories, List<String> ids) {
        Map<BlobDirectory, String> pairs = new LinkedHashMap<>();
        for (int i = 0; i < directories.size(); i++) {
            pairs.put(directories.get(i), ids.get(i));
        }
        return pairs;
    }

    /**
     * Adds directories, and drops those that were never marked. New directories are marked first,
     * so an interrupted command changes nothing.
     */
    private Plan extended(
            StoreLayout layout,
            Map<String, BlobDirectory> members,
            List<BlobDirectory> stale,
            List<BlobDirectory> strangers,
            List<BlobDirectory> unmarked) {
        Map<BlobDirectory, String> toMark = new LinkedHashMap<>();
        List<BlobDirectory> added = new ArrayList<>(unmarked);
        added.addAll(strangers);
        if (added.isEmpty()) {
            members.forEach((id, directory) -> {
                if (stale.contains(directory)) {
                    toMark.put(directory, id);
                }
            });
            return Plan.of(layout, toMark);
        }
        List<String> ids = new ArrayList<>(
                layout.directories().stream().filter(members::containsKey).toList());
        for (BlobDirectory directory : added) {
            String id = newId(ids);
            ids.add(id);
            toMark.put(directory, id);
        }
        members.forEach((id, directory) -> toMark.put(directory, id));
        LOG.info("Added {} to the directories of store {} ({}).", added, layout.store(), where);
        return Plan.of(new StoreLayout(layout.store(), layout.edition() + 1, ids), toMark);
    }

    private InvalidSettingsException notWhole(
            StoreLayout layout,
            Map<String, BlobDirectory> members,
            List<String> missing,
            List<BlobDirectory> unmarked,
            List<BlobDirectory> strangers) {
        StringBuilder reason = new StringBuilder("store " + layout.store() + " has "
                + count(layout.size()) + " (" + String.join(", ", layout.directories()) + "), and the URI names "
                + directories.size() + ":");
        members.forEach((id, directory) -> reason.append(' ')
                .append(directory)
                .append(" is ")
                .append(id)
                .append(id.equals(layout.first()) ? " (with the claims)," : ","));
        strangers.forEach(directory -> reason.append(' ').append(directory).append(" is not one of them,"));
        unmarked.forEach(directory -> reason.append(' ').append(directory).append(" has no marker,"));
        reason.setCharAt(reason.length() - 1, '.');
        if (directories.size() < layout.size()) {
            reason.append(" Name all directories of the store, separated by commas, or, if one is lost for good,")
                    .append(" remove it with `blobshuffle doctor --store URI --remove-directory ")
                    .append(String.join(",", missing))
                    .append(" --execute`.");
        } else if (missing.isEmpty()) {
            reason.append(" If a directory is new, or if a command that adds or removes directories was interrupted,")
                    .append(" run `blobshuffle doctor --store URI --create --execute` with all directories.");
        } else {
            reason.append(" Mount the directories that are not there, and name no others.");
        }
        return refused(reason.toString());
    }

    private static String count(int directories) {
        return directories == 1 ? "1 directory" : directories + " directories";
    }

    private Plan earlier() {
        String store = marked.values().iterator().next().store();
        List<BlobDirectory> there = List.copyOf(marked.keySet());
        EarlierMarkers traces;
        try {
            traces = new EarlierMarkers(there);
        } catch (IOException e) {
            failures.add(e);
            throw unusable("its blobs cannot be listed", "Check that the directories are readable.");
        }
        Optional<BlobDirectory> registers = traces.registers();
        traces.requireNoMore(directories.size());
        boolean isWhole = there.size() == directories.size();
        if (isWhole && (!traces.isUsed() || whenAbsent == WhenAbsent.CREATE_OR_EXTEND)) {
            return upgraded(store, firstOf(registers));
        }
        Optional<List<BlobDirectory>> proven = isWhole ? traces.proven() : Optional.empty();
        if (proven.isPresent()) {
            return upgraded(store, proven.get());
        }
        if (whenAbsent == WhenAbsent.CREATE_OR_EXTEND) {
            throw refused("an earlier version created its markers, and " + (directories.size() - there.size())
                    + " of the named directories have none. Run the command with the directories of the store first,"
                    + " and then with those that you add.");
        }
        if (registers.isEmpty() && isWhole) {
            throw refused("an earlier version created its markers, which do not name the store's directories, and none"
                    + " of the named ones holds claims, so the store may have more. If these are all,"
                    + " run `blobshuffle doctor --store URI --create --execute` once.");
        }
        LOG.warn(
                "The markers of store {} do not name its directories, because an earlier version created them."
                        + " Run `blobshuffle doctor --store URI --create --execute` once, with all directories of the"
                        + " store, so that it cannot be opened with some of them.",
                where);
        return new Plan(store, Optional.empty(), registers, Map.of());
    }

    /** The directories in the order of the URI, that of the registers first. */
    private List<BlobDirectory> firstOf(Optional<BlobDirectory> registers) {
        List<BlobDirectory> order = new ArrayList<>(directories);
        registers.ifPresent(first -> {
            order.remove(first);
            order.add(0, first);
        });
        return order;
    }

    private static Plan upgraded(String store, List<BlobDirectory> order) {
        List<String> ids = new ArrayList<>();
        Map<BlobDirectory, String> toMark = new LinkedHashMap<>();
        for (BlobDirectory directory : order) {
            String id = String.format(Locale.ROOT, "%08x", StoreFingerprint.of(store + "/" + ids.size()));
            ids.add(id);
            toMark.put(directory, id);
        }
        return Plan.of(new StoreLayout(store, 1, ids), toMark);
    }
}
