/** The chips and the search field. */

import { html, nothing, type TemplateResult } from "lit";
import { GROUPS, type Filter, type Group } from "../store";
import type { Words } from "../words";

const COUNTED: readonly Group[] = ["blocked", "waiting"];
const RARE: readonly Group[] = ["none", "others"];

export function filters(
  filter: Filter,
  counts: Record<Group, number>,
  { t }: Words,
  change: (part: Partial<Filter>) => void,
): TemplateResult {
  // A chip for what never happens would only take room.
  const shown = GROUPS.filter((g) => !RARE.includes(g) || counts[g] || filter.group === g);
  return html`<div class="filters">
    <div class="chips" role="group" aria-label=${t.show}>
      ${shown.map(
        (group) =>
          html`<button
            class="chip"
            aria-pressed=${filter.group === group}
            @click=${() => change({ group })}
          >
            ${t.groups[group]}
            ${COUNTED.includes(group) && counts[group] ? html`<b>${counts[group]}</b>` : nothing}
          </button>`,
      )}
    </div>
    <input
      class="field"
      type="search"
      placeholder=${t.search}
      aria-label=${t.search_label}
      .value=${filter.text}
      @input=${(event: InputEvent) => change({ text: (event.target as HTMLInputElement).value })}
    />
  </div>`;
}
