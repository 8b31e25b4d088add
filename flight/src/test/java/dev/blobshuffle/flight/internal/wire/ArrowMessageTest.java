package dev.blobshuffle.flight.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobCorruptException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ArrowMessageTest {
    /** A message: a flatbuffer with kind (slot 1) and body length (slot 3), then the body. */
    static byte[] message(int kind, int bodyLength) {
        ByteBuffer bytes = ByteBuffer.allocate(8 + 32 + bodyLength).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(-1).putInt(32).putInt(16);
        bytes.putShort((short) 12).putShort((short) 16).putShort((short) 0).putShort((short) 4);
        bytes.putShort((short) 0).putShort((short) 8);
        bytes.putInt(12).put((byte) kind).put(new byte[3]).putLong(bodyLength);
        return bytes.array();
    }

    @Test
    void messagesFollowEachOther() {
        byte[] first = message(2, 16);
        byte[] second = message(3, 8);
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);

        List<ArrowMessage> messages = ArrowMessage.split(ByteBuffer.wrap(both), "test");

        assertThat(messages)
                .extracting(ArrowMessage::kind)
                .containsExactly(ArrowMessage.Kind.DICTIONARY, ArrowMessage.Kind.BATCH);
        assertThat(messages).extracting(message -> message.body().remaining()).containsExactly(16, 8);
    }

    @Test
    void aCutMessageIsCorrupt() {
        byte[] whole = message(3, 16);
        for (int length = 1; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> ArrowMessage.split(ByteBuffer.wrap(cut), "test"))
                    .isInstanceOf(BlobCorruptException.class);
        }
    }
}
