package dev.blobshuffle.messaging.differential;

/** One call of a program, or several calls that belong together. */
sealed interface Step {
    /** A time before all batches, and one after them. */
    int LONG_AGO = -1;

    int FAR = -2;

    /** Runs beside the model, and returns the result. */
    String run(Session session) throws Exception;

    /** The kind of a name. */
    enum Kind {
        TOPIC,
        GROUP,
        PUBLISHER
    }

    record Publish(int writer, int topic, Draft draft) implements Step {
        @Override
        public String run(Session session) {
            return session.publish(writer, topic, draft);
        }
    }

    record Flush(int writer) implements Step {
        @Override
        public String run(Session session) {
            return session.flush(writer);
        }
    }

    /** A publisher of the same name fences its predecessor. */
    record OpenWriterAgain(int writer) implements Step {
        @Override
        public String run(Session session) {
            return session.openAgain(writer);
        }
    }

    record Begin(int writer, boolean withPositions) implements Step {
        @Override
        public String run(Session session) {
            return session.begin(writer, withPositions && writer == 0);
        }
    }

    record Sql(Statement statement) implements Step {
        @Override
        public String run(Session session) {
            return session.run(statement);
        }
    }

    record End(boolean commits) implements Step {
        @Override
        public String run(Session session) {
            return session.end(commits);
        }
    }

    record Outbox(int topic, Outboxes.Way way, Draft draft, int times, boolean commits) implements Step {
        @Override
        public String run(Session session) throws Exception {
            return session.outbox(topic, way, draft, times, commits);
        }
    }

    record Take(int count) implements Step {
        @Override
        public String run(Session session) {
            return session.readers().take(count);
        }
    }

    record ReadAll() implements Step {
        @Override
        public String run(Session session) {
            return session.readers().take(Integer.MAX_VALUE);
        }
    }

    record Position(int topic, int partition) implements Step {
        @Override
        public String run(Session session) {
            return session.readers().position(session.partition(topic, partition));
        }
    }

    record Lag() implements Step {
        @Override
        public String run(Session session) {
            return session.readers().lag();
        }
    }

    record CommitPositions() implements Step {
        @Override
        public String run(Session session) {
            return session.readers().commit();
        }
    }

    /** To a record, or right after it. */
    record Seek(int topic, int partition, int index, boolean isAfter) implements Step {
        @Override
        public String run(Session session) {
            Readers readers = session.readers();
            long position = session.position(topic, partition, index, isAfter);
            return readers.seek(session.partition(topic, partition), ModelReading.Place.AT, position);
        }
    }

    record SeekTo(int topic, int partition, long position) implements Step {
        @Override
        public String run(Session session) {
            return session.readers().seek(session.partition(topic, partition), ModelReading.Place.AT, position);
        }
    }

    record SeekToStart(int topic, int partition) implements Step {
        @Override
        public String run(Session session) {
            return session.readers().seek(session.partition(topic, partition), ModelReading.Place.START, 0);
        }
    }

    record SeekToEnd(int topic, int partition) implements Step {
        @Override
        public String run(Session session) {
            return session.readers().seek(session.partition(topic, partition), ModelReading.Place.END, 0);
        }
    }

    record SeekToTime(int topic, int partition, int batch) implements Step {
        @Override
        public String run(Session session) {
            return session.readers().seekTo(session.partition(topic, partition), session.time(topic, batch));
        }
    }

    record Pause(int topic, int partition, boolean pauses) implements Step {
        @Override
        public String run(Session session) {
            return session.readers().pause(session.partition(topic, partition), pauses);
        }
    }

    /**
     * A second member joins or leaves; a leaving member may have read records that it does not
     * commit.
     */
    record Rebalance(boolean commits) implements Step {
        @Override
        public String run(Session session) {
            return session.rebalance(commits);
        }
    }

    /** All members close without a commit; the next call opens a new one. */
    record CloseMembers() implements Step {
        @Override
        public String run(Session session) {
            return session.closeMembers();
        }
    }

    /** The operators' view of the group. */
    record Inspect() implements Step {
        @Override
        public String run(Session session) {
            return session.readers().inspect();
        }
    }

    record SeekGroup(int topic, int batch) implements Step {
        @Override
        public String run(Session session) {
            return session.seekGroup(topic, session.time(topic, batch));
        }
    }

    record DeleteGroup() implements Step {
        @Override
        public String run(Session session) {
            return session.readers().delete();
        }
    }

    record Trim() implements Step {
        @Override
        public String run(Session session) {
            return session.trim();
        }
    }

    record AddPartition(int topic) implements Step {
        @Override
        public String run(Session session) {
            return session.addPartition(topic);
        }
    }

    record DeleteTopic(int topic) implements Step {
        @Override
        public String run(Session session) {
            return session.delete(topic);
        }
    }

    record CreateTopic(int topic, int partitions) implements Step {
        @Override
        public String run(Session session) {
            return session.create(topic, partitions);
        }
    }

    record Use(Kind kind, String name) implements Step {
        @Override
        public String run(Session session) {
            return session.use(kind, name);
        }

        @Override
        public String toString() {
            StringBuilder shown = new StringBuilder();
            name.chars()
                    .limit(20)
                    .forEach(each -> shown.append(
                            each > ' ' && each < 127 ? String.valueOf((char) each) : "\\u%04x".formatted(each)));
            return "Use[" + kind + ", '" + shown + "' of " + name.length() + " characters]";
        }
    }
}
