package dev.blobshuffle.testkit.internal.log;

class MemoryGroupsContractTest extends GroupsContractTest {
    @Override
    protected LogUnderTest create() {
        return new MemoryUnderTest();
    }
}
