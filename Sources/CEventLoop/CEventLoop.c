#include "CEventLoop.h"
void hearth_event_placeholder(void) {}
