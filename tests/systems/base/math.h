#ifndef BASE_MATH_H
#define BASE_MATH_H
#define HUGE_VAL __builtin_huge_val()
#ifndef SYSTEM_LACKS_NAN
#define NAN __builtin_nanf("")
#endif
#define IN_MATH
#include <system.h>
#undef IN_MATH
#endif
