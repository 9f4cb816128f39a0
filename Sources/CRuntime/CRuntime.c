#include "CRuntime.h"

#include <malloc.h>

void hearth_keep_freed_memory(void) {
    mallopt(M_MMAP_THRESHOLD, 16 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
}
