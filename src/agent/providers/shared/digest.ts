import type { LlmMessage } from "../../vocabulary/messages.ts";

/** What is worked out of a history message by message. */
export interface Digest<Worked, Context> {
  /** `variant` names what of `context` the work depends on. The result is only good until the next call. */
  of(messages: readonly LlmMessage[], variant: string, context: Context): Worked;
}

interface Kept<Worked> {
  variant: string;
  /** A list of its own: the caller may go on writing into its own. */
  seen: LlmMessage[];
  worked: Worked;
}

/**
 * Keeps what was worked out beside the history's first message, and goes on from there where messages were only added to a history:
 * a long run asks with nearly the same one again and again, and would otherwise pay for all of it each time.
 */
export function createDigest<Worked, Context>(
  start: () => Worked,
  add: (worked: Worked, message: LlmMessage, context: Context) => void,
): Digest<Worked, Context> {
  // A memo, not state: the same messages always come to the same.
  const kept = new WeakMap<LlmMessage, Kept<Worked>>();
  return {
    of(messages, variant, context) {
      const [first] = messages;
      if (first === undefined) return start();
      const known = kept.get(first);
      const isContinued = known !== undefined && known.variant === variant && beginsWith(messages, known.seen);
      const digest: Kept<Worked> = isContinued ? known : { variant, seen: [], worked: start() };
      for (let at = digest.seen.length; at < messages.length; at += 1) {
        const message = messages[at];
        if (message === undefined) continue;
        add(digest.worked, message, context);
        digest.seen.push(message);
      }
      if (!isContinued) kept.set(first, digest);
      return digest.worked;
    },
  };
}

function beginsWith(messages: readonly LlmMessage[], seen: readonly LlmMessage[]): boolean {
  if (seen.length > messages.length) return false;
  // A loop, since this runs over the whole history at every request.
  for (let at = 0; at < seen.length; at += 1) if (seen[at] !== messages[at]) return false;
  return true;
}
