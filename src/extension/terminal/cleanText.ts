import { assertNever } from "../../agent/vocabulary/errors.ts";

/** Where a control sequence of a terminal was when a piece of output ended. */
type Place = "text" | "escape" | "sequence" | "string" | "stringEscape";

const escapeSign = "\u001b";
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f]/g;

/**
 * Makes readable text of what a program writes for a terminal: colours and cursor movements go, line ends become \n,
 * other control characters are drawn. Sequences may be split anywhere between pieces.
 */
export function textCleaner(): (piece: string) => string {
  let place: Place = "text";
  let endsInReturn = false;

  function withoutSequences(piece: string): string {
    let text = "";
    for (let at = 0; at < piece.length; ) {
      if (place === "text") {
        const next = piece.indexOf(escapeSign, at);
        text += piece.slice(at, next < 0 ? piece.length : next);
        if (next < 0) break;
        place = "escape";
        at = next + 1;
      } else {
        const character = piece.charAt(at);
        // No sequence goes across lines; without this, one that never ends would swallow all that follows.
        if (character === "\n") {
          place = "text";
          continue;
        }
        place = after(place, character);
        at++;
      }
    }
    return text;
  }

  return (piece) => {
    let text = withoutSequences(piece);
    if (text === "") return "";
    if (endsInReturn && text.startsWith("\n")) text = text.slice(1);
    endsInReturn = text === "" ? false : text.endsWith("\r");
    return text.replace(/\r\n?/g, "\n").replace(controls, drawn);
  };
}

function after(place: Exclude<Place, "text">, character: string): Place {
  switch (place) {
    case "escape":
      if (character === "[") return "sequence";
      if (/[\]PX^_]/.test(character)) return "string";
      return /[ -/]/.test(character) ? "escape" : "text";
    case "sequence":
      return /[0-?]|[ -/]/.test(character) ? "sequence" : "text";
    case "string":
      if (character === "\u0007") return "text";
      return character === escapeSign ? "stringEscape" : "string";
    case "stringEscape":
      return character === "\\" ? "text" : "string";
    default:
      return assertNever(place);
  }
}

function drawn(character: string): string {
  const code = character.charCodeAt(0);
  return String.fromCharCode(code === 0x7f ? 0x2421 : 0x2400 + code);
}
