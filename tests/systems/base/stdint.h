#ifndef BASE_STDINT_H
#define BASE_STDINT_H
#ifdef OLD
#error "stdint.h: No such file"
#endif
#include <inttypes.h>
#define IN_STDINT
#include <system.h>
#undef IN_STDINT
#endif
