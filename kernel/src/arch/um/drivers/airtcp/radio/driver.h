/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Radios of the modelled medium under mac80211: declarations shared by the driver's files.
 *
 * The driver turns mac80211's requests into calls of the engine, and the
 * engine's requests to the upper MAC into calls of mac80211. The engine
 * is never called from within its own calls: statuses and received frames wait
 * in lists until it has returned (airtcp_radio_settle, airtcp_radio_poll).
 */
#ifndef __AIRTCP_RADIO_DRIVER_H
#define __AIRTCP_RADIO_DRIVER_H

#include <linux/airtcp_linux.h>
#include <linux/time-internal.h>
#include <net/mac80211.h>
#include "../engine/engine.h"
#include "../frame/frame.h"

/* Interfaces of one radio. */
#define AIRTCP_VIFS 16

struct airtcp_radio {
	struct ieee80211_hw *hw;
	struct airtcp_radio_config config;
	u32 index;
	bool gro;
	bool rx_copy;
	bool moderated; /* received MPDUs wait for an interrupt */
	bool started;
	bool idle; /* mac80211 needs no channel: it neither sends nor receives */
	bool monitor;
	bool hears_control; /* a monitor wants control frames */
	bool follows;	    /* its TSF timer has been set by that of others */
	bool sent_beacon;   /* the last one of its IBSS */
	u32 beaconing;	    /* interfaces that send beacons */
	u32 interfaces;
	u32 firsts;			    /* queues with a frame dequeued in advance */
	struct ieee80211_sta *access_point; /* with which it is associated */
	int power_dbm;
	u32 rx_ppdu;	   /* the last whose airtime is counted */
	s64 tsf_offset_us; /* TSF timer minus virtual time, but for the clock's error */
	u64 undecryptable;
	/* By mac80211's access category: queues with frames, of sleeping stations. */
	struct list_head backlogged[IEEE80211_NUM_ACS];
	struct list_head draining[IEEE80211_NUM_ACS];
	struct list_head keys;
	struct sk_buff_head waiting; /* for the interrupt */
	struct sk_buff_head asked;   /* probe requests that wait for the software to answer */
	struct time_travel_event answer;
	struct airtcp_radio_survey *survey;
	struct ieee80211_supported_band bands[NUM_NL80211_BANDS];
	struct ieee80211_sband_iftype_data iftype[NUM_NL80211_BANDS];
};

struct airtcp_vif {
	struct ieee80211_vif *vif;
	struct airtcp_radio *radio;
	u16 sequence;	 /* of frames that mac80211 leaves to us */
	u32 uapsd;	 /* categories for which the access point has it */
	u64 interval_ns; /* between beacons; 0: it sends none */
	bool delayed;	 /* IBSS: the beacon waits for its random delay */
	bool counted;	 /* its last beacon ends a countdown */
	struct list_head due_list;
	struct time_travel_event tbtt;
};

struct airtcp_txq {
	struct airtcp_radio *radio;
	u32 id;		       /* AIRTCP_NONE until the engine knows it */
	u32 generation;	       /* distinguishes it from later ones of the same id */
	struct sk_buff *first; /* dequeued in advance */
	struct airtcp_key *first_key;
	bool more; /* the engine holds MPDUs of it */
	bool agreement;
	bool asleep; /* its station is */
	bool ended;  /* its station or interface is being removed */
	struct list_head backlogged;
	struct list_head draining;
	struct list_head touched_list;
	struct airtcp_rate last; /* the last attempt */
};

struct airtcp_sta {
	struct rate_info last_tx;
	bool has_last_tx;
};

/* A key, referenced by a radio and by frames. */
struct airtcp_key {
	struct kref refs;
	struct list_head list; /* of its radio */
	struct ieee80211_key_conf *conf;
	u32 cipher;
	u8 keyidx;
	u8 len;
	u8 icv_len; /* of the integrity code */
	bool pairwise;
	bool of_peer; /* installed for the address; otherwise for all peers */
	u8 address[ETH_ALEN];
	u8 bytes[WLAN_MAX_KEY_LEN];
};

/* An MPDU held by the engine. Its handle is its index in the table. */
struct airtcp_slot {
	struct sk_buff *skb;
	struct airtcp_radio *radio;
	struct airtcp_key *key;
	u32 next; /* in the free or the done list */
	u32 txq;
	u32 generation;
	u8 fate;    /* AIRTCP_FATE_... */
	bool asked; /* its rates were requested before: a retransmission */
	bool sent;  /* an attempt is over */
	bool aggregable;
	s8 response_dbm; /* 0: it was not answered */
	u8 stages;	 /* number of those in use; attempts as a single frame */
	struct ieee80211_tx_rate tried[IEEE80211_TX_MAX_RATES];
};

