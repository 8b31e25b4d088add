package dev.blobshuffle.flightdaemon.internal.ticket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.flightdaemon.internal.blob.MapSet;
import dev.blobshuffle.flightdaemon.internal.blob.PartitionRange;
import dev.blobshuffle.flightdaemon.internal.blob.RefusedException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TicketSignerTest {
    private final AtomicLong now = new AtomicLong(1_000_000);
    private final SystemTime time = new SystemTime(now::get);
    private final TicketSigner signer = new TicketSigner(new byte[32], time);
    private final Ticket ticket = new Ticket(
            "team",
            "orders-1",
            new PartitionRange(3, 5),
            new MapSet.Listed(List.of(new MapSet.Attempt(0, 0), new MapSet.Attempt(1, 2))),
            7,
            2_000_000);

    @AfterEach
    void close() {
        time.close();
    }

    @Test
    void aTicketSaysWhatWasSigned() {
        Ticket all = new Ticket("n", "s", PartitionRange.of(0), new MapSet.Committed(9), 0, 2_000_000);

        assertThat(signer.verify(signer.sign(ticket))).isEqualTo(ticket);
        assertThat(signer.verify(signer.sign(all))).isEqualTo(all);
    }

    /** Changes the shuffle, the partition, the expiry, the maps, and any single byte. */
    @Test
    void aChangedTicketIsRefused() {
        byte[] signed = signer.sign(ticket);
        for (int i = 0; i < signed.length; i++) {
            byte[] changed = signed.clone();
            changed[i] ^= 1;
            assertRefused(changed, "Cannot use the ticket");
        }
    }

    @Test
    void aTicketForAnotherShuffleNeedsItsOwnSignature() {
        byte[] signed = signer.sign(ticket);
        String text = new String(signed, StandardCharsets.ISO_8859_1).replace("orders-1", "orders-2");

        assertRefused(text.getBytes(StandardCharsets.ISO_8859_1), "its signature is wrong");
    }

    @Test
    void anExpiredTicketIsRefused() {
        byte[] signed = signer.sign(ticket);
        now.set(2_000_000);

        assertRefused(signed, "it expired");
    }

    @Test
    void aTicketOfAnotherKeyIsRefused() {
        byte[] other = new byte[32];
        other[0] = 1;

        assertRefused(new TicketSigner(other, time).sign(ticket), "before it was restarted");
    }

    @Test
    void aCutTicketIsRefused() {
        byte[] signed = signer.sign(ticket);
        for (int length = 0; length < signed.length; length++) {
            assertRefused(java.util.Arrays.copyOf(signed, length), "Cannot use the ticket");
        }
    }

    private void assertRefused(byte[] bytes, String reason) {
        assertThatThrownBy(() -> signer.verify(bytes))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        e -> assertThat(e.reason()).isEqualTo(RefusedException.Reason.UNAUTHENTICATED))
                .hasMessageContaining(reason);
    }
}
