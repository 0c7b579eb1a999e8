"""Runs what HearthNet claims, part by part, and tells every figure.

A part that fails, hangs or breaks off is told and the others go on; the exit status is
1 then. With `--write` all parts together become docs/evidence.md; what stands there of
long runs stays. `--long` runs one of those.
"""
