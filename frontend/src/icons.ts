/** Icons as lines: Home Assistant's own icon element loads its icons late. */

import { svg, type SVGTemplateResult } from "lit";
import type { Row } from "./types";

const CIRCLE = "M3 12a9 9 0 1 0 18 0a9 9 0 1 0-18 0";
const ALERT = "M12 4L2 20h20zM12 10v4M12 17v.1";
const PATHS: Record<string, string> = {
  changed: "M4 12l6 6L20 7",
  already_so: "M5 9h14M5 15h14",
  running: "M5 12h.1M12 12h.1M19 12h.1",
  partial: ALERT,
  failed: ALERT,
  unreachable: `${CIRCLE}M8 12h8`,
  unknown: "M8 9a4 4 0 1 1 6 3.4c-2 1-2 2-2 3M12 19v.1",
  unverified: "M4 5l17 7l-17 7l3-7z",
  refused: `${CIRCLE}M6 6l12 12`,
  conflict: "M12 3v5l-5 5v8M12 8l5 5v8",
  deadline: `${CIRCLE}M12 7v5l3 2`,
  granted: "M3 16a4 4 0 1 0 8 0a4 4 0 1 0-8 0M10 13l9-9M15 8l3 3",
  waiting: "M7 3h10M7 21h10M8 3v4l8 10v4M16 3v4l-8 10v4",
  others: "M8 8a4 4 0 1 0 8 0a4 4 0 1 0-8 0M4 21c0-9 16-9 16 0",
  chevron: "M9 6l6 6l-6 6",
  play: "M8 5l11 7l-11 7z",
  pause: "M9 5v14M15 5v14",
};

const OF_REASON: Record<string, string> = {
  conflict: "conflict",
  superseded: "conflict",
  reserved: "conflict",
  stale_state: "conflict",
  deadline: "deadline",
  expired: "deadline",
  unanswered: "deadline",
};

export function icon(name: string): SVGTemplateResult {
  return svg`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${PATHS[name] ?? ALERT}></path></svg>`;
}

export function iconOf(row: Row): SVGTemplateResult {
  if (row.outcome === null) return icon("others");
  return icon((row.outcome === "refused" && OF_REASON[row.reason ?? ""]) || row.outcome);
}