static inline struct airtcp_vif *airtcp_vif(struct ieee80211_vif *vif)
{
	return (struct airtcp_vif *)vif->drv_priv;
}

static inline struct airtcp_txq *airtcp_txq(struct ieee80211_txq *txq)
{
	return (struct airtcp_txq *)txq->drv_priv;
}

static inline struct ieee80211_txq *airtcp_txq_of(struct airtcp_txq *queue)
{
	return container_of((void *)queue, struct ieee80211_txq, drv_priv);
}

static inline struct airtcp_sta *airtcp_sta(struct ieee80211_sta *sta)
{
	return (struct airtcp_sta *)sta->drv_priv;
}

/* mac80211 numbers categories from voice down, the engine from background up. */
static inline u32 airtcp_ac(u32 ac)
{
	return IEEE80211_NUM_ACS - 1 - ac;
}

/* radio.c */
struct airtcp_radio *airtcp_radio_of(u32 index);

/* caps.c */
int airtcp_radio_set_caps(struct airtcp_radio *radio);
int airtcp_radio_set_regdomain(struct airtcp_radio *radio, const char *alpha2);

/* rates.c */
bool airtcp_rate_of_tx(struct airtcp_radio *radio, enum nl80211_band band,
		       const struct ieee80211_tx_rate *from, struct airtcp_rate *to);
void airtcp_rate_to_tx(struct airtcp_radio *radio, enum nl80211_band band,
		       const struct airtcp_rate *from, struct ieee80211_tx_rate *to);
void airtcp_rate_to_info(const struct airtcp_rate *from, struct rate_info *to);
void airtcp_rate_to_rx(enum nl80211_band band, const struct airtcp_rate *from,
		       struct ieee80211_rx_status *to);
unsigned int airtcp_rates(unsigned long long handle, struct airtcp_rate *stages);

/* slots.c */
u64 airtcp_slot_new(struct airtcp_radio *radio, struct airtcp_txq *queue, struct sk_buff *skb,
		    struct airtcp_key *key);
struct airtcp_slot *airtcp_slot(u64 handle);
void airtcp_slot_free(u64 handle);

/* survey.c */
int airtcp_survey_init(struct airtcp_radio *radio);
void airtcp_survey_tuned(struct airtcp_radio *radio, const struct ieee80211_channel *channel);
int airtcp_get_survey(struct ieee80211_hw *hw, int place, struct survey_info *survey);

/* txqs.c */
void airtcp_txqs_init(void);
void airtcp_txq_init(struct airtcp_radio *radio, struct ieee80211_txq *txq);
void airtcp_txq_end(struct ieee80211_txq *txq);
struct airtcp_txq *airtcp_txq_by_id(u32 id, u32 generation);
u32 airtcp_txq_id(struct airtcp_txq *queue);
void airtcp_txq_sleeps(struct ieee80211_txq *txq);
void airtcp_txq_wakes(struct ieee80211_txq *txq);
struct sk_buff *airtcp_txq_take(struct airtcp_txq *queue, struct airtcp_key **key);
void airtcp_txq_touch(struct airtcp_txq *queue);
void airtcp_txqs_report_pending(void);
void airtcp_radio_pending(struct airtcp_radio *radio, u32 ac);
void airtcp_wake_tx_queue(struct ieee80211_hw *hw, struct ieee80211_txq *txq);
unsigned int airtcp_next_txq(unsigned int nic, unsigned int ac);
int airtcp_dequeue(unsigned int txq, struct airtcp_mpdu *mpdu);
void airtcp_return_txq(unsigned int txq, int more);
int airtcp_has(unsigned int nic, unsigned int ac);
unsigned int airtcp_uplink_txq(unsigned int nic, unsigned int tid);
unsigned long long airtcp_depth(unsigned int txq);

/* tx.c */
bool airtcp_has_timestamp(const struct sk_buff *skb);
void airtcp_describe(u64 handle, struct airtcp_mpdu *mpdu);
void airtcp_tx(struct ieee80211_hw *hw, struct ieee80211_tx_control *control, struct sk_buff *skb);
void airtcp_send_first(struct airtcp_radio *radio, struct sk_buff *skb, u32 ac);
void airtcp_send_keyed(struct airtcp_radio *radio, struct sk_buff *skb, u32 ac,
		       struct airtcp_key *key);

/* status.c */
extern void (*airtcp_ppdu_watcher)(const unsigned long long *handles,
				   const struct airtcp_ppdu_status *status);
