# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A limit to what a process may allocate, and no core file of it."""

import os
import resource


def limit_memory(size, is_foreign=False):
    """Limits this process to `size` bytes of addresses. Sanitizers, which watch all but
    foreign programs, reserve far more than they use; what they may allocate at once is
    limited in utils/sanitizer/run.sh."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if is_foreign or not os.environ.get("RELAY_SANITIZE"):
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
