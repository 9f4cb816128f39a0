extern "C" { 
#include "CSimdjson.h"
void hearth_simdjson_placeholder(void) {}
}
