/** Clocks that run down, without rendering anything else each second. */

import type { LitElement, ReactiveController } from "lit";
import { span } from "./words";

export class Clocks implements ReactiveController {
  private timer: ReturnType<typeof setInterval> | undefined;

  /** Fills every `.clock` of the host: `data-until` in this browser's epoch seconds. */
  constructor(private host: LitElement) {
    host.addController(this);
  }

  hostUpdated(): void {
    if (this.fill() && this.timer === undefined)
      this.timer = setInterval(() => this.fill() || this.hostDisconnected(), 1000);
  }

  hostDisconnected(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private fill(): boolean {
    const clocks = this.host.renderRoot.querySelectorAll<HTMLElement>(".clock");
    for (const clock of clocks)
      clock.textContent = span(Number(clock.dataset.until) - Date.now() / 1000);
    return clocks.length > 0;
  }
}
