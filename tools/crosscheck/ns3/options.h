// Options of one run of the program.
#pragma once

#include "json.h"

#include "ns3/command-line.h"

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace airtcp
{

/// The scene: all values that affect the result; defaults of ns-3 that are used are printed.
struct Options
{
    std::string standard = "11a"; ///< of the access points: 11b, 11a, 11g, 11n, 11ac, 11ax
    std::string stationStandards; ///< a list is dealt round the stations; empty: as the access point
    std::string band = "5";       ///< GHz: 2.4, 5, 6
    uint32_t stations = 1;
    std::string direction = "up"; ///< up, down, both; a list is dealt round the stations
    std::string rates = "54";     ///< Mb/s (11b/a/g) or MCS index (11n/ac/ax); a list is dealt round the stations
    std::string rtsRate;          ///< Mb/s, of RTS; empty: the highest basic rate, 24 (11b: 2)
    uint32_t widthMhz = 20;
    std::string channels;          ///< of each cell the number of its channel's centre; empty: one cell, any channel
    std::string widthsMhz = "20";  ///< a list is dealt round the cells; used with channels
    std::string primaries = "0";   ///< index of the primary 20 MHz from below; a list is dealt round the cells
    double betweenDbm = -30.0;     ///< received power between the nodes of different cells
    std::string accessPointsDbm;   ///< between access points; empty: as between all nodes
    uint32_t streams = 1;
    uint32_t guardNs = 800;
    uint32_t rtsThresholdBytes = 4692480; ///< RTS before PSDUs larger than this; the default is ns-3's largest
    uint32_t ampduBytes = 0;
    uint32_t amsduBytes = 0;
    uint32_t windowMpdus = 64; ///< BlockAck buffer; more than 64 only in 11ax
    uint32_t payloadBytes = 1472;
    std::string accessCategories = "BE"; ///< BE, BK, VI, VO; a list is dealt round the stations
    int32_t txopUs = -1;                 ///< -1: ns-3's own default of the category
    int32_t aifsn = -1;
    int32_t cwMin = -1;
    int32_t cwMax = -1;
    bool qos = false; ///< 11b/a/g with EDCA; always on in 11n/ac/ax
    uint32_t retryLimit = 7; ///< ns-3's FrameRetryLimit: of frames, and of failures until the window is CWmin again
    bool explicitBar = false; ///< after a lost BlockAck: BlockAckReq (ns-3's default) or retransmission
    std::string reception = "collision"; ///< collision, header_collision: CollisionErrorRateModel; table: ns-3's default; nist
    bool capture = false;          ///< ns-3's SimpleFrameCaptureModel
    double preambleSinrDb = 4.0;   ///< below it a preamble is not seen (ns-3's default 4); below -90: always seen
    std::string rssDbm = "-30";    ///< between access point and station; a list is dealt round the stations
    bool hidden = false;           ///< stations do not hear each other
    double ccaSensitivityDbm = -82.0; ///< a PPDU makes the medium busy from here on (ns-3's default)
    double noiseFigureDb = 7.0;        ///< ns-3's default
    double nakagamiM = 0.0;            ///< each PPDU has its own gain at each receiver; 0: no fading
    uint32_t multiUserStations = 0; ///< the most stations in a downlink MU PPDU of 11ax; 0: single-user only
    std::string multiUserAck = "sequential"; ///< sequential, mu_bar, aggregated_mu_bar
    bool muRts = false;            ///< MU-RTS in place of RTS before MU PPDUs
    std::string multiUserUplink = "off"; ///< trigger frames for uplinks: off, basic, bsrp (and basic after it)
    uint32_t tcpWindowBytes = 0;   ///< windows of TCP flows, which take the place of datagrams; 0: datagrams
    bool beacons = false;          ///< beacons while measuring
    uint32_t seed = 1;
    double warmupS = 0.5;
    double seconds = 2.0;
    bool count = true; ///< count PPDUs while measuring (a little CPU); off when speed is measured

    /// Parts of a comma-separated list.
    static std::vector<std::string> Split(const std::string& list)
    {
        std::vector<std::string> parts;
        std::stringstream stream(list);
        for (std::string part; std::getline(stream, part, ',');)
        {
            parts.push_back(part);
        }
        return parts;
    }

    /// The list entry of a station or a cell.
    static std::string Dealt(const std::string& list, uint32_t number)
    {
        const auto parts = Split(list);
        return parts.at(number % parts.size());
    }

    /// Cells; stations are dealt round them.
    uint32_t Cells() const
    {
        return std::max<size_t>(1, Split(channels).size());
    }

    /// ns-3's text for the channel of a cell: number, width, band, index of the primary 20 MHz.
    std::string ChannelSettings(uint32_t cell, const std::string& standard) const
    {
        const std::string name = "BAND_" + (band == "2.4" ? std::string("2_4") : band) + "GHZ";
        if (channels.empty())
        {
            // 11b: the only width of DSSS is 22 MHz.
            const uint32_t width = standard == "11b" ? 22 : widthMhz;
            return "{0, " + std::to_string(width) + ", " + name + ", 0}";
        }
        return "{" + Dealt(channels, cell) + ", " + Dealt(widthsMhz, cell) + ", " + name + ", " +
               Dealt(primaries, cell) + "}";
    }

    /// 11n and later: MCS, aggregation, always QoS.
    bool IsHighThroughput() const
    {
        return standard == "11n" || standard == "11ac" || standard == "11ax";
    }

    /// The standard of a station.
    std::string StandardOf(uint32_t station) const
    {
        return stationStandards.empty() ? standard : Dealt(stationStandards, station);
    }

    /// Frames carry a QoS Control field and channel access is EDCA.
    bool HasQos() const
    {
        return qos || IsHighThroughput();
    }

    bool Uplink(uint32_t station) const
    {
        return Dealt(direction, station) != "down";
    }

    bool Downlink(uint32_t station) const
    {
        return Dealt(direction, station) != "up";
    }

    /// Reads the command line; an unknown option ends the program with a message.
    void Parse(int argc, char** argv);
    /// Everything as JSON.
    JsonObject Json() const;
};

inline void
Options::Parse(int argc, char** argv)
{
    ns3::CommandLine line(__FILE__);
    line.AddValue("standard", "11b, 11a, 11g, 11n, 11ac, 11ax", standard);
    line.AddValue("station-standards", "as standard, by default the same; list per station", stationStandards);
    line.AddValue("band", "GHz: 2.4, 5, 6", band);
    line.AddValue("stations", "number of stations", stations);
    line.AddValue("direction", "up, down, both; list per station", direction);
    line.AddValue("rates", "Mb/s, or MCS from 11n on; list per station", rates);
    line.AddValue("rts-rate", "Mb/s of RTS", rtsRate);
    line.AddValue("width-mhz", "channel width", widthMhz);
    line.AddValue("channels", "number of the channel's centre; list per cell", channels);
    line.AddValue("widths-mhz", "channel width; list per cell", widthsMhz);
    line.AddValue("primaries", "index of the primary 20 MHz; list per cell", primaries);
    line.AddValue("between-dbm", "received power between cells", betweenDbm);
    line.AddValue("access-points-dbm", "received power between access points", accessPointsDbm);
    line.AddValue("streams", "spatial streams", streams);
    line.AddValue("guard-ns", "guard interval", guardNs);
    line.AddValue("rts-threshold-bytes", "RTS before larger PSDUs", rtsThresholdBytes);
    line.AddValue("ampdu-bytes", "largest A-MPDU, 0: none", ampduBytes);
    line.AddValue("amsdu-bytes", "largest A-MSDU, 0: none", amsduBytes);
    line.AddValue("window-mpdus", "BlockAck buffer (11ax)", windowMpdus);
    line.AddValue("payload-bytes", "UDP payload", payloadBytes);
    line.AddValue("access-categories", "BE, BK, VI, VO; list per station", accessCategories);
    line.AddValue("txop-us", "TXOP limit of every category, -1: default", txopUs);
    line.AddValue("aifsn", "AIFSN of every category, -1: default", aifsn);
    line.AddValue("cw-min", "CWmin of every category, -1: default", cwMin);
    line.AddValue("cw-max", "CWmax of every category, -1: default", cwMax);
    line.AddValue("qos", "EDCA in 11b/a/g", qos);
    line.AddValue("retry-limit", "FrameRetryLimit", retryLimit);
    line.AddValue("explicit-bar", "BlockAckReq after a missing BlockAck", explicitBar);
    line.AddValue("reception", "collision, header_collision, table, nist", reception);
    line.AddValue("capture", "SimpleFrameCaptureModel", capture);
    line.AddValue("preamble-sinr-db", "preamble detection threshold", preambleSinrDb);
    line.AddValue("rss-dbm", "received power; list per station", rssDbm);
    line.AddValue("hidden", "stations do not hear each other", hidden);
    line.AddValue("cca-sensitivity-dbm", "carrier sense of PPDUs", ccaSensitivityDbm);
    line.AddValue("noise-figure-db", "noise figure of receivers", noiseFigureDb);
    line.AddValue("nakagami-m", "fading of each PPDU, 0: none", nakagamiM);
    line.AddValue("multi-user-stations", "stations in a downlink MU PPDU, 0: single-user", multiUserStations);
    line.AddValue("multi-user-ack", "sequential, mu_bar, aggregated_mu_bar", multiUserAck);
    line.AddValue("mu-rts", "MU-RTS in place of RTS before MU PPDUs", muRts);
    line.AddValue("multi-user-uplink", "off, basic, bsrp", multiUserUplink);
    line.AddValue("tcp-window-bytes", "TCP with this window, 0: datagrams", tcpWindowBytes);
    line.AddValue("beacons", "beacons while measuring", beacons);
    line.AddValue("seed", "run number of the random streams", seed);
    line.AddValue("warmup-s", "saturated time before measuring", warmupS);
    line.AddValue("seconds", "measured time", seconds);
    line.AddValue("count", "count PPDUs while measuring", count);
    line.Parse(argc, argv);
}

inline JsonObject
Options::Json() const
{
    JsonObject json;
    json.Add("standard", standard).Add("band_ghz", band).Add("stations", stations);
    json.Add("direction", direction).Add("rates", rates).Add("rts_rate", rtsRate);
    json.Add("width_mhz", widthMhz).Add("streams", streams).Add("guard_ns", guardNs);
    json.Add("rts_threshold_bytes", rtsThresholdBytes).Add("ampdu_bytes", ampduBytes);
    json.Add("amsdu_bytes", amsduBytes).Add("window_mpdus", windowMpdus);
    json.Add("payload_bytes", payloadBytes).Add("access_categories", accessCategories);
    json.Add("txop_us", txopUs).Add("aifsn", aifsn).Add("cw_min", cwMin).Add("cw_max", cwMax);
    json.Add("qos", HasQos()).Add("retry_limit", retryLimit).Add("explicit_bar", explicitBar);
    json.Add("station_standards", stationStandards).Add("access_points_dbm", accessPointsDbm);
    json.Add("reception", reception).Add("capture", capture);
    json.Add("preamble_sinr_db", preambleSinrDb).Add("rss_dbm", rssDbm).Add("hidden", hidden);
    json.Add("channels", channels).Add("widths_mhz", widthsMhz).Add("primaries", primaries);
    json.Add("between_dbm", betweenDbm).Add("cca_sensitivity_dbm", ccaSensitivityDbm);
    json.Add("noise_figure_db", noiseFigureDb).Add("nakagami_m", nakagamiM);
    json.Add("multi_user_stations", multiUserStations).Add("multi_user_ack", multiUserAck);
    json.Add("mu_rts", muRts).Add("multi_user_uplink", multiUserUplink);
    json.Add("tcp_window_bytes", tcpWindowBytes);
    json.Add("beacons", beacons).Add("seed", seed).Add("warmup_s", warmupS).Add("seconds", seconds);
    json.Add("count", count);
    return json;
}

} // namespace airtcp
