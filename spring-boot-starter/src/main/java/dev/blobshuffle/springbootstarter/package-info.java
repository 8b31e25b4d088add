/**
 * Auto-configuration for Spring Boot 3 and 4: settings, clients, meters and health. Applications
 * use its properties, not its classes.
 *
 * <p>Public API: {@code docs/compatibility.md}.
 *
 * @since 0.1
 */
@NullMarked
package dev.blobshuffle.springbootstarter;

import org.jspecify.annotations.NullMarked;
