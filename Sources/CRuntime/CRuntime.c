#include "CRuntime.h"

#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

void hearth_keep_freed_memory(void) {
    mallopt(M_MMAP_THRESHOLD, 16 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
}

bool hearth_end_with_parent(pid_t parent) {
    // Asked after the request: a parent that ended before it is somebody else by now.
    return prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() == parent;
}
