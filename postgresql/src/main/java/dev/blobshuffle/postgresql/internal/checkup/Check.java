package dev.blobshuffle.postgresql.internal.checkup;

import dev.blobshuffle.core.store.StoreFinding;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Checks one subject of a database. Changes nothing. */
interface Check {
    /** A word or two to name the check if it fails. */
    String subject();

    /**
     * The findings.
     *
     * @param database in autocommit mode, or in the pooler's; stays open
     */
    List<StoreFinding> run(Connection database) throws SQLException;
}
