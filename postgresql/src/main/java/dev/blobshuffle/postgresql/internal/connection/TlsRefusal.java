package dev.blobshuffle.postgresql.internal.connection;

import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Finds the reason why client and server do not agree on encryption. Such a refusal lasts until an
 * operator changes a certificate or a parameter. The driver reports all of them with the state of a
 * broken connection. Stateless.
 */
final class TlsRefusal {
    /** The driver's check of the name; it has no exception of its own. */
    private static final String HOST_CHECK = "HostnameVerifier";

    /** The driver's state if the server does not support TLS. */
    private static final String REJECTED = "08004";

    private static final int MOST_CAUSES = 12;

    private TlsRefusal() {}

    /** Reason and remedy, if a connection failed because of encryption. */
    static Optional<String> of(SQLException failure) {
        Throwable at = failure;
        for (int depth = 0; at != null && depth < MOST_CAUSES; depth++) {
            Optional<String> reason = reason(at);
            if (reason.isPresent()) {
                return reason;
            }
            at = at.getCause();
        }
        return Optional.empty();
    }

    private static Optional<String> reason(Throwable failure) {
        if (failure instanceof CertificateException || failure instanceof CertPathValidatorException) {
            return Optional.of("the server's certificate is not trusted, or has expired. Give its authority in the"
                    + " parameter sslrootcert, or renew the certificate");
        }
        if (failure instanceof SQLException sql) {
            String message = String.valueOf(sql.getMessage());
            if (message.contains(HOST_CHECK)) {
                return Optional.of("the server's certificate is for another host. Name the host as the certificate"
                        + " does, or add the name to the certificate");
            }
            if (REJECTED.equals(sql.getSQLState())) {
                return Optional.of("the server offers no TLS, or asks for a login that the credentials do not fit."
                        + " Switch TLS on at the server, or correct the credentials");
            }
        }
        return Optional.empty();
    }
}
