package dev.blobshuffle.testkit.internal.log.simulation;

import dev.blobshuffle.testkit.internal.log.LogDefect;
import dev.blobshuffle.testkit.internal.simulation.Planted;
import java.util.Optional;
import java.util.regex.Pattern;

/** Mistakes that the simulation must find, each by the violation that it causes. */
enum PlantedLogBug implements Planted {
    SEQUENCE_DRAWN_BEFORE_LOCK(LogDefect.SEQUENCE_DRAWN_BEFORE_LOCK, "hole"),
    IDENTITIES_DRAWN_AHEAD(LogDefect.IDENTITIES_DRAWN_AHEAD, "was acknowledged before one began"),
    SEQUENCES_WITHOUT_LIMIT(LogDefect.SEQUENCES_WITHOUT_LIMIT, "stay staged"),
    BURIES_WITHOUT_LOCK(LogDefect.BURIES_WITHOUT_LOCK, "batch refers to a"),
    CLOCK_READ_BEFORE_LOCK(LogDefect.CLOCK_READ_BEFORE_LOCK, "batch refers to a"),
    COMMIT_IGNORES_TOMBSTONES(LogDefect.COMMIT_IGNORES_TOMBSTONES, "batch refers to a"),
    DUPLICATE_FAILS(LogDefect.DUPLICATE_FAILS, "reported that it went back"),
    DUPLICATE_IN_TRANSACTION_SUCCEEDS(LogDefect.DUPLICATE_IN_TRANSACTION_SUCCEEDS, "in the user's table twice"),
    GENERATION_NOT_RAISED(LogDefect.GENERATION_NOT_RAISED, "in the user's table twice"),
    NUMBERS_BEGIN_AGAIN(LogDefect.NUMBERS_BEGIN_AGAIN, "is in the log twice"),
    ANSWERS_FOR_ANY_EPOCH(LogDefect.ANSWERS_FOR_ANY_EPOCH, "acknowledged but is not in the log"),
    POSITIONS_OUTSIDE(ClientDefect.POSITIONS_OUTSIDE, "in the user's table twice"),
    SEQUENCES_ONCE(ClientDefect.SEQUENCES_ONCE, "stay staged"),
    LISTS_ONCE(ClientDefect.LISTS_ONCE, "sweeps leave blobs");

    private final Optional<LogDefect> ofLog;
    private final Optional<ClientDefect> ofClient;
    private final String symptom;

    PlantedLogBug(LogDefect defect, String symptom) {
        ofLog = Optional.of(defect);
        ofClient = Optional.empty();
        this.symptom = symptom;
    }

    PlantedLogBug(ClientDefect defect, String symptom) {
        ofLog = Optional.empty();
        ofClient = Optional.of(defect);
        this.symptom = symptom;
    }

    Optional<LogDefect> ofLog() {
        return ofLog;
    }

    Optional<ClientDefect> ofClient() {
        return ofClient;
    }

    @Override
    public Pattern violation() {
        return Pattern.compile(Pattern.quote(symptom));
    }
}
