package dev.blobshuffle.core.internal.claim;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.time.Time;
import java.util.Optional;

/**
 * The owner of the blobs of a job without a lease: a number that no other job of the store has. One
 * register says which number a job has, another one which job has a number. Both are written once,
 * by compare-and-set. So the tasks and the coordinator of a job find the same number, and two jobs
 * never share one, even if both were restored from the same savepoint. Owned by one thread.
 */
public final class JobOwner {
    private static final String JOB_REGISTER = "job-";
    private static final String OWNER_REGISTER = "owner-";
    private static final int ATTEMPTS = 100;

    private final Registers registers;
    private final String job;
    private final Time time;

    /**
     * The owner of a job.
     *
     * @param job names one submission of a job: hexadecimal digits and dashes
     */
    public JobOwner(Registers registers, String job, Time time) {
        this.registers = registers;
        this.job = job;
        this.time = time;
    }

    /** The job whose owner has this number, if there is one. */
    public static Optional<String> job(Registers registers, int owner) {
        return new StoreCell(registers, register(owner)).read().map(Register::text);
    }

    /** The job's owner, if it has one. */
    public Optional<Integer> find() {
        return cell(JOB_REGISTER + letters(job)).read().map(JobOwner::owner);
    }

    /**
     * The job's owner.
     *
     * @throws StoreUnavailableException recoverable: the store does not work now
     */
    public int findOrMake() {
        Optional<Integer> known = find();
        for (int attempt = 0; known.isEmpty() && attempt < ATTEMPTS; attempt++) {
            known = make();
        }
        return known.orElseThrow(() -> new StoreUnavailableException("Cannot store blobs of job " + job + ": "
                + ATTEMPTS + " numbers were all taken by other jobs. Give the job another store or prefix."));
    }

    private Optional<Integer> make() {
        int number = 1 + (int) Long.remainderUnsigned(time.randomLong(), BlobId.MOST_OWNERS);
        if (!cell(register(number)).replace(Optional.empty(), job)) {
            return Optional.empty();
        }
        boolean ignored = cell(JOB_REGISTER + letters(job)).replace(Optional.empty(), Integer.toHexString(number));
        return find(); // Another task of the job may have been first.
    }

    private StoreCell cell(String name) {
        return new StoreCell(registers, name);
    }

    private static String register(int owner) {
        return OWNER_REGISTER + letters(Integer.toHexString(owner));
    }

    private static int owner(Register register) {
        return Integer.parseInt(register.text(), 16);
    }

    /** Names of registers have no digits. */
    private static String letters(String digits) {
        StringBuilder letters = new StringBuilder();
        digits.chars().forEach(digit -> letters.append(digit == '-' ? '-' : (char) ('a' + Character.digit(digit, 16))));
        return letters.toString();
    }
}
