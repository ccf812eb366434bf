import { t } from "@vscode/l10n";
import { type ImageAttachment, maxImages, type TextAttachment } from "../../../protocol/attachments.ts";
import { visible } from "../../text/visible.ts";

const maxFileBytes = 50 * 1024 * 1024;
/** More would take gigabytes while it is decoded. */
const maxPixels = 150_000_000;
/** Models see no more than this of the longer edge. */
const maxEdge = 1_568;
const maxBytes = 1_000_000;
/** A JPEG's size is within these, behind previews and colour profiles. */
const headBytes = 512 * 1024;

const maxTextFileBytes = 4_000_000;

type Read<Attachment> = { ok: true; attachment: Attachment } | { ok: false; problem: string };

/** A file that was pasted or dropped, as an attachment, beside so many pictures. */
export async function readFile(file: File, imageCount: number): Promise<Read<ImageAttachment | TextAttachment>> {
  if (file.type.startsWith("image/")) {
    if (imageCount < maxImages) return readPicture(file);
    return { ok: false, problem: t("At most {0} pictures go with one message.", maxImages) };
  }
  const attachment = file.size > maxTextFileBytes ? undefined : await textOf(file);
  if (attachment !== undefined) return { ok: true, attachment };
  return { ok: false, problem: t("{0} is neither text nor a picture, so it can't be attached.", visible(file.name)) };
}

/** Undefined for what is no text. */
async function textOf(file: File): Promise<TextAttachment | undefined> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    return text.includes("\0") ? undefined : { kind: "text", name: file.name || t("Pasted text"), text };
  } catch {
    return undefined;
  }
}

/**
 * Makes a picture small enough to be sent. It is decoded and drawn again in the background of the page, so that nothing
 * but what can be seen goes along: no location where it was taken, no data behind its end.
 */
async function readPicture(file: File): Promise<Read<ImageAttachment>> {
  const name = file.name;
  const shown = visible(name);
  if (file.size > maxFileBytes) {
    return { ok: false, problem: t("{0} is larger than 50 MB. Attach a smaller picture.", shown) };
  }
  const size = imageSize(new Uint8Array(await file.slice(0, headBytes).arrayBuffer()));
  if (size !== undefined && size.width * size.height > maxPixels) {
    return { ok: false, problem: t("{0} has too many pixels. Attach a smaller picture.", shown) };
  }
  try {
    const bitmap = await createImageBitmap(file, decodeOptions(size));
    const blob = await encode(bitmap, file.type !== "image/jpeg");
    bitmap.close();
    const mimeType = blob.type === "image/png" ? blob.type : "image/jpeg";
    return { ok: true, attachment: { kind: "image", name, mimeType, data: await base64(blob) } };
  } catch {
    return { ok: false, problem: t("{0} can't be read as a picture. Attach a PNG, JPEG, WebP or GIF file.", shown) };
  }
}

/** A large picture never exists in full size on this side. */
function decodeOptions(size: ImageSize | undefined): ImageBitmapOptions {
  if (size === undefined || Math.max(size.width, size.height) <= maxEdge) return {};
  const edge = size.width >= size.height ? { resizeWidth: maxEdge } : { resizeHeight: maxEdge };
  return { ...edge, resizeQuality: "high" };
}

/** PNG keeps letters sharp; where that gets too large, and for photographs, JPEG. */
async function encode(bitmap: ImageBitmap, isDrawn: boolean): Promise<Blob> {
  let scale = Math.min(1, maxEdge / Math.max(bitmap.width, bitmap.height));
  if (isDrawn) {
    const drawn = await draw(bitmap, scale).convertToBlob({ type: "image/png" });
    if (drawn.size <= maxBytes) return drawn;
  }
  for (;;) {
    const canvas = draw(bitmap, scale, "white");
    for (const quality of [0.9, 0.75, 0.6]) {
      const blob = await canvas.convertToBlob({ type: "image/jpeg", quality });
      if (blob.size <= maxBytes) return blob;
    }
    scale *= 0.7;
  }
}

function draw(bitmap: ImageBitmap, scale: number, background?: string): OffscreenCanvas {
  const width = Math.max(1, Math.round(bitmap.width * scale));
  const height = Math.max(1, Math.round(bitmap.height * scale));
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("There is no canvas to draw on.");
  if (background !== undefined) {
    context.fillStyle = background;
    context.fillRect(0, 0, width, height);
  }
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, 0, 0, width, height);
  return canvas;
}

function base64(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      const url = String(reader.result);
      resolve(url.slice(url.indexOf(",") + 1));
    };
    reader.onerror = () => reject(reader.error ?? new Error("The picture could not be read."));
    reader.readAsDataURL(blob);
  });
}

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
    // The file ends before its size: decoding it reports that.
  }
  return undefined;
}

function text(view: DataView, at: number, length: number): string {
  return String.fromCharCode(...Array.from({ length }, (_, index) => view.getUint8(at + index)));
}

/** The size is in the frame header, after any number of other segments. */
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
