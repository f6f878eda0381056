//! Power delay profiles: models A to F of `TGn`.

/// Paths that come from one direction.
#[derive(Debug)]
pub(super) struct Cluster {
    /// Delay in nanoseconds and power in decibels.
    pub(super) taps: &'static [(f64, f64)],
    /// Mean angle and spread at the receiver and at the transmitter, in degrees.
    pub(super) angles: [[f64; 2]; 2],
}

/// A model of IEEE 802.11-03/940r4 ("`TGn` Channel Models", 2004). Those of `TGac` (11-09/0308r12) and `TGax` (11-14/0882)
/// have the same clusters.
#[derive(Debug)]
pub(super) struct Profile {
    pub(super) clusters: &'static [Cluster],
    /// Power of the direct path over that of the others in the first tap, where there is line of sight.
    pub(super) k_db: f64,
    /// Distance up to which there is line of sight, in metres.
    pub(super) breakpoint_m: f64,
}

/// Models A to F.
pub(super) const PROFILES: [Profile; 6] = [
    Profile {
        clusters: &[Cluster { taps: &[(0.0, 0.0)], angles: [[45.0, 40.0], [45.0, 40.0]] }],
        k_db: 0.0,
        breakpoint_m: 5.0,
    },
    Profile {
        clusters: &[
            Cluster {
                taps: &[(0.0, 0.0), (10.0, -5.4), (20.0, -10.8), (30.0, -16.2), (40.0, -21.7)],
                angles: [[4.3, 14.4], [225.1, 14.4]],
            },
            Cluster {
                taps: &[
                    (20.0, -3.2),
                    (30.0, -6.3),
                    (40.0, -9.4),
                    (50.0, -12.5),
                    (60.0, -15.6),
                    (70.0, -18.7),
                    (80.0, -21.8),
                ],
                angles: [[118.4, 25.2], [106.5, 25.4]],
            },
        ],
        k_db: 0.0,
        breakpoint_m: 5.0,
    },
    Profile {
        clusters: &[
            Cluster {
                taps: &[
                    (0.0, 0.0),
                    (10.0, -2.1),
                    (20.0, -4.3),
                    (30.0, -6.5),
                    (40.0, -8.6),
                    (50.0, -10.8),
                    (60.0, -13.0),
                    (70.0, -15.2),
                    (80.0, -17.3),
                    (90.0, -19.5),
                ],
                angles: [[290.3, 24.6], [13.5, 24.7]],
            },
            Cluster {
                taps: &[
                    (60.0, -5.0),
                    (70.0, -7.2),
                    (80.0, -9.3),
                    (90.0, -11.5),
                    (110.0, -13.7),
                    (140.0, -15.8),
                    (170.0, -18.0),
                    (200.0, -20.2),
                ],
                angles: [[332.3, 22.4], [56.4, 22.5]],
            },
        ],
        k_db: 0.0,
        breakpoint_m: 5.0,
    },
    Profile {
        clusters: &[
            Cluster {
                taps: &[
                    (0.0, 0.0),
                    (10.0, -0.9),
                    (20.0, -1.7),
                    (30.0, -2.6),
                    (40.0, -3.5),
                    (50.0, -4.3),
                    (60.0, -5.2),
                    (70.0, -6.1),
                    (80.0, -6.9),
                    (90.0, -7.8),
                    (110.0, -9.0),
                    (140.0, -11.1),
                    (170.0, -13.7),
                    (200.0, -16.3),
                    (240.0, -19.3),
                    (290.0, -23.2),
                ],
                angles: [[158.9, 27.7], [332.1, 27.4]],
            },
            Cluster {
                taps: &[
                    (110.0, -6.6),
                    (140.0, -9.5),
                    (170.0, -12.1),
                    (200.0, -14.7),
                    (240.0, -17.4),
                    (290.0, -21.9),
                    (340.0, -25.5),
                ],
                angles: [[320.2, 31.4], [49.3, 32.1]],
            },
            Cluster {
                taps: &[(240.0, -18.8), (290.0, -23.2), (340.0, -25.2), (390.0, -26.7)],
                angles: [[276.1, 37.4], [275.9, 36.8]],
            },
        ],
        k_db: 3.0,
        breakpoint_m: 10.0,
    },
    Profile {
        clusters: &[
            Cluster {
                taps: &[
                    (0.0, -2.6),
                    (10.0, -3.0),
                    (20.0, -3.5),
                    (30.0, -3.9),
                    (50.0, -4.5),
                    (80.0, -5.6),
                    (110.0, -6.9),
                    (140.0, -8.2),
                    (180.0, -9.8),
                    (230.0, -11.7),
                    (280.0, -13.9),
                    (330.0, -16.1),
                    (380.0, -18.3),
                    (430.0, -20.5),
                    (490.0, -22.9),
                ],
                angles: [[163.7, 35.8], [105.6, 36.1]],
            },
            Cluster {
                taps: &[
                    (50.0, -1.8),
                    (80.0, -3.2),
                    (110.0, -4.5),
                    (140.0, -5.8),
                    (180.0, -7.1),
                    (230.0, -9.9),
                    (280.0, -10.3),
                    (330.0, -14.3),
                    (380.0, -14.7),
                    (430.0, -18.7),
                    (490.0, -19.9),
                    (560.0, -22.4),
                ],
                angles: [[251.8, 41.6], [293.1, 42.5]],
            },
            Cluster {
                taps: &[
                    (180.0, -7.9),
                    (230.0, -9.6),
                    (280.0, -14.2),
                    (330.0, -13.8),
                    (380.0, -18.6),
                    (430.0, -18.1),
                    (490.0, -22.8),
                ],
                angles: [[80.0, 37.4], [61.9, 38.0]],
            },
            Cluster {
                taps: &[(490.0, -20.6), (560.0, -20.5), (640.0, -20.7), (730.0, -24.6)],
                angles: [[182.0, 40.3], [275.7, 38.7]],
            },
        ],
        k_db: 6.0,
        breakpoint_m: 20.0,
    },
    Profile {
        clusters: &[
            Cluster {
                taps: &[
                    (0.0, -3.3),
                    (10.0, -3.6),
                    (20.0, -3.9),
                    (30.0, -4.2),
                    (50.0, -4.6),
                    (80.0, -5.3),
                    (110.0, -6.2),
                    (140.0, -7.1),
                    (180.0, -8.2),
                    (230.0, -9.5),
                    (280.0, -11.0),
                    (330.0, -12.5),
                    (400.0, -14.3),
                    (490.0, -16.7),
                    (600.0, -19.9),
                ],
                angles: [[315.1, 48.0], [56.2, 41.6]],
            },
            Cluster {
                taps: &[
                    (50.0, -1.8),
                    (80.0, -2.8),
                    (110.0, -3.5),
                    (140.0, -4.4),
                    (180.0, -5.3),
                    (230.0, -7.4),
                    (280.0, -7.0),
                    (330.0, -10.3),
                    (400.0, -10.4),
                    (490.0, -13.8),
                    (600.0, -15.7),
                    (730.0, -19.9),
                ],
                angles: [[180.4, 55.0], [183.7, 55.2]],
            },
            Cluster {
                taps: &[
                    (180.0, -5.7),
                    (230.0, -6.7),
                    (280.0, -10.4),
                    (330.0, -9.6),
                    (400.0, -14.1),
                    (490.0, -12.7),
                    (600.0, -18.5),
                ],
                angles: [[74.7, 42.0], [153.0, 47.4]],
            },
            Cluster {
                taps: &[(400.0, -8.8), (490.0, -13.3), (600.0, -18.7)],
                angles: [[251.5, 28.6], [112.5, 27.2]],
            },
            Cluster { taps: &[(600.0, -12.9), (730.0, -14.2)], angles: [[68.5, 30.7], [291.0, 33.0]] },
            Cluster { taps: &[(880.0, -16.3), (1050.0, -21.2)], angles: [[246.2, 38.2], [62.3, 38.0]] },
        ],
        k_db: 6.0,
        breakpoint_m: 30.0,
    },
];

