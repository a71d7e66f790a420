// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// The root of Apple's classes, as far as the check needs it. Written by hand: see ../../README.md.

#pragma once
#pragma clang assume_nonnull begin
__attribute__((swift_name("NSObjectProtocol")))
@protocol NSObject
@end
__attribute__((objc_root_class))
@interface NSObject <NSObject>
- (instancetype)init;
- (id)copy;
- (id)mutableCopy;
@end
#pragma clang assume_nonnull end
