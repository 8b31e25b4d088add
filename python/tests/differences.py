"""The differences between a shuffle through blobs and the engine's own, with reasons.

The tests of `test_differential.py` allow only these. `docs/differences.md` has them as a chapter,
which `python tests/differences.py` prints.
"""

from typing import NamedTuple


class Difference(NamedTuple):
    """A difference that a user can see."""

    what: str
    native: str
    ours: str
    reason: str


PYTHON = [
    Difference(
        "Python objects of several types in one column or collection, and objects that are dicts, "
        "nested collections, categorical arrays or arrays of several dimensions",
        "Dask pickles them",
        "refused with the column's name before a byte is written",
        "Blobs are read by other languages and processes, and unpickling what a store returns "
        "would let it run code. Convert the column with `astype`, for example to `pd.ArrowDtype`.",
    ),
    Difference(
        "Complex numbers, and other types that Arrow lacks",
        "Dask pickles them",
        "refused with the column's name when the shuffle is planned",
        "A blob holds Arrow rows.",
    ),
    Difference(
        "Missing values of columns of Python objects, and of collections that have several of them",
        "`None`, `nan`, `NaT` and `pd.NA` stay apart",
        "`None`. Collections of floats keep `nan` and `None` apart",
        "Arrow has one null.",
    ),
    Difference(
        "Python objects of NumPy's numbers, of enumerations and of subclasses of Python's types; "
        "decimals of several exponents",
        "Dask pickles them",
        "equal values of Python's own types; decimals have the exponent of the finest",
        "An Arrow column has one type, and decimals of a column one scale.",
    ),
    Difference(
        "Times among Python objects that are in several zones, or have nanoseconds beside Python "
        "times",
        "Dask pickles them",
        "refused with the column's name before a byte is written",
        "An Arrow column has one zone and one unit, and no value may change.",
    ),
    Difference(
        "Categories that the metadata of a Dask frame does not know",
        "all that a partition's inputs had, also those without rows",
        "those that rows of the partition use, in another order",
        "A blob stores the values that rows use, so many categories cost what their rows cost.",
    ),
    Difference(
        "Ordered categories that the metadata does not know and that differ by partition",
        "pandas raises when the partitions meet, or returns objects",
        "refused with the column's name",
        "Two orders have no common one. Call `cat.set_categories` first.",
    ),
    Difference(
        "Categories that the metadata does not know and whose types differ by partition",
        "Dask raises when the partitions meet",
        "kept if one type holds both, else refused with the column's name",
        "Partitions whose values are all missing fit to any: such values have no type, though "
        "pandas calls them fractions.",
    ),
    Difference(
        "Values that the metadata of a Dask frame does not allow, such as fractions in int64, in "
        "`blobshuffle.dask.shuffle`",
        "partitions have types that the metadata does not say",
        "refused with the column's name before a byte is written. With `blobshuffle.dask.enable` "
        "rows keep the types that they have",
        "All partitions have the types that the metadata says. The metadata of programs is often "
        "wrong, as after a left join.",
    ),
    Difference(
        "Types that the metadata of a Dask frame does not say and that differ by input partition, "
        "with `blobshuffle.dask.enable`",
        "each output partition has the type that pandas takes for the rows that it gets",
        "all output partitions have the type that pandas takes for the rows of all. A column that "
        "has no value in some partitions has the type of its values in the others, or objects",
        "A result has one type, also if a program writes each partition to a file.",
    ),
    Difference(
        "Several columns of one name in a Dask frame that is shuffled or merged",
        "each is there as often as the name",
        "each is there once, as before",
        "Dask selects the columns by their names, and the metadata of the result has each once.",
    ),
    Difference(
        "Merges by times of two units, with `blobshuffle.dask.enable`",
        "Dask loses rows",
        "refused when the merge is planned",
        "Dask hashes the number of a time, which depends on its unit.",
    ),
    Difference(
        "Groups of categories that no row has (`observed=False`), where the metadata does not know "
        "the categories and the result has several partitions",
        "a group in each partition whose inputs had the category",
        "a group where rows have it",
        "Blobs store the categories that rows use.",
    ),
    Difference(
        "Inputs of Ray and of processes whose schemas differ by nullness or width",
        "Arrow's permissive rules, which turn strings into binary",
        "the wider type; strings beside binary, and signed beside unsigned 64-bit integers, are "
        "refused with the column's name",
        "No value may change.",
    ),
    Difference(
        "Blocks of one task of a Ray Dataset of which a later one has columns that the first lacks",
        "Ray fills the missing ones with nulls",
        "refused with the columns' names. Columns that a later block or another task lacks are "
        "null, as with Ray",
        "A blob has one schema, which is written before its rows. Add the column with "
        "`map_batches`.",
    ),
]


def chapter() -> str:
    """Return the chapter of `docs/differences.md`."""
    lines = ["## Python", "", "| what | the engine's own | through blobs | reason |"]
    lines.append("|---|---|---|---|")
    lines += [f"| {each.what} | {each.native} | {each.ours} | {each.reason} |" for each in PYTHON]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(chapter(), end="")
