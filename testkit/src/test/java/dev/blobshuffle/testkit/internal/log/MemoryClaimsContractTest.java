package dev.blobshuffle.testkit.internal.log;

class MemoryClaimsContractTest extends ClaimsContractTest {
    @Override
    protected LogUnderTest create() {
        return new MemoryUnderTest();
    }
}
