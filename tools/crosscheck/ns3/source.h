// Sources that never let a queue run empty.
#pragma once

#include "scene.h"

namespace airtcp
{

/// EtherType of IPv4; the packets are as long as UDP datagrams but carry no headers.
constexpr uint16_t ETHERTYPE_IPV4 = 0x0800;
/// Octets of the IPv4 and UDP headers (RFC 791, RFC 768).
constexpr uint32_t IP_UDP_HEADER_BYTES = 20 + 8;

/// Keeps the queue of one sender towards its receivers filled: whenever the MAC completes an
/// MPDU, the packets that left the queue are replaced. There is no timer and no loss in the queue.
class SaturatedSource
{
  public:
    SaturatedSource(const Options& options, ns3::Ptr<ns3::WifiNetDevice> sender)
        : m_options(options),
          m_sender(sender)
    {
        // Twice the content of one aggregate, so that the next one is always full.
        const uint32_t perMpdu = 1 + options.amsduBytes / (options.payloadBytes + IP_UDP_HEADER_BYTES);
        m_low = (options.ampduBytes > 0 ? 3 * options.windowMpdus / 2 : 2) * perMpdu;
        m_full = (options.ampduBytes > 0 ? 2 * options.windowMpdus : 6) * perMpdu;
    }

    /// Adds a receiver and the category of its packets.
    void AddReceiver(ns3::Mac48Address address, const std::string& category)
    {
        const uint8_t priority = Scene::UserPriority(category);
        auto mac = m_sender->GetMac();
        auto queue = m_options.HasQos() ? mac->GetQosTxop(priority)->GetWifiMacQueue()
                                        : mac->GetTxop()->GetWifiMacQueue();
        ns3::WifiContainerQueueId id{ns3::WIFI_DATA_QUEUE, ns3::WIFI_UNICAST, address, std::nullopt};
        if (m_options.HasQos())
        {
            id = {ns3::WIFI_QOSDATA_QUEUE, ns3::WIFI_UNICAST, address, priority};
        }
        m_receivers[address] = Receiver{priority, queue, id};
    }

    /// Has somebody to send to.
    bool HasReceivers() const
    {
        return !m_receivers.empty();
    }

    /// Sends two packets to each receiver, so that BlockAck agreements are set up without contention.
    void Introduce()
    {
        for (int i = 0; i < 2; ++i)
        {
            for (const auto& [address, receiver] : m_receivers)
            {
                Send(address, receiver);
            }
        }
    }

    /// Fills the queues, receiver by receiver in turn, and keeps them filled.
    void Start()
    {
        for (uint32_t i = 0; i < m_full; ++i)
        {
            for (const auto& [address, receiver] : m_receivers)
            {
                Send(address, receiver);
            }
        }
        auto mac = m_sender->GetMac();
        mac->TraceConnectWithoutContext(
            "AckedMpdu",
            ns3::Callback<void, ns3::Ptr<const ns3::WifiMpdu>>(
                [this](ns3::Ptr<const ns3::WifiMpdu> mpdu) { Refill(mpdu->GetHeader().GetAddr1()); }));
        mac->TraceConnectWithoutContext(
            "DroppedMpdu",
            ns3::Callback<void, ns3::WifiMacDropReason, ns3::Ptr<const ns3::WifiMpdu>>(
                [this](ns3::WifiMacDropReason, ns3::Ptr<const ns3::WifiMpdu> mpdu) {
                    // The MPDU is still in the queue: check again after it has left.
                    const auto address = mpdu->GetHeader().GetAddr1();
                    ns3::Simulator::ScheduleNow([this, address] { Refill(address); });
                }));
    }

  private:
    struct Receiver
    {
        uint8_t priority;
        ns3::Ptr<ns3::WifiMacQueue> queue;
        ns3::WifiContainerQueueId id;
    };

    void Refill(ns3::Mac48Address address)
    {
        const auto found = m_receivers.find(address);
        if (found == m_receivers.end() || found->second.queue->GetNPackets(found->second.id) > m_low)
        {
            return;
        }
        for (uint32_t n = found->second.queue->GetNPackets(found->second.id); n < m_full; ++n)
        {
            Send(address, found->second);
        }
    }

    void Send(ns3::Mac48Address address, const Receiver& receiver)
    {
        auto packet = ns3::Create<ns3::Packet>(m_options.payloadBytes + IP_UDP_HEADER_BYTES);
        if (receiver.priority > 0)
        {
            ns3::SocketPriorityTag tag;
            tag.SetPriority(receiver.priority);
            packet->AddPacketTag(tag);
        }
        m_sender->Send(packet, address, ETHERTYPE_IPV4);
    }

    const Options& m_options;
    ns3::Ptr<ns3::WifiNetDevice> m_sender;
    std::map<ns3::Mac48Address, Receiver> m_receivers;
    uint32_t m_low;
    uint32_t m_full;
};

} // namespace airtcp
