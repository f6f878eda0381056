// SPDX-License-Identifier: GPL-2.0
/*
 * MPTCP connections (RFC 8684), as their subflows show them. No process runs during a
 * sample, so no lock is needed; mptcp_diag_fill_info() would wait for one.
 */
#include <linux/airtcp_linux.h>
#include <net/mptcp.h>
#include <../net/mptcp/protocol.h>
#include "../engine/engine.h"
#include "observed.h"

/* The data sequence number of the first byte that the holder of a key sends (RFC 8684, 3.1). */
static u64 airtcp_first_sequence(u64 key)
{
	u64 idsn;

	mptcp_crypto_key_sha(key, NULL, &idsn);
	return idsn + 1;
}

static u64 airtcp_bytes_reinjected(const struct mptcp_sock *msk)
{
#if AIRTCP_HAS_MPTCP_BYTES
	return msk->bytes_retrans;
#else
	return ~0ULL;
#endif
}

static unsigned int airtcp_count_subflows(struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow;
	unsigned int count = 0;

	mptcp_for_each_subflow(msk, subflow) count++;
	return count;
}

/* The connection of a subflow; NULL of plain TCP, and of what has become plain TCP. */
struct sock *airtcp_connection_of(const struct sock *sk)
{
	const struct mptcp_subflow_context *subflow;

	if (!sk_is_mptcp(sk) || !inet_csk(sk)->icsk_ulp_data)
		return NULL;
	subflow = mptcp_subflow_ctx(sk);
	if (!subflow->conn || __mptcp_check_fallback(mptcp_sk(subflow->conn)))
		return NULL;
	return subflow->conn;
}

bool airtcp_read_mptcp(const struct sock *sk, struct airtcp_mptcp *connection)
{
	struct sock *conn = airtcp_connection_of(sk);
	struct mptcp_sock *msk;
	u64 first;

	if (!conn)
		return false;
	msk = mptcp_sk(conn);
	memset(connection, 0, sizeof(*connection));
	connection->token = msk->token;
	connection->subflows = airtcp_count_subflows(msk);
	connection->add_addr_signalled = msk->pm.add_addr_signaled;
	connection->add_addr_accepted = msk->pm.add_addr_accepted;
	connection->local_addr_used = msk->pm.local_addr_used;
	connection->bytes_reinjected = airtcp_bytes_reinjected(msk);
	/* Without a key there are no sequence numbers yet. */
	if (msk->local_key) {
		first = airtcp_first_sequence(msk->local_key);
		connection->bytes_written = msk->write_seq - first;
		connection->bytes_sent = msk->snd_nxt - first;
		connection->bytes_acked = msk->snd_una - first;
	}
	if (msk->can_ack)
		connection->bytes_received = msk->ack_seq - airtcp_first_sequence(msk->remote_key);
	return true;
}
