// SPDX-License-Identifier: GPL-2.0
/* Wires as links of rtnetlink. */
#include <linux/airtcp_linux.h>
#include <net/rtnetlink.h>
#include "device.h"
#include "rtnl.h"

static const struct nla_policy airtcp_wire_policy[AIRTCP_WIRE_ATTRIBUTES] = {
	[AIRTCP_WIRE_PEER] = { .len = sizeof(struct ifinfomsg) },
	[AIRTCP_WIRE_RATE] = { .type = NLA_U64 },
	[AIRTCP_WIRE_DELAY] = { .type = NLA_U64 },
	[AIRTCP_WIRE_RX_INTERVAL] = { .type = NLA_U64 },
	[AIRTCP_WIRE_RX_AFTER_FIRST] = { .type = NLA_U64 },
	[AIRTCP_WIRE_RX_FRAMES] = { .type = NLA_U32 },
	[AIRTCP_WIRE_TRACE] = { .len = sizeof(struct airtcp_wire_trace_info) },
	[AIRTCP_WIRE_STEPS] = { .type = NLA_BINARY },
};

static void airtcp_wire_moderate(struct airtcp_wire_moderation *rx, struct nlattr *data[])
{
	if (data[AIRTCP_WIRE_RX_INTERVAL])
		rx->interval_ns = nla_get_u64(data[AIRTCP_WIRE_RX_INTERVAL]);
	if (data[AIRTCP_WIRE_RX_AFTER_FIRST])
		rx->after_first_ns = nla_get_u64(data[AIRTCP_WIRE_RX_AFTER_FIRST]);
	if (data[AIRTCP_WIRE_RX_FRAMES])
		rx->frames = nla_get_u32(data[AIRTCP_WIRE_RX_FRAMES]);
}

/* The first message about a trace says what it is; its steps come in this and further ones. */
static int airtcp_wire_receive_trace(struct airtcp_wire *wire, struct nlattr *data[])
{
	struct nlattr *steps = data[AIRTCP_WIRE_STEPS];

	if (data[AIRTCP_WIRE_TRACE]) {
		airtcp_wire_trace_free(wire->incoming);
		wire->incoming = airtcp_wire_trace_new(nla_data(data[AIRTCP_WIRE_TRACE]));
	}
	if (!steps)
		return 0;
	if (!wire->incoming || nla_len(steps) % sizeof(struct airtcp_wire_step))
		return -EINVAL;
	if (!airtcp_wire_trace_add(wire->incoming, nla_data(steps),
				   nla_len(steps) / sizeof(struct airtcp_wire_step)))
		return -ERANGE;
	if (airtcp_wire_trace_is_whole(wire->incoming)) {
		airtcp_wire_set_trace(wire, wire->incoming);
		wire->incoming = NULL;
	}
	return 0;
}

/* What was no event before a change may have to be one now. */
static void airtcp_wire_rearm(struct airtcp_wire *wire)
{
	airtcp_wire_arm_arrival(wire);
	airtcp_wire_arm_departure(wire);
}

/*
 * How the device sends and receives from now on; frames on the wire arrive as they would have.
 * A rate or a delay ends a trace.
 */
static int airtcp_wire_change(struct net_device *dev, struct nlattr *tb[], struct nlattr *data[],
			      struct netlink_ext_ack *extack)
{
	struct airtcp_wire *wire = netdev_priv(dev);
	int err;

	if (!data)
		return 0;
	airtcp_wire_catch_up(dev, false);
	if (data[AIRTCP_WIRE_RATE])
		wire->rate_bps = nla_get_u64(data[AIRTCP_WIRE_RATE]);
	if (data[AIRTCP_WIRE_DELAY])
		wire->delay_ns = nla_get_u64(data[AIRTCP_WIRE_DELAY]);
	wire->fraction = 0;
	local_bh_disable();
	if (wire->trace && (data[AIRTCP_WIRE_RATE] || data[AIRTCP_WIRE_DELAY])) {
		airtcp_wire_set_trace(wire, NULL);
		airtcp_wire_restart(wire);
	}
	airtcp_wire_moderate(&wire->rx, data);
	local_bh_enable();
	err = airtcp_wire_receive_trace(wire, data);
	local_bh_disable();
	airtcp_wire_rearm(wire);
	if (airtcp_wire_other(wire))
		airtcp_wire_rearm(airtcp_wire_other(wire));
	local_bh_enable();
	return err;
}

/* The other end, by the attributes of a link that AIRTCP_WIRE_PEER contains. */
static struct net_device *airtcp_wire_add_peer(struct net *src_net, struct nlattr *nested,
					       struct netlink_ext_ack *extack)
{
	struct nlattr *tb[IFLA_MAX + 1];
	struct ifinfomsg *info = nla_data(nested);
	struct net_device *peer;
	struct net *net;
	char name[IFNAMSIZ];
	int err = rtnl_nla_parse_ifinfomsg(tb, nested, extack);

