// Infrastructure cells, each an access point and its stations: one, or several whose channels may overlap.
#pragma once

#include "options.h"
#include "reception.h"

#include "ns3/core-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/propagation-module.h"
#include "ns3/spectrum-module.h"
#include "ns3/wifi-module.h"

namespace airtcp
{

/// The nodes of all cells, built from the options.
class Scene
{
  public:
    explicit Scene(const Options& options);

    ns3::Ptr<ns3::WifiNetDevice> AccessPoint(uint32_t cell) const
    {
        return m_accessPoints.at(cell);
    }

    /// The access point of a station's cell.
    ns3::Ptr<ns3::WifiNetDevice> AccessPointOf(uint32_t station) const
    {
        return AccessPoint(CellOf(station));
    }

    /// Stations are dealt round the cells.
    uint32_t CellOf(uint32_t station) const
    {
        return station % m_options.Cells();
    }

    ns3::Ptr<ns3::WifiNetDevice> Station(uint32_t index) const
    {
        return m_stations.at(index);
    }

    /// The cell of a node, by its place among those of the scene.
    uint32_t CellOfNode(uint32_t node) const
    {
        return node < m_options.stations ? CellOf(node) : node - m_options.stations;
    }

    /// Stations first, access points last.
    std::vector<ns3::Ptr<ns3::WifiNetDevice>> Devices() const;

    /// All stations are associated.
    bool IsAssociated() const
    {
        return m_associated == m_options.stations;
    }

    /// From now on stations do not hear each other, if the scene says so. In ns-3 3.44 stations that are hidden from the start
    /// are not associated within a minute.
    void HideStations();

    /// Switches beacons off.
    void StopBeacons();

    /// ns-3's channel access parameters of the first access point and of a station of each category.
    JsonObject AccessJson() const;

    /// The user priority (TID) of a category.
    static uint8_t UserPriority(const std::string& category);

  private:
    void Install(const ns3::NodeContainer& nodes, ns3::WifiPhyHelper& phy);
    void InstallOnOneChannel(const ns3::NodeContainer& nodes);
    void InstallOnSpectrum(const ns3::NodeContainer& nodes);
    ns3::Ptr<ns3::PropagationLossModel> MakeLoss(const ns3::NodeContainer& nodes);
    ns3::Ptr<ns3::PropagationLossModel> MakeLossBetweenCells(const ns3::NodeContainer& nodes) const;
    std::string PowerOfPair(uint32_t node, uint32_t other) const;
    void ConfigurePhy(ns3::WifiPhyHelper& phy) const;
    void ConfigureStandard(ns3::WifiHelper& wifi, const std::string& standard) const;
    void ConfigureMultiUser(ns3::WifiMacHelper& mac) const;
    void ConfigureMac(ns3::Ptr<ns3::WifiNetDevice> device, uint32_t peers) const;
    void ConfigureAccess(ns3::Ptr<ns3::Txop> txop) const;
    ns3::Ptr<ns3::WifiNetDevice> InstallOne(const ns3::WifiPhyHelper& phy,
                                            ns3::WifiMacHelper& mac,
                                            ns3::Ptr<ns3::Node> node,
                                            const std::string& standard,
                                            const std::string& rate) const;
    std::string DataMode(const std::string& standard, const std::string& rate) const;
    std::string LegacyMode(const std::string& standard, const std::string& rate) const;
    JsonObject AccessOf(ns3::Ptr<ns3::WifiNetDevice> device, const std::string& category) const;

