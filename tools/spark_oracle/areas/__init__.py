# SPDX-License-Identifier: Apache-2.0
"""The expressions of each area, as plain text; nothing here needs Spark."""
