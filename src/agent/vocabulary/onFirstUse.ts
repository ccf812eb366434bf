/**
 * Makes a value when it is first asked for, and once. For schemas that many processes never need: to make one costs as
 * much as to load a module.
 */
export function onFirstUse<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
