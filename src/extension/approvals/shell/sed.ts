const address = /^(?:\d+(?:~\d+)?|\$)/;
const flags = /^[gpiImM0-9]*/;

/**
 * Whether a script of sed only prints: addresses, and the commands that neither write nor run anything. `w`, `W`, `e`,
 * `r` and the flags `e` and `w` of `s` are none of these, nor is anything that isn't understood.
 */
export function isPrintingScript(script: string): boolean {
  let rest = script;
  const skipBlanks = () => {
    rest = rest.replace(/^[ \t\n;]+/, "");
  };
  for (skipBlanks(); rest !== ""; skipBlanks()) {
    const command = afterAddresses(rest);
    const end = command === undefined ? undefined : afterCommand(command);
    if (end === undefined || (end !== "" && !/^[ \t]*[;\n}]/.test(end))) return false;
    rest = end;
  }
  return true;
}

function afterAddresses(text: string): string | undefined {
  const first = afterAddress(text);
  if (first === undefined) return text.replace(/^!\s*/, "");
  let rest = first.trimStart();
  if (rest.startsWith(",")) {
    const second = rest.slice(1).trimStart();
    const end = /^[+~]\d+/.exec(second)?.[0];
    const after = end === undefined ? afterAddress(second) : second.slice(end.length);
    if (after === undefined) return undefined;
    rest = after.trimStart();
  }
  return rest.replace(/^!\s*/, "");
}

function afterAddress(text: string): string | undefined {
  const plain = address.exec(text)?.[0];
  if (plain !== undefined) return text.slice(plain.length);
  if (!text.startsWith("/")) return undefined;
  return afterDelimiter(text.slice(1), "/")?.replace(/^[IM]+/, "");
}

function afterCommand(text: string): string | undefined {
  const name = text[0] ?? "";
  const rest = text.slice(1);
  if (/[pPdDnNgGhHxlz=}]/.test(name)) return rest;
  if (name === "{") return `;${rest}`;
  if (/[qQ]/.test(name)) return rest.replace(/^\s*\d+/, "");
  if (name !== "s" && name !== "y") return undefined;
  const delimiter = rest[0] ?? "";
  // With a letter or a bracket, versions of sed differ in where a part ends.
  if (!/[/|,#:!@%_~]/.test(delimiter)) return undefined;
  const replacement = afterDelimiter(rest.slice(1), delimiter);
  const end = replacement === undefined ? undefined : afterDelimiter(replacement, delimiter);
  if (end === undefined) return undefined;
  return name === "y" ? end : end.slice(flags.exec(end)?.[0].length ?? 0);
}

/** What follows the next delimiter. Undefined where versions of sed don't agree on which one that is. */
function afterDelimiter(text: string, delimiter: string): string | undefined {
  let isInBrackets = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === "\n") return undefined;
    if (character === "\\") at++;
    else if (character === delimiter) return isInBrackets ? undefined : text.slice(at + 1);
    else if (character === "[") isInBrackets = true;
    else if (character === "]") isInBrackets = false;
  }
  return undefined;
}
