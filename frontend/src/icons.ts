/** Material Design icons, as paths: Home Assistant's own icon element loads its icons late. */

import { svg, type SVGTemplateResult } from "lit";
import type { Row } from "./types";

const ALERT = "M13,14H11V9H13M13,18H11V16H13M1,21H23L12,2L1,21Z";
const PATHS: Record<string, string> = {
  changed: "M21,7L9,19L3.5,13.5L4.91,12.09L9,16.17L19.59,5.59L21,7Z",
  already_so: "M19,10H5V8H19V10M19,16H5V14H19V16Z",
  running: "M4,10h4v4h-4zM10,10h4v4h-4zM16,10h4v4h-4z",
  partial: ALERT,
  failed: ALERT,
  unreachable: "M12,2A10,10 0 1,0 22,12A10,10 0 0,0 12,2M7,11H17V13H7Z",
  unknown:
    "M10,19h4v3h-4zM12,2a7,7 0 0,0-7,7h4a3,3 0 1,1 4.5,2.6C11,13 10,14 10,17h4c0-2 .5-2.3 2-3.4A7,7 0 0,0 12,2z",
  unverified: "M2,21L23,12L2,3V10L17,12L2,14V21Z",
  refused:
    "M12,2A10,10 0 1,0 22,12A10,10 0 0,0 12,2M4,12A8,8 0 0,1 5.68,7.1L16.9,18.32A8,8 0 0,1 4,12M18.32,16.9L7.1,5.68A8,8 0 0,1 18.32,16.9Z",
  conflict: "M11,2H13V7L17,11V22H15V12L12,9L9,12V22H7V11L11,7V2Z",
  deadline:
    "M12,2A10,10 0 1,0 22,12A10,10 0 0,0 12,2M12,20A8,8 0 1,1 20,12A8,8 0 0,1 12,20M12.5,7H11V13L16.2,16.2L17,14.9L12.5,12.2V7Z",
  waiting:
    "M6,2V8L10,12L6,16V22H18V16L14,12L18,8V2H6M16,16.5V20H8V16.5L12,12.5L16,16.5M12,11.5L8,7.5V4H16V7.5L12,11.5Z",
  others:
    "M12,4A4,4 0 0,1 16,8A4,4 0 0,1 12,12A4,4 0 0,1 8,8A4,4 0 0,1 12,4M12,14C16.42,14 20,15.79 20,18V20H4V18C4,15.79 7.58,14 12,14Z",
  chevron: "M8.59,16.58L13.17,12L8.59,7.41L10,6L16,12L10,18L8.59,16.58Z",
  play: "M8,5.14V19.14L19,12.14L8,5.14Z",
  pause: "M14,19H18V5H14M6,19H10V5H6V19Z",
};

const OF_REASON: Record<string, string> = {
  conflict: "conflict",
  superseded: "conflict",
  reserved: "conflict",
  stale_state: "conflict",
  deadline: "deadline",
  expired: "deadline",
};

export function icon(name: string): SVGTemplateResult {
  return svg`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${PATHS[name] ?? ""}></path></svg>`;
}

export function iconOf(row: Row): SVGTemplateResult {
  if (row.outcome === null) return icon("others");
  return icon((row.outcome === "refused" && OF_REASON[row.reason ?? ""]) || row.outcome);
}
