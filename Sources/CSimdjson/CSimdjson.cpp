#include "CSimdjson.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <simdjson.h>

namespace {

// Buffers for documents up to this size are kept, and grow to powers of two.
constexpr size_t kept_capacity = size_t(1) << 20;
constexpr size_t least_capacity = size_t(1) << 12;
constexpr size_t padding = 64;
static_assert(padding >= simdjson::SIMDJSON_PADDING, "simdjson reads further behind the end");

size_t rounded(size_t count) {
    if (count > kept_capacity) { return count; }
    size_t capacity = least_capacity;
    while (capacity < count) { capacity *= 2; }
    return capacity;
}

} // namespace

struct hearth_json_parser {
    simdjson::dom::parser parser;
    size_t maximum_depth;
    // Room for texts that come without padding.
    std::unique_ptr<uint8_t[]> padded;
    size_t padded_capacity = 0;

    bool reserve(size_t count) {
        // Never without buffers, not even for an empty text.
        const size_t needed = std::max(count, least_capacity);
        if (parser.capacity() >= needed && parser.doc.capacity() >= needed) { return true; }
        const size_t capacity = rounded(needed);
        // simdjson counts the document itself as a level.
        return parser.allocate(capacity, maximum_depth + 1) == simdjson::SUCCESS
            && parser.doc.allocate(capacity) == simdjson::SUCCESS;
    }

    const uint8_t *copy(const uint8_t *bytes, size_t count) {
        if (!padded || padded_capacity < count) {
            const size_t capacity = rounded(count);
            padded.reset(new (std::nothrow) uint8_t[capacity + padding]());
            padded_capacity = padded ? capacity : 0;
        }
        if (padded && count > 0) { std::memcpy(padded.get(), bytes, count); }
        return padded.get();
    }
};

hearth_json_parser *hearth_json_parser_create(size_t maximum_depth) {
    auto parser = new (std::nothrow) hearth_json_parser;
    if (parser) { parser->maximum_depth = maximum_depth; }
    return parser;
}

void hearth_json_parser_free(hearth_json_parser *parser) { delete parser; }

hearth_json_result hearth_json_parse(
    hearth_json_parser *parser, const uint8_t *bytes, size_t count, size_t capacity,
    hearth_json_document *document)
{
    if (!parser->reserve(count)) { return HEARTH_JSON_OUT_OF_MEMORY; }
    if (capacity < count + padding) {
        bytes = parser->copy(bytes, count);
        if (!bytes) { return HEARTH_JSON_OUT_OF_MEMORY; }
    }
    const auto error = parser->parser.parse(bytes, count, false).error();
    if (error == simdjson::MEMALLOC) { return HEARTH_JSON_OUT_OF_MEMORY; }
    if (error != simdjson::SUCCESS) { return HEARTH_JSON_REFUSED; }
    document->tape = parser->parser.doc.tape.get();
    document->strings = parser->parser.doc.string_buf.get();
    return HEARTH_JSON_PARSED;
}

void hearth_json_parser_trim(hearth_json_parser *parser) {
    if (parser->parser.capacity() > kept_capacity) { parser->parser = simdjson::dom::parser(); }
    if (parser->padded_capacity > kept_capacity) {
        parser->padded.reset();
        parser->padded_capacity = 0;
    }
}
