#ifndef CCONSOLE_H
#define CCONSOLE_H

#include <stddef.h>

/// A file of the console, compiled into the program.
struct hearth_console_file {
    /// The path below `web`, such as `base/feed.js`.
    const char *_Nonnull path;
    /// The bytes of the file.
    const unsigned char *_Nonnull bytes;
    /// How many bytes it has.
    size_t count;
};

/// All files of the console, in the order of their paths.
const struct hearth_console_file *_Nonnull hearth_console_all_files(void);

/// How many files there are.
extern const size_t hearth_console_file_count;

#endif
