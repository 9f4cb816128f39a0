// Reads requests with llhttp, as a server that answers each at once; input and output as in h11_requests.py.
#include <llhttp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char target[1 << 20], body[1 << 20];
static size_t target_length, body_length;
// After the last request, llhttp skips all bytes and says that they are fine.
static int was_last;

static void print_hex(const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) printf("%02x", (unsigned char)bytes[i]);
}

static int begin(llhttp_t *parser) {
    (void)parser;
    target_length = body_length = 0;
    return 0;
}

static int on_target(llhttp_t *parser, const char *bytes, size_t length) {
    (void)parser;
    memcpy(target + target_length, bytes, length);
    target_length += length;
    return 0;
}

static int on_body(llhttp_t *parser, const char *bytes, size_t length) {
    (void)parser;
    memcpy(body + body_length, bytes, length);
    body_length += length;
    return 0;
}

static int end(llhttp_t *parser) {
    const char *method = llhttp_method_name((llhttp_method_t)llhttp_get_method(parser));
    printf(" ");
    print_hex(method, strlen(method));
    print_hex(" ", 1);
    print_hex(target, target_length);
    print_hex(" ", 1);
    print_hex(body, body_length);
    was_last = !llhttp_should_keep_alive(parser);
    return 0;
}

// The requests come before the outcome, which the caller prints after them.
static const char *read_all(char *bytes, size_t length) {
    llhttp_settings_t settings;
    llhttp_settings_init(&settings);
    settings.on_message_begin = begin;
    settings.on_url = on_target;
    settings.on_body = on_body;
    settings.on_message_complete = end;
    llhttp_t parser;
    llhttp_init(&parser, HTTP_REQUEST, &settings);
    was_last = 0;
    const char *place = bytes;
    for (;;) {
        llhttp_errno_t result = llhttp_execute(&parser, place, (size_t)(bytes + length - place));
        if (result == HPE_OK) return was_last ? "over" : "open";
        if (result != HPE_PAUSED_UPGRADE) return "over";
        place = llhttp_get_error_pos(&parser);
        llhttp_resume_after_upgrade(&parser);
    }
}

int main(void) {
    unsigned char header[4];
    while (fread(header, 1, 4, stdin) == 4) {
        size_t length = (size_t)header[0] << 24 | (size_t)header[1] << 16 | (size_t)header[2] << 8 | header[3];
        char *bytes = malloc(length + 1);
        if (length >= sizeof target || fread(bytes, 1, length, stdin) != length) return 1;
        printf("-");
        const char *outcome = read_all(bytes, length);
        printf(" %s\n", outcome);
        free(bytes);
    }
    return 0;
}
