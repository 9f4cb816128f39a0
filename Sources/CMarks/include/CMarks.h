#ifndef CMARKS_H
#define CMARKS_H

#include <stdint.h>

/// Where this thread counts the marks that it reaches; null while nobody counts.
uint32_t *_Nullable hearth_mark_counts(void);

/// Has this thread count there from now on, or not at all.
void hearth_count_marks(uint32_t *_Nullable counts);

#endif
