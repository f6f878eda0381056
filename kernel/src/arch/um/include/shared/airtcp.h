/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface between this kernel and a library that models the medium of its
 * NICs. The library is loaded into the process (see os-Linux/airtcp.c)
 * and sees frames and virtual time, but none of the kernel's own structures.
 * The kernel calls the engine and the engine calls the host, all on one
 * thread. A function of either must not be called while another function of
 * the same kind has not returned.
 *
 * This file is plain C because both sides of User-Mode Linux include it;
 * the library has the same declarations in its own language. Any change
 * needs a new AIRTCP_ABI.
 */
#ifndef __AIRTCP_H
#define __AIRTCP_H

#define AIRTCP_ABI	   15
#define AIRTCP_NICS_MAX	   256
#define AIRTCP_DEVICES_MAX 1024

/* Properties of a NIC, read once at boot. */
struct airtcp_nic_config {
	unsigned char mac[6];
	unsigned char bql;	    /* byte queue limits towards the qdisc */
	unsigned char gro;	    /* merge packets that one event delivers */
	unsigned char rx_copy;	    /* receive into fresh buffers */
	unsigned char pacing_shift; /* TCP small queues, sk_pacing_shift */
	unsigned char kind;	    /* AIRTCP_ETHERNET or AIRTCP_RADIO */
	unsigned char moderated;    /* received MPDUs wait for rx_interrupt */
	unsigned char stops;	    /* it may stop the qdisc */
	unsigned char unused[3];
};

#define AIRTCP_ETHERNET 0 /* the library is the MAC: an Ethernet device */
#define AIRTCP_RADIO	1 /* mac80211 is the upper MAC: a wiphy */

/* A transmitted Ethernet frame; valid during the call. */
struct airtcp_frame {
	void *handle;		   /* identifies it until it ends, see below */
	const unsigned char *head; /* its first bytes, all headers included */
	unsigned int head_len;
	unsigned int len;      /* whole length without FCS */
	unsigned int priority; /* from its socket or a filter, not its header */
	unsigned int unused;
};

/*
 * Radios: mac80211 is their upper MAC, the library the lower MAC,
 * which contends, builds PSDUs, exchanges frames and retransmits. Access categories
 * are those of the standard, lowest first: 0 background, 1 best effort, 2
 * video, 3 voice.
 */
#define AIRTCP_ACS 4

/* The newest PHY that a radio has. */
#define AIRTCP_PHY_DSSS 0 /* 11b */
#define AIRTCP_PHY_OFDM 1 /* 11a, 11g */
#define AIRTCP_PHY_HT	2
#define AIRTCP_PHY_VHT	3
#define AIRTCP_PHY_HE	4
#define AIRTCP_PHY_EHT	5

/* Bands that a radio supports. */
#define AIRTCP_BAND_2GHZ 1
#define AIRTCP_BAND_5GHZ 2
#define AIRTCP_BAND_6GHZ 4

/* Properties of a radio, read once at boot, after those of the NIC. */
struct airtcp_radio_config {
	unsigned char phy;   /* AIRTCP_PHY_... */
	unsigned char bands; /* bit mask of AIRTCP_BAND_... */
	unsigned char streams;
	unsigned char short_guard; /* 400 ns in HT and VHT */
	unsigned char ldpc;
	unsigned char short_preamble;	/* of HR/DSSS */
	unsigned char own_rate_control; /* the library's, not minstrel */
	unsigned char airtime_fairness;
	unsigned char aql;	       /* airtime queue limits */
	unsigned char hardware_crypto; /* encryption adds octets, no CPU work */
	unsigned char power_save;      /* of stations, by default */
	unsigned char uapsd;
	unsigned short width_mhz;  /* the widest channel */
	unsigned short ba_window;  /* most MPDUs under a block acknowledgment */
	unsigned short mpdu_bytes; /* longest MPDU */
	signed short power_dbm;
	unsigned int ampdu_bytes; /* longest A-MPDU that it receives */
	unsigned int rts_threshold_bytes;
	unsigned int txq_packets; /* limits of mac80211's queues; 0: default */
	unsigned int txq_bytes;
	unsigned int txq_quantum_bytes;
	unsigned char short_retry_limit;
	unsigned char long_retry_limit;
	unsigned char voice_agreements; /* of own_rate_control: TIDs 6 and 7, too */
	unsigned char mpdu_density;	/* enum ieee80211_min_mpdu_spacing */
	signed int clock_error_ppb;	/* how much faster its TSF timer counts, in parts per 1e9 */
	unsigned long long tsf_us;	/* its TSF timer when the machine starts */
};

