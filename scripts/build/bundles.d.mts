import type { BuildOptions, Metafile } from "esbuild";

type Bundle = BuildOptions & { outdir: string; metafile: true };

export declare function bundles(options: { production: boolean }): {
  extension: Bundle;
  panel: Bundle;
  replay: Bundle;
};
export declare function startOutputs(metafile: Metafile, entry: string): Metafile["outputs"][string][];
export declare function startBytes(metafile: Metafile, entry: string): number;
