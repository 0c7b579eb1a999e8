/** The small drawing of who spoke with whom. */

import { html, nothing, svg, type SVGTemplateResult, type TemplateResult } from "lit";
import { keyed } from "lit/directives/keyed.js";
import type { Move, Place, Topology } from "../chain";
import { fill } from "../texts";
import type { Words } from "../words";

const COLUMN = 96;
const LINE = 40;
const MARGIN = 46;
const WIDTH = 3 * COLUMN + 2 * MARGIN;
const LONGEST_LABEL = 13;

/** `moved` is the message that a replay shows; `rtl` mirrors the drawing. */
export function drawing(
  { places, links, height }: Topology,
  moved: Move | undefined,
  index: number | undefined,
  words: Words,
  rtl: boolean,
): TemplateResult | typeof nothing {
  if (places.length < 2) return nothing;
  const at = new Map(places.map((place) => [place.id, spot(place, rtl)]));
  const labels = new Map(places.map((place) => [place.id, place.label]));
  const line = (move: Move, name: string): SVGTemplateResult | typeof nothing => {
    const [from, to] = [at.get(move.from), at.get(move.to)];
    if (!from || !to) return nothing;
    return svg`<line class=${name} x1=${from.x} y1=${from.y} x2=${to.x} y2=${to.y}></line>`;
  };
  const told = links.map(({ from, to }) => `${labels.get(from)} – ${labels.get(to)}`).join("; ");
  return html`<svg
    class="drawing"
    viewBox="0 0 ${WIDTH} ${height * LINE}"
    role="img"
    aria-label=${fill(words.t.drawing, { links: told })}
  >
    ${links.map((link) => line(link, "link"))} ${moved ? line(moved, "link moved") : nothing}
    ${places.map((place) => {
      const { x, y } = spot(place, rtl);
      const active = moved && (moved.from === place.id || moved.to === place.id);
      return svg`<g class="place ${place.kind} ${active ? "active" : ""}">
        <circle cx=${x} cy=${y} r="7"></circle>
        <text x=${x} y=${y + 20}>${short(place.label)}</text></g>`;
    })}
    ${keyed(index, flight(moved && at.get(moved.from), moved && at.get(moved.to)))}
  </svg>`;
}

interface Spot {
  x: number;
  y: number;
}

function spot(place: Place, rtl: boolean): Spot {
  const x = MARGIN + (place.x / 100) * COLUMN;
  return { x: rtl ? WIDTH - x : x, y: place.y * LINE + 12 };
}

/** A dot on its way; it stands at its end where motion is not wanted. */
function flight(from: Spot | undefined, to: Spot | undefined): SVGTemplateResult | typeof nothing {
  if (!from || !to) return nothing;
  const way = `--dx:${from.x - to.x}px;--dy:${from.y - to.y}px`;
  return svg`<circle class="flight" cx=${to.x} cy=${to.y} r="4" style=${way}></circle>`;
}

function short(label: string): string {
  const letters = [...label];
  return letters.length > LONGEST_LABEL
    ? letters.slice(0, LONGEST_LABEL - 1).join("") + "…"
    : label;
}
