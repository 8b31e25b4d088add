package dev.blobshuffle.testkit.internal.log;

class MemoryTransactionContractTest extends TransactionContractTest {
    @Override
    protected LogUnderTest create() {
        return new MemoryUnderTest();
    }
}
