# SPDX-License-Identifier: GPL-2.0
# The drivers of the modelled medium; arch/um/drivers/Makefile includes this file.
obj-$(CONFIG_UML_TIME_TRAVEL_SUPPORT) += airtcp_image.o airtcp_nic.o airtcp_parts.o airtcp_probe.o airtcp_random.o
obj-$(CONFIG_UML_TIME_TRAVEL_SUPPORT) += airtcp_polling.o airtcp_running.o airtcp_session.o airtcp_wire.o airtcp_wire_trace.o
obj-$(CONFIG_UML_TIME_TRAVEL_SUPPORT) += airtcp_radio.o airtcp_radio_beacon.o airtcp_radio_caps.o
obj-$(CONFIG_UML_TIME_TRAVEL_SUPPORT) += airtcp_radio_doze.o airtcp_radio_keys.o airtcp_radio_rates.o airtcp_radio_rx.o
obj-$(CONFIG_UML_TIME_TRAVEL_SUPPORT) += airtcp_radio_slots.o airtcp_radio_sta.o airtcp_radio_status.o airtcp_radio_survey.o
obj-$(CONFIG_UML_TIME_TRAVEL_SUPPORT) += airtcp_radio_tsf.o airtcp_radio_tx.o airtcp_radio_txqs.o airtcp_radio_vif.o
obj-$(CONFIG_UML_TIME_TRAVEL_SUPPORT) += airtcp_radio_watch.o
