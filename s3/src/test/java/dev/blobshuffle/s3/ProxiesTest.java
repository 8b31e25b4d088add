package dev.blobshuffle.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Properties;
import org.apache.hc.client5.http.auth.AuthScope;
import org.apache.hc.client5.http.auth.UsernamePasswordCredentials;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHost;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ProxiesTest {
    private static final HttpHost SECURE = new HttpHost("https", "bucket.s3.eu-central-1.amazonaws.com", 443);
    private static final HttpHost PLAIN = new HttpHost("http", "minio.example.com", 9000);

    private final Properties before = (Properties) System.getProperties().clone();

    @BeforeEach
    void noProxies() {
        for (String scheme : new String[] {"http", "https"}) {
            System.clearProperty(scheme + ".proxyHost");
            System.clearProperty(scheme + ".proxyPort");
        }
    }

    @AfterEach
    void giveBack() {
        System.setProperties(before);
    }

    @Test
    void aSecureEndpointIsReachedThroughTheProxyForHttps() throws HttpException {
        proxy("https", "secure.example.com");
        proxy("http", "plain.example.com");
        assertThat(proxyOf(SECURE)).isEqualTo(new HttpHost("http", "secure.example.com", 3128));
        assertThat(proxyOf(PLAIN)).isEqualTo(new HttpHost("http", "plain.example.com", 3128));
    }

    @Test
    void theProxyForHttpServesWhereThereIsNoOther() throws HttpException {
        proxy("http", "plain.example.com");
        assertThat(proxyOf(SECURE)).isEqualTo(new HttpHost("http", "plain.example.com", 3128));
    }

    @Test
    void hostsCanBeLeftOut() throws HttpException {
        proxy("https", "secure.example.com");
        System.setProperty("http.nonProxyHosts", "localhost|*.amazonaws.com");
        assertThat(proxyOf(SECURE)).isNull();
        assertThat(proxyOf(new HttpHost("https", "storage.example.com", 443))).isNotNull();
    }

    @Test
    void aProxyThatWantsAPasswordGetsIt() {
        proxy("https", "secure.example.com");
        System.setProperty("https.proxyUser", "user");
        System.setProperty("https.proxyPassword", "secret");
        assertThat(Proxies.found()
                        .credentials()
                        .getCredentials(new AuthScope("secure.example.com", 3128), HttpClientContext.create()))
                .isInstanceOfSatisfying(
                        UsernamePasswordCredentials.class,
                        credentials -> assertThat(credentials.getUserName()).isEqualTo("user"));
    }

    private static void proxy(String scheme, String host) {
        System.setProperty(scheme + ".proxyHost", host);
        System.setProperty(scheme + ".proxyPort", "3128");
    }

    private static HttpHost proxyOf(HttpHost target) throws HttpException {
        return Proxies.found()
                .determineRoute(target, HttpClientContext.create())
                .getProxyHost();
    }
}
