# SPDX-License-Identifier: Apache-2.0
"""Distributed engines side by side: ranks of gaspipe, Spark's GraphX, Gemini."""
