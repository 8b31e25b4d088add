package dev.blobshuffle.testkit.internal.log;

class MemoryCommitLogContractTest extends CommitLogContractTest {
    @Override
    protected LogUnderTest create() {
        return new MemoryUnderTest();
    }
}
