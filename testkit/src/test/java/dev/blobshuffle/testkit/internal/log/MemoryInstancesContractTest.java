package dev.blobshuffle.testkit.internal.log;

class MemoryInstancesContractTest extends InstancesContractTest {
    @Override
    protected LogUnderTest create() {
        return new MemoryUnderTest();
    }
}
