package dev.blobshuffle.cli.profile;

import dev.blobshuffle.core.failure.InvalidSettings;
import java.io.IOException;
import java.nio.file.Path;

/** The user's editor. Stateless. */
final class Editor {
    private Editor() {}

    /**
     * Opens a file, and returns when the user has closed it.
     *
     * @param editor a command, with options if it has some
     * @throws InvalidSettings fatal: the editor cannot be run, or it failed
     */
    static void open(Path file, String editor) {
        try {
            // By a shell, because the variables may hold options.
            int status = new ProcessBuilder("sh", "-c", editor + " \"$1\"", "sh", file.toString())
                    .inheritIO()
                    .start()
                    .waitFor();
            if (status != 0) {
                throw new InvalidSettings("Cannot edit " + file + ": " + editor + " ended with status " + status
                        + ". Set EDITOR, or edit the file yourself.");
            }
        } catch (IOException e) {
            throw new InvalidSettings("Cannot edit " + file + ": " + e + ". Edit the file yourself.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InvalidSettings("Cannot edit " + file + ": interrupted. Run it again.", e);
        }
    }
}
