// SPDX-License-Identifier: GPL-2.0
/*
 * Loads the library that models the medium of the NICs.
 *
 * The library is opened when options are read: this is still on the host's large
 * stack, before any kernel code runs. It is started with the drivers. Its
 * option is removed from the kernel's command line, which is mixed into the random
 * pool: the path of the library must not change results.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <init.h>
#include <os.h>
#include <airtcp.h>

static airtcp_start_t airtcp_start;
static const char *airtcp_args = "";

static int __init airtcp_setup(char *line, int *add)
{
	char *path = strdup(line);
	char *args = path ? strchr(path, ',') : NULL;
	void *library;

	*add = 0;
	if (!path) {
		os_warn("airtcp: out of memory\n");
		exit(1);
	}
	if (args) {
		*args = '\0';
		airtcp_args = args + 1;
	}
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		os_warn("airtcp: cannot load the library: %s\n", dlerror());
		exit(1);
	}
	airtcp_start = (airtcp_start_t)dlsym(library, AIRTCP_START);
	if (!airtcp_start) {
		os_warn("airtcp: %s has no " AIRTCP_START "\n", path);
		exit(1);
	}
	return 0;
}

__uml_setup("airtcp=", airtcp_setup,
	    "airtcp=<library>[,<arguments>]\n"
	    "    Loads a library into the process that models the medium to which this\n"
	    "    machine's air NICs are connected. The arguments are the library's own.\n\n");

int os_airtcp_start(const struct airtcp_host *host, struct airtcp_engine *engine)
{
	if (!airtcp_start)
		return 0;
	if (airtcp_start(host, engine, airtcp_args)) {
		os_warn("airtcp: the library did not start\n");
		exit(1);
	}
	if (engine->abi != AIRTCP_ABI) {
		os_warn("airtcp: the library has ABI %u, this kernel has %u\n", engine->abi,
			AIRTCP_ABI);
		exit(1);
	}
	return 1;
}
