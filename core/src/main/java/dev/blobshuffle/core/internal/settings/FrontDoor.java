package dev.blobshuffle.core.internal.settings;

import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A front door with settings of its own. Applications share one configuration between front doors,
 * so a setting at the wrong one is not misspelt. Each front door's tests compare its names with
 * these.
 */
enum FrontDoor {
    MESSAGING("messaging has it. Pass it to Messaging.open alone.", "log", "instance.name"),
    KAFKA(
            "Kafka Streams and the Kafka clients have it. Pass it to them alone.",
            "topics.include",
            "topics.exclude",
            "write.enabled",
            "membership.topic",
            "client.supplier",
            "keyparallel."),
    FLINK(
            "the module for Flink has it. Pass it to the options of its shuffles alone.",
            "pending.max.bytes",
            "native.in.zone",
            "put.after.barrier"),
    SPARK(
            "the module for Spark has it. Put it into Spark's configuration, with the prefix spark.",
            "durability",
            "zone.upload.age.ms",
            "zone.upload.wait.ms",
            "upload.min.age.ms",
            "sync.wait.ms",
            "blob.bytes",
            "read.timeout.ms",
            "read.window.bytes",
            "disk.reserve.bytes",
            "lease.ms");

    private final String remedy;
    private final Set<String> names;

    /** @param names without the prefix; one that ends with a dot is the beginning of names */
    FrontDoor(String remedy, String... names) {
        this.remedy = remedy;
        this.names = Stream.of(names).map(name -> Setting.PREFIX + name).collect(Collectors.toUnmodifiableSet());
    }

    /** The front door that alone has a setting; empty if there is none. */
    static Optional<FrontDoor> of(String setting) {
        return Stream.of(values()).filter(door -> door.has(setting)).findFirst();
    }

    boolean has(String setting) {
        return names.stream().anyMatch(name -> name.endsWith(".") ? setting.startsWith(name) : setting.equals(name));
    }

    /** Completes "only …". */
    String remedy() {
        return remedy;
    }

    Set<String> names() {
        return names;
    }
}
