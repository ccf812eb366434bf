import type { Traffic } from "../../agent/providers/shared/traffic.ts";
import type { ModelsSettings } from "./providerSettings.ts";
import { createTraffic, systemClock, type TrafficClock } from "./traffic.ts";

/**
 * One traffic per provider, however many agents and chats ask it, so that one provider's pause or line holds up nobody
 * who asks another. What the settings allow counts at once.
 */
export function trafficByProvider(
  settings: () => Pick<ModelsSettings, "providers" | "limits">,
  clock: TrafficClock = systemClock,
): (providerId: string) => Traffic {
  const known = new Map<string, Traffic>();
  return (providerId) => {
    const mostAtOnce = (): number => {
      const { providers, limits } = settings();
      return providers[providerId]?.maxParallel ?? limits.maxParallelAgents;
    };
    const traffic = known.get(providerId) ?? createTraffic(mostAtOnce, clock);
    known.set(providerId, traffic);
    return traffic;
  };
}
