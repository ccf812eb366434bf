import { t } from "@vscode/l10n";
import type { ImageAttachment } from "../../../protocol/attachments.ts";
import { visible } from "../../text/visible.ts";
import { type ImageSize, imageSize } from "./imageSize.ts";

const largestFile = 50 * 1024 * 1024;
/** More would take gigabytes while it is decoded. */
const mostPixels = 150_000_000;
/** Models see no more than this of the longer edge. */
const longestEdge = 1_568;
const mostBytes = 1_000_000;
/** Where a JPEG's size stands within, behind previews and colour profiles. */
const headBytes = 512 * 1024;

export type ReadPicture = { ok: true; attachment: ImageAttachment } | { ok: false; problem: string };

/**
 * Makes a picture small enough to be sent. It is decoded and drawn anew in the background of the page, so that nothing
 * but what can be seen goes along: no place where it was taken, no data behind its end.
 */
export async function readPicture(file: File): Promise<ReadPicture> {
  const name = file.name;
  const shown = visible(name);
  if (file.size > largestFile) {
    return { ok: false, problem: t("{0} is larger than 50 MB. Attach a smaller picture.", shown) };
  }
  const size = imageSize(new Uint8Array(await file.slice(0, headBytes).arrayBuffer()));
  if (size !== undefined && size.width * size.height > mostPixels) {
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
  if (size === undefined || Math.max(size.width, size.height) <= longestEdge) return {};
  const edge = size.width >= size.height ? { resizeWidth: longestEdge } : { resizeHeight: longestEdge };
  return { ...edge, resizeQuality: "high" };
}

/** PNG keeps letters sharp; where that gets too large, and for photographs, JPEG. */
async function encode(bitmap: ImageBitmap, isDrawn: boolean): Promise<Blob> {
  let scale = Math.min(1, longestEdge / Math.max(bitmap.width, bitmap.height));
  if (isDrawn) {
    const drawn = await draw(bitmap, scale).convertToBlob({ type: "image/png" });
    if (drawn.size <= mostBytes) return drawn;
  }
  for (;;) {
    const canvas = draw(bitmap, scale, "white");
    for (const quality of [0.9, 0.75, 0.6]) {
      const blob = await canvas.convertToBlob({ type: "image/jpeg", quality });
      if (blob.size <= mostBytes) return blob;
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
