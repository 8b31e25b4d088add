package dev.blobshuffle.cli.gc;

import dev.blobshuffle.cli.json.Json;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.retention.BlobReference;
import dev.blobshuffle.core.internal.retention.SweepReport;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The report of {@code gc}.
 *
 * @param found the result of the sweep
 * @param holders the groups that have not read the oldest needed blob yet
 * @param hidden topics of blobs that the principal may not see
 * @param floor younger blobs are kept
 * @param isDeleted whether blobs were deleted
 * @param owners a line about each owner of the store
 */
record GcReport(
        SweepReport found,
        List<Holder> holders,
        Set<String> hidden,
        Duration floor,
        boolean isDeleted,
        List<String> owners) {
    private int left() {
        return found.listed() - (isDeleted() ? found.unneeded() : 0);
    }

    /** The report as text. */
    String text() {
        StringBuilder text = new StringBuilder();
        owners.forEach(owner -> line(text, owner));
        line(text, found.needed() + " blobs are needed.");
        found.oldest().ifPresent(reference -> describe(reference, text));
        addUnknown(text);
        addKept(text);
        addUnneeded(text);
        return text.toString();
    }

    private void addUnknown(StringBuilder text) {
        if (found.kept() > 0) {
            line(
                    text,
                    found.kept() + " blobs are kept, because this cluster has no topics " + found.unknownTopics()
                            + ".");
        }
        if (!hidden.isEmpty()) {
            line(
                    text,
                    "This principal may not describe topics " + hidden
                            + ", so it is unknown whether they exist. Sweep as a principal that may.");
        }
    }

    private void addKept(StringBuilder text) {
        if (found.silent() > 0) {
            line(text, found.silent() + " blobs are kept, because a log of theirs has never held a record.");
        }
        if (found.spared() > 0) {
            line(
                    text,
                    found.spared() + " blobs are not needed and stay, because they are younger than "
                            + floor.toSeconds() + " s (--floor).");
        }
        if (found.unsettled() > 0) {
            line(
                    text,
                    found.unsettled() + " blobs are kept, because notifications may still appear in logs: "
                            + found.doubtsInWords()
                            + ". Bring their brokers and replicas back, and sweep again.");
        }
        if (found.otherContent() > 0) {
            line(
                    text,
                    found.otherContent() + " blobs are kept, because they hold other content than records (Arrow or"
                            + " opaque bytes). The engine that wrote them must delete them.");
        }
        found.damagedExample()
                .ifPresent(example -> line(
                        text,
                        found.damaged() + " blobs are kept, because their footers are damaged, such as " + example
                                + "."));
    }

    private void addUnneeded(StringBuilder text) {
        line(
                text,
                found.unneeded()
                        + (isDeleted()
                                ? " blobs are deleted, " + found.unneededBytes() + " bytes."
                                : " blobs are not needed. Nothing was deleted; run it with --execute."));
        if (found.orphans() > 0) {
            line(
                    text,
                    found.orphans() + " of these are orphans, " + found.orphanBytes()
                            + " bytes: no notification ever led to them.");
        }
    }

    private void describe(BlobReference reference, StringBuilder text) {
        line(text, "The oldest that is needed is " + reference + ".");
        for (Holder holder : holders) {
            line(
                    text,
                    "  Group " + holder.group() + " must still read it: it has committed offset " + holder.committed()
                            + ", " + holder.lag() + " before the end.");
        }
        if (holders.isEmpty()) {
            line(
                    text,
                    "  No group with a commit there must still read it. The log keeps it until its retention ends or"
                            + " it is purged.");
        }
    }

    private static void line(StringBuilder text, String line) {
        text.append(line).append(System.lineSeparator());
    }

    /** The report as JSON. */
    String json(String store, String retention) {
        Map<String, Object> gc = new LinkedHashMap<>();
        gc.put("store", store);
        gc.put("retention", retention);
        gc.put("deleted", isDeleted());
        gc.put("owners", owners);
        gc.put("listed_blobs", found.listed());
        gc.put("listed_bytes_estimated", found.listedBytes());
        gc.put("needed_blobs", found.needed());
        gc.put("unneeded_blobs", found.unneeded());
        gc.put("unneeded_bytes", found.unneededBytes());
        gc.put("orphaned_blobs", found.orphans());
        gc.put("orphaned_bytes", found.orphanBytes());
        gc.put("kept_blobs", found.kept());
        gc.put("kept_for_topics", found.unknownTopics().stream().sorted().toList());
        gc.put("silent_blobs", found.silent());
        gc.put("spared_blobs", found.spared());
        gc.put("floor_ms", floor.toMillis());
        gc.put("unsettled_blobs", found.unsettled());
        gc.put("unsettled_logs", found.inDoubt().stream().map(this::unsettled).toList());
        gc.put("other_content_blobs", found.otherContent());
        gc.put("damaged_blobs", found.damaged());
        gc.put("blobs_left", left());
        found.oldest().ifPresent(reference -> gc.put("oldest_needed", oldest(reference)));
        return Json.write(Map.of("gc", gc));
    }

    private Map<String, Object> unsettled(Partition partition) {
        Map<String, Object> log = new LinkedHashMap<>();
        log.put("topic", partition.stream());
        log.put("partition", partition.number());
        log.put("reason", found.doubts().getOrDefault(partition, ""));
        return log;
    }

    private Map<String, Object> oldest(BlobReference reference) {
        Map<String, Object> oldest = new LinkedHashMap<>();
        oldest.put("blob", reference.blob().toString());
        oldest.put("generation", reference.blob().generation());
        oldest.put("minute", reference.minute().toString());
        oldest.put("topic", reference.partition().stream());
        oldest.put("partition", reference.partition().number());
        oldest.put("offset", reference.offset());
        oldest.put(
                "groups",
                holders.stream()
                        .map(holder -> Map.<String, Object>of(
                                "group", holder.group(), "committed", holder.committed(), "lag", holder.lag()))
                        .toList());
        return oldest;
    }
}
