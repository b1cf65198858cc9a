# SPDX-License-Identifier: Apache-2.0
"""Predictions of a card's throughput beside published measurements, and what they cost."""
