#define kvzalloc(size, flags) calloc(1, size)
#define kvfree free
