// SPDX-License-Identifier: GPL-2.0
/*
 * The load of channels (iw survey dump): what the radio sensed while it was tuned to each.
 *
 * The engine counts the time of a radio on whatever channel it is; the driver divides it among
 * channels, as drivers do with the counters of hardware.
 */
#include <linux/slab.h>
#include "driver.h"

struct airtcp_channel_time {
	u64 time_ns;
	u64 busy_ns;
	u64 tx_ns;
	u64 bss_rx_ns;
};

struct airtcp_radio_survey {
	struct ieee80211_channel *tuned; /* since the last look */
	u64 looked_ns;
	struct airtcp_survey seen;
	struct airtcp_channel_time channels[]; /* of all bands, in their order */
};

static u32 airtcp_survey_places(const struct airtcp_radio *radio)
{
	u32 band, places = 0;

	for (band = 0; band < NUM_NL80211_BANDS; band++)
		places += radio->bands[band].n_channels;
	return places;
}

int airtcp_survey_init(struct airtcp_radio *radio)
{
	struct airtcp_radio_survey *survey;

	survey = kzalloc(struct_size(survey, channels, airtcp_survey_places(radio)), GFP_KERNEL);
	radio->survey = survey;
	return survey ? 0 : -ENOMEM;
}

static struct airtcp_channel_time *airtcp_survey_of(struct airtcp_radio *radio,
						    const struct ieee80211_channel *channel)
{
	u32 band, places = 0;

	for (band = 0; band < channel->band; band++)
		places += radio->bands[band].n_channels;
	return &radio->survey->channels[places + (channel - radio->bands[band].channels)];
}

/* Soft interrupts are off, and the engine does not run. */
static void airtcp_survey_look(struct airtcp_radio *radio)
{
	struct airtcp_radio_survey *survey = radio->survey;
	struct airtcp_survey before = survey->seen;
	struct airtcp_channel_time *time;
	u64 now = time_travel_now();

	airtcp_engine.survey(radio->index, &survey->seen, now);
	if (survey->tuned) {
		time = airtcp_survey_of(radio, survey->tuned);
		time->time_ns += now - survey->looked_ns;
		time->busy_ns += survey->seen.busy_ns - before.busy_ns;
		time->tx_ns += survey->seen.tx_ns - before.tx_ns;
		time->bss_rx_ns += survey->seen.bss_rx_ns - before.bss_rx_ns;
	}
	survey->looked_ns = now;
}

/* The radio leaves its channel for this one, or for none. Soft interrupts are off. */
void airtcp_survey_tuned(struct airtcp_radio *radio, const struct ieee80211_channel *channel)
{
	airtcp_survey_look(radio);
	radio->survey->tuned = (struct ieee80211_channel *)channel;
}

static struct ieee80211_channel *airtcp_survey_channel(struct airtcp_radio *radio, u32 place)
{
	u32 band;

	for (band = 0; band < NUM_NL80211_BANDS; band++) {
		if (place < radio->bands[band].n_channels)
			return &radio->bands[band].channels[place];
		place -= radio->bands[band].n_channels;
	}
	return NULL;
}

/* What is busy and not sent is received: the radio cannot tell frames from other energy. */
int airtcp_get_survey(struct ieee80211_hw *hw, int place, struct survey_info *survey)
{
	struct airtcp_radio *radio = hw->priv;
	struct airtcp_channel_time *time;

	/* In a dump it still has what was told of the channel before. */
	memset(survey, 0, sizeof(*survey));
	survey->channel = airtcp_survey_channel(radio, place);
	if (!survey->channel)
		return -ENOENT;
	local_bh_disable();
	airtcp_survey_look(radio);
	local_bh_enable();
	if (survey->channel == radio->survey->tuned)
		survey->filled |= SURVEY_INFO_IN_USE;
	time = airtcp_survey_of(radio, survey->channel);
	if (!time->time_ns)
		return 0;
	survey->filled |= SURVEY_INFO_TIME | SURVEY_INFO_TIME_BUSY | SURVEY_INFO_TIME_RX |
			  SURVEY_INFO_TIME_TX | SURVEY_INFO_TIME_BSS_RX;
	survey->time = div_u64(time->time_ns, NSEC_PER_MSEC);
	survey->time_busy = div_u64(time->busy_ns, NSEC_PER_MSEC);
	survey->time_tx = div_u64(time->tx_ns, NSEC_PER_MSEC);
	survey->time_rx = div_u64(time->busy_ns - time->tx_ns, NSEC_PER_MSEC);
	survey->time_bss_rx = div_u64(time->bss_rx_ns, NSEC_PER_MSEC);
	if (radio->survey->seen.noise_dbm != AIRTCP_NO_NOISE) {
		survey->filled |= SURVEY_INFO_NOISE_DBM;
		survey->noise = radio->survey->seen.noise_dbm;
	}
	return 0;
}
