package dev.blobshuffle.postgresql.internal.schema;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs a test class on the oldest and the newest supported release of PostgreSQL, and with
 * {@code -Dpostgresql.releases=all} on those between them too.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedClass
@MethodSource("dev.blobshuffle.postgresqlembedded.PostgresRelease#tested")
public @interface EveryRelease {}
