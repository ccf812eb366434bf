import { t } from "@vscode/l10n";
import { useMemo } from "preact/hooks";
import { imageTypes } from "../../protocol/attachments.ts";
import type { EnlargedPicture } from "../model/attachments.ts";

export interface Picture {
  mimeType: string;
  /** base64 */
  data: string;
}

export interface ThumbnailProps {
  picture: Picture;
  name: string;
  enlarge(picture: EnlargedPicture): void;
}

/** A small picture that is shown large when it is pressed. */
export function Thumbnail({ picture, name, enlarge }: ThumbnailProps) {
  // A megabyte that is put together again with each key would be compared letter by letter.
  const url = useMemo(() => pictureUrl(picture), [picture.mimeType, picture.data]);
  if (url === undefined) return null;
  return (
    <button type="button" class="thumbnail" aria-label={t("Enlarge {0}", name)} onClick={() => enlarge({ url, name })}>
      <img src={url} alt="" />
    </button>
  );
}

/** Pictures are in the message itself: nothing is loaded. Undefined for what is no picture. */
function pictureUrl({ mimeType, data }: Picture): string | undefined {
  if (!imageTypes.some((type) => type === mimeType)) return undefined;
  return `data:${mimeType};base64,${data}`;
}
