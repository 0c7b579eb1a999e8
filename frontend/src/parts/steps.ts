/** The messages of a chain, as a list from top to bottom. */

import { html, nothing, type TemplateResult } from "lit";
import { capital } from "../chain";
import { fill } from "../texts";
import type { ChainNode } from "../types";
import type { Words } from "../words";

export interface StepsState {
  words: Words;
  /** The message that a replay shows, and whether one was shown already. */
  now: ChainNode | undefined;
  shown: (node: ChainNode) => boolean;
  start: number;
}

export function steps(nodes: ChainNode[], state: StepsState): TemplateResult {
  return html`<ol class="steps">
    ${nodes.map((node) => step(node, state))}
  </ol>`;
}

function step(node: ChainNode, { words, now, shown, start }: StepsState): TemplateResult {
  const { t } = words;
  const later = Math.max(0, node.at - start);
  return html`<li
    class="step ${node.status} ${shown(node) ? "" : "ahead"} ${now === node ? "now" : ""}"
    aria-current=${now === node ? "step" : nothing}
  >
    <span class="type soft">${t.messages[node.type] ?? node.type}</span>
    <span class="text">${node.text || html`<i>${t.hidden}</i>`}</span>
    ${
      node.evidence.length
        ? html`<ul class="meta">
            ${node.evidence.map(
              (item) =>
                html`<li>
                  ${item.text}${item.rule ? html` <code>${item.rule}</code>` : nothing}
                  ${item.commit ? sha(item.commit, words) : nothing}
                </li>`,
            )}
          </ul>`
        : nothing
    }
    <span class="meta">
      ${node.type === "intent" ? node.from : capital(node.from)}${node.to === node.from ? nothing : html` → ${capital(node.to)}`}
      ·
      <time datetime=${new Date(node.at * 1000).toISOString()}
        >${node.at === start ? words.time(node.at) : `+${later.toFixed(later < 10 ? 2 : 0)} s`}</time
      >
      ${node.until === null ? nothing : html` · ${fill(t.until, { time: words.time(node.until) })}`}
      · ${node.commit ? sha(node.commit, words) : t.not_recorded}
    </span>
  </li>`;
}

/** A commit's short name; a click copies the whole. */
export function sha(commit: string, { t }: Words): TemplateResult {
  const short = commit.slice(0, 7);
  const label = fill(t.copy_commit, { sha: short });
  return html`<button
    class="sha"
    title=${label}
    aria-label=${label}
    @click=${() => navigator.clipboard?.writeText(commit).catch(() => undefined)}
  >
    ${short}
  </button>`;
}
