package dev.blobshuffle.messaging.differential;

import dev.blobshuffle.messaging.ResetPolicy;
import dev.blobshuffle.messaging.Topic;
import java.time.Duration;
import java.util.List;

/**
 * The environment of a program.
 *
 * @param partitions of each of its topics
 * @param retention of its topics
 * @param reset where its group begins
 * @param maxRecords of a poll
 * @param storage of its publishers' records
 * @param name prefix of the names of its topics, groups and publishers
 */
record Setup(
        List<Integer> partitions,
        Retention retention,
        ResetPolicy reset,
        int maxRecords,
        World.Storage storage,
        Name name) {
    /** The retention of a topic. */
    enum Retention {
        FOREVER {
            @Override
            Topic of(Topic topic) {
                return topic;
            }
        },
        /** Nothing, after a trim. */
        NOTHING {
            @Override
            Topic of(Topic topic) {
                return topic.retention(Duration.ofMillis(1));
            }
        },
        A_DAY {
            @Override
            Topic of(Topic topic) {
                return topic.retention(Duration.ofDays(1));
            }
        },
        CONSUMED {
            @Override
            Topic of(Topic topic) {
                return topic.keptUntilConsumed();
            }
        },
        CONSUMED_OR_ABANDONED {
            @Override
            Topic of(Topic topic) {
                return topic.keptUntilConsumed(Duration.ofDays(1));
            }
        };

        abstract Topic of(Topic topic);
    }

    /** The prefix of a name. */
    enum Name {
        PLAIN("orders"),
        QUOTED("O'Neil \"x\" \\'; drop table topic; --"),
        PATTERN("%_*?[a-z]$1{}"),
        SPACED(" \t a\nb "),
        WIDE("caf\u00e9 \u65e5\u672c \ud83c\udf89 \u202e"),
        NULLS("null,NULL {null}"),
        LONG("x".repeat(440)),
        LONG_WIDE("\ud83c\udf89".repeat(110));

        final String text;

        Name(String text) {
            this.text = text;
        }
    }
}
