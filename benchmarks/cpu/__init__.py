# SPDX-License-Identifier: Apache-2.0
"""Gaspipe on the CPU beside every peer that is found: see run.py."""