    const Options& m_options;
    std::vector<ns3::Ptr<ns3::WifiNetDevice>> m_accessPoints;
    std::vector<ns3::Ptr<ns3::WifiNetDevice>> m_stations;
    ns3::Ptr<ns3::MatrixPropagationLossModel> m_betweenStations;
    uint32_t m_associated = 0;
};

/// Received power is this minus the loss of the channel.
constexpr double TX_POWER_DBM = 20.0;
/// Between nodes: too little for a propagation delay of 1 ns. Between nodes at one place ns-3 3.44 has no loss.
constexpr double APART_M = 0.001;
/// Loss between stations that do not hear each other.
constexpr double NO_PATH_DB = 300.0;
/// Frames have no lifetime in a saturated queue.
constexpr double LIFETIME_S = 1e6;
/// A station stays associated for this number of missing beacons (years).
constexpr uint32_t NEVER_MIND_BEACONS = 1'000'000'000;

inline Scene::Scene(const Options& options)
    : m_options(options)
{
    ns3::NodeContainer nodes;
    nodes.Create(options.stations + options.Cells());
    ns3::MobilityHelper mobility;
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.SetPositionAllocator("ns3::GridPositionAllocator", "DeltaX", ns3::DoubleValue(APART_M));
    mobility.Install(nodes);
    // Only the PHY with spectra has MU PPDUs.
    if (options.channels.empty() && options.multiUserStations == 0)
    {
        InstallOnOneChannel(nodes);
    }
    else
    {
        InstallOnSpectrum(nodes);
    }
}

inline void
Scene::InstallOnOneChannel(const ns3::NodeContainer& nodes)
{
    auto channel = ns3::CreateObject<ns3::YansWifiChannel>();
    channel->SetPropagationDelayModel(ns3::CreateObject<ns3::ConstantSpeedPropagationDelayModel>());
    channel->SetPropagationLossModel(MakeLoss(nodes));
    ns3::YansWifiPhyHelper phy;
    phy.SetChannel(channel);
    Install(nodes, phy);
}

/// Each signal has its power spectral density, as its channel and ns-3's transmit mask say.
inline void
Scene::InstallOnSpectrum(const ns3::NodeContainer& nodes)
{
    auto channel = ns3::CreateObject<ns3::MultiModelSpectrumChannel>();
    channel->SetPropagationDelayModel(ns3::CreateObject<ns3::ConstantSpeedPropagationDelayModel>());
    channel->AddPropagationLossModel(MakeLossBetweenCells(nodes));
    ns3::SpectrumWifiPhyHelper phy;
    phy.SetChannel(channel);
    Install(nodes, phy);
}

inline void
Scene::Install(const ns3::NodeContainer& nodes, ns3::WifiPhyHelper& phy)
{
    ConfigurePhy(phy);
    const auto ssid = [](uint32_t cell) { return ns3::SsidValue(ns3::Ssid(cell ? "cell" + std::to_string(cell) : "cell")); };
    for (uint32_t i = 0; i < m_options.stations; ++i)
    {
        phy.Set("ChannelSettings", ns3::StringValue(m_options.ChannelSettings(CellOf(i), m_options.StandardOf(i))));
        ns3::WifiMacHelper mac;
        mac.SetType("ns3::StaWifiMac",
                    "Ssid", ssid(CellOf(i)),
                    "MaxMissedBeacons", ns3::UintegerValue(NEVER_MIND_BEACONS),
                    "QosSupported", ns3::BooleanValue(m_options.HasQos()));
        auto device = InstallOne(phy, mac, nodes.Get(i), m_options.StandardOf(i), Options::Dealt(m_options.rates, i));
        device->GetMac()->TraceConnectWithoutContext(
            "Assoc",
            ns3::Callback<void, ns3::Mac48Address>([this](ns3::Mac48Address) { ++m_associated; }));
        ConfigureMac(device, 1);
        m_stations.push_back(device);
    }
    for (uint32_t cell = 0; cell < m_options.Cells(); ++cell)
    {
        phy.Set("ChannelSettings", ns3::StringValue(m_options.ChannelSettings(cell, m_options.standard)));
        ns3::WifiMacHelper mac;
        mac.SetType("ns3::ApWifiMac",
                    "Ssid", ssid(cell),
                    "QosSupported", ns3::BooleanValue(m_options.HasQos()));
        ConfigureMultiUser(mac);
        const auto node = nodes.Get(m_options.stations + cell);
        m_accessPoints.push_back(
            InstallOne(phy, mac, node, m_options.standard, Options::Dealt(m_options.rates, cell)));
        ConfigureMac(m_accessPoints.back(), m_options.stations);
    }
}

inline ns3::Ptr<ns3::PropagationLossModel>
Scene::MakeLoss(const ns3::NodeContainer& nodes)
{
    const auto powers = Options::Split(m_options.rssDbm);
    if (powers.size() == 1 && !m_options.hidden)
    {
        auto fixed = ns3::CreateObject<ns3::FixedRssLossModel>();
        fixed->SetRss(std::stod(powers.front()));
        if (m_options.nakagamiM > 0.0)
        {
            auto fading = ns3::CreateObject<ns3::NakagamiPropagationLossModel>();
            for (const std::string m : {"m0", "m1", "m2"}) // of near, middle and far distances
            {
                fading->SetAttribute(m, ns3::DoubleValue(m_options.nakagamiM));
            }
            fixed->SetNext(fading);
        }
        return fixed;
    }
    auto matrix = ns3::CreateObject<ns3::MatrixPropagationLossModel>();
    m_betweenStations = matrix;
    // Stations that hear each other receive with the strongest power of any station at the access point.
    double strongest = std::stod(powers.front());
    for (const auto& power : powers)
    {
        strongest = std::max(strongest, std::stod(power));
    }
    matrix->SetDefaultLoss(TX_POWER_DBM - strongest);
    auto accessPoint = nodes.Get(m_options.stations)->GetObject<ns3::MobilityModel>();
    for (uint32_t i = 0; i < m_options.stations; ++i)
    {
        const double loss = TX_POWER_DBM - std::stod(Options::Dealt(m_options.rssDbm, i));
        matrix->SetLoss(nodes.Get(i)->GetObject<ns3::MobilityModel>(), accessPoint, loss);
    }
    return matrix;
}

/// The received power between two nodes of a scene of several cells; empty: that between nodes of different cells.
inline std::string
Scene::PowerOfPair(uint32_t node, uint32_t other) const
{
    if (CellOfNode(node) == CellOfNode(other))
    {
        return Options::Dealt(m_options.rssDbm, CellOfNode(node));
    }
    return node >= m_options.stations && other >= m_options.stations ? m_options.accessPointsDbm : "";
}

/// One power within every cell, one between nodes of different cells, and one between access points.
inline ns3::Ptr<ns3::PropagationLossModel>
Scene::MakeLossBetweenCells(const ns3::NodeContainer& nodes) const
{
    auto matrix = ns3::CreateObject<ns3::MatrixPropagationLossModel>();
    matrix->SetDefaultLoss(TX_POWER_DBM - m_options.betweenDbm);
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        for (uint32_t other = 0; other < i; ++other)
        {
            const auto powerDbm = PowerOfPair(i, other);
            if (!powerDbm.empty())
            {
                matrix->SetLoss(nodes.Get(i)->GetObject<ns3::MobilityModel>(),
                                nodes.Get(other)->GetObject<ns3::MobilityModel>(),
                                TX_POWER_DBM - std::stod(powerDbm));
            }
        }
    }
    return matrix;
}

