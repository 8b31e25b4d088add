package dev.blobshuffle.testkit.internal.log;

class MemoryRetentionContractTest extends RetentionContractTest {
    @Override
    protected LogUnderTest create() {
        return new MemoryUnderTest();
    }
}
