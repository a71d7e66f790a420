// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#include <dlfcn.h>

/// Finds a function of a library. POSIX allows storing its address through a pointer to an object.
#define FIND(handle, target, name) (*(void **)&(target) = dlsym(handle, name))