/* A transmitted MPDU; pointers are valid during the call. */
struct airtcp_mpdu {
	unsigned long long handle; /* a small number, unique until mpdu_done */
	const unsigned char *head; /* its first bytes, all headers included */
	unsigned int head_len;
	unsigned int bytes;	 /* with FCS and encryption overhead */
	unsigned int txq;	 /* AIRTCP_NONE: sent before all queues */
	unsigned int flags;	 /* AIRTCP_MPDU_... */
	unsigned short sequence; /* of a BlockAckReq: the start of the window */
	unsigned char tid;
	unsigned char ra[6];
	unsigned char ta[6];
	unsigned char unused;
};

#define AIRTCP_NONE (~0U)

#define AIRTCP_MPDU_AGGREGABLE 1  /* from a queue with an agreement */
#define AIRTCP_MPDU_PROBE      2  /* samples a rate: alone in its PPDU */
#define AIRTCP_MPDU_NO_ACK     4  /* no response */
#define AIRTCP_MPDU_GROUP      8  /* to a group address */
#define AIRTCP_MPDU_BAR	       16 /* a BlockAckReq */
#define AIRTCP_MPDU_BEACON     32
#define AIRTCP_MPDU_DATA       64  /* with a body; else management, control, null */
#define AIRTCP_MPDU_SLOW       128 /* to be sent at the lowest rate */
#define AIRTCP_MPDU_AGREED     256 /* under an agreement, even if sent alone */

/* How a PPDU is sent: a stage of a chain, or a completed attempt. */
struct airtcp_rate {
	unsigned char format; /* AIRTCP_PHY_... */
	unsigned char index;  /* MCS of its streams; DSSS, OFDM: index of the rate */
	unsigned char streams;
	unsigned char tries;
	unsigned short width_mhz;
	unsigned short guard_ns;  /* 0 in DSSS */
	unsigned char protection; /* AIRTCP_PROTECT_... */
	unsigned char short_preamble;
	unsigned char ldpc;
	unsigned char unused;
};

#define AIRTCP_STAGES 4

#define AIRTCP_PROTECT_NONE 0
#define AIRTCP_PROTECT_CTS  1 /* CTS-to-self */
#define AIRTCP_PROTECT_RTS  2

/* rates() returns the number of stages, plus this if the PPDU is a rate sample. */
#define AIRTCP_RATES_PROBE 128

/* The end of one attempt with data. */
struct airtcp_ppdu_status {
	struct airtcp_rate rate;
	unsigned int mpdus;
	unsigned int acked;
	unsigned int airtime_us; /* protection, data, response; not contention; its share of them */
	unsigned char cleared;	 /* RTS was answered, or not needed */
	unsigned char answered;
	unsigned char probe;
	unsigned char tid;
	signed int response_dbm; /* power of the response, if it was answered */
	unsigned int solicited;	 /* it answered a trigger frame, whose sender chose the rate */
};

/* Outcome of an MPDU for its sender. */
#define AIRTCP_FATE_ACKED    0
#define AIRTCP_FATE_SENT     1 /* no response was required */
#define AIRTCP_FATE_GIVEN_UP 2
#define AIRTCP_FATE_PURGED   3 /* by purge or stop */

/* How a PPDU was received. */
struct airtcp_rx_status {
	struct airtcp_rate rate;
	unsigned int ppdu; /* its number, different from the previous one */
	int signal_dbm;
	unsigned int aggregate;	    /* number of MPDUs of the A-MPDU; 0: not an A-MPDU */
	unsigned short last;	    /* includes the last MPDU of the PPDU */
	unsigned short duration_us; /* Duration field of its MPDUs */
	unsigned int airtime_us;    /* of the PPDU, or its share of that */
	unsigned long long start;   /* virtual ns, with preamble */
	unsigned long long end;
};

/* The channel of a radio. */
struct airtcp_channel {
	unsigned int primary_mhz; /* 0: no channel */
	unsigned int centre_mhz;
	unsigned int width_mhz;
};

