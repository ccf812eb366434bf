import type { ImagePart } from "../../vocabulary/messages.ts";

/** The image as OpenAI's formats take it. */
export function dataUrl({ mimeType, data }: ImagePart): string {
  return `data:${mimeType};base64,${data}`;
}
