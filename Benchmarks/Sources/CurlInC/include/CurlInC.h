// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// A client in C that does the same work as CurlTransport: an event loop of its own around libcurl's multi interface,
// the same options, a copy of each body, and a copy of each header, split into name and value.

#ifndef CURL_IN_C_H
#define CURL_IN_C_H
#ifdef __linux__

typedef struct curl_in_c curl_in_c;

/// Loads libcurl. NULL if that fails.
///
/// - authorities: A PEM file, or NULL for the system's.
curl_in_c *curl_in_c_make(const char *authorities);

/// Sends requests, some of them at a time. Returns the number of bytes in all bodies, or -1 after an error.
long curl_in_c_run(curl_in_c *client, const char *url, long requests, long in_flight);

/// Starts a thread that waits for the responses, as CurlTransport has one. Returns 0, or an error number.
int curl_in_c_start_loop(curl_in_c *client);

/// The same as `curl_in_c_run`, for a client with such a thread: the caller sends the requests and uses the responses.
long curl_in_c_run_beside_loop(curl_in_c *client, const char *url, long requests, long in_flight);

#endif
#endif
