package dev.blobshuffle.postgresql.internal.schema;

import java.util.Set;

/**
 * A role of applications or people, and its uses of the log.
 *
 * @param name of the role, which exists
 * @param uses at least one
 */
public record ClientRole(SchemaName name, Set<ClientUse> uses) {
    /** Copies the set. */
    public ClientRole {
        uses = Set.copyOf(uses);
    }

    /** A role with all uses, which may do everything but change the schema. */
    public static ClientRole of(String name) {
        return new ClientRole(new SchemaName(name), ClientUse.all());
    }
}
