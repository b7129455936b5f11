#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H
#define INT_MAX 2147483647
#ifndef SYSTEM_LACKS_PATH_MAX
#define PATH_MAX 1024
#endif
#define IN_LIMITS
#include <system.h>
#undef IN_LIMITS
#endif
