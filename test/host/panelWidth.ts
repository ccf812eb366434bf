import type { Locator, Page } from "playwright-core";

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

async function boxOf(locator: Locator): Promise<Box> {
  const box = await locator.boundingBox();
  if (!box) throw new Error("The secondary side bar is not shown: open the panel first.");
  return box;
}

const center = (box: Box) => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });

/** The handle between editor and secondary side bar: of all upright ones the nearest to the bar's left edge. */
async function handleBeside(page: Page, sideBar: Box): Promise<Box> {
  const handles = await page.locator(".monaco-sash.vertical:not(.disabled)").all();
  const boxes = (await Promise.all(handles.map((handle) => handle.boundingBox()))).filter((box) => box !== null);
  const distance = (box: Box) => Math.abs(center(box).x - sideBar.x);
  const [nearest] = boxes.sort((a, b) => distance(a) - distance(b));
  if (!nearest) throw new Error("The workbench shows no handle to drag.");
  return nearest;
}

/** Drags the left edge of the secondary side bar until the bar is that wide. */
export async function dragPanelTo(page: Page, widthPx: number): Promise<void> {
  const sideBar = page.locator(".part.auxiliarybar");
  const before = await boxOf(sideBar);
  const { x, y } = center(await handleBeside(page, before));
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + before.width - widthPx, y, { steps: 4 });
  await page.mouse.up();
  const { width } = await boxOf(sideBar);
  if (Math.abs(width - widthPx) > 1) throw new Error(`The panel is ${width} px wide, not ${widthPx}.`);
}