/* What a radio has spent its time with since boot, on all channels. */
struct airtcp_survey {
	unsigned long long busy_ns; /* carrier sensed, its own transmissions included */
	unsigned long long tx_ns;
	unsigned long long bss_rx_ns; /* PPDUs of its own BSS, while it did not send */
	signed int noise_dbm;	      /* in 20 MHz; AIRTCP_NO_NOISE: the model has none */
	unsigned int unused;
};

#define AIRTCP_NO_NOISE 0

/* Channel access of one category. */
struct airtcp_edca {
	unsigned int ac;
	unsigned int aifsn;
	unsigned int cw_min;
	unsigned int cw_max;
	unsigned int txop_us;
	/* While it is triggered (IEEE 802.11ax-2021, 9.4.2.251), if the access point says so. */
	unsigned int mu_edca;
	unsigned int mu_aifsn; /* 0: it does not contend */
	unsigned int mu_cw_min;
	unsigned int mu_cw_max;
	unsigned int mu_timer_us;
};

/*
 * An MPTCP connection at one of its ends. Bytes are those of its data sequence numbers, so
 * that its DATA_FIN is one (RFC 8684, 3.3).
 */
struct airtcp_mptcp {
	unsigned int token; /* of this end, in the host */
	unsigned int subflows;
	unsigned int add_addr_signalled; /* addresses told to the peer */
	unsigned int add_addr_accepted;
	unsigned int local_addr_used; /* addresses from which it has made subflows */
	unsigned int unused;
	unsigned long long bytes_written; /* by the program */
	unsigned long long bytes_sent;	  /* for the first time */
	unsigned long long bytes_acked;
	unsigned long long bytes_reinjected; /* sent again by the connection; ~0ULL: not known */
	unsigned long long bytes_received;   /* in order */
};

/* A flow at an instant; pointers are valid during the call. */
struct airtcp_flow {
	const void *sender; /* struct tcp_info of both ends */
	const void *receiver;
	const void *ca; /* union tcp_cc_info */
	unsigned int info_len;
	unsigned int ca_len;
	unsigned int ca_kind; /* INET_DIAG_VEGASINFO, ..., 0 for none */
	unsigned int unused;
	const char *ca_name;		  /* of sockets of programs only */
	const struct airtcp_mptcp *mptcp; /* of those: the connection of a subflow; NULL for none */
	/* Time the sender's output was blocked by: application, send buffer, peer's window, */
	unsigned long long limited_ns[7]; /* congestion window, pacing, small queues, other */
};

/* A connected TCP socket. Addresses are numbers: the first octet is the highest byte. */
struct airtcp_socket {
	unsigned int group; /* process group that connected it; 0 if accepted */
	unsigned int accepted;
	unsigned int local_address;
	unsigned int remote_address;
	unsigned int local_port;
	unsigned int remote_port;
};

/* State of a flow's sender when a segment arrives, before the segment is processed. */
struct airtcp_ack {
	unsigned int data_len;
	unsigned int snd_nxt;
	unsigned int snd_una;
	unsigned int cwnd;
	unsigned int ssthresh;
	unsigned int snd_wnd;
	unsigned int srtt_us;
	unsigned int rcv_wnd;
	unsigned int rto_us;
	unsigned int in_flight;
	unsigned int ca_state;
	unsigned int unused;
	unsigned long long pacing_rate; /* bytes per second, ~0ULL for none */
};

/* Counters of a queueing discipline; pointers are valid during the call. */
struct airtcp_qdisc {
	unsigned int handle; /* major number */
	unsigned int backlog_packets;
	unsigned int backlog_bytes;
	unsigned int drops;
	unsigned int overlimits;
	unsigned int own_len;
	unsigned long long packets;
	unsigned long long bytes;
	const char *kind;
	const void *own; /* statistics of this kind, TCA_STATS_APP */
};

/* A rate and its bit rate. */
struct airtcp_mode {
	struct airtcp_rate rate; /* streams are 0 if there is none yet */
	unsigned int bitrate;	 /* in 100 kb/s */
};

