package dev.blobshuffle.log.internal.member;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.PeerSecret;
import dev.blobshuffle.core.internal.membership.PeerSecrets;
import dev.blobshuffle.core.zone.Zone;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * The announcement of a member: a head and a line per field ({@code docs/format.md}, "Membership in
 * a log"). With secrets, the last line proves that the writer knows the secret, for this log and
 * id. So an announcement is worthless under another id or in another log. Immutable.
 */
final class MemberText {
    private static final String HEAD = "blobshuffle-member 1\n";
    private static final String PURPOSE = "blobshuffle membership in a log 1";
    private static final String PROOF = "proof ";
    private static final int LONGEST_WORD = 512;

    private final Optional<PeerSecrets> secrets;
    private final UUID log;

    /**
     * The form of announcements.
     *
     * @param secrets of the members; empty: announcements have no proof, and all are accepted
     * @param log that contains the announcements
     */
    MemberText(Optional<PeerSecrets> secrets, UUID log) {
        this.secrets = secrets.map(known -> known.forPurpose(PURPOSE));
        this.log = log;
    }

    /** The announcement of a member. */
    String write(Member member) {
        String text = HEAD + "zone " + member.zone().name() + "\nendpoint " + member.endpoint() + "\nformat "
                + member.formatVersion() + "\n";
        return secrets.map(known -> text + PROOF + proof(known.first(), member.id(), text) + "\n")
                .orElse(text);
    }

    /**
     * The member that an announcement describes; empty if it has another form, or no valid proof.
     */
    Optional<Member> read(long id, String announcement) {
        String text = announcement;
        if (secrets.isPresent()) {
            int at = announcement.lastIndexOf("\n" + PROOF) + 1;
            if (at == 0) {
                return Optional.empty();
            }
            text = announcement.substring(0, at);
            String given = announcement.substring(at + PROOF.length()).strip();
            String claimed = text;
            boolean isProved = secrets.get().all().stream().anyMatch(key -> isProved(key, id, claimed, given));
            if (!isProved) {
                return Optional.empty();
            }
        }
        return text.startsWith(HEAD) ? parse(id, text.substring(HEAD.length())) : Optional.empty();
    }

    /** Parses an announcement; lines of later versions are ignored. */
    private static Optional<Member> parse(long id, String text) {
        Map<String, String> words = new HashMap<>();
        text.lines().forEach(line -> {
            int space = line.indexOf(' ');
            if (space > 0 && line.length() - space <= LONGEST_WORD) {
                words.put(line.substring(0, space), line.substring(space + 1));
            }
        });
        try {
            return Optional.of(new Member(
                    id,
                    Endpoint.parse(words.getOrDefault("endpoint", "")),
                    new Zone(words.getOrDefault("zone", "")),
                    Set.of(),
                    Integer.parseInt(words.getOrDefault("format", ""))));
        } catch (IllegalArgumentException | InvalidSettingsException e) {
            return Optional.empty();
        }
    }

    private boolean isProved(PeerSecret key, long id, String text, String given) {
        return MessageDigest.isEqual(
                proof(key, id, text).getBytes(StandardCharsets.US_ASCII), given.getBytes(StandardCharsets.UTF_8));
    }

    private String proof(PeerSecret key, long id, String text) {
        byte[] scope = (log + "\n" + id + "\n").getBytes(StandardCharsets.US_ASCII);
        return HexFormat.of().formatHex(key.mac(scope, text.getBytes(StandardCharsets.UTF_8)));
    }
}
