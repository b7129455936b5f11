#ifndef BASE_INTTYPES_H
#define BASE_INTTYPES_H
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
typedef unsigned long uintptr_t;
#define INT32_MAX 2147483647
#define INT64_MAX 9223372036854775807LL
#define UINT64_MAX 18446744073709551615ULL
#ifndef SYSTEM_LACKS_SIZE_MAX
#define SIZE_MAX 18446744073709551615UL
#endif
#define IN_INTTYPES
#include <system.h>
#undef IN_INTTYPES
#endif
