import type { Plugin } from "esbuild";

export declare const leanMarked: Plugin;
