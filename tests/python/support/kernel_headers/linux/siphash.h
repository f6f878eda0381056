/* SipHash comes from the test, which has an implementation of its own. */
#include <linux/types.h>

typedef struct {
	u64 key[2];
} siphash_key_t;

extern u64 (*siphash_of_the_test)(u64 message, u64 first, u64 second);

static inline u64 siphash_1u64(u64 message, const siphash_key_t *key)
{
	return siphash_of_the_test(message, key->key[0], key->key[1]);
}
