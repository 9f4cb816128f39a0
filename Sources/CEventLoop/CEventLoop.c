#define _GNU_SOURCE
#include "CEventLoop.h"

#include <event2/event.h>
#include <signal.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

struct event_base *hearth_base_new(void) {
    signal(SIGPIPE, SIG_IGN);
    // Without, epoll rounds each wait up to a millisecond, which is long for what is gathered for less.
    struct event_config *config = event_config_new();
    if (config == NULL) return NULL;
    event_config_set_flag(config, EVENT_BASE_FLAG_PRECISE_TIMER);
    struct event_base *base = event_base_new_with_config(config);
    event_config_free(config);
    return base;
}

void hearth_base_free(struct event_base *base) { event_base_free(base); }

// NO_EXIT_ON_EMPTY: with no event registered, a loop still waits for one.
int hearth_base_turn_waiting(struct event_base *base) {
    return event_base_loop(base, EVLOOP_ONCE | EVLOOP_NO_EXIT_ON_EMPTY);
}

int hearth_base_turn_at_once(struct event_base *base) {
    return event_base_loop(base, EVLOOP_ONCE | EVLOOP_NONBLOCK | EVLOOP_NO_EXIT_ON_EMPTY);
}

static struct event *armed(
    struct event_base *base, int source, short flags, const struct timeval *delay,
    hearth_event_callback callback, void *context) {
    struct event *event = event_new(base, source, flags, callback, context);
    if (event != NULL && event_add(event, delay) != 0) {
        event_free(event);
        return NULL;
    }
    return event;
}

static struct timeval timeval_of(int64_t microseconds) {
    return (struct timeval){
        .tv_sec = microseconds / 1000000, .tv_usec = microseconds % 1000000};
}

struct event *hearth_event_on_level(
    struct event_base *base, int descriptor, hearth_event_callback callback, void *context) {
    return armed(base, descriptor, EV_READ | EV_PERSIST, NULL, callback, context);
}

struct event *hearth_event_on_edge(
    struct event_base *base, int descriptor, hearth_event_callback callback, void *context) {
    return armed(base, descriptor, EV_READ | EV_PERSIST | EV_ET, NULL, callback, context);
}

struct event *hearth_event_on_writable(
    struct event_base *base, int descriptor, hearth_event_callback callback, void *context) {
    return armed(base, descriptor, EV_WRITE | EV_PERSIST, NULL, callback, context);
}

struct event *hearth_event_on_end(
    struct event_base *base, int descriptor, hearth_event_callback callback, void *context) {
    return armed(base, descriptor, EV_CLOSED | EV_PERSIST, NULL, callback, context);
}

struct event *hearth_event_after(
    struct event_base *base, int64_t microseconds, hearth_event_callback callback, void *context) {
    struct timeval delay = timeval_of(microseconds);
    return armed(base, -1, 0, &delay, callback, context);
}

struct event *hearth_event_every(
    struct event_base *base, int64_t microseconds, hearth_event_callback callback, void *context) {
    struct timeval delay = timeval_of(microseconds);
    return armed(base, -1, EV_PERSIST, &delay, callback, context);
}

struct event *hearth_event_on_signal(
    struct event_base *base, int number, hearth_event_callback callback, void *context) {
    return armed(base, number, EV_SIGNAL | EV_PERSIST, NULL, callback, context);
}

void hearth_event_free(struct event *event) { event_free(event); }

int hearth_wakeup_new(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

// Neither call can fail in a way that matters: a full counter is already signalled, and an empty
// one already clear.
void hearth_wakeup_signal(int descriptor) {
    const uint64_t one = 1;
    ssize_t written = write(descriptor, &one, sizeof one);
    (void)written;
}

void hearth_wakeup_clear(int descriptor) {
    uint64_t count;
    ssize_t taken = read(descriptor, &count, sizeof count);
    (void)taken;
}

int hearth_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