/* mac80211's state of a peer of a radio. */
struct airtcp_station {
	unsigned int interface; /* of the radio, from 1 */
	unsigned int peer;	/* the radio that has its address */
	unsigned long long tx_packets;
	unsigned long long tx_bytes;
	unsigned long long rx_packets;
	unsigned long long rx_bytes;
	unsigned long long tx_airtime_us;
	unsigned long long rx_airtime_us;
	unsigned int tx_retries;
	unsigned int tx_failed;
	unsigned int weight;	    /* airtime weight */
	unsigned int expected_kbps; /* estimate of rate control; 0: unknown */
	int signal_dbm;
	int signal_avg_dbm;
	unsigned int access_point; /* 1: the interface is a station, and associated with it */
	unsigned int unused;
	struct airtcp_mode tx; /* the last */
	struct airtcp_mode rx;
};

/* mac80211's queues for a peer in an access category. */
struct airtcp_station_queue {
	unsigned int interface;
	unsigned int peer; /* AIRTCP_NONE: frames to groups */
	unsigned int ac;   /* as of radios, above */
	unsigned int backlog_packets;
	unsigned int backlog_bytes;
	unsigned int flows;	/* in the lists of new and old flows */
	unsigned int new_flows; /* cumulative, like all that follow */
	unsigned int drops;	/* by CoDel */
	unsigned int marks;
	unsigned int overlimit;
	unsigned int collisions; /* of flows */
	int deficit_us;		 /* airtime deficit */
	unsigned int pending_us; /* expected airtime of pending frames */
	unsigned int limit_low_us;
	unsigned int limit_high_us;
	unsigned int unused;
	unsigned long long tx_packets;
	unsigned long long tx_bytes;
	unsigned long long tx_airtime_us;
	unsigned long long rx_airtime_us;
};

/* All of mac80211's queues of a radio. */
struct airtcp_radio_queue {
	unsigned int backlog_packets;
	unsigned int memory_bytes;
	unsigned int overlimit;	 /* packets dropped at a limit, */
	unsigned int overmemory; /* of these, at the memory limit */
	unsigned int collisions;
	unsigned int pending_us;
};

/* minstrel_ht's statistics of a rate to a peer. */
struct airtcp_station_rate {
	unsigned int interface;
	unsigned int peer;
	unsigned int index;	  /* minstrel_ht's number of it */
	unsigned int chosen;	  /* bit mask of AIRTCP_RATE_... */
	unsigned int probability; /* of success, of 4096 */
	unsigned int throughput;  /* in 10 packets of 1200 bytes per second */
	unsigned int attempts;	  /* up to its last update */
	unsigned int successes;
	struct airtcp_mode mode;
};

#define AIRTCP_RATE_BEST    1  /* 2, 4, 8: second to fourth by throughput */
#define AIRTCP_RATE_SAFEST  16 /* best probability */
#define AIRTCP_RATE_SAMPLED 32 /* to be sampled */

/* A packet at a device, from its Ethernet header on; valid during the call. */
struct airtcp_packet {
	const unsigned char *head;
	unsigned int head_len;
	unsigned int len;
	unsigned int segments;	  /* that it consists of, each of which is or was a frame */
	unsigned int segment_len; /* payload of each of them but the last; 0 if it is one */
};

/* Point at which a packet is captured. */
#define AIRTCP_POINT_QUEUE   1 /* before the device's queue */
#define AIRTCP_POINT_XMIT    2 /* after the queue */
#define AIRTCP_POINT_RECEIVE 4 /* at reception */

/* Who has lost a packet. */
#define AIRTCP_LOST_HERE 0 /* the device's queue, or what is below it */
#define AIRTCP_LOST_WIRE 1 /* the wire, on which it started now */

/*
 * A frame on a wire between the parts of a split network: its first bytes, after which it has
 * zeros up to its length. Valid during the call.
 */
struct airtcp_image {
	const unsigned char *bytes;
	unsigned int bytes_len;
	unsigned int len;	 /* whole length without FCS */
	unsigned int csum_start; /* of what a checksum is still missing; AIRTCP_NONE: of nothing */
	unsigned int csum_offset;
};

/*
 * Requests to /dev/airtcp, with which a process selects what is observed.
 */
struct airtcp_probe_device {
	unsigned int ifindex; /* unique in the whole machine */
	unsigned int device;  /* the engine's number of it */
	unsigned int points;  /* bit mask of AIRTCP_POINT_... */
	unsigned int qdiscs;  /* sample its queueing disciplines */
};

