package dev.blobshuffle.postgresql.internal.connection;

import java.util.Optional;

/**
 * A user and a password. The text form hides the password.
 *
 * @param user name of the role
 * @param password its password; empty if the server needs none, as with a client certificate
 */
record Credentials(String user, Optional<String> password) {
    @Override
    public String toString() {
        return "Credentials[user=" + user + ", password=" + (password.isPresent() ? "hidden" : "none") + "]";
    }
}
