// Counts of the measured time.
#pragma once

#include "source.h"

#include <sys/resource.h>

#include <map>

namespace airtcp
{

/// Power of a signal that does not arrive.
constexpr double NOTHING_DBM = -1000.0;

/// Counts payload at the receivers, PPDUs and failures at the senders, and the cost of the simulation.
class Meter
{
  public:
    Meter(const Options& options, const Scene& scene);

    /// Starts to record the PPDUs used (mode, length, duration), during warm-up.
    void StartObserving();
    /// Starts the measured time.
    void StartMeasuring();
    /// Ends the measured time.
    void StopMeasuring();
    /// Payload of TCP has reached an application.
    void Received(uint32_t station, bool up, uint64_t bytes)
    {
        (up ? m_up : m_down).at(station) += bytes;
    }
    /// The results.
    JsonObject Json() const;

  private:
    /// The longest PPDU of its kind, and how many there were.
    struct Observed
    {
        uint64_t count = 0;
        uint32_t bytes = 0;
        size_t mpdus = 0;
        double durationUs = 0.0;
    };

    bool ReceiveFromStation(ns3::Ptr<ns3::NetDevice> device,
                            ns3::Ptr<const ns3::Packet> packet,
                            uint16_t protocol,
                            const ns3::Address& sender);
    bool ReceiveAtStation(ns3::Ptr<ns3::NetDevice> device,
                          ns3::Ptr<const ns3::Packet> packet,
                          uint16_t protocol,
                          const ns3::Address& sender);
    void Observe(ns3::WifiConstPsduMap psdus, ns3::WifiTxVector vector, double power);
    void Count(ns3::WifiConstPsduMap psdus, ns3::WifiTxVector vector, double power);
    void CountTxop(ns3::Time start, ns3::Time duration, uint8_t link);
    void ConnectFailures(ns3::Ptr<ns3::WifiMac> mac);
    void ConnectArrivals(uint32_t cell);
    std::string ObservedJson() const;
    static double CpuSeconds();

    using PsduCallback =
        ns3::Callback<void, ns3::WifiConstPsduMap, ns3::WifiTxVector, double>;

