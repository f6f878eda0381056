// SPDX-License-Identifier: GPL-2.0-only
/*
 * "calm": additive increase, multiplicative decrease, with an eye on the delay.
 *
 * A small complete congestion control to begin from: a window that grows by
 * one segment per round trip while packets wait less than `patience_us` in
 * queues, shrinks to what lets them wait that long when they wait longer, and
 * keeps four fifths after a loss.  How long they wait is the least RTT of the
 * last round less the least RTT of the connection.
 */
#include <linux/module.h>
#include <net/tcp.h>

static u32 patience_us = 5000;

struct calm {
	u32 base_rtt_us;	/* least RTT of the connection */
	u32 round_rtt_us;	/* least RTT of this round */
	u32 round_end;		/* the round ends when this is acknowledged */
};

static void calm_init(struct sock *sk)
{
	struct calm *calm = inet_csk_ca(sk);

	calm->base_rtt_us = U32_MAX;
	calm->round_rtt_us = U32_MAX;
	calm->round_end = tcp_sk(sk)->snd_nxt;
}

/* Every acknowledgement that brings an RTT sample. */
static void calm_pkts_acked(struct sock *sk, const struct ack_sample *sample)
{
	struct calm *calm = inet_csk_ca(sk);

	if (sample->rtt_us <= 0)
		return;
	calm->base_rtt_us = min(calm->base_rtt_us, (u32)sample->rtt_us);
	calm->round_rtt_us = min(calm->round_rtt_us, (u32)sample->rtt_us);
}

/* The segments of the last round waited longer than they should. */
static bool calm_queue_stands(const struct calm *calm)
{
	return calm->round_rtt_us != U32_MAX &&
	       calm->round_rtt_us - calm->base_rtt_us > patience_us;
}

/* With this window the queue would last for `patience_us`. */
static u32 calm_patient_cwnd(const struct tcp_sock *tp, const struct calm *calm)
{
	u64 wanted_us = (u64)calm->base_rtt_us + patience_us;

	return max((u32)div_u64(tcp_snd_cwnd(tp) * wanted_us, calm->round_rtt_us), 2U);
}

static void calm_end_round(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct calm *calm = inet_csk_ca(sk);

	if (calm_queue_stands(calm)) {
		tcp_snd_cwnd_set(tp, calm_patient_cwnd(tp, calm));
		tp->snd_ssthresh = tcp_snd_cwnd(tp);	/* slow start ends */
	} else if (!tcp_in_slow_start(tp)) {
		tcp_snd_cwnd_set(tp, min(tcp_snd_cwnd(tp) + 1, tp->snd_cwnd_clamp));
	}
	calm->round_rtt_us = U32_MAX;
	calm->round_end = tp->snd_nxt;	/* the next round begins */
}

static void calm_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct calm *calm = inet_csk_ca(sk);

	if (!tcp_is_cwnd_limited(sk))
		return;
	if (tcp_in_slow_start(tp))
		tcp_slow_start(tp, acked);
	if (after(ack, calm->round_end))
		calm_end_round(sk);
}

static u32 calm_ssthresh(struct sock *sk)
{
	return max(tcp_snd_cwnd(tcp_sk(sk)) * 4 / 5, 2U);
}

static struct tcp_congestion_ops calm __read_mostly = {
	.init		= calm_init,
	.pkts_acked	= calm_pkts_acked,
	.cong_avoid	= calm_cong_avoid,
	.ssthresh	= calm_ssthresh,
	.undo_cwnd	= tcp_reno_undo_cwnd,
	.owner		= THIS_MODULE,
	.name		= "calm",
};

static int __init calm_register(void)
{
	BUILD_BUG_ON(sizeof(struct calm) > ICSK_CA_PRIV_SIZE);
	return tcp_register_congestion_control(&calm);
}

static void __exit calm_unregister(void)
{
	tcp_unregister_congestion_control(&calm);
}

module_init(calm_register);
module_exit(calm_unregister);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A small delay-aware AIMD congestion control");
