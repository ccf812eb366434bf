/** Draws parts of a long page when they come near the view, and the rest while the browser has nothing else to do. */
export interface Drawing {
  /** Calls `draw` once, unless the returned function is called before. */
  request(element: Element, draw: () => void): () => void;
  dispose(): void;
}

const nearby = "1200px 0px";

export function createDrawing(scroller: Element): Drawing {
  const waiting = new Map<Element, () => void>();
  let idleHandle: number | undefined;

  function take(element: Element | undefined): void {
    if (element === undefined) return;
    const draw = waiting.get(element);
    waiting.delete(element);
    observer.unobserve(element);
    draw?.();
  }

  function scheduleIdle(): void {
    if (waiting.size === 0 || idleHandle !== undefined) return;
    idleHandle = requestIdleCallback(() => {
      idleHandle = undefined;
      // From the newest to the oldest: that is the way people scroll.
      take([...waiting.keys()].at(-1));
      scheduleIdle();
    });
  }

  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) if (entry.isIntersecting) take(entry.target);
    },
    { root: scroller, rootMargin: nearby },
  );

  return {
    request(element, draw) {
      waiting.set(element, draw);
      observer.observe(element);
      scheduleIdle();
      return () => {
        waiting.delete(element);
        observer.unobserve(element);
      };
    },
    dispose() {
      observer.disconnect();
      waiting.clear();
      if (idleHandle !== undefined) cancelIdleCallback(idleHandle);
    },
  };
}