struct airtcp_probe_start {
	unsigned long long first_ns;	      /* samples: multiples of the intervals after it, */
	unsigned long long end_ns;	      /* before this one, both since boot */
	unsigned long long flows_interval_ns; /* 0 for none */
	unsigned long long qdiscs_interval_ns;
	unsigned long long stations_interval_ns;
	unsigned long long rates_interval_ns;
	unsigned long long devices; /* address of struct airtcp_probe_device[] */
	unsigned long long senders; /* address of int[]: each flow's sender, or its listener */
	unsigned int device_count;
	unsigned int sender_count;
	unsigned int acks;
	unsigned int head_len; /* bytes of a packet that are captured at most */
	unsigned int sockets;  /* observe the TCP sockets of programs */
	unsigned int unused;
};

struct airtcp_probe_socket {
	unsigned int flow;
	int fd;
};

/* A node: a network namespace with a clock and a timer wheel of its own. */
struct airtcp_probe_node {
	int netns;		   /* descriptor of its namespace */
	unsigned int node;	   /* its number, from 1; at most AIRTCP_HOSTS_MAX */
	unsigned long long age_ns; /* the host's uptime at boot: the phase of its jiffies */
	long long offset_ns;	   /* of its wall clock, at boot */
	long long skew_ppb;	   /* rate error of its clocks, in parts per 1e9 */
};

#define AIRTCP_PROBE_START    0x4058aa01 /* _IOW(0xaa, 1, struct airtcp_probe_start) */
#define AIRTCP_PROBE_RECEIVER 0x4008aa02 /* _IOW(0xaa, 2, struct airtcp_probe_socket) */
#define AIRTCP_PROBE_FLOW_END 0x0000aa03 /* the flow's number; its last sample */
#define AIRTCP_PROBE_END      0x0000aa04 /* the last sample of everything */
#define AIRTCP_PROBE_SENDER   0x4008aa05 /* _IOW(0xaa, 5, struct airtcp_probe_socket) */
#define AIRTCP_PROBE_NODE     0x4020aa06 /* _IOW(0xaa, 6, struct airtcp_probe_node) */
#define AIRTCP_PROBE_SESSION  0x0000aa07 /* a descriptor of the session's messages */

/*
 * Functions of the kernel for the engine.
 *
 * Handles are reference-counted. The engine holds one reference from the start,
 * which sent or dropped releases; hold adds one, which release drops. With the
 * last one the handle ends.
 */
struct airtcp_host {
	unsigned int abi;
	unsigned int tcp_info_len; /* of this kernel's struct tcp_info */
	/* A copy of the frame arrives at this NIC now. */
	void (*deliver)(unsigned int nic, void *frame);
	/* The sender has completed or dropped the frame. Once for each frame. */
	void (*sent)(unsigned int nic, void *frame);
	void (*dropped)(unsigned int nic, void *frame);
	/* A receiver stores the frame for reordering; the frame no longer waits. */
	void (*hold)(void *frame);
	void (*release)(void *frame);
	/*
	 * Congestion: sets the ECN field, which must not be 0, to CE. Only for a
	 * frame that no receiver holds.
	 */
	void (*mark_ce)(void *frame);
	/* A separate copy, sent by the given NIC without a call of transmit(). */
	void *(*relay)(unsigned int nic, void *frame);
	/* Flow control of the NIC's transmit queue. */
	void (*stop)(unsigned int nic);
	void (*wake)(unsigned int nic);
	/*
	 * Functions of radios. The engine calls these within run() and its other
	 * functions; none of them calls the engine. next_txq: the queue from which
	 * the radio sends next, or AIRTCP_NONE; dequeue: the next MPDU of a queue, 0 if
	 * there is none; return_txq: the engine returns a queue, of which it still
	 * holds some MPDUs or not; has: whether next_txq would return a queue.
	 * Several queues may be out before one is returned, and one may be returned that is not
	 * out. uplink_txq: the queue of a TID to the access point with which the radio is
	 * associated, or AIRTCP_NONE; depth: octets of the MSDUs that wait in a queue.
	 */
	unsigned int (*next_txq)(unsigned int nic, unsigned int ac);
	int (*dequeue)(unsigned int txq, struct airtcp_mpdu *mpdu);
	void (*return_txq)(unsigned int txq, int more);
	int (*has)(unsigned int nic, unsigned int ac);
	unsigned int (*uplink_txq)(unsigned int nic, unsigned int tid);
	unsigned long long (*depth)(unsigned int txq);
	/* The rate chain for a PPDU that begins with this MPDU. */
	unsigned int (*rates)(unsigned long long handle, struct airtcp_rate *stages);
	/* One attempt with these MPDUs is over; an MPDU is done (once for each). */
	void (*ppdu_done)(const unsigned long long *handles,
			  const struct airtcp_ppdu_status *status);
	void (*mpdu_done)(unsigned long long handle, unsigned int fate);
	/* MPDUs of a PPDU arrive, all of one sender. */
	void (*rx)(unsigned int nic, const unsigned long long *handles, unsigned int count,
		   const struct airtcp_rx_status *status);
	/*
	 * A monitoring radio receives an RTS, CTS, Ack or BlockAck, which the engine
	 * generates: its bytes without FCS, valid during the call.
	 */
	void (*rx_control)(unsigned int nic, const unsigned char *frame, unsigned int len,
			   const struct airtcp_rx_status *status);
	/*
	 * The MPDUs that wait at a moderated radio reach mac80211 now, in one poll.
	 * Beacons and control frames do not wait.
	 */
	void (*rx_interrupt)(unsigned int nic);
	/* A frame of the other part arrives then, by the wire that begins at this device. */
	void (*wire_enters)(unsigned int ifindex, unsigned long long arrival,
			    const struct airtcp_image *image);
};

