"""The expressions of Dask's shuffle method `blobs`, which make its tasks."""

from __future__ import annotations

import functools
from typing import Any

import pandas as pd
from dask._task_spec import Task, TaskRef
from dask.dataframe.dask_expr._expr import Expr, PartitionsFiltered
from dask.dataframe.dask_expr._reductions import Reduction
from dask.dataframe.dask_expr._shuffle import SimpleShuffle
from dask.tokenize import tokenize

from blobshuffle.dask_tasks import (
    WHOLE,
    WRITE,
    Join,
    Place,
    Plan,
    begin,
    load,
    merge,
    whole,
    write,
)
from blobshuffle.frames import Layout, layout_of

# The attributes of expressions are their parameters, which type checkers do not know.
_SimpleShuffle: Any = SimpleShuffle
_Filtered: Any = PartitionsFiltered
_Expression: Any = Expr

_PARTITIONS = "_partitions"
"""The column that Dask adds for each row's partition."""

SIMPLE = [
    "frame",
    "partitioning_index",
    "npartitions_out",
    "ignore_index",
    "options",
    "original_partitioning_index",
    "_partitions",
]
"""The parameters that Dask's own shuffle by a column has."""


class BlobShuffle(_SimpleShuffle):
    """A shuffle through blobs by the column that has each row's partition.

    Rows of an output partition come in the order of the input partitions, and in each of these
    in their order. The graph is the same each time, so Dask runs equal ones once.
    """

    _parameters = [*SIMPLE[:-1], "place", "_partitions"]  # noqa: RUF012

    @functools.cached_property
    def _meta(self) -> pd.DataFrame:
        meta = self.frame._meta.drop(columns=list(self._dropped))
        return meta.reset_index(drop=True) if self.ignore_index else meta

    @property
    def _dropped(self) -> tuple[Any, ...]:
        # Dask takes the column away, but not from columns of several levels.
        return (self.partitioning_index,) if self.frame._meta.columns.nlevels == 1 else ()

    @functools.cached_property
    def layout(self) -> Layout:
        """How rows are stored. A blob needs a column, so the index stays if there is no other."""
        return layout_of(self._meta, has_index=not self.ignore_index or not self._meta.shape[1])

    def _simplify_up(self, parent: Any, dependents: Any) -> Any:
        # Dask moves reductions before a shuffle, also the sizes of partitions, which it takes of a
        # shuffle that is planned already: those would be sizes of the input partitions.
        return None if isinstance(parent, Reduction) else super()._simplify_up(parent, dependents)

    def _layer(self) -> dict[Any, Any]:
        run = self._name.rpartition("-")[2]
        column = self.partitioning_index
        plan = _plan(self, run, self.frame, self.layout, column, self._dropped)
        tasks, begun, collected = _written(plan, self.frame)
        loads = [
            Task((self._name, n), load, collected, begun, partition)
            for n, partition in enumerate(self._partitions)
        ]
        return {each.key: each for each in [*tasks, *loads]}


class BlobMerge(_Filtered, _Expression):
    """A merge of two frames whose rows have their partitions in a column.

    A task reads a partition of both sides and merges it, so no side waits in memory for the other.
    `left_names` and `right_names` are the columns that are merged, `options` those of the merge.
    """

    _parameters = [  # noqa: RUF012
        "left",
        "right",
        "left_names",
        "right_names",
        "npartitions_out",
        "options",
        "meta",
        "place",
        "_partitions",
    ]
    _defaults = {"_partitions": None}  # noqa: RUF012

    @property
    def _meta(self) -> pd.DataFrame:
        return self.operand("meta")

    def _divisions(self) -> tuple[None, ...]:
        return (None,) * (self.npartitions_out + 1)

    @functools.cached_property
    def layouts(self) -> tuple[Layout, Layout]:
        """How rows of the left and the right side are stored."""
        return (
            layout_of(stored_columns(self.left._meta, self.left_names)),
            layout_of(stored_columns(self.right._meta, self.right_names)),
        )

    def _layer(self) -> dict[Any, Any]:
        run = self._name.rpartition("-")[2]
        tasks, sides = [], []
        for side, frame, layout in zip(("l", "r"), (self.left, self.right), self.layouts):  # noqa: B905
            dropped = tuple(name for name in frame.columns if name not in layout.meta.columns)
            plan = _plan(self, f"{run}-{side}", frame, layout, _PARTITIONS, dropped)
            of_side, begun, collected = _written(plan, frame)
            tasks += of_side
            sides += [collected, begun]
        join = Task(f"blobs-join-{run}", begin, Join(self.options, self._meta))
        merges = [
            Task((self._name, n), merge, join.ref(), *sides, partition)
            for n, partition in enumerate(self._partitions)
        ]
        return {each.key: each for each in [*tasks, join, *merges]}


def token_without_place(expression: Any) -> str:
    """Return a token of an expression that is the same in each session.

    The names of expressions are not: a shuffle of another session has other tasks and blobs.
    """
    known: dict[str, str] = {}

    def plain(value: Any) -> Any:
        if isinstance(value, Place):
            return None
        if isinstance(value, (list, tuple)):
            return [plain(each) for each in value]
        if not isinstance(value, Expr):
            return value
        if value._name not in known:
            known[value._name] = tokenize(type(value), plain(value.operands))
        return known[value._name]

    return plain(expression)


def stored_columns(meta: pd.DataFrame, names: list[Any]) -> pd.DataFrame:
    """Return the columns of some names, each once. A selection by names would double equal ones."""
    return meta.loc[:, [name in names for name in meta.columns]]


def _plan(
    expression: Any, run: str, frame: Any, layout: Layout, column: Any, dropped: tuple[Any, ...]
) -> Plan:
    return Plan(
        expression.place,
        run,
        frame.npartitions,
        expression.npartitions_out,
        column,
        dropped,
        layout,
        tuple(expression._partitions) if expression._filtered else None,
    )


def _written(plan: Plan, frame: Any) -> tuple[list[Task], Any, Any]:
    """Return the tasks that write a frame, and where the plan and the whole shuffle are then."""
    begun = Task(f"blobs-begin-{plan.run}", begin, plan)
    writes = [
        Task((f"{WRITE}{plan.run}", n), write, TaskRef((frame._name, n)), begun.ref(), n)
        for n in range(plan.maps)
    ]
    collected = Task(f"{WHOLE}{plan.run}", whole, begun.ref(), *(each.ref() for each in writes))
    return [begun, *writes, collected], begun.ref(), collected.ref()
