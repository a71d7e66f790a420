// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Decompression with zlib.

#ifdef __linux__

#include "ccurl.h"
#include "find.h"

#include <pthread.h>
#include <stdlib.h>

/// z_stream, as in zlib.h.
typedef struct {
    const uint8_t *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    uint8_t *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *msg;
    void *state, *alloc, *free, *opaque;
    int data_type;
    unsigned long adler, reserved;
} z_stream;

static struct {
    int (*init)(z_stream *, int, const char *, int);
    int (*run)(z_stream *, int);
    int (*reset)(z_stream *);
    int (*end)(z_stream *);
} zlib;

static int has_zlib;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_zlib(void) {
    void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    has_zlib = library && FIND(library, zlib.init, "inflateInit2_") && FIND(library, zlib.run, "inflate")
        && FIND(library, zlib.reset, "inflateReset") && FIND(library, zlib.end, "inflateEnd");
}

struct ccurl_decoder {
    z_stream stream;
    bool is_gzip, is_begun, is_ended;
};

ccurl_decoder *ccurl_decoder_make(bool is_gzip) {
    pthread_once(&once, find_zlib);
    ccurl_decoder *decoder = has_zlib ? calloc(1, sizeof(ccurl_decoder)) : NULL;
    if (decoder) decoder->is_gzip = is_gzip;
    return decoder;
}

/// zlib's number for the format and the largest window.
static int window_bits(const ccurl_decoder *decoder, uint8_t first) {
    if (decoder->is_gzip) return 15 + 16;
    // "deflate" is the format of zlib (RFC 9110, section 8.4.1.2), which starts with the method 8. Some servers send
    // the data alone.
    return (first & 0x0F) == 8 ? 15 : -15;
}

void ccurl_decoder_free(ccurl_decoder *decoder) {
    if (decoder->is_begun) zlib.end(&decoder->stream);
    free(decoder);
}

int ccurl_decode(
    ccurl_decoder *decoder, const uint8_t **input, size_t *input_size, uint8_t *output, size_t *output_size) {
    z_stream *stream = &decoder->stream;
    if (!*input_size && !decoder->is_begun) return CCURL_DECODE_MORE;
    if (!*input_size && decoder->is_ended) return CCURL_DECODE_END;
    if (!decoder->is_begun) {
        if (zlib.init(stream, window_bits(decoder, **input), "1.2.11", sizeof(z_stream))) return CCURL_DECODE_BAD;
        decoder->is_begun = true;
    }
    // A gzip file may have several members (RFC 1952, section 2.2).
    if (decoder->is_ended && (!decoder->is_gzip || zlib.reset(stream))) return CCURL_DECODE_BAD;
    decoder->is_ended = false;
    stream->next_in = *input;
    stream->avail_in = *input_size;
    stream->next_out = output;
    stream->avail_out = *output_size;
    int result = zlib.run(stream, 0);
    *input = stream->next_in;
    *input_size = stream->avail_in;
    *output_size = stream->avail_out;
    decoder->is_ended = result == 1;
    if (decoder->is_ended) return *input_size ? CCURL_DECODE_FULL : CCURL_DECODE_END;
    if (result == -5) return CCURL_DECODE_MORE;
    return result ? CCURL_DECODE_BAD : stream->avail_out ? CCURL_DECODE_MORE : CCURL_DECODE_FULL;
}

#endif
