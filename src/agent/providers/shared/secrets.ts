const mask = "•••";
/** Shorter values are placeholders such as "none", and masking them would eat ordinary words. */
const minSecretLength = 5;
const secretHeader = /auth|key|token|secret|cookie/i;

/** Takes every secret out of a text that somebody will read. */
export type Masker = (text: string) => string;

/** Masks the key and whatever the headers carry in secret, also when a server echoes it. */
export function createMasker(apiKey: string | undefined, ...headers: (Record<string, string> | undefined)[]): Masker {
  const secrets = new Set(apiKey === undefined ? [] : [apiKey]);
  for (const [name, value] of headers.flatMap((fields) => Object.entries(fields ?? {}))) {
    if (!secretHeader.test(name)) continue;
    secrets.add(value);
    secrets.add(value.replace(/^\S+ /, ""));
  }
  // The longest first: one secret may contain another.
  const known = [...secrets].filter((s) => s.length >= minSecretLength).sort((a, b) => b.length - a.length);
  return (text) => known.reduce((masked, secret) => masked.replaceAll(secret, mask), text);
}
