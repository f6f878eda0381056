/* SPDX-License-Identifier: GPL-2.0 */
/* Written by "make generated". */
AIRTCP_TCP_INFO(tcpi_state, 0, 1);
AIRTCP_TCP_INFO(tcpi_ca_state, 1, 1);
AIRTCP_TCP_INFO(tcpi_retransmits, 2, 1);
AIRTCP_TCP_INFO(tcpi_probes, 3, 1);
AIRTCP_TCP_INFO(tcpi_backoff, 4, 1);
AIRTCP_TCP_INFO(tcpi_options, 5, 1);
AIRTCP_TCP_INFO(tcpi_rto, 8, 4);
AIRTCP_TCP_INFO(tcpi_ato, 12, 4);
AIRTCP_TCP_INFO(tcpi_snd_mss, 16, 4);
AIRTCP_TCP_INFO(tcpi_rcv_mss, 20, 4);
AIRTCP_TCP_INFO(tcpi_unacked, 24, 4);
AIRTCP_TCP_INFO(tcpi_sacked, 28, 4);
AIRTCP_TCP_INFO(tcpi_lost, 32, 4);
AIRTCP_TCP_INFO(tcpi_retrans, 36, 4);
AIRTCP_TCP_INFO(tcpi_fackets, 40, 4);
AIRTCP_TCP_INFO(tcpi_last_data_sent, 44, 4);
AIRTCP_TCP_INFO(tcpi_last_ack_sent, 48, 4);
AIRTCP_TCP_INFO(tcpi_last_data_recv, 52, 4);
AIRTCP_TCP_INFO(tcpi_last_ack_recv, 56, 4);
AIRTCP_TCP_INFO(tcpi_pmtu, 60, 4);
AIRTCP_TCP_INFO(tcpi_rcv_ssthresh, 64, 4);
AIRTCP_TCP_INFO(tcpi_rtt, 68, 4);
AIRTCP_TCP_INFO(tcpi_rttvar, 72, 4);
AIRTCP_TCP_INFO(tcpi_snd_ssthresh, 76, 4);
AIRTCP_TCP_INFO(tcpi_snd_cwnd, 80, 4);
AIRTCP_TCP_INFO(tcpi_advmss, 84, 4);
AIRTCP_TCP_INFO(tcpi_reordering, 88, 4);
AIRTCP_TCP_INFO(tcpi_rcv_rtt, 92, 4);
AIRTCP_TCP_INFO(tcpi_rcv_space, 96, 4);
AIRTCP_TCP_INFO(tcpi_total_retrans, 100, 4);
AIRTCP_TCP_INFO(tcpi_pacing_rate, 104, 8);
AIRTCP_TCP_INFO(tcpi_max_pacing_rate, 112, 8);
AIRTCP_TCP_INFO(tcpi_bytes_acked, 120, 8);
AIRTCP_TCP_INFO(tcpi_bytes_received, 128, 8);
AIRTCP_TCP_INFO(tcpi_segs_out, 136, 4);
AIRTCP_TCP_INFO(tcpi_segs_in, 140, 4);
AIRTCP_TCP_INFO(tcpi_notsent_bytes, 144, 4);
AIRTCP_TCP_INFO(tcpi_min_rtt, 148, 4);
AIRTCP_TCP_INFO(tcpi_data_segs_in, 152, 4);
AIRTCP_TCP_INFO(tcpi_data_segs_out, 156, 4);
AIRTCP_TCP_INFO(tcpi_delivery_rate, 160, 8);
AIRTCP_TCP_INFO(tcpi_busy_time, 168, 8);
AIRTCP_TCP_INFO(tcpi_rwnd_limited, 176, 8);
AIRTCP_TCP_INFO(tcpi_sndbuf_limited, 184, 8);
AIRTCP_TCP_INFO(tcpi_delivered, 192, 4);
AIRTCP_TCP_INFO(tcpi_delivered_ce, 196, 4);
AIRTCP_TCP_INFO(tcpi_bytes_sent, 200, 8);
AIRTCP_TCP_INFO(tcpi_bytes_retrans, 208, 8);
AIRTCP_TCP_INFO(tcpi_dsack_dups, 216, 4);
AIRTCP_TCP_INFO(tcpi_reord_seen, 220, 4);
AIRTCP_TCP_INFO(tcpi_rcv_ooopack, 224, 4);
AIRTCP_TCP_INFO(tcpi_snd_wnd, 228, 4);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
AIRTCP_TCP_INFO(tcpi_rcv_wnd, 232, 4);
AIRTCP_TCP_INFO(tcpi_rehash, 236, 4);
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
AIRTCP_TCP_INFO(tcpi_total_rto, 240, 2);
AIRTCP_TCP_INFO(tcpi_total_rto_recoveries, 242, 2);
AIRTCP_TCP_INFO(tcpi_total_rto_time, 244, 4);
#endif
