// Deterministic reception: data that overlaps with another signal is lost, all other data is decoded.
#pragma once

#include "ns3/boolean.h"
#include "ns3/error-rate-model.h"

namespace airtcp
{

/// Headers are always decoded, so the receiver detects a frame and waits for EIFS if its data is
/// lost; data is decoded if its SINR is above that of two signals of nearly equal strength.
/// With `LosesHeaders` the HT, VHT or HE header needs as much as data does: a PPDU that begins together with another one is lost
/// to its end, although the other one may be shorter. Stations wait for DIFS then.
///
/// ns-3's own models let BPSK 1/2 survive some collisions of two equal signals (the tables), or lose
/// the headers too (the NIST formula), after which stations wait for DIFS. DSSS and CCK do not use
/// this model: ns-3 has one for them (DsssErrorRateModel), in which 1 and 2 Mb/s survive at 0 dB.
class CollisionErrorRateModel : public ns3::ErrorRateModel
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("airtcp::CollisionErrorRateModel")
                                     .SetParent<ns3::ErrorRateModel>()
                                     .AddConstructor<CollisionErrorRateModel>()
                                     .AddAttribute("LosesHeaders",
                                                   "The header of a format is lost where data is.",
                                                   ns3::BooleanValue(false),
                                                   ns3::MakeBooleanAccessor(&CollisionErrorRateModel::m_losesHeaders),
                                                   ns3::MakeBooleanChecker());
        return tid;
    }

  private:
    double DoGetChunkSuccessRate(ns3::WifiMode,
                                 const ns3::WifiTxVector&,
                                 double snr,
                                 uint64_t,
                                 uint8_t,
                                 ns3::WifiPpduField field,
                                 uint16_t) const override
    {
        constexpr double LEAST_SINR = 10.0; // 10 dB
        return !IsLostByOverlap(field) || snr > LEAST_SINR ? 1.0 : 0.0;
    }

    /// L-SIG is decoded always: it says how long the medium is busy.
    bool IsLostByOverlap(ns3::WifiPpduField field) const
    {
        const bool isLegacy = field == ns3::WIFI_PPDU_FIELD_PREAMBLE || field == ns3::WIFI_PPDU_FIELD_NON_HT_HEADER;
        return m_losesHeaders ? !isLegacy : field == ns3::WIFI_PPDU_FIELD_DATA;
    }

    bool m_losesHeaders = false;
};

} // namespace airtcp
