#ifndef HEARTH_RUNTIME_H
#define HEARTH_RUNTIME_H

// What the C library offers beyond what its Swift module shows in every build.

/// Keeps freed memory in the process instead of giving it back to the system each time.
void hearth_keep_freed_memory(void);

#endif
