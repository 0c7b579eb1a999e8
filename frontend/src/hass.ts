/** The part of Home Assistant's frontend that the card uses. */

export interface Connection {
  subscribeMessage<T>(
    callback: (message: T) => void,
    message: object,
    options: { resubscribe: boolean },
  ): Promise<() => Promise<void>>;
  addEventListener(type: "ready" | "disconnected", listener: () => void): void;
  removeEventListener(type: "ready" | "disconnected", listener: () => void): void;
}

export interface Locale {
  language: string;
  time_format: "language" | "system" | "12" | "24";
  time_zone: "local" | "server";
}

export interface EntityState {
  entity_id: string;
  attributes: { friendly_name?: string };
}

export interface Hass {
  connection: Connection;
  language: string;
  locale: Locale;
  config: { time_zone: string };
  states: Record<string, EntityState | undefined>;
  services: Record<string, Record<string, unknown> | undefined>;
  callWS<T>(message: object): Promise<T>;
  callService(
    domain: string,
    service: string,
    data: object,
    target?: object,
    notifyOnError?: boolean,
    returnResponse?: boolean,
  ): Promise<{ response?: Record<string, unknown> }>;
}
