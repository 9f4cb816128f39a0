// The few calls of libevent that the loop needs, and the Linux calls the Glibc module leaves out.
//
// libevent's own headers stay behind this one: they define _GNU_SOURCE, which changes types that
// Swift's Glibc module has already read.

#ifndef HEARTH_EVENT_LOOP_H
#define HEARTH_EVENT_LOOP_H

#include <stdbool.h>
#include <stdint.h>

struct event_base;
struct event;

/// Called with the descriptor or signal number, libevent's event flags, and the caller's context.
typedef void (*hearth_event_callback)(int source, short flags, void *context);

/// Makes an event base, and makes the process ignore SIGPIPE; NULL when the system has no room.
struct event_base *hearth_base_new(void);
void hearth_base_free(struct event_base *base);

/// Waits until something is ready, runs every callback that is, and returns; -1 on failure.
int hearth_base_turn_waiting(struct event_base *base);
/// Runs every callback that is ready now, and returns; -1 on failure.
int hearth_base_turn_at_once(struct event_base *base);

/// Each makes an armed event, or returns NULL when the system refuses it (errno says why).
struct event *hearth_event_on_level(
    struct event_base *base, int descriptor, hearth_event_callback callback, void *context);
struct event *hearth_event_on_edge(
    struct event_base *base, int descriptor, hearth_event_callback callback, void *context);
struct event *hearth_event_on_writable(
    struct event_base *base, int descriptor, hearth_event_callback callback, void *context);
struct event *hearth_event_on_end(
    struct event_base *base, int descriptor, hearth_event_callback callback, void *context);
struct event *hearth_event_after(
    struct event_base *base, int64_t microseconds, hearth_event_callback callback, void *context);
struct event *hearth_event_every(
    struct event_base *base, int64_t microseconds, hearth_event_callback callback, void *context);
struct event *hearth_event_on_signal(
    struct event_base *base, int number, hearth_event_callback callback, void *context);
/// Disarms and frees an event; allowed inside its own callback.
void hearth_event_free(struct event *event);

/// Makes a descriptor that one thread signals to wake another; -1 on failure.
int hearth_wakeup_new(void);
void hearth_wakeup_signal(int descriptor);
void hearth_wakeup_clear(int descriptor);

/// The next connection of a listening socket, which does not block; -1 with the reason in errno.
int hearth_accept(int listener);

#endif
