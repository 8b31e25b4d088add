package dev.blobshuffle.testkit.internal.log;

import dev.blobshuffle.log.internal.Instances;
import dev.blobshuffle.testkit.internal.log.LogTables.AnnouncementRow;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The announcements in a {@link MemoryLog}. Thread-safe. */
record MemoryInstances(Connection connection) implements Instances {
    @Override
    public CompletionStage<List<Announcement>> announce(long id, String text, Duration validFor) {
        if (text.isEmpty() || text.length() > MAX_TEXT) {
            throw new IllegalArgumentException("Cannot announce an instance with " + text.length()
                    + " characters: must be 1 to " + MAX_TEXT + ".");
        }
        return connection
                .<Boolean>call(LogCall.INSTANCES, (session, reply) -> {
                    long until = connection.database().clockMillis() + validFor.toMillis();
                    session.change(later -> later.announcements.put(id, new AnnouncementRow(text, until)));
                    reply.succeed(true);
                })
                .thenCompose(done -> find());
    }

    @Override
    public CompletionStage<List<Announcement>> find() {
        return connection.ask(
                LogCall.INSTANCES,
                () -> connection.database().tables().announcements.entrySet().stream()
                        .filter(each -> each.getValue().validUntilMillis()
                                > connection.database().clockMillis())
                        .map(each ->
                                new Announcement(each.getKey(), each.getValue().text()))
                        .toList());
    }

    @Override
    public CompletionStage<Void> withdraw(long id) {
        return connection
                .<Boolean>call(LogCall.INSTANCES, (session, reply) -> {
                    session.change(later -> later.announcements.remove(id));
                    reply.succeed(true);
                })
                .thenAccept(done -> {});
    }
}
