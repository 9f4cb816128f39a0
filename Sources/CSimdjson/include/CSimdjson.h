#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A simdjson parser with its buffers, reused from document to document; one thread at a time.
typedef struct hearth_json_parser hearth_json_parser;

/// A parsed document in simdjson's tape format, valid until the next call with the same parser.
///
/// A word of the tape has a type in its top byte and a payload below. Word 0 is the root; then come
/// `{` `[` (low 32 payload bits: index behind the matching end), `}` `]`, `"` (payload: offset in
/// `strings` of a 32-bit length and the bytes), `l` `u` `d` (the next word holds an int64_t, a
/// uint64_t or a double), `t`, `f` and `n`.
typedef struct {
    const uint64_t *tape;
    const uint8_t *strings;
} hearth_json_document;

enum hearth_json_result {
    HEARTH_JSON_PARSED,
    /// Not JSON, nested too deep, or a number beyond uint64_t or double.
    HEARTH_JSON_REFUSED,
    HEARTH_JSON_OUT_OF_MEMORY,
};

/// Makes a parser that takes up to `maximum_depth` containers within each other, or returns NULL.
hearth_json_parser *hearth_json_parser_create(size_t maximum_depth);

void hearth_json_parser_free(hearth_json_parser *parser);

/// Parses `count` bytes, of which up to `capacity` may be read (never used) behind the end.
///
/// With less than 64 bytes between `count` and `capacity` the text is copied first.
enum hearth_json_result hearth_json_parse(
    hearth_json_parser *parser, const uint8_t *bytes, size_t count, size_t capacity,
    hearth_json_document *document);

/// Releases the buffers of a large document; small ones stay for the next.
void hearth_json_parser_trim(hearth_json_parser *parser);

#ifdef __cplusplus
}
#endif
