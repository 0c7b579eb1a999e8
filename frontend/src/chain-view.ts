/** What happened: the chain of one row, with its drawing and its replay. */

import {
  LitElement,
  html,
  nothing,
  unsafeCSS,
  type PropertyValues,
  type TemplateResult,
} from "lit";
import { split, topology, type Split, type Topology } from "./chain";
import base from "./base.css?inline";
import css from "./chain.css?inline";
import { icon } from "./icons";
import { drawing } from "./parts/drawing";
import { steps } from "./parts/steps";
import { Replay, SPEEDS } from "./replay";
import { fill } from "./texts";
import type { Chain, Row } from "./types";
import type { Words } from "./words";

export type LoadChain = (row: Row) => Promise<Chain>;

export const CHAIN_TAG = "hearthnet-timeline-chain";

export class ChainView extends LitElement {
  static override styles = [base, css].map(unsafeCSS);
  static override properties = {
    row: { attribute: false },
    words: { attribute: false },
    load: { attribute: false },
    chain: { state: true },
    failed: { state: true },
  };
  declare row: Row;
  declare words: Words;
  declare load: LoadChain;
  declare private chain: Chain | undefined;
  declare private failed: boolean;
  #replay = new Replay(this);
  #parts: Split = { path: [], rest: [] };
  #map: Topology = { places: [], links: [], moves: [], height: 1 };

  constructor() {
    super();
    this.failed = false;
  }

  override willUpdate(changed: PropertyValues<this>): void {
    // A row that changes means that its chain has grown; the old one stays until then.
    if (changed.has("row")) void this.#read(this.row);
  }

  async #read(row: Row): Promise<void> {
    try {
      const chain = await this.load(row);
      if (row !== this.row) return;
      this.failed = false;
      this.chain = chain;
      this.#parts = split(chain.nodes, row);
      this.#map = topology(chain.nodes);
      this.#replay.load(chain.nodes);
      await this.updateComplete;
      this.dispatchEvent(new Event("chain-shown", { bubbles: true }));
    } catch {
      this.failed = row === this.row;
    }
  }

  override render(): TemplateResult {
    const { t } = this.words;
    if (this.failed) return html`<p class="note">${t.chain_failed}</p>`;
    if (!this.chain) return html`<p class="note">${t.chain_loading}</p>`;
    const { nodes, complete } = this.chain;
    const { index } = this.#replay;
    const place = new Map(nodes.map((node, i) => [node, i]));
    const state = {
      words: this.words,
      now: index === undefined ? undefined : nodes[index],
      shown: (node: (typeof nodes)[0]) => index === undefined || (place.get(node) ?? 0) <= index,
      start: nodes[0]?.at ?? 0,
    };
    const { path, rest } = this.#parts;
    return html`
      <h4 class="meta">${this.row.outcome === null ? t.what_happened_outside : t.what_happened}</h4>
      ${complete ? nothing : html`<p class="note">${t.chain_incomplete}</p>`} ${this.#player()}
      ${steps(path, state)}
      ${
        rest.length
          ? html`<details>
              <summary>${fill(t.rest, { count: rest.length })}</summary>
              ${steps(rest, state)}
            </details>`
          : nothing
      }
    `;
  }

  /** The drawing and what plays it; a single message needs neither. */
  #player(): TemplateResult | typeof nothing {
    const nodes = this.chain?.nodes ?? [];
    if (nodes.length < 2) return nothing;
    const { t } = this.words;
    const { index, playing, speed } = this.#replay;
    const now = index === undefined ? undefined : nodes[index];
    const moved = index === undefined ? undefined : this.#map.moves[index];
    const rtl = getComputedStyle(this).direction === "rtl";
    return html`<div class="player" role="group" aria-label=${t.replay}>
      ${drawing(this.#map, moved, index, this.words, rtl)}
      <div class="controls">
        <button
          class="chip round"
          aria-label=${playing ? t.pause : t.play}
          @click=${() => this.#replay.toggle()}
        >
          ${icon(playing ? "pause" : "play")}
        </button>
        <input
          type="range"
          min="1"
          max=${nodes.length}
          .value=${String((index ?? nodes.length - 1) + 1)}
          aria-label=${t.position}
          aria-valuetext=${fill(t.step, { step: (index ?? nodes.length - 1) + 1, count: nodes.length })}
          @input=${(event: InputEvent) => this.#replay.seek(value(event) - 1)}
        />
        <select
          class="field"
          aria-label=${t.speed}
          @change=${(event: Event) => this.#replay.setSpeed(value(event))}
        >
          ${SPEEDS.map(
            (one) => html`<option value=${one} ?selected=${one === speed}>${one}×</option>`,
          )}
        </select>
      </div>
      ${
        now
          ? html`<p class="caption note">
              ${t.messages[now.type] ?? now.type}: ${now.text || t.hidden}
            </p>`
          : nothing
      }
    </div>`;
  }
}

function value(event: Event): number {
  return Number((event.target as HTMLInputElement | HTMLSelectElement).value);
}
