/** Encodings read and written without the editor's help, by the editor's names for them. */
export type OwnEncoding = "utf8" | "utf8bom" | "utf16le" | "utf16be";

export interface DecodedText {
  /** Without its byte order mark. */
  text: string;
  encoding: OwnEncoding;
}

const marks: { encoding: OwnEncoding; bytes: readonly number[]; label: string }[] = [
  { encoding: "utf8bom", bytes: [0xef, 0xbb, 0xbf], label: "utf-8" },
  { encoding: "utf16le", bytes: [0xff, 0xfe], label: "utf-16le" },
  { encoding: "utf16be", bytes: [0xfe, 0xff], label: "utf-16be" },
];

/** The text of the bytes; absent when they are not valid in the encoding that their start says. */
export function decodeText(bytes: Uint8Array): DecodedText | undefined {
  const mark = marks.find((candidate) => candidate.bytes.every((byte, index) => bytes[index] === byte));
  const { encoding, label } = mark ?? { encoding: "utf8" as const, label: "utf-8" };
  try {
    const decoder = new TextDecoder(label, { fatal: true, ignoreBOM: true });
    return { text: decoder.decode(bytes.subarray(mark?.bytes.length ?? 0)), encoding };
  } catch {
    // A fatal decoder throws only to say that the bytes are not valid.
    return undefined;
  }
}

/** The bytes of the text with its mark; absent when they would not give the text back (a lone surrogate). */
export function encodeText(text: string, encoding: OwnEncoding): Uint8Array | undefined {
  if (!text.isWellFormed()) return undefined;
  const mark = marks.find((candidate) => candidate.encoding === encoding)?.bytes ?? [];
  return Buffer.concat([Uint8Array.from(mark), bodyOf(text, encoding)]);
}

function bodyOf(text: string, encoding: OwnEncoding): Buffer {
  if (encoding === "utf16le") return Buffer.from(text, "utf16le");
  if (encoding === "utf16be") return Buffer.from(text, "utf16le").swap16();
  return Buffer.from(text, "utf8");
}

/** How far into a file a NUL byte makes it binary. */
const sniffedBytes = 8_192;

/** Whether the bytes are not text: a NUL near the start that no UTF-16 mark explains. */
export function isBinary(bytes: Uint8Array): boolean {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return !isUtf16 && bytes.subarray(0, sniffedBytes).includes(0);
}

/** The type of an image that models can be shown; absent for anything else. */
export function imageType(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (start.startsWith("GIF87a") || start.startsWith("GIF89a")) return "image/gif";
  return start.startsWith("RIFF") && start.slice(8, 12) === "WEBP" ? "image/webp" : undefined;
}

/** The line end that the editor's model keeps for a text, or "mixed" when it would change some. */
export function editorLineEnds(text: string): "\n" | "\r\n" | "mixed" {
  const ends = new Set(text.match(/\r\n|\r|\n/g) ?? []);
  if (ends.size === 0) return "\n";
  if (ends.size > 1 || ends.has("\r")) return "mixed";
  return ends.has("\n") ? "\n" : "\r\n";
}
