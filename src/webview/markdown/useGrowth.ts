import { useLayoutEffect, useRef } from "preact/hooks";
import type { GrowthFeed, GrowthListener } from "../model/growth.ts";

/** Where the words of a text that is being written come from. */
export interface GrowthPlace {
  feed: GrowthFeed;
  messageId: string;
  /** Of the part in the message. */
  index: number;
}

/** Listens to a text's growth as long as it grows. */
export function useGrowth(place: GrowthPlace | undefined, listener: GrowthListener): void {
  const latest = useRef(listener);
  latest.current = listener;
  const { feed, messageId, index } = place ?? {};
  useLayoutEffect(() => {
    if (feed === undefined || messageId === undefined || index === undefined) return undefined;
    return feed.listen(messageId, index, (text, more) => latest.current(text, more));
  }, [feed, messageId, index]);
}
