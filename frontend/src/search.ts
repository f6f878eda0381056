// What can be looked for: the next event of a kind, in all tracks that are shown.

import { lowerBound } from "./columns";
import { field, type Hit, type Track } from "./model";

export const SEARCHES: Record<string, (track: Track, row: number) => boolean> = {
  "loss (packet, queue or radio)": (track) => track.kind === "marks" && track.bad,
  collision: (track, row) => outcomeOf(track, row) === 1,
  "PPDU lost to noise": (track, row) => outcomeOf(track, row) === 2,
  "retry of a PPDU": (track, row) => track.kind === "ppdus" && field(track, "kind")!.column[row] === 0 && field(track, "attempt")!.column[row] > 1,
  "packet sent again": (track) => track.kind === "marks" && track.name === "sent again",
  "state of congestion control": (track) => track.kind === "marks" && track.name === "CA state",
};

function outcomeOf(track: Track, row: number): number {
  return track.kind === "ppdus" ? field(track, "outcome")!.column[row] : 0;
}

// The next event after (by 1) or the last one before (by -1) a time; at one time those of later tracks follow.
export function find(tracks: Track[], what: string, after: number, by: 1 | -1): Hit | undefined {
  const fits = SEARCHES[what];
  let best: Hit | undefined;
  for (const track of tracks) {
    if (track.kind === "counter") continue;
    let row = by > 0 ? lowerBound(track.start, after + 0.5) : lowerBound(track.start, after - 0.5) - 1;
    for (; row >= 0 && row < track.start.length; row += by) {
      if (best && (track.start[row] - best.track.start[best.row]) * by >= 0) break;
      if (fits(track, row)) {
        best = { track, row };
        break;
      }
    }
  }
  return best;
}
