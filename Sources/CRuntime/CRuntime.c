#include "CRuntime.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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

bool hearth_end_with_parent(pid_t parent) {
    // Asked after the request: a parent that ended before it is somebody else by now.
    return prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() == parent;
}