/* Functions of the engine for the kernel. Times are virtual ns since boot. */
struct airtcp_engine {
	unsigned int abi;
	unsigned int nics;
	void (*nic)(unsigned int nic, struct airtcp_nic_config *config);
	void (*transmit)(unsigned int nic, const struct airtcp_frame *frame,
			 unsigned long long now);
	/* When to call run() next; ~0ULL means never. */
	unsigned long long (*next)(void);
	void (*run)(unsigned long long now);
	/* The machine is about to stop. */
	void (*end)(unsigned long long now);
	/* Observations. Times are the planned times of samples, otherwise the current time. */
	void (*flow)(unsigned int flow, unsigned long long time, const struct airtcp_flow *sample);
	void (*ack)(unsigned int flow, unsigned long long now, const struct airtcp_ack *ack);
	void (*qdisc)(unsigned int device, unsigned long long time,
		      const struct airtcp_qdisc *sample);
	/*
	 * Sockets that processes other than the first connect or accept. A number
	 * identifies a socket until it is closed; AIRTCP_NONE means that there is no
	 * room to observe it. socket_connected returns whether to observe it: then it is
	 * sampled, its own end only, and a last time before it is closed.
	 * sockets_sampled follows when all have been sampled for an instant.
	 */
	int (*socket_connected)(unsigned int number, unsigned long long now,
				const struct airtcp_socket *socket);
	void (*socket)(unsigned int number, unsigned long long time,
		       const struct airtcp_flow *sample);
	void (*socket_closed)(unsigned int number, unsigned long long now);
	void (*sockets_sampled)(unsigned long long time);
	void (*packet)(unsigned int device, unsigned int point, unsigned long long now,
		       const struct airtcp_packet *packet);
	void (*station)(unsigned int nic, unsigned long long time,
			const struct airtcp_station *sample);
	void (*station_queue)(unsigned int nic, unsigned long long time,
			      const struct airtcp_station_queue *sample);
	void (*radio_queue)(unsigned int nic, unsigned long long time,
			    const struct airtcp_radio_queue *sample);
	void (*station_rate)(unsigned int nic, unsigned long long time,
			     const struct airtcp_station_rate *sample);
	/* Functions of radios. */
	void (*radio)(unsigned int nic, struct airtcp_radio_config *config);
	/* One of its interfaces gains or loses this address. */
	void (*address)(unsigned int nic, const unsigned char *mac, int add,
			unsigned long long now);
	/* It is associated with the access point of this address; NULL: with none any more. */
	void (*associated)(unsigned int nic, const unsigned char *access_point,
			   unsigned long long now);
	/* A station of its own, of this address, sleeps or has woken up. */
	void (*asleep)(unsigned int nic, const unsigned char *station, int asleep,
		       unsigned long long now);
	void (*channel)(unsigned int nic, const struct airtcp_channel *channel,
			unsigned long long now);
	void (*edca)(unsigned int nic, const struct airtcp_edca *edca, unsigned long long now);
	void (*tx_power)(unsigned int nic, int dbm, unsigned long long now);
	/* Whether it receives all frames that it can decode, not only its own. */
	void (*monitor)(unsigned int nic, int on, unsigned long long now);
	/* Frames may be waiting; may be called repeatedly. */
	void (*pending)(unsigned int nic, unsigned int ac, unsigned long long now);
	/* Sent before all queues. */
	void (*send_first)(unsigned int nic, unsigned int ac, const struct airtcp_mpdu *mpdu,
			   unsigned long long now);
	/* A block acknowledgment agreement for a queue; a window of 0 ends it. */
	void (*agreement)(unsigned int nic, unsigned int txq, unsigned int window,
			  unsigned long long now);
	/*
	 * A queue ends: the engine completes (mpdu_done) its MPDUs before this
	 * returns, and those on the air when their PPDU ends. stop_radio: all of a radio.
	 */
	void (*purge)(unsigned int nic, unsigned int txq, unsigned long long now);
	void (*stop_radio)(unsigned int nic, unsigned long long now);
	/* Whether the engine holds nothing of the radio. */
	int (*flushed)(unsigned int nic);
	void (*survey)(unsigned int nic, struct airtcp_survey *survey, unsigned long long now);
	/*
	 * A session. session_next: when to call session_look() next; ~0ULL means never, and
	 * at boot that there is no session. session_look() is called before anything else of
	 * its instant. It may wait for the host's user: virtual time stands still
	 * meanwhile. It returns which of AIRTCP_SESSION_* follow at the same instant, and
	 * what is watched from now on.
	 */
	unsigned long long (*session_next)(void);
	unsigned int (*session_look)(unsigned long long now);
	/*
	 * Gives the next message for process 1, and whether more wait; returns its length, 0 if
	 * there is none.
	 */
	unsigned int (*session_take)(unsigned char *message, unsigned int size, int *more);
	/* A message of process 1. */
	void (*session_send)(const unsigned char *message, unsigned int len,
			     unsigned long long now);
	/*
	 * What a user waits for. Samples, and packets that were lost (from their link-layer
	 * headers on), between instant_begins and instant_ends are those of an instant that is
	 * over, or samples of the one at which watching begins. That data is given up by a radio
	 * is told when it happens, as associations are.
	 */
	void (*instant_begins)(unsigned long long now);
	void (*instant_ends)(unsigned long long now);
	void (*lost)(unsigned int device, unsigned int where, unsigned long long now,
		     const struct airtcp_packet *packet);
	void (*given_up)(unsigned int nic, const unsigned char *head, unsigned int head_len,
			 unsigned long long now);
	/*
	 * A network of two parts (drivers/airtcp/parts). separate_at: when traffic begins and the
	 * machines of the parts separate; 0: the network is not split. part: that of this
	 * machine, or AIRTCP_NONE if it computes both; part_of: that of a node, by its number.
	 */
	unsigned long long separate_at;
	unsigned int part;
	unsigned int unused;
	unsigned int (*part_of)(unsigned int node);
	/* A frame leaves this part by the wire that begins at this device. */
	void (*wire_leaves)(unsigned int ifindex, unsigned long long arrival,
			    unsigned long long now, const struct airtcp_image *image);
	/*
	 * Exchanges frames with the other machine, for which it may wait; returns when to be
	 * called next. Called before anything else of its instant, first at separate_at.
	 */
	unsigned long long (*exchange)(unsigned long long now);
};

#define AIRTCP_SESSION_MESSAGES 1 /* process 1 is woken: it has messages to take */
#define AIRTCP_SESSION_AIR	2 /* run() is due */
/* What is watched: at the end of each instant the first two, each loss the third. */
#define AIRTCP_SESSION_FLOWS  4
#define AIRTCP_SESSION_QUEUES 8
#define AIRTCP_SESSION_LOSSES 16
#define AIRTCP_SESSION_SAMPLE 32    /* what is now is sampled: watching begins */
#define AIRTCP_SESSION_BYTES  65536 /* the longest message */

/*
 * The only symbol of the library. Returns 0 if it has filled the engine's table;
 * otherwise the run fails, and the library has printed the reason to standard error.
 */
typedef int (*airtcp_start_t)(const struct airtcp_host *host, struct airtcp_engine *engine,
			      const char *args);
#define AIRTCP_START "airtcp_start"

/* os-Linux/airtcp.c: 1 with a started engine, 0 without a library. */
int os_airtcp_start(const struct airtcp_host *host, struct airtcp_engine *engine);

#endif
