# SPDX-License-Identifier: Apache-2.0
"""Ranks of an MPI job in network namespaces of one machine."""
