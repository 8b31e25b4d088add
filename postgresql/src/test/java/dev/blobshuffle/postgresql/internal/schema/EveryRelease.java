package dev.blobshuffle.postgresql.internal.schema;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs a class of tests on each release of PostgreSQL that a log may be in. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedClass
@ValueSource(ints = {14, 15, 16, 17, 18})
@interface EveryRelease {}
