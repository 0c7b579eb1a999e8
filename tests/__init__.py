"""Tests of HearthNet."""
