package dev.blobshuffle.http.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.Optional;
import javax.net.ssl.SSLException;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HttpFailuresTest {
    private static final HttpDialect DIALECT = new HttpDialect() {
        @Override
        public boolean isThrottled(HttpAnswer answer) {
            return answer.code().equals("Busy");
        }

        @Override
        public boolean isChanged(HttpAnswer answer) {
            return answer.code().equals("Digest");
        }

        @Override
        public Optional<String> remedy(HttpAnswer answer) {
            return answer.status() < 404 ? Optional.of("Ask for the right.") : Optional.empty();
        }

        @Override
        public String throttledRemedy() {
            return "Ask less.";
        }

        @Override
        public String hostRemedy() {
            return "Check the host.";
        }

        @Override
        public Optional<String> refusedCredentials(Throwable cause) {
            return cause instanceof SecurityException ? Optional.of("the key is refused. Renew it.") : Optional.empty();
        }
    };

    private final HttpFailures failures = new HttpFailures("x://bucket", DIALECT);

    @ParameterizedTest
    @CsvSource({
        "429, '', StoreThrottledException, HTTP 429. Ask less.",
        "503, Busy, StoreThrottledException, HTTP 503 Busy. Ask less.",
        "503, '', StoreUnavailableException, 'HTTP 503. If it lasts, look at the service''s status page.'",
        "400, Digest, StoreUnavailableException, 'HTTP 400 Digest. The bytes changed on their way. If it lasts, check memory and network.'",
        "400, Name, StoreRefusedException, HTTP 400 Name. Ask for the right.",
        "403, Digest, StoreRefusedException, HTTP 403 Digest. Ask for the right."
    })
    void anAnswerBecomesTheFailureThatSaysWhatToDo(int status, String code, String type, String reason) {
        IOException cause = new IOException("answer");

        StoreUnavailableException failure = failures.answered("read k from", new HttpAnswer(status, code, cause));

        assertThat(failure.getClass().getSimpleName()).isEqualTo(type);
        assertThat(failure)
                .hasMessage("Cannot read k from x://bucket: " + reason)
                .hasCause(cause);
    }

    @Test
    void withoutAnAnswerTheOutermostCauseThatSaysAnythingCounts() {
        assertThat(unanswered(new UnknownHostException("h"))).isEqualTo("the host h is not known. Check the host.");
        assertThat(unanswered(new SSLException("s"))).startsWith("TLS failed, s. ");
        assertThat(unanswered(new ConnectException("c"))).startsWith("no connection, c. ");
        assertThat(unanswered(new ConnectTimeoutException("t"))).startsWith("no connection, t. ");
        assertThat(unanswered(new SocketTimeoutException("r"))).startsWith("no answer in time. ");
        assertThat(unanswered(new SSLException(new SocketTimeoutException("r"))))
                .startsWith("TLS failed, ");
        assertThat(unanswered(new IOException("other"))).contains("java.io.IOException: other. ");
    }

    @Test
    void refusedCredentialsAreNoAccident() {
        SecurityException refused = new SecurityException("no");

        assertThat(failures.unanswered("list", new IllegalStateException(refused)))
                .isInstanceOf(StoreRefusedException.class)
                .hasMessage("Cannot list x://bucket: the key is refused. Renew it.");
    }

    private String unanswered(Throwable cause) {
        IllegalStateException whole = new IllegalStateException(cause);
        StoreUnavailableException failure = failures.unanswered("read k from", whole);
        assertThat(failure).isExactlyInstanceOf(StoreUnavailableException.class).hasCause(whole);
        return String.valueOf(failure.getMessage()).substring("Cannot read k from x://bucket: ".length());
    }
}
