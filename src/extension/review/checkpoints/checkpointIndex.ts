import * as z from "zod";

/** Names of blobs; an absent `bytes` means that there was no file. */
const storedImage = z.object({
  path: z.string(),
  bytes: z.string().exactOptional(),
  unsaved: z.string().exactOptional(),
});

const schema = z.object({
  version: z.literal(1),
  checkpoints: z.array(
    z.object({
      messageId: z.string(),
      images: z.array(storedImage),
      /** Paths of files that changed without a pre-image. */
      lost: z.array(z.string()).exactOptional(),
    }),
  ),
  undo: z
    .object({
      messageId: z.string(),
      images: z.array(storedImage),
      /** Name of a blob: what waited for Keep or Undo in these files. */
      marks: z.string().exactOptional(),
    })
    .exactOptional(),
});

export type StoredImage = z.infer<typeof storedImage>;

/** For each message of the user's the pre-images of what agents changed after it, oldest first; `undo` holds what the latest rewind replaced. */
export type CheckpointIndex = z.infer<typeof schema>;

export function emptyIndex(): CheckpointIndex {
  return { version: 1, checkpoints: [] };
}

/** Undefined for what is no index of this version. */
export function parseIndex(json: string): CheckpointIndex | undefined {
  try {
    return schema.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}

/** The names of all blobs that the index needs. */
export function blobsOf({ checkpoints, undo }: CheckpointIndex): Set<string> {
  const images = [...checkpoints, ...(undo === undefined ? [] : [undo])].flatMap((each) => each.images);
  const names = [undo?.marks, ...images.flatMap(({ bytes, unsaved }) => [bytes, unsaved])];
  return new Set(names.filter((name) => name !== undefined));
}

/** Paths of files that changed after the message without a pre-image. */
export function lostSince({ checkpoints }: CheckpointIndex, messageId: string): string[] {
  const first = checkpoints.findIndex((checkpoint) => checkpoint.messageId === messageId);
  if (first < 0) return [];
  return [...new Set(checkpoints.slice(first).flatMap(({ lost }) => lost ?? []))];
}

/** What each file held before anything after the message: the first pre-image since then. */
export function imagesSince({ checkpoints }: CheckpointIndex, messageId: string): StoredImage[] | undefined {
  const first = checkpoints.findIndex((checkpoint) => checkpoint.messageId === messageId);
  if (first < 0) return undefined;
  const images = new Map<string, StoredImage>();
  for (const image of checkpoints.slice(first).flatMap((checkpoint) => checkpoint.images)) {
    if (!images.has(image.path)) images.set(image.path, image);
  }
  return [...images.values()];
}
