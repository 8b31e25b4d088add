package dev.blobshuffle.flink.internal.reference;

import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Numbers from zero in one to five bytes, seven bits each, the lowest first. Stateless. */
public final class Varints {
    private Varints() {}

    /** Writes a number. */
    public static void write(int number, DataOutputView target) throws IOException {
        int rest = number;
        while ((rest & ~0x7f) != 0) {
            target.writeByte(rest & 0x7f | 0x80);
            rest >>>= 7;
        }
        target.writeByte(rest);
    }

    /**
     * Reads a number.
     *
     * @throws IOException the bytes are no such number
     */
    public static int read(DataInputView source) throws IOException {
        int number = 0;
        for (int shift = 0; shift < Integer.SIZE; shift += 7) {
            byte next = source.readByte();
            number |= (next & 0x7f) << shift;
            if (next >= 0) {
                if (number < 0) {
                    break;
                }
                return number;
            }
        }
        throw new IOException("Cannot read a reference: its bytes hold no number. The state or the network buffer is"
                + " damaged; restore another checkpoint.");
    }
}
