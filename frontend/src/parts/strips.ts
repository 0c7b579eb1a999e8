/** What stands above the list: agents, what waits for a person, what is held. */

import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { capital } from "../chain";
import { fill, type Texts } from "../texts";
import type { Agent, Hold, Question } from "../types";
import type { Words } from "../words";

type Part = TemplateResult | typeof nothing;

export function agentStrip(agents: Agent[], { t }: Words): Part {
  if (!agents.length) return nothing;
  return html`<ul class="strip agents" aria-label=${t.agents}>
    ${agents.map(
      (agent) =>
        html`<li class=${agent.online ? "on" : "off"}>
          <span class="dot" aria-hidden="true"></span>${capital(agent.name)}
          <span class="soft">${agentText(agent, t)}</span>
        </li>`,
    )}
  </ul>`;
}

function agentText(agent: Agent, t: Texts): string {
  if (!agent.online) return t.agent_offline;
  return agent.open_tasks ? fill(t.open_tasks, { count: agent.open_tasks }) : "";
}

/** `skew`: how far the server's clock is ahead of this browser's, in seconds. */
export function holdStrip(
  holds: Hold[],
  words: Words,
  skew: number,
  release: ((hold: Hold) => void) | undefined,
): Part {
  if (!holds.length) return nothing;
  const { t } = words;
  return html`<ul class="strip holds" aria-label=${t.holds}>
    ${repeat(
      holds,
      (hold) => hold.ids[0],
      (hold) => {
        const name = words.name(hold.target);
        const told = { name, value: hold.value, who: hold.by };
        return html`<li title="${hold.by}, ${words.moment(hold.since)}">
          <span>${fill(t.named, told)} <span class="soft">${hold.by}</span></span>
          ${
            hold.until === null
              ? nothing
              : html`<span class="clock" role="timer" data-until=${hold.until - skew}></span>`
          }
          ${
            release
              ? html`<button
                  class="chip"
                  aria-label=${fill(t.release_label, told)}
                  @click=${() => release(hold)}
                >
                  ${t.release}
                </button>`
              : nothing
          }
        </li>`;
      },
    )}
  </ul>`;
}

export function questionStrip(
  questions: Question[],
  words: Words,
  skew: number,
  decide: ((question: Question, approve: boolean) => void) | undefined,
): Part {
  if (!questions.length) return nothing;
  const { t } = words;
  return html`<section class="questions" aria-label=${t.questions}>
    <h3 class="meta">${t.questions}</h3>
    ${repeat(
      questions,
      (one) => one.id,
      (one) =>
        html`<div class="banner question">
          <span class="text"
            ><b>${fill(t.named, { name: words.names(one.targets), value: one.wanted })}</b>
            <span class="line3"
              >${one.by} · ${t.expires}
              <span class="clock" role="timer" data-until=${one.until - skew}></span></span
          ></span>
          ${
            decide
              ? html`<button class="chip" @click=${() => decide(one, false)}>${t.reject}</button
                  ><button class="chip strong" @click=${() => decide(one, true)}>
                    ${t.approve}
                  </button>`
              : nothing
          }
        </div>`,
    )}
  </section>`;
}
