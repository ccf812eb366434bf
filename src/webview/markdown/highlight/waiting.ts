/** What a slice of code may take; shorter idle moments are left alone. */
const neededMs = 5;

/** Resolves in an idle moment, which what follows the wait then uses. */
export function idle(): Promise<void> {
  return new Promise((resolve) => {
    const wait = (): void => {
      requestIdleCallback((deadline) => {
        if (deadline.timeRemaining() >= neededMs) resolve();
        else wait();
      });
    };
    wait();
  });
}

/** Resolves when the element is in view or nearly, or nobody waits any more. */
export function seen(element: Element, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) end();
      },
      { scrollMargin: "300px 0px" },
    );
    const end = (): void => {
      observer.disconnect();
      resolve();
    };
    signal.addEventListener("abort", end, { once: true });
    observer.observe(element);
  });
}
