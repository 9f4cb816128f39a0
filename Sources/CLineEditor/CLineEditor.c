#define _GNU_SOURCE
#include "CLineEditor.h"

#include <errno.h>
#include <histedit.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

struct hearth_editor {
    EditLine *line;
    History *history;
    const char *prompt;
    hearth_editor_is_interrupted is_interrupted;
    hearth_editor_complete complete;
    void *context;
    bool begins_line;
    unsigned char completion;
    char *text;
};

static const int history_size = 1000;
static const int look_milliseconds = 50;

static hearth_editor *editor_of(EditLine *line) {
    void *editor = NULL;
    el_get(line, EL_CLIENTDATA, &editor);
    return editor;
}

static char *prompt(EditLine *line) {
    return (char *)editor_of(line)->prompt;
}

// Not by a signal that interrupts the call: another thread may get it.
static int wait_for_input(hearth_editor *editor) {
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    while (true) {
        int count = poll(&input, 1, look_milliseconds);
        if (editor->is_interrupted(editor->context)) {
            errno = EINTR;
            return -1;
        }
        if (count > 0) return 1;
        if (count < 0 && errno != EINTR) return -1;
    }
}

static int read_character(EditLine *line, wchar_t *character) {
    hearth_editor *editor = editor_of(line);
    mbstate_t state;
    memset(&state, 0, sizeof state);
    while (true) {
        char byte;
        if (wait_for_input(editor) < 0) return -1;
        ssize_t count = read(STDIN_FILENO, &byte, 1);
        if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (count <= 0) return (int)count;
        // Ctrl-D that was typed before the terminal had the editor's mode: the terminal keeps it as a NUL.
        if (byte == 0 && editor->begins_line) byte = 'D' & 0x1F;
        editor->begins_line = false;
        size_t length = mbrtowc(character, &byte, 1, &state);
        if (length == (size_t)-2) continue;
        // A byte that is not UTF-8 is passed over.
        if (length == (size_t)-1) memset(&state, 0, sizeof state);
        else return 1;
    }
}

static unsigned char complete(EditLine *line, int key) {
    (void)key;
    hearth_editor *editor = editor_of(line);
    const LineInfo *info = el_line(line);
    char *before = strndup(info->buffer, (size_t)(info->cursor - info->buffer));
    if (before == NULL) return CC_ERROR;
    editor->completion = CC_NORM;
    editor->complete(editor->context, editor, before);
    free(before);
    return editor->completion;
}

hearth_editor *hearth_editor_new(
    hearth_editor_is_interrupted is_interrupted, hearth_editor_complete complete_line,
    void *context) {
    setlocale(LC_CTYPE, "C.UTF-8");
    hearth_editor *editor = calloc(1, sizeof *editor);
    if (editor == NULL) return NULL;
    editor->prompt = "";
    editor->is_interrupted = is_interrupted;
    editor->complete = complete_line;
    editor->context = context;
    editor->line = el_init("hearth", stdin, stdout, stderr);
    editor->history = history_init();
    if (editor->line == NULL || editor->history == NULL) {
        hearth_editor_free(editor);
        return NULL;
    }
    HistEvent event;
    history(editor->history, &event, H_SETSIZE, history_size);
    history(editor->history, &event, H_SETUNIQUE, 1);
    el_set(editor->line, EL_CLIENTDATA, editor);
    el_set(editor->line, EL_EDITOR, "emacs");
    el_set(editor->line, EL_PROMPT, prompt);
    el_set(editor->line, EL_HIST, history, editor->history);
    el_set(editor->line, EL_GETCFN, read_character);
    el_set(editor->line, EL_ADDFN, "hearth-complete", "Completes a word", complete);
    el_set(editor->line, EL_BIND, "^I", "hearth-complete", NULL);
    el_set(editor->line, EL_BIND, "^R", "em-inc-search-prev", NULL);
    // What else the user wants of an editor of lines.
    el_source(editor->line, NULL);
    return editor;
}

void hearth_editor_free(hearth_editor *editor) {
    if (editor == NULL) return;
    if (editor->line != NULL) el_end(editor->line);
    if (editor->history != NULL) history_end(editor->history);
    free(editor->text);
    free(editor);
}

hearth_editor_outcome hearth_editor_read(
    hearth_editor *editor, const char *prompt_text, const char **text) {
    editor->prompt = prompt_text;
    editor->begins_line = true;
    el_resize(editor->line);
    int count = 0;
    const char *line = el_gets(editor->line, &count);
    if (line == NULL || count <= 0) {
        bool is_interrupted = count < 0 && editor->is_interrupted(editor->context);
        el_reset(editor->line);
        return is_interrupted ? HEARTH_EDITOR_INTERRUPTED : HEARTH_EDITOR_END;
    }
    free(editor->text);
    editor->text = strdup(line);
    if (editor->text == NULL) return HEARTH_EDITOR_END;
    editor->text[strcspn(editor->text, "\n")] = 0;
    *text = editor->text;
    return HEARTH_EDITOR_LINE;
}

void hearth_editor_insert(hearth_editor *editor, const char *text) {
    editor->completion = el_insertstr(editor->line, text) == 0 ? CC_REFRESH : CC_ERROR;
}

void hearth_editor_show(hearth_editor *editor, const char *text) {
    printf("\n%s", text);
    fflush(stdout);
    editor->completion = CC_REDISPLAY;
}

void hearth_editor_remember(hearth_editor *editor, const char *line) {
    HistEvent event;
    history(editor->history, &event, H_ENTER, line);
}

bool hearth_editor_load_history(hearth_editor *editor, const char *file) {
    HistEvent event;
    return history(editor->history, &event, H_LOAD, file) >= 0;
}

bool hearth_editor_save_history(hearth_editor *editor, const char *file) {
    HistEvent event;
    // Values that were typed concern their user alone.
    mode_t mask = umask(077);
    bool is_saved = history(editor->history, &event, H_SAVE, file) >= 0;
    umask(mask);
    return is_saved;
}
