package dev.blobshuffle.spark.internal.directory;

import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.zone.Zone;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The executors that share their caches, as the driver keeps them. Thread-safe. */
final class MemberList {
    private final Map<String, Member> members = new LinkedHashMap<>();
    private long version;

    /**
     * The answer to an executor.
     *
     * @param version of the list
     * @param members all of them; empty if the executor knows this version
     */
    record Answer(long version, Optional<List<Member>> members) {
        /** Parses the words of {@link MemberList#answer}. */
        static Answer parse(List<String> words) {
            Optional<List<Member>> members = words.size() == 1
                    ? Optional.empty()
                    : Optional.of(words.subList(1, words.size()).stream()
                            .map(MemberList::member)
                            .toList());
            return new Answer(Long.parseLong(words.get(0)), members);
        }
    }

    /** Adds an executor, and answers with the others unless it knows them. */
    synchronized ArrayList<String> answer(String executor, String text, long known) {
        Member member = member(text);
        if (!member.equals(members.put(executor, member))) {
            version++;
        }
        ArrayList<String> words = new ArrayList<>(List.of(String.valueOf(version)));
        if (known != version) {
            members.values().forEach(each -> words.add(text(each)));
        }
        return words;
    }

    /** An executor is gone. */
    synchronized void remove(String executor) {
        if (members.remove(executor) != null) {
            version++;
        }
    }

    /** The words of a member. A zone's name may have spaces, so it is last. */
    static String text(Member member) {
        return member.id() + " " + member.formatVersion() + " " + member.endpoint() + " "
                + member.zone().name();
    }

    private static Member member(String text) {
        String[] words = text.split(" ", 4);
        return new Member(
                Long.parseLong(words[0]),
                Endpoint.parse(words[2]),
                new Zone(words[3]),
                Set.of(),
                Integer.parseInt(words[1]));
    }
}
