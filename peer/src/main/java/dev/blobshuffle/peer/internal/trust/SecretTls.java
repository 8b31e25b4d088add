package dev.blobshuffle.peer.internal.trust;

import dev.blobshuffle.core.internal.membership.PeerSecret;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * TLS based only on the members' secret. The server presents a {@link MemberCertificate}, and the
 * client accepts only certificates of members. The client authenticates itself by the signature of
 * each request. Immutable.
 */
record SecretTls(SslContext server, SslContext client) implements PeerTls {
    static SecretTls create(List<PeerSecret> secrets) {
        try {
            MemberCertificate own = MemberCertificate.create(secrets.get(0));
            SslContext server = SslContextBuilder.forServer(own.key(), own.certificate())
                    .sslProvider(SslProvider.JDK)
                    .protocols("TLSv1.3")
                    .build();
            SslContext client = SslContextBuilder.forClient()
                    .sslProvider(SslProvider.JDK)
                    .trustManager(new Members(secrets))
                    .endpointIdentificationAlgorithm("")
                    .protocols("TLSv1.3")
                    .build();
            return new SecretTls(server, client);
        } catch (SSLException e) {
            throw new IllegalStateException("Cannot prepare TLS: this Java lacks TLS 1.3.", e);
        }
    }

    @Override
    public String toString() {
        return "TLS by the members' secret";
    }

    /**
     * Trusts members. It extends the extended trust manager, for which the JDK does not check
     * names, because members' addresses change. TLS itself proves that the server has the
     * certificate's private key.
     */
    private static final class Members extends X509ExtendedTrustManager {
        private final List<PeerSecret> secrets;

        Members(List<PeerSecret> secrets) {
            this.secrets = secrets;
        }

        private void check(X509Certificate[] chain) throws CertificateException {
            if (chain == null || chain.length == 0) {
                throw new CertificateException("there is no certificate");
            }
            MemberCertificate.check(secrets, chain[0]);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
            check(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            check(chain);
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