inline void
Scene::ConfigurePhy(ns3::WifiPhyHelper& phy) const
{
    phy.Set("CcaSensitivity", ns3::DoubleValue(m_options.ccaSensitivityDbm));
    phy.Set("RxNoiseFigure", ns3::DoubleValue(m_options.noiseFigureDb));
    phy.Set("TxPowerStart", ns3::DoubleValue(TX_POWER_DBM));
    phy.Set("TxPowerEnd", ns3::DoubleValue(TX_POWER_DBM));
    phy.Set("Antennas", ns3::UintegerValue(m_options.streams));
    phy.Set("MaxSupportedTxSpatialStreams", ns3::UintegerValue(m_options.streams));
    phy.Set("MaxSupportedRxSpatialStreams", ns3::UintegerValue(m_options.streams));
    if (m_options.reception == "collision" || m_options.reception == "header_collision")
    {
        phy.SetErrorRateModel("airtcp::CollisionErrorRateModel",
                              "LosesHeaders",
                              ns3::BooleanValue(m_options.reception == "header_collision"));
    }
    if (m_options.reception == "nist")
    {
        phy.SetErrorRateModel("ns3::NistErrorRateModel");
    }
    if (m_options.preambleSinrDb < -90.0)
    {
        phy.DisablePreambleDetectionModel();
    }
    else
    {
        phy.SetPreambleDetectionModel("ns3::ThresholdPreambleDetectionModel",
                                      "Threshold", ns3::DoubleValue(m_options.preambleSinrDb));
    }
    if (m_options.capture)
    {
        phy.SetFrameCaptureModel("ns3::SimpleFrameCaptureModel");
    }
}

inline std::string
Scene::DataMode(const std::string& standard, const std::string& rate) const
{
    const std::map<std::string, std::string> prefixes = {{"11n", "HtMcs"}, {"11ac", "VhtMcs"}, {"11ax", "HeMcs"}};
    const auto found = prefixes.find(standard);
    if (found == prefixes.end())
    {
        return LegacyMode(standard, rate);
    }
    const uint32_t streams = standard == "11n" ? m_options.streams : 1; // an HT MCS counts them
    return found->second + std::to_string(std::stoul(rate) + 8 * (streams - 1));
}

