/** Where pre-images are kept. A write is all or nothing, and throws when it is nothing. */
export interface CheckpointStorage {
  /** Undefined when there is none. */
  readBlob(hash: string): Promise<Uint8Array | undefined>;
  writeBlob(hash: string, bytes: Uint8Array): Promise<void>;
  listBlobs(): Promise<readonly string[]>;
  removeBlob(hash: string): Promise<void>;
  readIndex(): Promise<string | undefined>;
  writeIndex(json: string): Promise<void>;
  /** Keeps all that is there under another name, where nothing is read or written any more. */
  setAside(): Promise<void>;
}

/** What a file holds at one moment. */
export interface FileImage {
  /** Absent when the file does not exist. */
  bytes?: Uint8Array;
  /** The editor's text, when it has not been saved. */
  unsaved?: string;
}

/** The files of the workspace, byte for byte. */
export interface ImagedFiles {
  take(path: string): Promise<FileImage>;
  /** Makes the file hold this again, in its editor too. Throws when it can't; then the file is as it was. */
  putBack(path: string, image: FileImage): Promise<void>;
}
