// SPDX-License-Identifier: GPL-2.0
/* The devices at the ends of wires, see device.h. */
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include "device.h"

static int airtcp_wire_open(struct net_device *dev)
{
	struct airtcp_wire *wire = netdev_priv(dev);
	struct net_device *peer = rtnl_dereference(wire->peer);

	if (!peer)
		return -ENOTCONN;
	/* At first it has the queue of the plan or none, see airtcp_wire_device_event(). */
	if (!wire->opened)
		dev->priv_flags |= IFF_NO_QUEUE;
	wire->opened = true;
	netif_start_queue(dev);
	if (peer->flags & IFF_UP) {
		netif_carrier_on(dev);
		netif_carrier_on(peer);
	}
	return 0;
}

static void airtcp_wire_purge(struct airtcp_wire *wire)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(&wire->frames))) {
		if (!AIRTCP_WIRE_FRAME(skb)->lost)
			wire->dev->stats.tx_dropped++;
		airtcp_wire_uncharge(skb);
		kfree_skb(skb);
	}
	wire->charged = NULL;
	wire->last_arrival_ns = 0;
	/* A trace does not go back in time. */
	if (!wire->trace)
		wire->free_ns = min_t(u64, wire->free_ns, time_travel_now());
}

/*
 * Frames on the wire are lost, among them those that have left the queue by now: it was
 * emptied after they did (dev_deactivate_many()).
 */
static int airtcp_wire_stop(struct net_device *dev)
{
	struct airtcp_wire *wire = netdev_priv(dev);
	struct net_device *peer = rtnl_dereference(wire->peer);

	netif_carrier_off(dev);
	if (peer)
		netif_carrier_off(peer);
	netif_stop_queue(dev);
	local_bh_disable();
	time_travel_del_event(&wire->arrival);
	time_travel_del_event(&wire->departure);
	time_travel_del_event(&wire->look);
	list_del_init(&wire->due);
	wire->awaited = false;
	airtcp_wire_purge(wire);
	local_bh_enable();
	return 0;
}

/* What has left the queue by now was cut into frames by the features of its time. */
static int airtcp_wire_set_features(struct net_device *dev, netdev_features_t features)
{
	airtcp_wire_catch_up(dev, false);
	return 0;
}

static void airtcp_wire_get_stats(struct net_device *dev, struct rtnl_link_stats64 *stats)
{
	airtcp_wire_catch_up(dev, false);
	netdev_stats_to_stats64(stats, &dev->stats);
}

static int airtcp_wire_get_iflink(const struct net_device *dev)
{
	struct airtcp_wire *wire = netdev_priv(dev);
	struct net_device *peer = rcu_dereference_raw(wire->peer);

	return peer ? peer->ifindex : 0;
}

void airtcp_wire_set_trace(struct airtcp_wire *wire, struct airtcp_wire_trace *trace)
{
	airtcp_wire_trace_free(wire->trace);
	wire->trace = trace;
}

static void airtcp_wire_free(struct net_device *dev)
{
	struct airtcp_wire *wire = netdev_priv(dev);

	airtcp_wire_set_trace(wire, NULL);
	airtcp_wire_trace_free(wire->incoming);
}

const struct net_device_ops airtcp_wire_ops = {
	.ndo_open = airtcp_wire_open,
	.ndo_stop = airtcp_wire_stop,
	.ndo_start_xmit = airtcp_wire_start_xmit,
	.ndo_catch_up = airtcp_wire_catch_up,
	.ndo_set_features = airtcp_wire_set_features,
	.ndo_get_stats64 = airtcp_wire_get_stats,
	.ndo_set_mac_address = eth_mac_addr,
	.ndo_validate_addr = eth_validate_addr,
	.ndo_get_iflink = airtcp_wire_get_iflink,
};

static void airtcp_wire_get_drvinfo(struct net_device *dev, struct ethtool_drvinfo *info)
{
	strscpy(info->driver, "airtcp_wire", sizeof(info->driver));
}

static const struct ethtool_ops airtcp_wire_ethtool_ops = {
	.get_drvinfo = airtcp_wire_get_drvinfo,
	.get_link = ethtool_op_get_link,
	.get_ts_info = ethtool_op_get_ts_info,
};

/* Those that Linux's drivers of Ethernet NICs commonly have. */
#define AIRTCP_WIRE_SEGMENTATION (NETIF_F_TSO | NETIF_F_TSO_ECN | NETIF_F_TSO6 | NETIF_F_GSO_UDP_L4)

void airtcp_wire_setup(struct net_device *dev)
{
	struct airtcp_wire *wire = netdev_priv(dev);

	ether_setup(dev);
	dev->max_mtu = ETH_MAX_MTU;
	dev->priv_flags &= ~IFF_TX_SKB_SHARING;
	dev->priv_flags |= IFF_LIVE_ADDR_CHANGE;
	dev->netdev_ops = &airtcp_wire_ops;
	dev->ethtool_ops = &airtcp_wire_ethtool_ops;
	dev->features |= NETIF_F_HW_CSUM | NETIF_F_SG | NETIF_F_FRAGLIST | NETIF_F_HIGHDMA;
	dev->vlan_features = dev->features;
	/* Off at first: only a device of a host has them. */
	dev->hw_features = dev->features | AIRTCP_WIRE_SEGMENTATION;
	dev->needs_free_netdev = true;
	dev->priv_destructor = airtcp_wire_free;
	wire->dev = dev;
	__skb_queue_head_init(&wire->frames);
	netif_napi_add(dev, &wire->gro, airtcp_wire_no_poll);
	INIT_LIST_HEAD(&wire->due);
	time_travel_set_event_fn(&wire->arrival, airtcp_wire_arrive);
	time_travel_set_event_fn(&wire->departure, airtcp_wire_depart);
	time_travel_set_event_fn(&wire->look, airtcp_wire_look);
	wire->look.observer = true;
}

/*
 * A wire that is up has the queue of the plan, or none. From now on it is an Ethernet device, which
 * may stop its queue: if its discipline is deleted, it gets Linux's default, not noqueue.
 */
static int airtcp_wire_device_event(struct notifier_block *block, unsigned long event, void *info)
{
	struct net_device *dev = netdev_notifier_info_to_dev(info);

	if (event == NETDEV_UP && dev->netdev_ops == &airtcp_wire_ops)
		dev->priv_flags &= ~IFF_NO_QUEUE;
	return NOTIFY_DONE;
}

static struct notifier_block airtcp_wire_notifier = { .notifier_call = airtcp_wire_device_event };

static int __init airtcp_wire_init(void)
{
	int err = airtcp_wire_receive_init();

	if (!err)
		err = register_netdevice_notifier(&airtcp_wire_notifier);
	return err ? err : rtnl_link_register(&airtcp_wire_link_ops);
}
late_initcall(airtcp_wire_init);
