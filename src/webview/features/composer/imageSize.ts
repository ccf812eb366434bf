/** Pixels. */
export interface ImageSize {
  width: number;
  height: number;
}

/** How large a picture is, by the start of its file; undefined for kinds of files that are not known here. */
export function imageSize(head: Uint8Array): ImageSize | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  try {
    if (text(view, 1, 3) === "PNG") return { width: view.getUint32(16), height: view.getUint32(20) };
    if (text(view, 0, 3) === "GIF") return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
    if (view.getUint16(0) === 0xffd8) return jpegSize(view);
    if (text(view, 0, 4) === "RIFF" && text(view, 8, 4) === "WEBP") return webpSize(view);
  } catch {
    // The file ends before its size is told: whoever decodes it will say so.
  }
  return undefined;
}

function text(view: DataView, at: number, length: number): string {
  return String.fromCharCode(...Array.from({ length }, (_, index) => view.getUint8(at + index)));
}

/** The size stands in the frame header, after any number of other segments. */
function jpegSize(view: DataView): ImageSize | undefined {
  for (let at = 2; at < view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return undefined;
}

function webpSize(view: DataView): ImageSize | undefined {
  switch (text(view, 12, 4)) {
    case "VP8X":
      return { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 };
    case "VP8L": {
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8 ":
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    default:
      return undefined;
  }
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) + view.getUint8(at + 2) * 0x1_0000;
}
