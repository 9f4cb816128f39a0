#ifndef HEARTH_RUNTIME_H
#define HEARTH_RUNTIME_H

#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/types.h>

// What the C library offers beyond what its Swift module shows in every build.

/// Lets this process have so many files open, or as many as its hard limit allows, or more if it may
/// already; returns how many.
size_t hearth_allow_open_files(size_t wanted);

/// How many bytes have arrived over a TCP connection; -1 if the descriptor is none.
long long hearth_received_bytes(int descriptor);

/// How many bytes the other side of a TCP connection has acknowledged; -1 if the descriptor is none.
long long hearth_acknowledged_bytes(int descriptor);

/// The local port of a TCP connection; -1 if the descriptor is none.
int hearth_local_port(int descriptor);

/// Has the system send SIGTERM to this process when the thread that started it ends.
///
/// False if the parent is not (or no longer) the process of this number: no signal will come then.
bool hearth_end_with_parent(pid_t parent);

/// Sends a state such as "READY=1" to the service manager that started this process with NOTIFY_SOCKET; see sd_notify(3).
///
/// False if there is none, or if it cannot be reached.
bool hearth_notify_service_manager(const char *state);

/// Opens those of standard input, output and error that the parent has closed, so that no file or socket takes their numbers.
/// Reading and writing fail as on closed ones.
void hearth_reserve_standard_descriptors(void);

/// Whether this process was started to ignore SIGHUP, as `nohup` does.
bool hearth_ignores_hangup(void);

/// Has a signal by which a bug ends this process print its number and the calls that led to it. Handlers that are there already
/// stay: Swift's own print more.
void hearth_report_crashes(void);

#endif
