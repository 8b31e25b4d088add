package dev.blobshuffle.cli.inspect;

import dev.blobshuffle.cli.json.Json;
import dev.blobshuffle.cli.option.ConfigOptions;
import dev.blobshuffle.cli.option.ExitStatus;
import dev.blobshuffle.cli.option.PrintableText;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.encryption.EncryptionSettings;
import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.internal.format.Container;
import dev.blobshuffle.core.internal.format.ContentKind;
import dev.blobshuffle.core.internal.format.Footer;
import dev.blobshuffle.core.internal.format.Trailer;
import dev.blobshuffle.core.internal.format.record.BlobVerifier;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code blobshuffle inspect}: reads a whole blob of any content kind, verifies every checksum and
 * every record, and prints the content. Keys and values are printed only on request.
 */
@Command(
        name = "inspect",
        exitCodeList = {"0:the blob is sound", "1:it is damaged, or cannot be read"},
        mixinStandardHelpOptions = true,
        showDefaultValues = true,
        description = {
            "Prints and verifies a stored blob: content kind, ids, sections, segments, checksums, records.",
            "An encrypted blob shows its records only with --encryption-keys."
        })
public final class InspectCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private ConfigOptions config;

    @Parameters(
            paramLabel = "BLOB",
            description = "File of the blob, as a file store or a download left it; with --store, the blob's id.")
    private String blob;

    @Option(
            names = "--store",
            paramLabel = "URI",
            description = "Read the blob with this id from a store, as in blobshuffle.store.")
    private @Nullable String storeUri;

    @Option(names = "--json", description = "Prints JSON.")
    private boolean json;

    @Option(
            names = "--records",
            paramLabel = "N",
            defaultValue = "0",
            description = "Also prints the first N records: timestamps and sizes.")
    private int records;

    @Option(names = "--show-data", description = "Prints the records' keys and values too, as text.")
    private boolean showData;

    @Option(
            names = "--encryption-keys",
            paramLabel = "URI",
            description = "Where the keys of an encrypted blob are, as blobshuffle.encryption.keys"
                    + " (default: from --config or --profile). Without it only the footer is read.")
    private @Nullable String keys;

    /** Created by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public InspectCommand() {}

    @Override
    public Integer call() {
        PrintWriter err = PrintableText.to(spec.commandLine().getErr());
        try {
            Optional<String> source = Optional.ofNullable(keys).or(() -> config.value(EncryptionSettings.KEYS.name()));
            Keyring keyring = Keyring.open(source, source.map(any -> Keyring.WRITE_PLAIN));
            return inspect(
                    storeUri == null
                            ? ByteBuffer.wrap(Files.readAllBytes(Path.of(blob)))
                            : StoredBlob.read(blob, storeUri),
                    keyring);
        } catch (BlobShuffleException e) {
            err.println(e.getMessage());
            err.flush();
            return ExitStatus.of(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            err.println("Cannot read blob " + blob + ": interrupted. Run it again.");
        } catch (InvalidPathException | IOException e) {
            err.println("Cannot read blob " + blob + ": " + e
                    + ". Give the path of a blob's file, at most 2 GiB, or a blob's id with --store.");
        } catch (OutOfMemoryError e) {
            err.println(
                    "Cannot read blob " + blob + ": it does not fit into memory. Set -Xmx in BLOBSHUFFLE_JAVA_OPTS.");
        }
        err.flush();
        return 1;
    }

    private int inspect(ByteBuffer bytes, Keyring keyring) {
        PrintWriter out = PrintableText.to(spec.commandLine().getOut());
        try {
            Trailer trailer = Trailer.read(bytes);
            if (trailer.kind() != ContentKind.RECORDS) {
                return inspect(InspectedContainer.of(bytes, trailer));
            }
        } catch (BlobShuffleException e) {
            return damaged(out, e);
        }
        return inspectRecords(bytes, keyring);
    }

    private int inspect(InspectedContainer inspected) {
        PrintWriter out = PrintableText.to(spec.commandLine().getOut());
        try {
            inspected.verify();
        } catch (BlobShuffleException e) {
            if (!json) {
                inspected.print(out);
            }
            return damaged(out, e);
        }
        Container container = inspected.container();
        if (json) {
            out.print(Json.write(inspected.toJson()));
        } else {
            inspected.print(out);
            if (records > 0) {
                out.println("Records are not printed: the blob holds "
                        + container.kind().label() + ".");
            }
            out.println("Sound: " + container.segments().size() + " segments, every checksum is right.");
        }
        out.flush();
        return 0;
    }

    private int inspectRecords(ByteBuffer bytes, Keyring keyring) {
        PrintWriter out = PrintableText.to(spec.commandLine().getOut());
        InspectedBlob inspected;
        try {
            inspected = InspectedBlob.of(bytes);
        } catch (BlobShuffleException e) {
            return damaged(out, e);
        }
        Footer footer = inspected.footer();
        List<InspectedRecord> shown;
        try {
            BlobVerifier.verify(bytes, keyring);
            shown = inspected.records(records, keyring);
        } catch (InvalidSettingsException e) {
            return sealed(out, inspected, e);
        } catch (BlobShuffleException e) {
            if (!json) {
                inspected.print(out);
            }
            return damaged(out, e);
        }
        if (json) {
            out.print(Json.write(inspected.toJson(shown, showData)));
        } else {
            inspected.print(out);
            shown.forEach(record -> out.println("  " + record.line(showData)));
            out.println("Sound: " + footer.segments().size() + " segments, every checksum and record is right.");
        }
        out.flush();
        return 0;
    }

    /** Prints an encrypted blob without its key: only the footer is readable. */
    private int sealed(PrintWriter out, InspectedBlob inspected, InvalidSettingsException missingKey) {
        if (json) {
            out.print(Json.write(InspectedBlob.failureToJson(missingKey)));
        } else {
            inspected.print(out);
            out.println("ENCRYPTED: " + missingKey.getMessage());
        }
        out.flush();
        return 1;
    }

    private int damaged(PrintWriter out, BlobShuffleException failure) {
        if (json) {
            out.print(Json.write(InspectedBlob.failureToJson(failure)));
        } else {
            out.println("DAMAGED: " + failure.getMessage());
        }
        out.flush();
        return 1;
    }
}
