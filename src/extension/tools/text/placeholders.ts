const commentMarks = /^(?:\/\/+|\/\*+|\*+|#+|--+|;+|%+|<!--|\{\/\*|"""|''')\s*/;
const commentEnds = /\s*(?:\*+\/\}?|-->|"""|''')$/;
const ellipses = /\.{3,}|…/g;
/** `...rest,` but not `...rest of the code`: after the name of what is spread no other word follows. */
const spread = /\.{3}[([{]*[\p{L}_$][\p{L}\p{N}_$]*(?![\p{L}\p{N}_$])(?!\s*(?:\p{L}|\.{3}|…))/u;

const nouns =
  "code|file|function|functions|method|methods|class|classes|implementation|component|content|contents|lines|imports|logic|tests|document|module|script|body|properties|fields|cases";
const leftOut = new RegExp(
  [
    `^(?:the )?(?:rest|remainder) (?:of )?(?:the |this |your |its )?(?:(?:original|existing) )?(?:${nouns})?\\b`,
    `^(?:keep |the )?(?:existing|previous|other|remaining|original|unchanged|same) (?:${nouns})\\b`,
    `^(?:the )?(?:${nouns}) (?:here |above |below )?(?:is |are )?(?:unchanged|omitted|(?:stays?|remains?) (?:the same|unchanged|as is))`,
    "^(?:unchanged|omitted|same as (?:before|above)|no changes?)$",
  ].join("|"),
);

/**
 * Lines of `text` that stand for code left out ("// … rest of the code unchanged") and that `original` does not contain.
 * A line counts when it is a comment or has an ellipsis; prose and spread values do not.
 */
export function placeholderLines(text: string, original: string): string[] {
  const known = new Set(original.split(/\r\n|\r|\n/).map((line) => line.trim()));
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line, i, lines) => !known.has(line) && isPlaceholder(line, [lines[i - 1] ?? "", lines[i + 1] ?? ""]));
}

function isPlaceholder(line: string, neighbors: readonly string[]): boolean {
  if (line.length > 120) return false;
  const bare = line.replace(commentMarks, "").replace(commentEnds, "");
  const hasEllipsis = bare.search(ellipses) >= 0;
  const isComment = bare !== line;
  if (!isComment && (!hasEllipsis || spread.test(line))) return false;
  // "// other fields stay the same" beside `...state,` says what that does.
  if (!hasEllipsis && neighbors.some((each) => !commentMarks.test(each) && spread.test(each))) return false;
  const words = bare
    .replace(ellipses, " ")
    .replace(/[()[\]<>{}.,:]/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
  if (!leftOut.test(words)) return false;
  // Without an ellipsis only a short comment that says nothing else is meant as a placeholder.
  return hasEllipsis || (words.split(" ").length <= 8 && /unchanged|omitted|remains|stays|same|here$/.test(words));
}
