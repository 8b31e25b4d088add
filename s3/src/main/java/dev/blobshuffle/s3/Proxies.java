package dev.blobshuffle.s3;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.hc.client5.http.auth.AuthScope;
import org.apache.hc.client5.http.auth.CredentialsProvider;
import org.apache.hc.client5.http.auth.UsernamePasswordCredentials;
import org.apache.hc.client5.http.impl.auth.BasicCredentialsProvider;
import org.apache.hc.client5.http.impl.routing.DefaultRoutePlanner;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.http.apache5.ProxyConfiguration;

/**
 * The proxies that the SDK finds in system properties ({@code https.proxyHost},
 * {@code http.nonProxyHosts} …) and the environment ({@code HTTPS_PROXY}, {@code NO_PROXY} …).
 * Secure endpoints use the proxies for HTTPS. If there are none, they use those for HTTP, the only
 * ones that the SDK's own transport would use. Thread-safe.
 */
final class Proxies extends DefaultRoutePlanner {
    private static final String SECURE = "https";

    /** Proxies for secure targets, best first. */
    private final List<ProxyConfiguration> secure = new ArrayList<>();

    private final List<ProxyConfiguration> plain = new ArrayList<>();

    private Proxies() {
        super(null);
        ProxyConfiguration forHttps =
                ProxyConfiguration.builder().scheme(SECURE).build();
        ProxyConfiguration forHttp = ProxyConfiguration.builder().build();
        if (isSet(forHttps)) {
            secure.add(forHttps);
        }
        if (isSet(forHttp)) {
            secure.add(forHttp);
            plain.add(forHttp);
        }
    }

    /** The proxies of the current settings. */
    static Proxies found() {
        return new Proxies();
    }

    private static boolean isSet(ProxyConfiguration proxy) {
        return proxy.host() != null && proxy.port() > 0;
    }

    /** The credentials for the proxies. */
    CredentialsProvider credentials() {
        BasicCredentialsProvider credentials = new BasicCredentialsProvider();
        for (ProxyConfiguration proxy : secure) {
            if (proxy.username() != null && proxy.password() != null) {
                credentials.setCredentials(
                        new AuthScope(proxy.host(), proxy.port()),
                        new UsernamePasswordCredentials(
                                proxy.username(), proxy.password().toCharArray()));
            }
        }
        return credentials;
    }

    @Override
    protected @Nullable HttpHost determineProxy(HttpHost target, HttpContext context) {
        List<ProxyConfiguration> candidates = target.getSchemeName().equals(SECURE) ? secure : plain;
        if (candidates.isEmpty() || isExcluded(target, candidates.get(0))) {
            return null;
        }
        return new HttpHost(candidates.get(0).host(), candidates.get(0).port());
    }

    private static boolean isExcluded(HttpHost target, ProxyConfiguration proxy) {
        String name = target.getHostName().toLowerCase(Locale.ROOT);
        return proxy.nonProxyHosts() != null && proxy.nonProxyHosts().stream().anyMatch(name::matches);
    }
}
