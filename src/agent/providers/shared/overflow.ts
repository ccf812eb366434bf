/**
 * How providers and local servers say that a request is longer than the model's window. No two use the same words, but
 * all of them speak of the context, or of a prompt or its tokens beyond a limit.
 */
const sayings: readonly RegExp[] = [
  /context[ _-](?:length|window|size|limit)/i,
  /\b(?:prompt|input|request|conversation)\b.*\btoo (?:long|large|many tokens)\b/i,
  /\btokens?\b[\w ]*\b(?:count|limit)\b.*(?:exceed|maximum|\d)/i,
  /\bmaximum prompt\b/i,
  /\bexceed\w*\b.*\b(?:maximum size|token limit|number of tokens)\b/i,
  /\btoo many (?:input )?tokens\b/i,
  /\breduce the (?:length|size|number) of\b.*\b(?:messages|prompt|input)\b/i,
];

/** Limits of something else, in words that are alike. */
const others = /\bimages?\b|\bpdf\b|max_(?:completion_|output_)?tokens|output tokens|rate limit|too many requests/i;

/** Whether the text of an error tells of a conversation that is too long. */
export function tellsOfOverflow(text: string): boolean {
  return !others.test(text) && sayings.some((saying) => saying.test(text));
}
