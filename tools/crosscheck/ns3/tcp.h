// TCP flows between each station and its access point.
#pragma once

#include "meter.h"

#include "ns3/applications-module.h"
#include "ns3/internet-module.h"

namespace airtcp
{

/// Segments of Linux over Ethernet: 1500 octets less 20 of IPv4, 20 of TCP and 12 of timestamps (RFC 791, RFC 9293, RFC 7323).
constexpr uint32_t SEGMENT_BYTES = 1448;
/// Initial window of Linux (RFC 6928), and an acknowledgement for every second segment (RFC 9293, 3.8.6.3).
constexpr uint32_t INITIAL_CWND = 10;
constexpr uint32_t SEGMENTS_PER_ACK = 2;
/// Longer than any run, so no timer of retransmission ends: nothing is lost here, and Linux takes back what a timeout in error has
/// done to its window, which ns-3 3.44 does not.
const ns3::Time RTO_MIN = ns3::Seconds(60);
constexpr uint16_t PORT = 5001;

/// Flows that always have data: from the access point to stations, from stations to it, or both.
class TcpFlows
{
  public:
    TcpFlows(const Options& options, const Scene& scene, Meter& meter);

    /// All flows start now.
    void Start()
    {
        for (uint32_t i = 0; i < m_options.stations; ++i)
        {
            if (m_options.Downlink(i))
            {
                Add(i, false);
            }
            if (m_options.Uplink(i))
            {
                Add(i, true);
            }
        }
    }

  private:
    void Add(uint32_t station, bool up);

    const Options& m_options;
    const Scene& m_scene;
    Meter& m_meter;
    ns3::Ipv4InterfaceContainer m_stations;
    ns3::Ipv4InterfaceContainer m_accessPoints;
};

inline TcpFlows::TcpFlows(const Options& options, const Scene& scene, Meter& meter)
    : m_options(options),
      m_scene(scene),
      m_meter(meter)
{
    const ns3::UintegerValue window(options.tcpWindowBytes);
    ns3::Config::SetDefault("ns3::TcpL4Protocol::SocketType", ns3::TypeIdValue(ns3::TcpNewReno::GetTypeId()));
    ns3::Config::SetDefault("ns3::TcpSocket::SegmentSize", ns3::UintegerValue(SEGMENT_BYTES));
    ns3::Config::SetDefault("ns3::TcpSocket::SndBufSize", window);
    ns3::Config::SetDefault("ns3::TcpSocket::RcvBufSize", window);
    ns3::Config::SetDefault("ns3::TcpSocket::InitialCwnd", ns3::UintegerValue(INITIAL_CWND));
    ns3::Config::SetDefault("ns3::TcpSocket::DelAckCount", ns3::UintegerValue(SEGMENTS_PER_ACK));
    ns3::Config::SetDefault("ns3::TcpSocketBase::MinRto", ns3::TimeValue(RTO_MIN));
    ns3::NetDeviceContainer stations;
    ns3::NetDeviceContainer accessPoints;
    ns3::InternetStackHelper internet;
    for (uint32_t i = 0; i < options.stations; ++i)
    {
        internet.Install(scene.Station(i)->GetNode());
        stations.Add(scene.Station(i));
    }
    internet.Install(scene.AccessPoint(0)->GetNode());
    accessPoints.Add(scene.AccessPoint(0));
    // A queue of WifiNetDevice without flow control has no queueing discipline above it.
    ns3::Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    m_accessPoints = addresses.Assign(accessPoints);
    m_stations = addresses.Assign(stations);
    ns3::NeighborCacheHelper().PopulateNeighborCache();
}

inline void
TcpFlows::Add(uint32_t station, bool up)
{
    const auto device = m_scene.Station(station);
    const auto accessPoint = m_scene.AccessPoint(0);
    const auto sender = up ? device->GetNode() : accessPoint->GetNode();
    const auto receiver = up ? accessPoint->GetNode() : device->GetNode();
    const uint16_t port = PORT + 2 * station + up;
    const auto address = up ? m_accessPoints.GetAddress(0) : m_stations.GetAddress(station);
    const ns3::InetSocketAddress there(address, port);
    ns3::PacketSinkHelper sinks("ns3::TcpSocketFactory", ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), port));
    const auto sink = sinks.Install(receiver).Get(0);
    sink->TraceConnectWithoutContext(
        "Rx",
        ns3::Callback<void, ns3::Ptr<const ns3::Packet>, const ns3::Address&>(
            [this, station, up](ns3::Ptr<const ns3::Packet> packet, const ns3::Address&) {
                m_meter.Received(station, up, packet->GetSize());
            }));
    ns3::BulkSendHelper senders("ns3::TcpSocketFactory", there);
    senders.SetAttribute("SendSize", ns3::UintegerValue(SEGMENT_BYTES));
    senders.Install(sender);
}

} // namespace airtcp
