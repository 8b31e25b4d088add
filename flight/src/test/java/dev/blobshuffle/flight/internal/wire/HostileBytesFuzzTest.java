package dev.blobshuffle.flight.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobCorruptException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HostileBytesFuzzTest {
    @Test
    void messagesOfProtobufAreReadOrRefused() {
        Random random = new Random(11);
        int read = 0;
        int refused = 0;
        for (int i = 0; i < 200_000; i++) {
            byte[] bytes = new byte[random.nextInt(40)];
            random.nextBytes(bytes);
            try {
                FlightFrame ignored = FlightFrame.decode(ByteBuffer.wrap(bytes));
                read++;
            } catch (IllegalArgumentException e) {
                refused++;
            }
        }
        assertThat(read).isPositive();
        assertThat(refused).isPositive();
    }

    @Test
    void aLengthBeyondTheMessageIsRefused() {
        byte[] message = new ProtoWriter().bytesHeader(2, Integer.MAX_VALUE).toBytes();

        assertThatThrownBy(() -> FlightFrame.decode(ByteBuffer.wrap(message)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("2147483647 bytes where 0 are left");
    }

    @Test
    void messagesOfArrowAreReadOrCorrupt() {
        Random random = new Random(13);
        int read = 0;
        int corrupt = 0;
        for (int i = 0; i < 200_000; i++) {
            byte[] bytes = ArrowMessageTest.message(1 + random.nextInt(3), 8 * random.nextInt(4));
            for (int flips = random.nextInt(4); flips > 0; flips--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                assertThat(ArrowMessage.split(ByteBuffer.wrap(bytes), "test")).isNotEmpty();
                read++;
            } catch (BlobCorruptException e) {
                corrupt++;
            }
        }
        assertThat(read).isPositive();
        assertThat(corrupt).isPositive();
    }
}
