#define check_mul_overflow(a, b, d) __builtin_mul_overflow(a, b, d)
#define check_add_overflow(a, b, d) __builtin_add_overflow(a, b, d)
#define struct_size(p, member, count) (sizeof(*(p)) + sizeof((p)->member[0]) * (count))