    const Options& m_options;
    const Scene& m_scene;
    bool m_measuring = false;
    std::map<ns3::Mac48Address, uint32_t> m_stationOf;
    /// By station: octets of payload.
    std::vector<uint64_t> m_up;
    std::vector<uint64_t> m_down;
    /// By cell: the strongest signal of another cell that arrives in the channel of its access point.
    std::vector<double> m_neighbourDbm;
    std::map<std::string, Observed> m_observed;
    std::map<std::string, uint64_t> m_ppdus;
    uint64_t m_dataMpdus = 0;
    uint64_t m_timeouts = 0;
    uint64_t m_dropped = 0;
    uint64_t m_txops = 0;
    double m_txopUs = 0.0;
    double m_longestTxopUs = 0.0;
    double m_cpuS = 0.0;
};

inline Meter::Meter(const Options& options, const Scene& scene)
    : m_options(options),
      m_scene(scene),
      m_up(options.stations, 0),
      m_down(options.stations, 0)
{
    for (uint32_t i = 0; i < options.stations; ++i)
    {
        auto station = scene.Station(i);
        m_stationOf[ns3::Mac48Address::ConvertFrom(station->GetAddress())] = i;
        if (!options.tcpWindowBytes)
        {
            station->SetReceiveCallback(ns3::MakeCallback(&Meter::ReceiveAtStation, this));
        }
    }
    for (uint32_t cell = 0; cell < options.Cells(); ++cell)
    {
        if (!options.tcpWindowBytes)
        {
            scene.AccessPoint(cell)->SetReceiveCallback(ns3::MakeCallback(&Meter::ReceiveFromStation, this));
        }
        if (!options.channels.empty())
        {
            ConnectArrivals(cell);
        }
    }
    for (auto device : scene.Devices())
    {
        ConnectFailures(device->GetMac());
    }
}

inline bool
Meter::ReceiveFromStation(ns3::Ptr<ns3::NetDevice>,
                          ns3::Ptr<const ns3::Packet>,
                          uint16_t,
                          const ns3::Address& sender)
{
    Received(m_stationOf.at(ns3::Mac48Address::ConvertFrom(sender)), true, m_options.payloadBytes);
    return true;
}

inline bool
Meter::ReceiveAtStation(ns3::Ptr<ns3::NetDevice> device,
                        ns3::Ptr<const ns3::Packet>,
                        uint16_t,
                        const ns3::Address&)
{
    Received(m_stationOf.at(ns3::Mac48Address::ConvertFrom(device->GetAddress())), false, m_options.payloadBytes);
    return true;
}

inline void
Meter::ConnectArrivals(uint32_t cell)
{
    m_neighbourDbm.push_back(NOTHING_DBM);
    m_scene.AccessPoint(cell)->GetPhy()->TraceConnectWithoutContext(
        "SignalArrival",
        ns3::Callback<void, ns3::Ptr<const ns3::SpectrumSignalParameters>, uint32_t, double, ns3::Time>(
            [this, cell](ns3::Ptr<const ns3::SpectrumSignalParameters>, uint32_t sender, double dbm, ns3::Time) {
                if (m_scene.CellOfNode(sender) != cell)
                {
                    m_neighbourDbm.at(cell) = std::max(m_neighbourDbm.at(cell), dbm);
                }
            }));
}

inline void
Meter::ConnectFailures(ns3::Ptr<ns3::WifiMac> mac)
{
    mac->TraceConnectWithoutContext(
        "MpduResponseTimeout",
        ns3::Callback<void, uint8_t, ns3::Ptr<const ns3::WifiMpdu>, const ns3::WifiTxVector&>(
            [this](uint8_t, ns3::Ptr<const ns3::WifiMpdu>, const ns3::WifiTxVector&) {
                m_timeouts += m_measuring;
            }));
    mac->TraceConnectWithoutContext(
        "PsduResponseTimeout",
        ns3::Callback<void, uint8_t, ns3::Ptr<const ns3::WifiPsdu>, const ns3::WifiTxVector&>(
            [this](uint8_t, ns3::Ptr<const ns3::WifiPsdu>, const ns3::WifiTxVector&) {
                m_timeouts += m_measuring;
            }));
    mac->TraceConnectWithoutContext(
        "DroppedMpdu",
        ns3::Callback<void, ns3::WifiMacDropReason, ns3::Ptr<const ns3::WifiMpdu>>(
            [this](ns3::WifiMacDropReason, ns3::Ptr<const ns3::WifiMpdu>) {
                m_dropped += m_measuring;
            }));
}

inline void
Meter::Observe(ns3::WifiConstPsduMap psdus, ns3::WifiTxVector vector, double)
{
    // Of an MU PPDU the first user.
    const auto& [station, psdu] = *psdus.begin();
    std::ostringstream kind;
    kind << psdu->GetHeader(0).GetTypeString() << " " << vector.GetMode(station).GetUniqueName() << " "
         << vector.GetChannelWidth() << " MHz nss " << +vector.GetNss(station) << " gi "
         << vector.GetGuardInterval().GetNanoSeconds() << " " << vector.GetPreambleType();
    if (vector.IsMu())
    {
        kind << " users " << psdus.size() << " ru " << vector.GetRu(station);
    }
    Observed& observed = m_observed[kind.str()];
    ++observed.count;
    if (psdu->GetSize() > observed.bytes)
    {
        const auto band = m_scene.AccessPoint(0)->GetPhy()->GetPhyBand();
        observed.bytes = psdu->GetSize();
        observed.mpdus = psdu->GetNMpdus();
        observed.durationUs =
            ns3::WifiPhy::CalculateTxDuration(psdus, vector, band).GetNanoSeconds() / 1e3;
    }
}

inline void
Meter::Count(ns3::WifiConstPsduMap psdus, ns3::WifiTxVector vector, double)
{
    const auto& psdu = psdus.begin()->second;
    const auto& header = psdu->GetHeader(0);
    if (header.IsData())
    {
        ++m_ppdus["data"];
        if (!m_options.channels.empty())
        {
            ++m_ppdus["data " + std::to_string(static_cast<uint32_t>(vector.GetChannelWidth())) + " MHz"];
        }
        for (const auto& [station, each] : psdus)
        {
            m_dataMpdus += each->GetNMpdus();
        }
    }
    else
    {
        ++m_ppdus[header.GetTypeString()];
    }
}

inline void
Meter::CountTxop(ns3::Time, ns3::Time duration, uint8_t)
{
    const double us = duration.GetNanoSeconds() / 1e3;
    ++m_txops;
    m_txopUs += us;
    m_longestTxopUs = std::max(m_longestTxopUs, us);
}

inline void
Meter::StartObserving()
{
    for (auto device : m_scene.Devices())
    {
        device->GetPhy()->TraceConnectWithoutContext("PhyTxPsduBegin",
                                                     ns3::MakeCallback(&Meter::Observe, this));
    }
}

inline void
Meter::StartMeasuring()
{
    for (auto device : m_scene.Devices())
    {
        auto phy = device->GetPhy();
        phy->TraceDisconnectWithoutContext("PhyTxPsduBegin", ns3::MakeCallback(&Meter::Observe, this));
        if (m_options.count)
        {
            phy->TraceConnectWithoutContext("PhyTxPsduBegin", ns3::MakeCallback(&Meter::Count, this));
        }
        for (const std::string category : {"BE", "BK", "VI", "VO"})
        {
            if (m_options.count && m_options.HasQos())
            {
                device->GetMac()->GetQosTxop(Scene::UserPriority(category))->TraceConnectWithoutContext(
                    "TxopTrace", ns3::MakeCallback(&Meter::CountTxop, this));
            }
        }
    }
    std::fill(m_up.begin(), m_up.end(), 0);
    std::fill(m_down.begin(), m_down.end(), 0);
    std::fill(m_neighbourDbm.begin(), m_neighbourDbm.end(), NOTHING_DBM);
    m_measuring = true;
    m_cpuS = CpuSeconds();
}

inline void
Meter::StopMeasuring()
{
    m_cpuS = CpuSeconds() - m_cpuS;
    m_measuring = false;
    ns3::Simulator::Stop();
}

inline double
Meter::CpuSeconds()
{
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
           (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

inline std::string
Meter::ObservedJson() const
{
    std::vector<JsonObject> kinds;
    for (const auto& [kind, observed] : m_observed)
    {
        JsonObject json;
        json.Add("ppdu", kind).Add("count", observed.count).Add("bytes", observed.bytes);
        json.Add("mpdus", observed.mpdus).Add("duration_us", observed.durationUs);
        kinds.push_back(json);
    }
    return JsonObject::Objects(kinds);
}

inline JsonObject
Meter::Json() const
{
    const double scale = 8.0 / m_options.seconds / 1e6;
    std::vector<double> up;
    std::vector<double> down;
    double total = 0.0;
    for (uint32_t i = 0; i < m_options.stations; ++i)
    {
        up.push_back(m_up[i] * scale);
        down.push_back(m_down[i] * scale);
        total += up.back() + down.back();
    }
    JsonObject ppdus;
    for (const auto& [kind, count] : m_ppdus)
    {
        ppdus.Add(kind, count);
    }
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    JsonObject json;
    json.Add("goodput_mbps", total);
    json.Raw("up_mbps", JsonObject::List(up)).Raw("down_mbps", JsonObject::List(down));
    json.Add("failed_exchanges", m_timeouts).Add("dropped_mpdus", m_dropped);
    json.Raw("ppdus", ppdus.Text()).Add("data_mpdus", m_dataMpdus);
    json.Add("txops", m_txops).Add("mean_txop_us", m_txops ? m_txopUs / m_txops : 0.0);
    json.Add("longest_txop_us", m_longestTxopUs);
    json.Raw("neighbour_dbm", JsonObject::List(m_neighbourDbm));
    json.Raw("observed", ObservedJson());
    json.Add("simulated_s", m_options.seconds).Add("cpu_s", m_cpuS);
    json.Add("peak_memory_mb", usage.ru_maxrss / 1024.0);
    return json;
}

} // namespace airtcp
