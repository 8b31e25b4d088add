package dev.blobshuffle.azure;

import static org.assertj.core.api.Assertions.assertThat;

import com.azure.core.http.HttpHeaders;
import dev.blobshuffle.testkit.LoanCheck;
import dev.blobshuffle.testkit.TrackedContent;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class Crc64Test {
    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    /** Azure uses CRC-64/NVME. This is its check value. */
    @Test
    void theDigitsGiveTheCheckValue() {
        assertThat(crc(digits())).isEqualTo(0xAE8B_1486_0A79_9888L);
        assertThat(crc()).isZero();
    }

    @Test
    void itIsSentWithItsLowestByteFirst() {
        TrackedContent content =
                loans.content("1234".getBytes(StandardCharsets.UTF_8), "56789".getBytes(StandardCharsets.UTF_8));
        HttpHeaders headers = new HttpHeaders();
        AzureChecksum.CRC64.add(headers, content);
        assertThat(headers.getValue("x-ms-content-crc64")).isEqualTo("iJh5CoYUi64=");
        AzureChecksum.MD5.add(headers, content);
        assertThat(headers.getValue("Content-MD5")).isEqualTo("JfnnlDI7RTiF9RgfG2JNCw==");
        content.release();
    }

    @Test
    void allCutsOfAllLengthsGiveWhatTheDefinitionGives() {
        Random random = new Random(5);
        for (int length : new int[] {1, 7, 8, 9, 63, 64, 65, 1000, 16_384, 16_385, 50_000}) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            int cut = random.nextInt(length + 1);
            assertThat(crc(ByteBuffer.wrap(bytes, 0, cut), ByteBuffer.wrap(bytes, cut, length - cut)))
                    .as("%d bytes cut at %d", length, cut)
                    .isEqualTo(byDefinition(bytes));
        }
    }

    private static long byDefinition(byte[] bytes) {
        long register = -1;
        for (byte next : bytes) {
            register ^= next & 0xff;
            for (int bit = 0; bit < 8; bit++) {
                register = (register & 1) == 0 ? register >>> 1 : (register >>> 1) ^ 0x9A6C_9329_AC4B_C9B5L;
            }
        }
        return ~register;
    }

    private static ByteBuffer digits() {
        return ByteBuffer.wrap("123456789".getBytes(StandardCharsets.UTF_8)).asReadOnlyBuffer();
    }

    private static long crc(ByteBuffer... buffers) {
        Crc64 crc = new Crc64();
        for (ByteBuffer buffer : buffers) {
            crc.update(buffer);
        }
        return crc.value();
    }
}