/// One tap of one cluster.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tap {
    pub(super) delay_ns: f64,
    /// Share of the tap in the power of all taps, without line of sight.
    pub(super) power: f64,
    pub(super) cluster: usize,
}

impl Profile {
    /// The taps of the profile for a channel of this width: wide channels have more of them between neighbours of one cluster, so
    /// that delays of whole multiples of 10 ns do not repeat the response every 100 MHz (11-09/0308r12: spacing 10 ns up to 40
    /// MHz, half of that for each doubling of the width). Powers lie on a straight line in decibels. The powers add up to 1.
    pub(super) fn taps(&self, width_mhz: u32) -> Vec<Tap> {
        let factor: u32 = match width_mhz {
            0..=40 => 1,
            41..=80 => 2,
            81..=160 => 4,
            _ => 8,
        };
        let mut taps = Vec::new();
        for (cluster, of) in self.clusters.iter().enumerate() {
            let mut add = |delay_ns: f64, power_db: f64| {
                taps.push(Tap { delay_ns, power: libm::pow(10.0, power_db / 10.0), cluster });
            };
            for pair in of.taps.windows(2) {
                for part in 0..factor {
                    let share = f64::from(part) / f64::from(factor);
                    let between = |a: f64, b: f64| a + share * (b - a);
                    add(between(pair[0].0, pair[1].0), between(pair[0].1, pair[1].1));
                }
            }
            let last = of.taps.last().expect("a cluster has taps");
            add(last.0, last.1);
        }
        let sum: f64 = taps.iter().map(|tap| tap.power).sum();
        for tap in &mut taps {
            tap.power /= sum;
        }
        taps
    }
}
