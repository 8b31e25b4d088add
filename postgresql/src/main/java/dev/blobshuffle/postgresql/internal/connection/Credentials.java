package dev.blobshuffle.postgresql.internal.connection;

import java.util.Optional;

/**
 * Who logs in. The text form hides the password.
 *
 * @param user name of the role
 * @param password its password; none if the server asks for none, as with a client's certificate
 */
record Credentials(String user, Optional<String> password) {
    @Override
    public String toString() {
        return "Credentials[user=" + user + ", password=" + (password.isPresent() ? "hidden" : "none") + "]";
    }
}
