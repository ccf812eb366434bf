import type { CheckpointStorage, FileImage, ImagedFiles } from "../../../../src/extension/changes/rewind/storage.ts";
import type { TextWorkspace } from "./textWorkspace.ts";

/** A storage in memory whose `failing` calls throw like a full or broken disk. */
export function memoryStorage() {
  const blobs = new Map<string, Uint8Array>();
  const state = {
    index: undefined as string | undefined,
    aside: undefined as string | undefined,
    failing: new Map<keyof CheckpointStorage, string>(),
    calls: 0,
  };
  const attempt = (call: keyof CheckpointStorage) => {
    const code = state.failing.get(call);
    if (code !== undefined) throw Object.assign(new Error(code), { code });
  };
  const storage: CheckpointStorage = {
    readBlob: async (hash) => {
      attempt("readBlob");
      return blobs.get(hash);
    },
    writeBlob: async (hash, bytes) => {
      attempt("writeBlob");
      blobs.set(hash, bytes);
    },
    listBlobs: async () => [...blobs.keys()],
    removeBlob: async (hash) => void blobs.delete(hash),
    readIndex: async () => {
      attempt("readIndex");
      return state.index;
    },
    writeIndex: async (json) => {
      attempt("writeIndex");
      state.index = json;
    },
    setAside: async () => {
      state.aside = state.index;
      state.index = undefined;
      blobs.clear();
    },
  };
  return { storage, state, blobs };
}

/** The files of a workspace in memory. To write to a `broken` one fails. */
export function imagedTexts(workspace: TextWorkspace, broken: ReadonlySet<string> = new Set()): ImagedFiles {
  const { files } = workspace;
  return {
    take: async (path) => {
      const text = files.get(path);
      return text === undefined ? {} : { bytes: new TextEncoder().encode(text) };
    },
    putBack: async (path, { bytes }: FileImage) => {
      if (broken.has(path)) throw new Error("EACCES");
      if (bytes === undefined) files.delete(path);
      else workspace.type(path, new TextDecoder().decode(bytes));
    },
    decode: async (_, bytes) => new TextDecoder().decode(bytes),
    encode: async (_, text) => new TextEncoder().encode(text),
  };
}
