import * as z from "zod";

/** Names of blobs and what else is known of a path; without `bytes` and `isFolder` nothing is there. */
const storedImage = z.object({
  bytes: z.string().exactOptional(),
  unsaved: z.string().exactOptional(),
  mode: z.int().exactOptional(),
  isFolder: z.literal(true).exactOptional(),
});

/** A change of one file that is not the user's, or several with no change of the user's between them. */
const storedStep = z.object({
  path: z.string(),
  before: storedImage,
  /** Absent while it is made, and when what it left is not known. */
  after: storedImage.exactOptional(),
});

/** What the first version wrote: the first pre-image of each file alone. */
const preImages = z.array(storedImage.extend({ path: z.string() })).exactOptional();

const schema = z.object({
  version: z.literal(1),
  checkpoints: z.array(
    z.object({
      messageId: z.string(),
      steps: z.array(storedStep).exactOptional(),
      images: preImages,
      /** Paths of files that changed without a pre-image. */
      lost: z.array(z.string()).exactOptional(),
    }),
  ),
  rewinds: z
    .array(
      z.object({
        id: z.string(),
        steps: z.array(storedStep),
        /** Name of a blob: what waited for Keep or Undo in these files. */
        marks: z.string().exactOptional(),
      }),
    )
    .exactOptional(),
  undo: z.object({ messageId: z.string(), images: preImages, marks: z.string().exactOptional() }).exactOptional(),
});

export type StoredImage = z.infer<typeof storedImage>;
export type StoredStep = z.infer<typeof storedStep>;

interface StoredCheckpoint {
  messageId: string;
  /** In the order in which they were made; those of one file follow one another. */
  steps: readonly StoredStep[];
  lost?: readonly string[];
}

interface StoredRewind {
  id: string;
  /** What the rewind did itself. */
  steps: readonly StoredStep[];
  marks?: string;
}

/** For each message of the user's what agents changed after it, oldest first, and the rewinds that can be undone. */
export interface CheckpointIndex {
  checkpoints: readonly StoredCheckpoint[];
  rewinds: readonly StoredRewind[];
}

export function emptyIndex(): CheckpointIndex {
  return { checkpoints: [], rewinds: [] };
}

export function formatIndex(index: CheckpointIndex): string {
  return JSON.stringify({ version: 1, ...index });
}

/** Undefined for what is no index of this version. */
export function parseIndex(json: string): CheckpointIndex | undefined {
  try {
    const parsed = schema.safeParse(JSON.parse(json)).data;
    return parsed && fromParsed(parsed);
  } catch {
    return undefined;
  }
}

/** One index with the checkpoints and rewinds of both, those of `other` first. Undefined when there is nothing to add. */
export function mergeIndexes(other: string | undefined, own: string | undefined): string | "unreadable" | undefined {
  if (other === undefined) return undefined;
  const [added, known] = [parseIndex(other), own === undefined ? emptyIndex() : parseIndex(own)];
  if (added === undefined || known === undefined) return "unreadable";
  const messageIds = new Set(known.checkpoints.map(({ messageId }) => messageId));
  const rewindIds = new Set(known.rewinds.map(({ id }) => id));
  return formatIndex({
    checkpoints: [...added.checkpoints.filter((each) => !messageIds.has(each.messageId)), ...known.checkpoints],
    rewinds: [...added.rewinds.filter(({ id }) => !rewindIds.has(id)), ...known.rewinds],
  });
}

function fromParsed({ checkpoints, rewinds = [], undo }: z.infer<typeof schema>): CheckpointIndex {
  return {
    checkpoints: checkpoints.map(({ messageId, steps = [], images, lost }) => ({
      messageId,
      steps: [...stepsFrom(images), ...steps],
      ...(lost === undefined ? {} : { lost }),
    })),
    rewinds: [
      ...(undo === undefined ? [] : [{ id: undo.messageId, steps: stepsFrom(undo.images), ...marksOf(undo) }]),
      ...rewinds,
    ],
  };
}

function stepsFrom(images: z.infer<typeof preImages> = []): StoredStep[] {
  return images.map(({ path, ...before }) => ({ path, before }));
}

function marksOf({ marks }: { marks?: string }) {
  return marks === undefined ? {} : { marks };
}

/** The names of all blobs that the index needs. */
export function blobsOf({ checkpoints, rewinds }: CheckpointIndex): Set<string> {
  const steps = [...checkpoints, ...rewinds].flatMap((each) => each.steps);
  const images = steps.flatMap(({ before, after }) => [before, after]);
  const names = [...rewinds.map(({ marks }) => marks), ...images.flatMap((image) => [image?.bytes, image?.unsaved])];
  return new Set(names.filter((name) => name !== undefined));
}

/** Paths of files that changed after the message without a pre-image. */
export function lostSince({ checkpoints }: CheckpointIndex, messageId: string): string[] {
  const first = checkpoints.findIndex((checkpoint) => checkpoint.messageId === messageId);
  if (first < 0) return [];
  return [...new Set(checkpoints.slice(first).flatMap(({ lost }) => lost ?? []))];
}

/** By path: what was changed after the message, oldest first. Undefined for a message that nothing is known of. */
export function stepsSince({ checkpoints }: CheckpointIndex, messageId: string): Map<string, StoredStep[]> | undefined {
  const first = checkpoints.findIndex((checkpoint) => checkpoint.messageId === messageId);
  if (first < 0) return undefined;
  return byPath(checkpoints.slice(first).flatMap(({ steps }) => steps));
}

export function byPath(steps: readonly StoredStep[]): Map<string, StoredStep[]> {
  const chains = new Map<string, StoredStep[]>();
  for (const step of steps) chains.set(step.path, [...(chains.get(step.path) ?? []), step]);
  return chains;
}
