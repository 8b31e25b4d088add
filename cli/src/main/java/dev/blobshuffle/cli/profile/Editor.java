package dev.blobshuffle.cli.profile;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.io.IOException;
import java.nio.file.Path;

/** Runs the user's editor. Stateless. */
final class Editor {
    private Editor() {}

    /**
     * Opens a file, and returns when the user has closed it.
     *
     * @param editor a command, with any options
     * @throws InvalidSettingsException fatal: the editor cannot run, or it failed
     */
    static void open(Path file, String editor) {
        try {
            // Through a shell, because the variables may contain options.
            int status = new ProcessBuilder("sh", "-c", editor + " \"$1\"", "sh", file.toString())
                    .inheritIO()
                    .start()
                    .waitFor();
            if (status != 0) {
                throw new InvalidSettingsException("Cannot edit " + file + ": " + editor + " ended with status "
                        + status + ". Set EDITOR, or edit the file yourself.");
            }
        } catch (IOException e) {
            throw new InvalidSettingsException("Cannot edit " + file + ": " + e + ". Edit the file yourself.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InvalidSettingsException("Cannot edit " + file + ": interrupted. Run it again.", e);
        }
    }
}