void airtcp_radio_settle(void);
void airtcp_ppdu_done(const unsigned long long *handles, const struct airtcp_ppdu_status *status);
void airtcp_mpdu_done(unsigned long long handle, unsigned int fate);

/* rx.c */
void airtcp_rx_init(void);
void airtcp_rx_radio_init(struct airtcp_radio *radio);
void airtcp_rx_radio_stop(struct airtcp_radio *radio);
int airtcp_rx_poll(struct napi_struct *napi, int budget);
void airtcp_rx(unsigned int nic, const unsigned long long *handles, unsigned int count,
	       const struct airtcp_rx_status *status);
void airtcp_rx_control(unsigned int nic, const unsigned char *frame, unsigned int len,
		       const struct airtcp_rx_status *status);
void airtcp_rx_interrupt(unsigned int nic);

/* vif.c */
int airtcp_start(struct ieee80211_hw *hw);
void airtcp_stop_radio(struct ieee80211_hw *hw);
int airtcp_add_interface(struct ieee80211_hw *hw, struct ieee80211_vif *vif);
int airtcp_change_interface(struct ieee80211_hw *hw, struct ieee80211_vif *vif,
			    enum nl80211_iftype type, bool p2p);
void airtcp_remove_interface(struct ieee80211_hw *hw, struct ieee80211_vif *vif);
int airtcp_config(struct ieee80211_hw *hw, AIRTCP_RADIO_IDX u32 changed);
void airtcp_configure_filter(struct ieee80211_hw *hw, unsigned int changed, unsigned int *total,
			     u64 multicast);
int airtcp_conf_tx(struct ieee80211_hw *hw, struct ieee80211_vif *vif, unsigned int link_id, u16 ac,
		   const struct ieee80211_tx_queue_params *params);
void airtcp_flush(struct ieee80211_hw *hw, struct ieee80211_vif *vif, u32 queues, bool drop);

/* sta.c */
int airtcp_sta_add(struct ieee80211_hw *hw, struct ieee80211_vif *vif, struct ieee80211_sta *sta);
int airtcp_sta_remove(struct ieee80211_hw *hw, struct ieee80211_vif *vif,
		      struct ieee80211_sta *sta);
void airtcp_sta_notify(struct ieee80211_hw *hw, struct ieee80211_vif *vif, enum sta_notify_cmd cmd,
		       struct ieee80211_sta *sta);
void airtcp_sta_statistics(struct ieee80211_hw *hw, struct ieee80211_vif *vif,
			   struct ieee80211_sta *sta, struct station_info *info);
int airtcp_ampdu_action(struct ieee80211_hw *hw, struct ieee80211_vif *vif,
			struct ieee80211_ampdu_params *params);
void airtcp_release_buffered_frames(struct ieee80211_hw *hw, struct ieee80211_sta *sta, u16 tids,
				    int count, enum ieee80211_frame_release_type reason,
				    bool more_data);
void airtcp_allow_buffered_frames(struct ieee80211_hw *hw, struct ieee80211_sta *sta, u16 tids,
				  int count, enum ieee80211_frame_release_type reason,
				  bool more_data);

/* beacon.c */
void airtcp_beacon_init(struct airtcp_vif *avif);
void airtcp_beacon_change(struct airtcp_vif *avif);
void airtcp_beacon_end(struct airtcp_vif *avif);
void airtcp_beacon_heard(struct airtcp_radio *radio, struct sk_buff *skb);
void airtcp_beacon_poll(void);
void airtcp_beacon_done(struct airtcp_radio *radio, const struct sk_buff *skb);

/* tsf.c */
s64 airtcp_tsf_offset_us(const struct airtcp_radio *radio, u64 ns);
u64 airtcp_tsf_us(const struct airtcp_radio *radio, u64 ns);
u64 airtcp_tsf_wait_ns(const struct airtcp_radio *radio, u64 interval_ns);
void airtcp_tsf_own(struct airtcp_radio *radio);

/* doze.c */
void airtcp_doze_change(struct airtcp_vif *avif);
void airtcp_doze_mark(const struct airtcp_radio *radio, struct sk_buff *skb);
void airtcp_doze_heard(struct airtcp_radio *radio, struct sk_buff *skb);

/* keys.c */
int airtcp_set_key(struct ieee80211_hw *hw, enum set_key_cmd cmd, struct ieee80211_vif *vif,
		   struct ieee80211_sta *sta, struct ieee80211_key_conf *conf);
struct airtcp_key *airtcp_key_of(struct airtcp_radio *radio, struct sk_buff *skb);
void airtcp_key_put(struct airtcp_key *key);
bool airtcp_key_known(struct airtcp_radio *radio, const struct airtcp_key *key, const u8 *from);

#endif
