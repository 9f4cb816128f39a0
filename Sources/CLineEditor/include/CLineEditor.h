#ifndef HEARTH_LINE_EDITOR_H
#define HEARTH_LINE_EDITOR_H

#include <stdbool.h>
#include <stddef.h>

// The few calls of libedit that are needed: its own take any number of arguments, which Swift cannot
// pass.

typedef struct hearth_editor hearth_editor;

/// Asked some times a second while nothing is typed; true ends the reading of the line.
typedef bool (*hearth_editor_is_interrupted)(void *context);
/// Called for the tabulator key, with all that stands before the cursor, which ends with a zero.
typedef void (*hearth_editor_complete)(void *context, hearth_editor *editor, const char *text);

typedef enum {
    HEARTH_EDITOR_LINE,
    HEARTH_EDITOR_END,
    HEARTH_EDITOR_INTERRUPTED,
} hearth_editor_outcome;

/// Reads from standard input and shows on standard output, both a terminal; NULL without memory.
///
/// Characters are UTF-8, whatever the locale says.
hearth_editor *hearth_editor_new(
    hearth_editor_is_interrupted is_interrupted, hearth_editor_complete complete, void *context);
void hearth_editor_free(hearth_editor *editor);

/// Reads one line; the text ends with a zero and lives until the next call.
hearth_editor_outcome hearth_editor_read(
    hearth_editor *editor, const char *prompt, const char **text);

/// While the tabulator key is served: inserts text at the cursor.
void hearth_editor_insert(hearth_editor *editor, const char *text);
/// While the tabulator key is served: prints text below the line, and the line again below that.
void hearth_editor_show(hearth_editor *editor, const char *text);

/// Adds a line to the history, unless it is that of the last one.
void hearth_editor_remember(hearth_editor *editor, const char *line);
bool hearth_editor_load_history(hearth_editor *editor, const char *file);
bool hearth_editor_save_history(hearth_editor *editor, const char *file);

#endif
