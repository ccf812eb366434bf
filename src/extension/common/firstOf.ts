/** Waits for a change, at most so many milliseconds. */
export async function firstOf(change: Promise<void>, delay: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, delay);
  try {
    await Promise.race([change, promise]);
  } finally {
    clearTimeout(timer);
  }
}
