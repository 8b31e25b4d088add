package dev.blobshuffle.postgresql.internal.checkup;

import dev.blobshuffle.core.store.StoreFinding;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Asks a database about one subject. Changes nothing. */
interface Check {
    /** A word or two, for a check that fails. */
    String subject();

    /**
     * What it finds out.
     *
     * @param database in autocommit mode, or in the pooler's; stays open
     */
    List<StoreFinding> run(Connection database) throws SQLException;
}
