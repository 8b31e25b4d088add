package dev.blobshuffle.testkit.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.Instances;
import dev.blobshuffle.log.internal.Instances.Announcement;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The rules of announcements of instances: one subclass per log. */
public abstract class InstancesContractTest extends LogContract {
    private static final Duration LEASE = Duration.ofSeconds(30);

    @Test
    void everyInstanceSeesTheOthers() {
        CommitLog first = connect();
        CommitLog second = connect();

        assertThat(join(first.instances().announce(1, "one", LEASE))).containsExactly(new Announcement(1, "one"));
        assertThat(join(second.instances().announce(-2, "two", LEASE)))
                .containsExactlyInAnyOrder(new Announcement(1, "one"), new Announcement(-2, "two"));
        assertThat(join(first.instances().find())).hasSize(2);
    }

    @Test
    void anInstanceReplacesItsAnnouncement() {
        Instances instances = connect().instances();
        Object ignored = join(instances.announce(1, "before", LEASE));

        assertThat(join(instances.announce(1, "after", LEASE))).containsExactly(new Announcement(1, "after"));
    }

    @Test
    void anAnnouncementEndsWithItsTime() {
        Instances instances = connect().instances();
        Object ignored = join(instances.announce(1, "one", LEASE));
        tested().shiftClock(LEASE.plusSeconds(1));

        assertThat(join(instances.find())).isEmpty();
        assertThat(join(instances.announce(1, "again", LEASE))).containsExactly(new Announcement(1, "again"));
    }

    @Test
    void aWithdrawnAnnouncementIsGone() {
        Instances instances = connect().instances();
        Object ignored = join(instances.announce(1, "one", LEASE));

        Object done = join(instances.withdraw(1).thenApply(any -> true));
        Object again = join(instances.withdraw(1).thenApply(any -> true));

        assertThat(done).isEqualTo(again);
        assertThat(join(instances.find())).isEmpty();
    }

    @Test
    void aLongAnnouncementIsRefused() {
        Instances instances = connect().instances();

        assertThatThrownBy(() -> instances.announce(1, "x".repeat(Instances.MAX_TEXT + 1), LEASE))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> instances.announce(1, "", LEASE)).isInstanceOf(IllegalArgumentException.class);
        assertThat(join(instances.announce(1, "é".repeat(Instances.MAX_TEXT), LEASE)))
                .hasSize(1);
    }
}
