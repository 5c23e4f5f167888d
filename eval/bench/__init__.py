"""Benchmarks: contenders side by side in one run, taking turns."""
