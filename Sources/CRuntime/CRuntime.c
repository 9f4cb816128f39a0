#include "CRuntime.h"

#include <arpa/inet.h>
#include <execinfo.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

size_t hearth_allow_open_files(size_t wanted) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
    rlim_t allowed = wanted < limit.rlim_max ? wanted : limit.rlim_max;
    if (allowed > limit.rlim_cur) {
        limit.rlim_cur = allowed;
        setrlimit(RLIMIT_NOFILE, &limit);
        getrlimit(RLIMIT_NOFILE, &limit);
    }
    return limit.rlim_cur;
}

long long hearth_received_bytes(int descriptor) {
    struct tcp_info info;
    memset(&info, 0, sizeof info);
    socklen_t size = sizeof info;
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return -1;
    return (long long)info.tcpi_bytes_received;
}

long long hearth_acknowledged_bytes(int descriptor) {
    struct tcp_info info;
    memset(&info, 0, sizeof info);
    socklen_t size = sizeof info;
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return -1;
    return (long long)info.tcpi_bytes_acked;
}

int hearth_local_port(int descriptor) {
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    if (getsockname(descriptor, (struct sockaddr *)&address, &size) != 0) return -1;
    if (address.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&address)->sin_port);
    if (address.ss_family == AF_INET6) return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
    return -1;
}

bool hearth_end_with_parent(pid_t parent) {
    // Asked after the request: a parent that ended before it is somebody else by now.
    return prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() == parent;
}

bool hearth_notify_service_manager(const char *state) {
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = path ? strlen(path) : 0;
    if (length < 2 || length >= sizeof address.sun_path) return false;
    memcpy(address.sun_path, path, length);
    // The name of an abstract socket begins with a zero byte, for which the variable has "@".
    if (path[0] == '@') address.sun_path[0] = 0;
    int manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (manager < 0) return false;
    ssize_t sent = sendto(manager, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&address,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
    close(manager);
    return sent >= 0;
}

// It may neither allocate nor lock. The signal that it raises arrives on its return, and ends the process as without this.
static void report_crash(int number) {
    char text[] = "error: a bug of hearth ended it by signal   ; the calls that led to it:\n";
    char *digits = text + sizeof "error: a bug of hearth ended it by signal";
    digits[0] = (char)('0' + number / 10);
    digits[1] = (char)('0' + number % 10);
    void *calls[64];
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    backtrace_symbols_fd(calls, backtrace(calls, 64), STDERR_FILENO);
    static const char fix[] = "fix: report this, with all lines from the error on\n";
    written += write(STDERR_FILENO, fix, sizeof fix - 1);
    (void)written;
    raise(number);
}

void hearth_reserve_standard_descriptors(void) {
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        if (fcntl(descriptor, F_GETFD) != -1) continue;
        // It gets the lowest free number, which is this one.
        if (open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) != descriptor) return;
    }
}

bool hearth_ignores_hangup(void) {
    struct sigaction action;
    return sigaction(SIGHUP, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void hearth_report_crashes(void) {
    static const int numbers[] = {SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE};
    // Its first call loads a library, which a handler must not.
    void *call;
    backtrace(&call, 1);
    for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++) {
        struct sigaction action;
        if (sigaction(numbers[index], NULL, &action) != 0 || action.sa_handler != SIG_DFL) continue;
        action.sa_handler = report_crash;
        action.sa_flags = SA_RESETHAND;
        sigaction(numbers[index], &action, NULL);
    }
}
