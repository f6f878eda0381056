/* What a program sees of page faults: values that it reads and writes, and signals with their codes. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096 };
static sigjmp_buf before;
static volatile int seen, code;
static volatile char byte;

static void handler(int number, siginfo_t *info, void *context)
{
	(void)context;
	seen = number;
	code = info->si_code;
	siglongjmp(before, 1);
}

#define TRY(name, access)                                             \
	do {                                                          \
		seen = code = 0;                                      \
		if (!sigsetjmp(before, 1))                            \
			access;                                       \
		printf("%s: signal %d code %d\n", name, seen, code); \
	} while (0)

static char *memory(int protection, int flags, int file)
{
	return mmap(NULL, 16 * PAGE, protection, flags, file, 0);
}

static void anonymous_memory(void)
{
	char *written = memory(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	char *read = memory(PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	int sum = 0;

	written[3 * PAGE] = 1;
	for (int page = 0; page < 16; page++)
		sum += written[page * PAGE];
	printf("one byte is set: %d\n", sum);
	TRY("write where only reading is allowed, untouched", read[7] = 1);
	TRY("read there", byte = read[7]);
	TRY("write there, touched", read[7] = 1);
	munmap(written + 8 * PAGE, PAGE);
	TRY("read in a gap", byte = written[8 * PAGE]);
	TRY("write before the gap", written[7 * PAGE] = 1);
	mprotect(written, 4 * PAGE, PROT_READ);
	TRY("write after mprotect", written[3 * PAGE] = 2);
	mprotect(written, 4 * PAGE, PROT_READ | PROT_WRITE);
	TRY("write again", written[3 * PAGE] = 2);
	if (!fork()) {
		written[3 * PAGE] = 4;
		_exit(written[3 * PAGE]);
	}
	wait(&sum);
	printf("child %d parent %d\n", WEXITSTATUS(sum), written[3 * PAGE]);
}

static void memory_of_files(void)
{
	char name[] = "faults-XXXXXX";
	int file = mkstemp(name);
	char *own = memory(PROT_READ | PROT_WRITE, MAP_PRIVATE, file);
	char *shared = memory(PROT_READ | PROT_WRITE, MAP_SHARED, file);

	unlink(name);
	if (ftruncate(file, PAGE + 10) || pwrite(file, "abc", 3, 0) != 3)
		abort();
	own[1] = 'X';
	shared[2] = 'S';
	printf("private %c%c, shared %c%c\n", own[0], own[1], shared[1], shared[2]);
	TRY("read beyond the file", byte = own[3 * PAGE]);
	TRY("write beyond the file", own[2 * PAGE] = 1);
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	anonymous_memory();
	memory_of_files();
	TRY("null", byte = *(volatile char *)NULL);
	return 0;
}
