"""Judges a run of PIT: python3 .ci/pit/report.py ROOM MUTATIONS.xml

Prints the mutants that survived, and fails if the tests find fewer than 90 % of the mutants in lines that
they reach.
"""

import sys
from pathlib import Path
from xml.etree import ElementTree

LEAST = 0.9
FOUND = {"KILLED", "TIMED_OUT", "MEMORY_ERROR", "RUN_ERROR"}


def main() -> None:
    room, mutations = sys.argv[1], Path(sys.argv[2])
    mutants = list(ElementTree.parse(mutations).getroot().iter("mutation"))
    reached = [mutant for mutant in mutants if mutant.get("status") != "NO_COVERAGE"]
    survived = [mutant for mutant in reached if mutant.get("status") not in FOUND]
    lines = sorted(
        (mutant.findtext("sourceFile", ""), int(mutant.findtext("lineNumber", "0")), mutant.findtext("description"))
        for mutant in survived
    )
    for file, line, description in lines:
        print(f"{file}:{line}: {description}")
    if not reached:
        sys.exit(f"{room}: no test reaches a mutant.")
    share = 1 - len(survived) / len(reached)
    print(f"{room}: {len(mutants)} mutants, {len(reached)} in lines that tests reach, {share:.1%} of these found")
    if share < LEAST:
        sys.exit(f"{room}: fewer than {LEAST:.0%} are found.")


main()
