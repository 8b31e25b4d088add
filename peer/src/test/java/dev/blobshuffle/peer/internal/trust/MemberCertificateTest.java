package dev.blobshuffle.peer.internal.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.peer.internal.ZoneFixture;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemberCertificateTest {
    @Test
    void theJdkReadsAndVerifiesTheCertificate() throws Exception {
        MemberCertificate made = MemberCertificate.create(ZoneFixture.SECRET);
        X509Certificate certificate = made.certificate();
        certificate.verify(certificate.getPublicKey());
        certificate.checkValidity();
        assertThat(certificate.getSigAlgName()).isEqualTo("SHA256withECDSA");
        assertThat(certificate.getIssuerX500Principal()).isEqualTo(certificate.getSubjectX500Principal());
        assertThat(((ECPublicKey) certificate.getPublicKey())
                        .getParams()
                        .getCurve()
                        .getField()
                        .getFieldSize())
                .isEqualTo(256);
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(made.key());
        signature.update((byte) 1);
        byte[] signed = signature.sign();
        signature.initVerify(certificate.getPublicKey());
        signature.update((byte) 1);
        assertThat(signature.verify(signed)).isTrue();
    }

    @Test
    void onlyACertificateMadeWithTheSecretIsAMembers() {
        MemberCertificate one = MemberCertificate.create(ZoneFixture.SECRET);
        MemberCertificate another = MemberCertificate.create(ZoneFixture.SECRET);
        MemberCertificate strange = MemberCertificate.create(ZoneFixture.secret("known to somebody else"));
        assertThatCode(() -> MemberCertificate.check(List.of(ZoneFixture.SECRET), one.certificate()))
                .doesNotThrowAnyException();
        assertThatCode(() -> MemberCertificate.check(List.of(ZoneFixture.SECRET), another.certificate()))
                .doesNotThrowAnyException();
        assertThat(one.certificate().getPublicKey())
                .isNotEqualTo(another.certificate().getPublicKey());
        assertThatThrownBy(() -> MemberCertificate.check(List.of(ZoneFixture.SECRET), strange.certificate()))
                .isInstanceOf(CertificateException.class);
        assertThat(one.toString()).doesNotContain("PrivateKey");
    }
}
