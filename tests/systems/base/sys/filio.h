#ifndef BASE_SYS_FILIO_H
#define BASE_SYS_FILIO_H
#ifndef SYSTEM_HAS_SYS_FILIO
#error "sys/filio.h: No such file"
#endif
#define IN_SYS_FILIO
#include <system.h>
#undef IN_SYS_FILIO
#endif
