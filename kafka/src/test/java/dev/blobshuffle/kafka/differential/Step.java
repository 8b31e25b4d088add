package dev.blobshuffle.kafka.differential;

import org.apache.kafka.clients.admin.OffsetSpec;

/** One call of a program, or several calls that belong together. */
sealed interface Step {
    /** Runs on one side, and returns its result as a text that is the same on both sides. */
    String run(Side side, int number);

    /** This step with the choices that only one side can make. */
    default Step chosenBy(Side blobs) {
        return this;
    }

    record Send(boolean isTransactional, Draft draft) implements Step {
        @Override
        public String run(Side side, int number) {
            return side.send(isTransactional, number, draft);
        }
    }

    record Flush() implements Step {
        @Override
        public String run(Side side, int number) {
            return side.flush();
        }
    }

    record Begin() implements Step {
        @Override
        public String run(Side side, int number) {
            return side.begin();
        }
    }

    record Commit() implements Step {
        @Override
        public String run(Side side, int number) {
            return side.commit();
        }
    }

    record Abort() implements Step {
        @Override
        public String run(Side side, int number) {
            return side.abort();
        }
    }

    record SendOffsets(String metadata) implements Step {
        @Override
        public String run(Side side, int number) {
            return side.flush() + side.sendOffsets(metadata);
        }
    }

    record ReadAll() implements Step {
        @Override
        public String run(Side side, int number) {
            return side.flush() + side.readers().readAll();
        }
    }

    record Take(int partition, int count) implements Step {
        @Override
        public String run(Side side, int number) {
            return side.flush()
                    + side.readers().take(partition, count)
                    + side.readers().position(partition);
        }
    }

    record Seek(int partition, int index) implements Step {
        @Override
        public String run(Side side, int number) {
            return side.flush() + side.readers().seek(partition, index);
        }
    }

    /** To an offset that is the same on both sides. */
    record SeekTo(int partition, long offset) implements Step {
        @Override
        public String run(Side side, int number) {
            return side.flush() + side.readers().seekTo(partition, offset);
        }
    }

    record SeekToBeginning(int partition) implements Step {
        @Override
        public String run(Side side, int number) {
            return side.flush() + side.readers().seekToBeginning(partition);
        }
    }

    record SeekToEnd(int partition) implements Step {
        @Override
        public String run(Side side, int number) {
            return side.flush() + side.readers().seekToEnd(partition);
        }
    }

    record SeekToTime(int partition, Draft.Time time) implements Step {
        @Override
        public String run(Side side, int number) {
            side.flush();
            return side.readers().seekToTime(side.existing(partition), side.at(time));
        }
    }

    record Position(int partition) implements Step {
        @Override
        public String run(Side side, int number) {
            return side.flush() + side.readers().position(partition);
        }
    }

    record Ends(int partition) implements Step {
        @Override
        public String run(Side side, int number) {
            return side.flush() + side.readers().ends(side.existing(partition));
        }
    }

    record Lag(int partition) implements Step {
        @Override
        public String run(Side side, int number) {
            return side.readers().lag(partition);
        }
    }

    record CommitPositions(boolean waits) implements Step {
        @Override
        public String run(Side side, int number) {
            return side.readers().commit(waits);
        }
    }

    record CommitRecord(int partition, int index, String metadata) implements Step {
        @Override
        public String run(Side side, int number) {
            return side.flush() + side.readers().commit(side.existing(partition), index, metadata);
        }
    }

    record Committed(int partition) implements Step {
        @Override
        public String run(Side side, int number) {
            return side.flush() + side.readers().committed(partition);
        }
    }

    record RewriteCommits() implements Step {
        @Override
        public String run(Side side, int number) {
            return side.rewriteCommits();
        }
    }

    record Pause(int partition, boolean pauses) implements Step {
        @Override
        public String run(Side side, int number) {
            return side.readers().pause(partition, pauses);
        }
    }

    /** A second member joins or leaves; everything read is committed, because partitions move. */
    record Rebalance() implements Step {
        @Override
        public String run(Side side, int number) {
            return side.flush() + side.rebalance();
        }
    }

    /** Reopens the same group. */
    record OpenAgain() implements Step {
        @Override
        public String run(Side side, int number) {
            return side.flush() + side.openAgain();
        }
    }

    /** Deletes the records before the start of a segment; everything must be flushed. */
    record DeleteRecords(int partition, int index) implements Step {
        @Override
        public String run(Side side, int number) {
            return side.flush() + side.deleteRecords(side.existing(partition), index);
        }

        @Override
        public Step chosenBy(Side blobs) {
            return new DeleteRecords(partition, blobs.segmentStart(blobs.existing(partition), index));
        }
    }

    record AddPartition() implements Step {
        @Override
        public String run(Side side, int number) {
            return side.flush() + side.addPartition();
        }
    }

    record MakeAgain(int partitions) implements Step {
        @Override
        public String run(Side side, int number) {
            return side.makeAgain(partitions);
        }
    }

    /** An admin's answer about the first record at or after a time. */
    record ListOffsetsAt(int partition, Draft.Time time) implements Step {
        @Override
        public String run(Side side, int number) {
            side.flush();
            return side.listOffsetsAt(side.existing(partition), side.at(time));
        }
    }

    /** A rare call, or a misuse. */
    record Odd(OddCall call) implements Step {
        @Override
        public String run(Side side, int number) {
            return side.flush() + call.on(side);
        }
    }

    /** An admin's answer about offsets. */
    record ListOffsets(int partition, boolean atEnd) implements Step {
        @Override
        public String run(Side side, int number) {
            return side.flush()
                    + side.listOffsets(side.existing(partition), atEnd ? OffsetSpec.latest() : OffsetSpec.earliest());
        }
    }
}
