import type { Plugin } from "esbuild";

export declare const leanToolkit: Plugin;
