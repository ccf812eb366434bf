/** A word of a command as bash reads it. */
export interface ShellWord {
  /** Without its quotes. */
  text: string;
  /** With them. */
  source: string;
  /** It has unquoted `*`, `?` or `[`: bash replaces it by the names of files. */
  isGlob: boolean;
  /** It begins with an unquoted `~`. */
  isTilde: boolean;
  /** Every character that is not a wildcard, escaped for a glob matcher. */
  glob: string;
}

const plain = /[A-Za-z0-9_./:@%+,=^#\]{}!-]/;
const special = /[\s;|&<>()$`"'\\]/;

/**
 * Reads one word strictly by bash's own rules, apart from the parser: anything that bash would expand (`$x`, `{a,b}`,
 * `a=~`), and anything that would end the word, makes it undefined. `$?` is a number and stays as it is.
 */
export function readWord(source: string): ShellWord | undefined {
  const word: ShellWord = { text: "", source, isGlob: false, isTilde: source.startsWith("~"), glob: "" };
  let unquoted = "";
  const add = (text: string) => {
    word.text += text;
    word.glob += text.replace(/[\\*?[\]{}()!+@]/g, "\\$&");
  };
  for (let at = 0; at < source.length; ) {
    const character = source[at] ?? "";
    if (character === "'") {
      const end = source.indexOf("'", at + 1);
      if (end < 0) return undefined;
      add(source.slice(at + 1, end));
      at = end + 1;
    } else if (character === '"') {
      const quoted = readDoubleQuoted(source, at + 1);
      if (quoted === undefined) return undefined;
      add(quoted.text);
      at = quoted.end;
    } else if (character === "\\") {
      const next = source[at + 1];
      if (next === undefined) return undefined;
      if (next !== "\n") add(next);
      at += 2;
    } else if (source.startsWith("$?", at)) {
      add("$?");
      at += 2;
    } else if (character === "*" || character === "?" || character === "[") {
      word.isGlob = true;
      word.text += character;
      word.glob += character;
      unquoted += character;
      at++;
    } else if (character === "~" || plain.test(character) || isLetterBeyondAscii(character)) {
      word.text += character;
      word.glob += /[{}!+@]/.test(character) ? `\\${character}` : character;
      unquoted += character;
      at++;
    } else return undefined;
  }
  const isExpanded = /\{[^}]*(?:,|\.\.)/.test(unquoted) || /[=:]~/.test(unquoted) || source.startsWith("#");
  return isExpanded ? undefined : word;
}

function isLetterBeyondAscii(character: string): boolean {
  return character > "\u007f" && !special.test(character);
}

function readDoubleQuoted(source: string, start: number): { text: string; end: number } | undefined {
  let text = "";
  for (let at = start; at < source.length; at++) {
    const character = source[at] ?? "";
    if (character === '"') return { text, end: at + 1 };
    if (character === "`") return undefined;
    if (character === "$") {
      // A dollar before anything but a name or a bracket is one; single quotes are the better way to write it.
      const next = source[at + 1] ?? "";
      if (next !== "?" && !/["\s/|)\\.,:%^]/.test(next)) return undefined;
      text += character;
    } else if (character === "\\") {
      const next = source[at + 1] ?? "";
      at++;
      if (next === "\n") continue;
      text += /[$`"\\]/.test(next) ? next : `\\${next}`;
    } else text += character;
  }
  return undefined;
}

/** A word as it can be written in a rule or a command so that it means itself and nothing else. */
export function quoteWord(text: string): string {
  return /^[A-Za-z0-9_./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Whether zsh reads a word as bash does: without what only zsh expands. */
export function isPlainInZsh(source: string): boolean {
  return /^(?![=~^#])(?:[A-Za-z0-9_./:@%+,=*?-]|\$\?|'[^']*'|"[^"$`\\!]*")+$/.test(source);
}
