package dev.blobshuffle.messaging.differential;

/** An SQL statement of an application in a transaction of messaging, legal or not. */
enum Statement {
    INSERT(""),
    SET_PATH("set search_path = pg_catalog"),
    SET_ZONE("set time zone 'Asia/Tokyo'"),
    SET_LOCAL("set local statement_timeout = '1h'"),
    ISOLATE("set transaction isolation level read committed"),
    SAVEPOINT("savepoint one; select 1; rollback to savepoint one"),
    ROLLBACK("rollback"),
    COMMIT("commit"),
    COMMIT_AND_BEGIN("commit; begin"),
    ROLLBACK_AND_CHAIN("rollback and chain"),
    READ_ONLY("set transaction read only"),
    FAIL("select 1 / (random() * 0)::int");

    final String text;

    Statement(String text) {
        this.text = text;
    }

    boolean isRollback() {
        return this == ROLLBACK || this == ROLLBACK_AND_CHAIN;
    }

    boolean isCommit() {
        return this == COMMIT || this == COMMIT_AND_BEGIN;
    }
}
