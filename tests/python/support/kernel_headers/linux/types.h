/* What wire/trace.c needs of the kernel, for tests outside of it. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef uint64_t u64;
#define U64_MAX UINT64_MAX
#define S64_MAX INT64_MAX
