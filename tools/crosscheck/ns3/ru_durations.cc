// Resource units, and PPDUs of several users, as ns-3's library computes them: one table for each part, as comma-separated values.
//
// usage: ru-durations TABLE, with one of
//   tones      subcarriers of each RU of each width
//   preambles  HE MU: users on RUs of one size, from one to all, all with one MCS, which decides about that of the
//              signalling field
//   data       data fields by RU, MCS, streams, guard interval and length
//   mixed      random PPDUs of several users whose RUs, MCS, streams and lengths differ
//   uplink     LENGTH of HE TB and EHT TB PPDUs for durations, and the durations that these lengths have
//   sums       whether a whole duration is the preamble and the longest data field, for every combination: only counts

#include <ns3/core-module.h>
#include <ns3/eht-phy.h>
#include <ns3/he-phy.h>
#include <ns3/wifi-phy.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <vector>

namespace
{

using ns3::HeRu;

constexpr ns3::WifiPhyBand BAND = ns3::WIFI_PHY_BAND_5GHZ;
const std::vector<int> WIDTHS_MHZ = {20, 40, 80, 160};
const std::vector<int> GUARDS_NS = {800, 1600, 3200};
const std::vector<uint32_t> LENGTHS = {14, 100, 1536, 11454};
const std::vector<int> STREAMS = {1, 2, 4, 8};
const std::vector<HeRu::RuType> SIZES = {HeRu::RU_26_TONE,  HeRu::RU_52_TONE,  HeRu::RU_106_TONE,
                                         HeRu::RU_242_TONE, HeRu::RU_484_TONE, HeRu::RU_996_TONE,
                                         HeRu::RU_2x996_TONE};
const char* const NAMES[] = {"26", "52", "106", "242", "484", "996", "2x996"};

struct Place
{
    HeRu::RuType size;
    int index;
};

struct User
{
    Place place;
    int mcs;
    int streams;
    uint32_t octets;
};

/// How many RUs of a size a width has, with those in the centres of 80 MHz.
int Count(int widthMhz, HeRu::RuType size)
{
    const int parts = widthMhz / 20;
    switch (size)
    {
    case HeRu::RU_26_TONE:
        return 9 * parts + parts / 4;
    case HeRu::RU_52_TONE:
        return 4 * parts;
    case HeRu::RU_106_TONE:
        return 2 * parts;
    case HeRu::RU_242_TONE:
        return parts;
    case HeRu::RU_484_TONE:
        return parts / 2;
    case HeRu::RU_996_TONE:
        return parts / 4;
    default:
        return parts / 8;
    }
}

/// The RU in ns-3's words: an index in 80 MHz, and whether these hold the primary channel, which is the lowest here.
HeRu::RuSpec Spec(int widthMhz, Place place)
{
    const int in80 = std::max(Count(std::min(widthMhz, 80), place.size), 1);
    if (place.size == HeRu::RU_2x996_TONE)
    {
        return HeRu::RuSpec(place.size, 1, true);
    }
    return HeRu::RuSpec(place.size, (place.index - 1) % in80 + 1, place.index <= in80);
}

ns3::WifiTxVector Vector(ns3::WifiPreamble preamble, int widthMhz, int guardNs, const std::vector<User>& users)
{
    ns3::WifiTxVector vector;
    vector.SetPreambleType(preamble);
    vector.SetChannelWidth(widthMhz);
    vector.SetGuardInterval(ns3::NanoSeconds(guardNs));
    if (preamble == ns3::WIFI_PREAMBLE_EHT_MU || preamble == ns3::WIFI_PREAMBLE_EHT_TB)
    {
        // Downlink OFDMA; in EHT TB all have it.
        vector.SetEhtPpduType(0);
    }
    uint16_t id = 1;
    for (const auto& user : users)
    {
        const ns3::HeMuUserInfo info{Spec(widthMhz, user.place), uint8_t(user.mcs), uint8_t(user.streams)};
        vector.SetHeMuUserInfo(id++, info);
    }
    return vector;
}

/// Every table has its users in the order of RUs of one size.
std::vector<User> Equal(HeRu::RuType size, int count, int mcs, int streams, uint32_t octets)
{
    std::vector<User> users;
    for (int index = 1; index <= count; ++index)
    {
        users.push_back({{size, index}, mcs, streams, octets});
    }
    return users;
}

int64_t Preamble(const ns3::WifiTxVector& vector)
{
    return ns3::WifiPhy::CalculatePhyPreambleAndHeaderDuration(vector).GetNanoSeconds();
}

int64_t Data(const ns3::WifiTxVector& vector, uint32_t octets, uint16_t id)
{
    return ns3::WifiPhy::GetPayloadDuration(octets, vector, BAND, ns3::NORMAL_MPDU, id).GetNanoSeconds();
}

void Tones()
{
    std::cout << "width_mhz,ru,index,ranges\n";
    for (const int width : WIDTHS_MHZ)
    {
        for (const auto size : SIZES)
        {
            for (int index = 1; index <= Count(width, size); ++index)
            {
                std::cout << width << ',' << NAMES[size] << ',' << index << ',';
                std::string separator;
                for (const auto& range : HeRu::GetSubcarrierGroup(width, size, index))
                {
                    std::cout << separator << range.first << ' ' << range.second;
                    separator = " ";
                }
                std::cout << '\n';
            }
        }
    }
}

void Preambles()
{
    std::cout << "width_mhz,ru,users,mcs,preamble_ns\n";
    {
        const auto preamble = ns3::WIFI_PREAMBLE_HE_MU;
        for (const int width : WIDTHS_MHZ)
        {
            for (const auto size : SIZES)
            {
                const bool fills = Count(width, size) == 1;
                for (int count = 1; count <= Count(width, size) && !fills; ++count)
                {
                    for (int mcs = 0; mcs <= 6; ++mcs)
                    {
                        const auto vector = Vector(preamble, width, 800, Equal(size, count, mcs, 1, 0));
                        std::cout << width << ',' << NAMES[size] << ',' << count << ',' << mcs << ',' << Preamble(vector) << '\n';
                    }
                }
            }
        }
    }
}

void DataFields()
{
    std::cout << "format,ru,mcs,streams,guard_ns,a_ns,b_ns,c_ns,d_ns\n";
    for (const auto preamble : {ns3::WIFI_PREAMBLE_HE_MU, ns3::WIFI_PREAMBLE_EHT_MU})
    {
        const bool he = preamble == ns3::WIFI_PREAMBLE_HE_MU;
        for (const auto size : SIZES)
        {
            for (int mcs = 0; mcs <= (he ? 11 : 13); ++mcs)
            {
                for (const int streams : STREAMS)
                {
                    for (const int guard : GUARDS_NS)
                    {
                        const auto vector = Vector(preamble, 160, guard, Equal(size, 1, mcs, streams, 0));
                        std::cout << (he ? "he" : "eht") << ',' << NAMES[size] << ',' << mcs << ',' << streams << ','
                                  << guard;
                        for (const auto octets : LENGTHS)
                        {
                            std::cout << ',' << Data(vector, octets, 1);
                        }
                        std::cout << '\n';
                    }
                }
            }
        }
    }
}

/// Splits a range of 20 MHz into RUs at random: a size at each step down, and some are left out.
void Split(int widthMhz, HeRu::RuType size, int index, std::mt19937& random, std::vector<Place>& places)
{
    const auto chance = [&random](int percent) { return int(random() % 100) < percent; };
    if (size == HeRu::RU_26_TONE || chance(size <= HeRu::RU_242_TONE ? 40 : 25))
    {
        if (chance(85))
        {
            places.push_back({size, index});
        }
        return;
    }
    const auto child = HeRu::RuType(size - 1);
    const bool of26 = child == HeRu::RU_26_TONE;
    // Numbers of 26-tone RUs skip the centre of each 20 MHz, and of each 80 MHz.
    const auto number26 = [widthMhz](int part, int place) {
        const int centres = widthMhz >= 80 ? part / 4 + (part % 4 >= 2 ? 1 : 0) : 0;
        return 9 * part + centres + place;
    };
    if (of26)
    {
        const int part = (index - 1) / 4;
        const int quarter = (index - 1) % 4;
        for (int half = 0; half < 2; ++half)
        {
            Split(widthMhz, child, number26(part, 2 * quarter + half + (quarter >= 2 ? 1 : 0) + 1), random, places);
        }
        return;
    }
    for (int half = 1; half <= 2; ++half)
    {
        Split(widthMhz, child, 2 * (index - 1) + half, random, places);
    }
    if (size == HeRu::RU_242_TONE && chance(50))
    {
        places.push_back({HeRu::RU_26_TONE, number26(index - 1, 5)});
    }
    if (size == HeRu::RU_996_TONE && chance(50))
    {
        places.push_back({HeRu::RU_26_TONE, 37 * (index - 1) + 19});
    }
}

/// Whether ns-3 knows an RU Allocation with these RUs; it ends the process if not, so a copy of it asks.
bool IsKnown(const ns3::WifiTxVector& vector)
{
    const auto child = fork();
    if (child == 0)
    {
        std::freopen("/dev/null", "w", stderr);
        std::signal(SIGABRT, SIG_DFL);
        Preamble(vector);
        std::_Exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void Mixed()
{
    std::cout << "width_mhz,guard_ns,preamble_ns,duration_ns,users (ru index mcs streams octets)\n";
    std::cout << std::flush;
    std::mt19937 random(1);
    int unknown = 0;
    for (int row = 0; row < 600;)
    {
        const int width = WIDTHS_MHZ[random() % WIDTHS_MHZ.size()];
        const int guard = GUARDS_NS[random() % GUARDS_NS.size()];
        const int octets = 1 + random() % 6000;
        std::vector<Place> places;
        const HeRu::RuType whole[] = {HeRu::RU_242_TONE, HeRu::RU_484_TONE, HeRu::RU_996_TONE, HeRu::RU_2x996_TONE};
        Split(width, whole[std::find(WIDTHS_MHZ.begin(), WIDTHS_MHZ.end(), width) - WIDTHS_MHZ.begin()], 1, random, places);
        std::vector<User> users;
        for (const auto& place : places)
        {
            const int most = place.size < HeRu::RU_242_TONE ? 10 : 12;
            users.push_back({place, int(random() % most), 1 + int(random() % 2), uint32_t(1 + random() % octets)});
        }
        if (users.size() < 2)
        {
            continue;
        }
        const auto vector = Vector(ns3::WIFI_PREAMBLE_HE_MU, width, guard, users);
        if (!IsKnown(vector))
        {
            ++unknown;
            continue;
        }
        int64_t duration = 0;
        uint16_t id = 1;
        for (const auto& user : users)
        {
            const auto own = ns3::WifiPhy::CalculateTxDuration(user.octets, vector, BAND, id++);
            duration = std::max(duration, own.GetNanoSeconds());
        }
        std::cout << width << ',' << guard << ',' << Preamble(vector) << ',' << duration << ',';
        std::string separator;
        for (const auto& user : users)
        {
            std::cout << separator << NAMES[user.place.size] << ' ' << user.place.index << ' ' << user.mcs << ' '
                      << user.streams << ' ' << user.octets;
            separator = " ";
        }
        std::cout << std::endl;
        ++row;
    }
    std::cerr << unknown << " others that ns-3 does not know\n";
}

void Uplink()
{
    std::cout << "format,streams,guard_ns,asked_ns,ul_length,duration_ns,preamble_ns\n";
    for (const auto preamble : {ns3::WIFI_PREAMBLE_HE_TB, ns3::WIFI_PREAMBLE_EHT_TB})
    {
        for (const int streams : STREAMS)
        {
            for (const int guard : {1600, 3200})
            {
                const auto vector = Vector(preamble, 80, guard, Equal(HeRu::RU_106_TONE, 1, 5, streams, 0));
                for (int64_t asked = 148'000; asked < 5'484'000; asked += 106'700)
                {
                    const auto [length, duration] =
                        ns3::HePhy::ConvertHeTbPpduDurationToLSigLength(ns3::NanoSeconds(asked), vector, BAND);
                    const auto back = ns3::HePhy::ConvertLSigLengthToHeTbPpduDuration(length, vector, BAND);
                    std::cout << (preamble == ns3::WIFI_PREAMBLE_HE_TB ? "he" : "eht") << ',' << streams << ',' << guard
                              << ',' << asked << ',' << length << ',' << back.GetNanoSeconds() << ','
                              << Preamble(vector) << '\n';
                    if (back != duration)
                    {
                        std::cerr << "not the same way back: " << duration << ' ' << back << '\n';
                    }
                }
            }
        }
    }
}

void Sums()
{
    long count = 0;
    long different = 0;
    for (const auto preamble : {ns3::WIFI_PREAMBLE_HE_MU, ns3::WIFI_PREAMBLE_EHT_MU})
    {
        for (const int width : WIDTHS_MHZ)
        {
            for (const auto size : SIZES)
            {
                for (int users = 1; users <= Count(width, size); ++users)
                {
                    for (int mcs = 0; mcs <= (preamble == ns3::WIFI_PREAMBLE_HE_MU ? 11 : 13); ++mcs)
                    {
                        for (const int guard : GUARDS_NS)
                        {
                            const auto vector = Vector(preamble, width, guard, Equal(size, users, mcs, 1, 0));
                            const auto alone = Vector(preamble, 160, guard, Equal(size, 1, mcs, 1, 0));
                            for (const auto octets : LENGTHS)
                            {
                                const auto whole =
                                    ns3::WifiPhy::CalculateTxDuration(octets, vector, BAND, users).GetNanoSeconds();
                                ++count;
                                different += whole != Preamble(vector) + Data(alone, octets, 1);
                            }
                        }
                    }
                }
            }
        }
    }
    std::cout << count << " durations, " << different << " other than the sum\n";
}

} // namespace

int main(int count, char** words)
{
    const std::string table = count > 1 ? words[1] : "";
    const std::pair<const char*, void (*)()> tables[] = {{"tones", Tones},   {"preambles", Preambles},
                                                         {"data", DataFields}, {"mixed", Mixed},
                                                         {"uplink", Uplink}, {"sums", Sums}};
    for (const auto& [name, print] : tables)
    {
        if (table == name)
        {
            print();
            return 0;
        }
    }
    std::cerr << "usage: ru-durations tones|preambles|data|mixed|uplink|sums\n";
    return 2;
}