	if (err < 0)
		return ERR_PTR(err);
	if (!tb[IFLA_IFNAME] || !tb[IFLA_ADDRESS])
		return ERR_PTR(-EINVAL);
	nla_strscpy(name, tb[IFLA_IFNAME], IFNAMSIZ);
	net = rtnl_link_get_net(src_net, tb);
	if (IS_ERR(net))
		return ERR_CAST(net);
	peer = rtnl_create_link(net, name, NET_NAME_USER, &airtcp_wire_link_ops, tb, extack);
	if (IS_ERR(peer)) {
		put_net(net);
		return peer;
	}
	peer->ifindex = info->ifi_index;
	err = register_netdevice(peer);
	put_net(net);
	if (err < 0) {
		free_netdev(peer);
		return ERR_PTR(err);
	}
	netif_carrier_off(peer);
	err = rtnl_configure_link(peer, info, 0, NULL);
	if (err < 0) {
		unregister_netdevice(peer);
		return ERR_PTR(err);
	}
	return peer;
}

static int airtcp_wire_add(struct net *src_net, struct net_device *dev, struct nlattr *tb[],
			   struct nlattr *data[], struct netlink_ext_ack *extack)
{
	struct airtcp_wire *wire = netdev_priv(dev);
	struct net_device *peer;
	int err;

	if (!data || !data[AIRTCP_WIRE_PEER] || !tb[IFLA_ADDRESS])
		return -EINVAL;
	peer = airtcp_wire_add_peer(src_net, data[AIRTCP_WIRE_PEER], extack);
	if (IS_ERR(peer))
		return PTR_ERR(peer);
	err = register_netdevice(dev);
	if (err < 0) {
		unregister_netdevice(peer);
		return err;
	}
	netif_carrier_off(dev);
	rcu_assign_pointer(wire->peer, peer);
	wire = netdev_priv(peer);
	rcu_assign_pointer(wire->peer, dev);
	return airtcp_wire_change(dev, tb, data, extack);
}

#if AIRTCP_HAS_NEWLINK_PARAMS
static int airtcp_wire_newlink(struct net_device *dev, struct rtnl_newlink_params *params,
			       struct netlink_ext_ack *extack)
{
	return airtcp_wire_add(params->src_net, dev, params->tb, params->data, extack);
}
#else
static int airtcp_wire_newlink(struct net *src_net, struct net_device *dev, struct nlattr *tb[],
			       struct nlattr *data[], struct netlink_ext_ack *extack)
{
	return airtcp_wire_add(src_net, dev, tb, data, extack);
}
#endif

static void airtcp_wire_dellink(struct net_device *dev, struct list_head *head)
{
	struct airtcp_wire *wire = netdev_priv(dev);
	struct net_device *peer = rtnl_dereference(wire->peer);

	RCU_INIT_POINTER(wire->peer, NULL);
	unregister_netdevice_queue(dev, head);
	if (peer) {
		wire = netdev_priv(peer);
		RCU_INIT_POINTER(wire->peer, NULL);
		unregister_netdevice_queue(peer, head);
	}
}

static size_t airtcp_wire_get_size(const struct net_device *dev)
{
	return 4 * nla_total_size_64bit(sizeof(u64)) + nla_total_size(sizeof(u32)) +
	       nla_total_size(sizeof(struct airtcp_wire_trace_info));
}

static int airtcp_wire_fill_info(struct sk_buff *skb, const struct net_device *dev)
{
	const struct airtcp_wire *wire = netdev_priv(dev);

	if (nla_put_u64_64bit(skb, AIRTCP_WIRE_RATE, wire->rate_bps, AIRTCP_WIRE_UNSPEC) ||
	    nla_put_u64_64bit(skb, AIRTCP_WIRE_DELAY, wire->delay_ns, AIRTCP_WIRE_UNSPEC) ||
	    nla_put_u64_64bit(skb, AIRTCP_WIRE_RX_INTERVAL, wire->rx.interval_ns,
			      AIRTCP_WIRE_UNSPEC) ||
	    nla_put_u64_64bit(skb, AIRTCP_WIRE_RX_AFTER_FIRST, wire->rx.after_first_ns,
			      AIRTCP_WIRE_UNSPEC) ||
	    nla_put_u32(skb, AIRTCP_WIRE_RX_FRAMES, wire->rx.frames))
		return -EMSGSIZE;
	if (wire->trace &&
	    nla_put(skb, AIRTCP_WIRE_TRACE, sizeof(wire->trace->info), &wire->trace->info))
		return -EMSGSIZE;
	return 0;
}

static struct net *airtcp_wire_get_link_net(const struct net_device *dev)
{
	struct airtcp_wire *wire = netdev_priv(dev);
	struct net_device *peer = rtnl_dereference(wire->peer);

	return peer ? dev_net(peer) : dev_net(dev);
}

struct rtnl_link_ops airtcp_wire_link_ops = {
	.kind = "airtcp_wire",
	.priv_size = sizeof(struct airtcp_wire),
	.setup = airtcp_wire_setup,
	.newlink = airtcp_wire_newlink,
	.changelink = airtcp_wire_change,
	.dellink = airtcp_wire_dellink,
	.policy = airtcp_wire_policy,
	.maxtype = AIRTCP_WIRE_ATTRIBUTES - 1,
	.get_size = airtcp_wire_get_size,
	.fill_info = airtcp_wire_fill_info,
	.get_link_net = airtcp_wire_get_link_net,
};
