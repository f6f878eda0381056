// SPDX-License-Identifier: GPL-2.0
/* What runs in this machine (airtcp_running.h): the process, its host and its command. */
#include <linux/init.h>
#include <linux/mm.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <net/net_namespace.h>
#include <airtcp_running.h>

/* The longest command that is told. */
#define AIRTCP_COMMAND_BYTES 256

/* A byte of a process's memory, without a page fault: 0 if it is not there. */
static char airtcp_byte_of(struct mm_struct *mm, unsigned long address)
{
	pte_t *pte = virt_to_pte(mm, address);

	if (!pte || !pte_present(*pte))
		return 0;
	return ((const char *)page_address(pte_page(*pte)))[offset_in_page(address)];
}

/* The words of its command line, with blanks between them; its name if they cannot be read. */
static void airtcp_command_of(struct task_struct *task, char *command)
{
	unsigned long address = task->mm->arg_start;
	unsigned long end = min(task->mm->arg_end, address + AIRTCP_COMMAND_BYTES - 1);
	char *to = command;

	for (; address < end; address++) {
		char byte = airtcp_byte_of(task->mm, address);

		*to++ = byte >= ' ' && byte <= '~' ? byte : ' ';
	}
	while (to > command && to[-1] == ' ')
		to--;
	*to = '\0';
	if (to == command)
		strscpy(command, task->comm, TASK_COMM_LEN);
}

unsigned int airtcp_describe_running(char *line, unsigned int size)
{
	struct task_struct *task = current;
	struct nsproxy *proxy = task->nsproxy;
	char command[AIRTCP_COMMAND_BYTES];

	if (!task->mm)
		return scnprintf(line, size, "airtcp: running: the kernel (%s)\n", task->comm);
	airtcp_command_of(task, command);
	return scnprintf(line, size, "airtcp: running: process %d of host %u: %s\n",
			 task_tgid_nr(task), proxy ? proxy->net_ns->airtcp_host : 0, command);
}

static int __init airtcp_running_init(void)
{
	os_airtcp_running_init();
	return 0;
}

device_initcall(airtcp_running_init);