inline std::string
Scene::LegacyMode(const std::string& standard, const std::string& rate) const
{
    if (standard == "11b")
    {
        return "DsssRate" + (rate == "5.5" ? std::string("5_5") : rate) + "Mbps";
    }
    return (m_options.band == "2.4" ? "ErpOfdmRate" : "OfdmRate") + rate + "Mbps";
}

inline void
Scene::ConfigureStandard(ns3::WifiHelper& wifi, const std::string& standard) const
{
    const std::map<std::string, ns3::WifiStandard> standards = {
        {"11b", ns3::WIFI_STANDARD_80211b}, {"11a", ns3::WIFI_STANDARD_80211a},
        {"11g", ns3::WIFI_STANDARD_80211g}, {"11n", ns3::WIFI_STANDARD_80211n},
        {"11ac", ns3::WIFI_STANDARD_80211ac}, {"11ax", ns3::WIFI_STANDARD_80211ax}};
    const auto found = standards.find(standard);
    NS_ABORT_MSG_IF(found == standards.end(), "no standard " << standard);
    wifi.SetStandard(found->second);
    wifi.DisableFlowControl();
    if (m_options.IsHighThroughput())
    {
        wifi.ConfigHtOptions("ShortGuardIntervalSupported",
                             ns3::BooleanValue(m_options.guardNs == 400));
    }
    if (standard == "11ax")
    {
        wifi.ConfigHeOptions("GuardInterval", ns3::TimeValue(ns3::NanoSeconds(m_options.guardNs)));
    }
}

inline ns3::Ptr<ns3::WifiNetDevice>
Scene::InstallOne(const ns3::WifiPhyHelper& phy,
                  ns3::WifiMacHelper& mac,
                  ns3::Ptr<ns3::Node> node,
                  const std::string& standard,
                  const std::string& rate) const
{
    ns3::WifiHelper wifi;
    ConfigureStandard(wifi, standard);
    const std::string rtsRate = m_options.rtsRate.empty() ? (standard == "11b" ? "2" : "24") : m_options.rtsRate;
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode", ns3::StringValue(DataMode(standard, rate)),
                                 "ControlMode", ns3::StringValue(LegacyMode(standard, rtsRate)),
                                 "RtsCtsThreshold", ns3::UintegerValue(m_options.rtsThresholdBytes));
    return ns3::DynamicCast<ns3::WifiNetDevice>(wifi.Install(phy, mac, node).Get(0));
}

/// OFDMA for what the access point sends; ns-3's round robin is the only scheduler that it has.
inline void
Scene::ConfigureMultiUser(ns3::WifiMacHelper& mac) const
{
    if (m_options.multiUserStations == 0)
    {
        return;
    }
    mac.SetMultiUserScheduler("ns3::RrMultiUserScheduler",
                              "NStations", ns3::UintegerValue(m_options.multiUserStations),
                              "EnableUlOfdma", ns3::BooleanValue(m_options.multiUserUplink != "off"),
                              "EnableBsrp", ns3::BooleanValue(m_options.multiUserUplink == "bsrp"),
                              "AccessReqInterval",
                              ns3::TimeValue(m_options.multiUserUplink == "off" ? ns3::Time(0) : ns3::MilliSeconds(1)));
    const std::map<std::string, std::string> sequences = {{"sequential", "DL_MU_BAR_BA_SEQUENCE"},
                                                          {"mu_bar", "DL_MU_TF_MU_BAR"},
                                                          {"aggregated_mu_bar", "DL_MU_AGGREGATE_TF"}};
    mac.SetProtectionManager("ns3::WifiDefaultProtectionManager",
                             "EnableMuRts", ns3::BooleanValue(m_options.muRts));
    mac.SetAckManager("ns3::WifiDefaultAckManager",
                      "DlMuAckSequenceType", ns3::StringValue(sequences.at(m_options.multiUserAck)));
}

