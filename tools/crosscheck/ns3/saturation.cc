// Access points and their stations under saturated traffic or TCP, in ns-3: goodput, counts and cost as JSON.
//
// Scene: an infrastructure cell, or several on overlapping channels, all nodes at one place (no propagation delay), fixed received power,
// constant rates. Sources replace frames that the MAC has completed, so no queue runs empty. Packets go
// straight to the NIC with the length of UDP over IPv4 (payload + 28 octets, LLC/SNAP by ns-3), for
// the IP stack is not part of the comparison. Stations associate first, then each source in turn sets up
// its BlockAck agreement, then all are saturated, and after the warm-up measuring begins. With TCP, flows of ns-3's own TCP between the
// access point and each station take their place, all at once.

#include "tcp.h"

#include <iostream>

namespace airtcp
{

NS_OBJECT_ENSURE_REGISTERED(CollisionErrorRateModel);

} // namespace airtcp

namespace
{

/// Interval at which the start checks whether every station is associated.
const ns3::Time ASSOCIATION_POLL = ns3::MilliSeconds(10);
/// Between the first packets of one source and those of the next: all of them are sent meanwhile.
const ns3::Time INTRODUCTION = ns3::MilliSeconds(20);
/// A cell that is not complete by then is a fault of the scene.
const ns3::Time ASSOCIATION_LIMIT = ns3::Seconds(60);

/// Starts everything in its order.
class Conductor
{
  public:
    explicit Conductor(const airtcp::Options& options)
        : m_options(options),
          m_scene(options),
          m_meter(options, m_scene)
    {
        if (options.tcpWindowBytes > 0)
        {
            m_flows = std::make_unique<airtcp::TcpFlows>(options, m_scene, m_meter);
        }
        else
        {
            MakeSources();
        }
        ns3::Simulator::Schedule(ASSOCIATION_POLL, &Conductor::AwaitAssociation, this);
    }

    std::string Json() const
    {
        airtcp::JsonObject json;
        json.Raw("options", m_options.Json().Text());
        json.Raw("access", m_access);
        json.Raw("results", m_meter.Json().Text());
        json.Add("association_s", m_associationS);
        return json.Text();
    }

  private:
    void MakeSources()
    {
        std::vector<std::unique_ptr<airtcp::SaturatedSource>> fromAccessPoints;
        for (uint32_t cell = 0; cell < m_options.Cells(); ++cell)
        {
            fromAccessPoints.push_back(
                std::make_unique<airtcp::SaturatedSource>(m_options, m_scene.AccessPoint(cell)));
        }
        for (uint32_t i = 0; i < m_options.stations; ++i)
        {
            const auto category = airtcp::Options::Dealt(m_options.accessCategories, i);
            auto station = m_scene.Station(i);
            if (m_options.Downlink(i))
            {
                const auto address = ns3::Mac48Address::ConvertFrom(station->GetAddress());
                fromAccessPoints.at(m_scene.CellOf(i))->AddReceiver(address, category);
            }
            if (m_options.Uplink(i))
            {
                m_sources.push_back(std::make_unique<airtcp::SaturatedSource>(m_options, station));
                const auto accessPoint = m_scene.AccessPointOf(i)->GetAddress();
                m_sources.back()->AddReceiver(ns3::Mac48Address::ConvertFrom(accessPoint), category);
            }
        }
        for (auto& source : fromAccessPoints)
        {
            if (source->HasReceivers())
            {
                m_sources.push_back(std::move(source));
            }
        }
    }

    void AwaitAssociation()
    {
        NS_ABORT_MSG_IF(ns3::Simulator::Now() > ASSOCIATION_LIMIT, "some stations do not associate");
        if (!m_scene.IsAssociated())
        {
            ns3::Simulator::Schedule(ASSOCIATION_POLL, &Conductor::AwaitAssociation, this);
            return;
        }
        m_associationS = ns3::Simulator::Now().GetSeconds();
        ns3::Time start;
        for (auto& source : m_sources)
        {
            ns3::Simulator::Schedule(start, &airtcp::SaturatedSource::Introduce, source.get());
            start += INTRODUCTION * (source == m_sources.back() ? m_options.stations : 1);
        }
        ns3::Simulator::Schedule(start, &Conductor::Saturate, this);
    }

    void Saturate()
    {
        m_scene.HideStations();
        m_meter.StartObserving();
        for (auto& source : m_sources)
        {
            source->Start();
        }
        if (m_flows)
        {
            m_flows->Start();
        }
        ns3::Simulator::Schedule(ns3::Seconds(m_options.warmupS), &Conductor::Measure, this);
    }

    void Measure()
    {
        if (!m_options.beacons)
        {
            m_scene.StopBeacons();
        }
        m_access = m_scene.AccessJson().Text();
        m_meter.StartMeasuring();
        ns3::Simulator::Schedule(ns3::Seconds(m_options.seconds), &airtcp::Meter::StopMeasuring, &m_meter);
    }

    const airtcp::Options& m_options;
    airtcp::Scene m_scene;
    airtcp::Meter m_meter;
    std::vector<std::unique_ptr<airtcp::SaturatedSource>> m_sources;
    std::unique_ptr<airtcp::TcpFlows> m_flows;
    std::string m_access = "{}";
    double m_associationS = 0.0;
};

} // namespace

int
main(int argc, char** argv)
{
    airtcp::Options options;
    options.Parse(argc, argv);
    ns3::RngSeedManager::SetSeed(1);
    ns3::RngSeedManager::SetRun(options.seed);
    Conductor conductor(options);
    ns3::Simulator::Run();
    std::cout << conductor.Json() << std::endl;
    ns3::Simulator::Destroy();
    return 0;
}
