package dev.blobshuffle.kafka.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.PartitionRanges;
import dev.blobshuffle.core.internal.membership.PeerSecret;
import dev.blobshuffle.core.internal.membership.PeerSecrets;
import dev.blobshuffle.core.zone.Zone;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which records count if members have a secret. */
class SignedMembersTest {
    private static final Zone A = new Zone("a");
    private static final long NOW = 1_800_000_000_000L;

    private final MemberSignature signature = signature("known to all members", "members");
    private final List<String> refused = new ArrayList<>();
    private final LiveMembers live = new LiveMembers(
            MembershipTiming.USUAL, List.of(), signature, (id, reason) -> refused.add(id + ": " + reason));

    private static MemberSignature signature(String secret, String topic) {
        return MemberSignature.of(
                Optional.of(PeerSecrets.of(new PeerSecret(secret.getBytes(StandardCharsets.UTF_8)))), topic);
    }

    private static MemberSignature accepting(String... secrets) {
        return MemberSignature.of(
                Optional.of(PeerSecrets.of(Stream.of(secrets)
                        .map(secret -> new PeerSecret(secret.getBytes(StandardCharsets.UTF_8)))
                        .toArray(PeerSecret[]::new))),
                "members");
    }

    /** Each step of a rotation, beside members of the step before and after it. */
    @Test
    void recordsSignedWithAnyAcceptedSecretCount() {
        String old = "known to all members";
        String next = "the secret after that";
        List<MemberSignature> steps =
                List.of(accepting(old), accepting(old, next), accepting(next, old), accepting(next));
        byte[] key = PresenceCodec.key(1);
        for (int i = 1; i < steps.size(); i++) {
            for (int[] pair : new int[][] {{i, i - 1}, {i - 1, i}, {i, i}}) {
                byte[] record = record(steps.get(pair[0]), 1, "host", NOW);
                assertThat(steps.get(pair[1]).epoch(key, record)).as("%s", pair).hasValue(NOW);
            }
        }
        assertThat(steps.get(3).epoch(key, record(steps.get(0), 1, "host", NOW)))
                .isEmpty();
        assertThat(steps.get(3).epoch(key, record(steps.get(1), 1, "host", NOW)))
                .isEmpty();
        assertThat(steps.get(0).epoch(key, record(steps.get(2), 1, "host", NOW)))
                .isEmpty();
    }

    private static byte[] record(MemberSignature by, long id, String host, long epoch) {
        Presence presence = new Presence(id, A, Optional.of(new Endpoint(host, 1)), 1, PartitionRanges.none());
        return by.sign(PresenceCodec.key(id), PresenceCodec.value(presence), epoch);
    }

    private List<String> hosts() {
        return live.snapshot().members().stream()
                .map(Member::endpoint)
                .map(Endpoint::host)
                .toList();
    }

    @Test
    void onlyRecordsSignedWithTheSecretForThisTopicAndIdCount() {
        live.heard(PresenceCodec.key(1), record(MemberSignature.none(), 1, "unsigned", NOW), NOW);
        live.heard(PresenceCodec.key(2), record(signature("known to others....", "members"), 2, "other", NOW), NOW);
        live.heard(PresenceCodec.key(3), record(signature("known to all members", "else"), 3, "topic", NOW), NOW);
        live.heard(PresenceCodec.key(4), record(signature, 5, "id", NOW), NOW);
        assertThat(hosts()).isEmpty();
        assertThat(refused).hasSize(4).allMatch(reason -> reason.contains("not signed"));

        live.heard(PresenceCodec.key(6), record(signature, 6, "signed", NOW), NOW + 5);
        assertThat(hosts()).containsExactly("signed");
        assertThat(refused).hasSize(4);
    }

    @Test
    void anEarlierRecordOfALiveMemberIsNotRepeated() {
        byte[] first = record(signature, 1, "first", NOW);
        live.heard(PresenceCodec.key(1), first, NOW);
        live.heard(PresenceCodec.key(1), record(signature, 1, "second", NOW + 1), NOW + 1);
        live.heard(PresenceCodec.key(1), first, NOW + 2);
        assertThat(hosts()).containsExactly("second");
        assertThat(refused).singleElement().asString().contains("repeats");
    }

    @Test
    void aMemberThatLeftIsNotBroughtBackByItsRecords() {
        byte[] last = record(signature, 1, "gone", NOW);
        live.heard(PresenceCodec.key(1), last, NOW);
        live.heard(PresenceCodec.key(1), null, NOW + 1);
        live.heard(PresenceCodec.key(1), last, NOW + 2);
        assertThat(hosts()).isEmpty();
        assertThat(refused).hasSize(1);
    }

    @Test
    void aRecordFromLongAgoIsRefusedByWhoeverNeverSawIt() {
        long later = NOW + MemberSignature.LARGEST_SKEW.toMillis();
        live.heard(PresenceCodec.key(1), record(signature, 1, "skewed", NOW), later);
        assertThat(hosts()).containsExactly("skewed");
        live.heard(PresenceCodec.key(2), record(signature, 2, "copied", NOW), later + 1);
        assertThat(hosts()).containsExactly("skewed");
        assertThat(refused).singleElement().asString().contains("PT15M");
    }

    /** The topic is read from its beginning again after an error. */
    @Test
    void theSameRecordsReadAgainChangeAndRefuseNothing() {
        byte[] first = record(signature, 1, "first", NOW);
        byte[] second = record(signature, 1, "second", NOW + 10);
        for (int round = 0; round < 2; round++) {
            live.heard(PresenceCodec.key(1), first, NOW);
            live.heard(PresenceCodec.key(1), second, NOW + 10);
            assertThat(hosts()).containsExactly("second");
        }
        assertThat(refused).isEmpty();
    }

    @Test
    void anUnsignedRecordDoesNotDisturbTheMemberWhoseKeyItHas() {
        live.heard(PresenceCodec.key(1), record(signature, 1, "signed", NOW), NOW);
        live.heard(PresenceCodec.key(1), record(MemberSignature.none(), 1, "unsigned", NOW), NOW + 1);
        assertThat(hosts()).containsExactly("signed");
        assertThat(live.toForget(1)).isEmpty();
    }

    @Test
    void strangersCannotCrowdOutMembersAndAreDeletedInTheEnd() {
        for (int id = 100; id < 20_000; id++) {
            live.heard(PresenceCodec.key(id), record(MemberSignature.none(), id, "stranger", NOW), NOW);
        }
        long later = NOW + Duration.ofDays(1).toMillis() + 1;
        live.heard(PresenceCodec.key(1), record(signature, 1, "signed", later), later);
        assertThat(hosts()).containsExactly("signed");
        assertThat(live.toForget(1)).hasSize(10_000).doesNotContain(1L);
    }

    @Test
    void everyDamagedByteBreaksTheSignature() {
        byte[] sound = record(signature, 1, "signed", NOW);
        byte[] key = PresenceCodec.key(1);
        assertThat(signature.epoch(key, sound)).hasValue(NOW);
        Random random = new Random(4);
        for (int at = 0; at < sound.length; at++) {
            byte[] damaged = sound.clone();
            damaged[at] ^= (byte) (1 + random.nextInt(255));
            assertThat(signature.epoch(key, damaged)).as("byte %s", at).isEmpty();
        }
        for (int length = 0; length < sound.length; length++) {
            assertThat(signature.epoch(key, java.util.Arrays.copyOf(sound, length)))
                    .isEmpty();
        }
    }
}