inline void
Scene::ConfigureMac(ns3::Ptr<ns3::WifiNetDevice> device, uint32_t peers) const
{
    auto mac = device->GetMac();
    mac->SetFrameRetryLimit(m_options.retryLimit);
    const bool aggregates = mac->GetHtConfiguration() != nullptr;
    if (aggregates)
    {
        mac->SetMpduBufferSize(m_options.windowMpdus);
    }
    // Room for the frames that sources keep queued for every peer, and for management frames.
    const ns3::QueueSize room(ns3::QueueSizeUnit::PACKETS, 2048 * peers + 1000);
    auto setQueue = [&room](ns3::Ptr<ns3::WifiMacQueue> queue) {
        queue->SetMaxSize(room);
        queue->SetMaxDelay(ns3::Seconds(LIFETIME_S));
    };
    if (!m_options.HasQos())
    {
        setQueue(mac->GetTxop()->GetWifiMacQueue());
        ConfigureAccess(mac->GetTxop());
        return;
    }
    for (const std::string category : {"BE", "BK", "VI", "VO"})
    {
        if (aggregates)
        {
            mac->SetAttribute(category + "_MaxAmpduSize", ns3::UintegerValue(m_options.ampduBytes));
            mac->SetAttribute(category + "_MaxAmsduSize", ns3::UintegerValue(m_options.amsduBytes));
        }
        auto txop = mac->GetQosTxop(UserPriority(category));
        txop->SetAttribute("UseExplicitBarAfterMissedBlockAck",
                           ns3::BooleanValue(m_options.explicitBar));
        setQueue(txop->GetWifiMacQueue());
        ConfigureAccess(txop);
    }
}

inline void
Scene::ConfigureAccess(ns3::Ptr<ns3::Txop> txop) const
{
    if (m_options.txopUs >= 0)
    {
        txop->SetTxopLimit(ns3::MicroSeconds(m_options.txopUs));
    }
    if (m_options.aifsn >= 0)
    {
        txop->SetAifsn(static_cast<uint8_t>(m_options.aifsn));
    }
    if (m_options.cwMin >= 0)
    {
        txop->SetMinCw(static_cast<uint32_t>(m_options.cwMin));
    }
    if (m_options.cwMax >= 0)
    {
        txop->SetMaxCw(static_cast<uint32_t>(m_options.cwMax));
    }
}

inline void
Scene::HideStations()
{
    if (m_options.hidden)
    {
        m_betweenStations->SetDefaultLoss(NO_PATH_DB);
    }
}

inline void
Scene::StopBeacons()
{
    for (auto accessPoint : m_accessPoints)
    {
        accessPoint->GetMac()->SetAttribute("BeaconGeneration", ns3::BooleanValue(false));
    }
}

inline std::vector<ns3::Ptr<ns3::WifiNetDevice>>
Scene::Devices() const
{
    auto devices = m_stations;
    devices.insert(devices.end(), m_accessPoints.begin(), m_accessPoints.end());
    return devices;
}

inline uint8_t
Scene::UserPriority(const std::string& category)
{
    const std::map<std::string, uint8_t> priorities = {{"BE", 0}, {"BK", 1}, {"VI", 5}, {"VO", 6}};
    return priorities.at(category);
}

inline JsonObject
Scene::AccessOf(ns3::Ptr<ns3::WifiNetDevice> device, const std::string& category) const
{
    auto mac = device->GetMac();
    ns3::Ptr<ns3::Txop> txop = mac->GetTxop();
    if (m_options.HasQos())
    {
        txop = mac->GetQosTxop(UserPriority(category));
    }
    JsonObject json;
    json.Add("category", m_options.HasQos() ? category : "DCF");
    json.Add("aifsn", +txop->GetAifsn()).Add("cw_min", txop->GetMinCw()).Add("cw_max", txop->GetMaxCw());
    json.Add("txop_us", txop->GetTxopLimit().GetMicroSeconds());
    return json;
}

inline JsonObject
Scene::AccessJson() const
{
    auto phy = AccessPoint(0)->GetPhy();
    std::vector<JsonObject> stations;
    const size_t kinds = Options::Split(m_options.accessCategories).size();
    for (uint32_t i = 0; i < std::min<size_t>(kinds, m_options.stations); ++i)
    {
        stations.push_back(AccessOf(Station(i), Options::Dealt(m_options.accessCategories, i)));
    }
    JsonObject json;
    json.Add("slot_us", phy->GetSlot().GetMicroSeconds());
    json.Add("sifs_us", phy->GetSifs().GetMicroSeconds());
    json.Add("eifs_without_difs_us", (phy->GetSifs() + phy->GetAckTxTime()).GetMicroSeconds());
    json.Raw("access_point", AccessOf(AccessPoint(0), Options::Dealt(m_options.accessCategories, 0)).Text());
    json.Raw("stations", JsonObject::Objects(stations));
    return json;
}

} // namespace airtcp
