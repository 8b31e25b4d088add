package dev.blobshuffle.cli;

import dev.blobshuffle.cli.option.ExitStatus;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The standard output of a process, which remembers its first failure. A {@link PrintStream}
 * swallows failures, so a command whose output met a full disk would report success. Owned by the
 * main thread.
 */
public final class StandardOutput {
    private final Remembering bytes;

    StandardOutput(OutputStream bytes) {
        this.bytes = new Remembering(bytes);
    }

    /**
     * Runs a command with {@link System#out} replaced by one that remembers failures.
     *
     * @param command creates and runs the command line, and returns its status
     * @return the command's status; 1 if its output was lost
     */
    public static int checked(IntSupplier command) {
        StandardOutput output = new StandardOutput(new FileOutputStream(FileDescriptor.out));
        System.setOut(output.stream());
        return output.status(command.getAsInt(), System.err);
    }

    /** Has the encoding that Java took for the original. Until Java 18 that is the default one. */
    PrintStream stream() {
        Charset encoding = Charset.forName(
                System.getProperty("stdout.encoding", Charset.defaultCharset().name()));
        return new PrintStream(new BufferedOutputStream(bytes), true, encoding);
    }

    /**
     * The status of a command that ended. If a reader closed its pipe, as {@code head} does, it has
     * what it wanted.
     */
    int status(int status, PrintStream errors) {
        IOException failure = bytes.failure;
        if (failure == null || "Broken pipe".equals(failure.getMessage())) {
            return status;
        }
        errors.println("Cannot write the output: " + failure.getMessage()
                + ". Check the disk of the file that it goes to, and run the command again.");
        return status == 0 ? ExitStatus.FAILED : status;
    }

    /** Thread-safe as the stream below it. */
    private static final class Remembering extends FilterOutputStream {
        private volatile @Nullable IOException failure;

        Remembering(OutputStream out) {
            super(out);
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            try {
                out.write(bytes, offset, length);
            } catch (IOException e) {
                if (failure == null) {
                    failure = e;
                }
                throw e;
            }
        }
    }
}
