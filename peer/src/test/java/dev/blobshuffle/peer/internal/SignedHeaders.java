package dev.blobshuffle.peer.internal;

import dev.blobshuffle.peer.internal.trust.AnswerProof;
import dev.blobshuffle.peer.internal.trust.MemberKeys;
import dev.blobshuffle.peer.internal.trust.RequestProof;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** What members who know the secret send, written by hand as the guide describes it. */
final class SignedHeaders {
    private SignedHeaders() {}

    /** The headers of a request without a challenge. */
    static String of(String path, String turn, String range, String store) {
        String signed = "blobshuffle request 2\nGET\n" + path + "\n" + turn + "\n" + range + "\n\n" + store + "\n\n";
        return (turn.isEmpty() ? "" : "Blobshuffle-Turn: " + turn + "\r\n") + "Authorization: "
                + ZoneFixture.SECRET.sign(signed) + "\r\n";
    }

    /** The turn of the next request, by an answer. */
    static String turn(String answer) {
        String name = "blobshuffle-turn: ";
        int at = answer.toLowerCase(Locale.ROOT).indexOf(name);
        return at < 0 ? "" : answer.substring(at + name.length(), answer.indexOf('\r', at));
    }

    /** The head of an answer, with the proof that a request with a challenge demands. */
    static byte[] head(String request, String status, String headers) {
        String[] lines = request.split("\n");
        HttpRequest parsed = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, lines[0].split(" ")[1]);
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            parsed.headers()
                    .set(
                            lines[i].substring(0, colon),
                            lines[i].substring(colon + 1).strip());
        }
        AnswerProof proof = RequestProof.demanded(parsed, RequestProof.text(parsed), MemberKeys.of(ZoneFixture.SECRET))
                .orElseThrow();
        int code = Integer.parseInt(status.substring(0, 3));
        return ("HTTP/1.1 " + status + "\r\n" + headers + AnswerProof.HEADER + ": " + proof.header(code, "")
                        + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }
}
