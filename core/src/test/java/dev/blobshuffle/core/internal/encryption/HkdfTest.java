package dev.blobshuffle.core.internal.encryption;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class HkdfTest {
    /**
     * RFC 5869, appendix A.1. The first 32 of its 42 bytes of output do not depend on the length.
     */
    @Test
    void theFirstTestCaseOfTheRfc() {
        byte[] input = new byte[22];
        Arrays.fill(input, (byte) 0x0b);
        byte[] extracted = Hkdf.extract(hex("000102030405060708090a0b0c"), input);
        assertThat(extracted).isEqualTo(hex("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5"));
        assertThat(Hkdf.expand(extracted, hex("f0f1f2f3f4f5f6f7f8f9")))
                .isEqualTo(hex("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"));
    }

    private static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits);
    }
}
