import { readFile } from "node:fs/promises";
import type { Browser } from "playwright-core";

/** So large that each picture can still be read when the sheet is looked at as a whole. */
const sheetWidth = 1_560;
const gap = 12;

export interface Shot {
  scene: string;
  file: string;
}

/** Pictures of one width beside each other, in as many sheets as it takes; their files. */
export async function makeSheets(browser: Browser, shots: readonly Shot[], width: number, stem: string) {
  const columns = Math.max(1, Math.floor((sheetWidth + gap) / (width + gap)));
  const perSheet = columns * 2;
  const page = await browser.newPage({ viewport: { width: columns * (width + gap) + gap, height: 400 } });
  const files: string[] = [];
  for (let from = 0; from < shots.length; from += perSheet) {
    const cells = await Promise.all(
      shots.slice(from, from + perSheet).map(async ({ scene, file }) => {
        const data = (await readFile(file)).toString("base64");
        return `<figure><figcaption>${scene}</figcaption><img width=${width} src="data:image/png;base64,${data}"></figure>`;
      }),
    );
    await page.setContent(
      `<style>body { margin: ${gap}px; display: flex; flex-wrap: wrap; gap: ${gap}px; background: #777; font: 13px sans-serif }
      figure { margin: 0 } img { display: block }</style>${cells.join("")}`,
    );
    const file = `${stem}-${files.length + 1}.png`;
    await page.screenshot({ path: file, fullPage: true });
    files.push(file);
  }
  await page.close();
  return files;
}
