/** Makes the card known to Home Assistant. */

import { TimelineCard } from "./card";
import { CHAIN_TAG, ChainView } from "./chain-view";
import { TAG, mayMove } from "./config";
import type { Hass } from "./hass";
import { loadTexts, textsFor } from "./texts";

// Before anything is drawn, so that nothing is drawn in English first.
await loadTexts(document.documentElement.lang);

// A copy that was added by hand may have been first; a name can be taken once a page.
if (!customElements.get(TAG)) {
  customElements.define(CHAIN_TAG, ChainView);
  customElements.define(TAG, TimelineCard);
  const page = window as unknown as { customCards?: object[] };
  (page.customCards ??= []).push({
    type: TAG,
    name: "HearthNet timeline",
    description: textsFor(document.documentElement.lang).description,
    preview: true,
    documentationURL: "https://github.com/hearthnet/hearthnet/blob/main/docs/card.md",
    getEntitySuggestion: ({ language }: Hass, entityId: string) =>
      mayMove(entityId)
        ? {
            label: textsFor(language).suggestion,
            config: { type: `custom:${TAG}`, entity: entityId },
          }
        : null,
  });
}
