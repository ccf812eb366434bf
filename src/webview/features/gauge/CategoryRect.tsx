import type { GaugeCategory } from "./gauge.ts";

type Category = GaugeCategory["key"];

/** Drawn over a category's colour, so that those who see no difference in colour see one. */
const marks: Readonly<Record<Category, string | undefined>> = {
  system: undefined,
  tools: "M0 5 L5 0",
  messages: "M0 2.5 H5",
  files: "M2.5 0 V5",
  toolResults: "M0 0 L5 5",
  reserved: "M2 2 h1 v1 h-1 z",
};

/** The patterns that the rectangles of the same page are filled with. */
export function CategoryPatterns() {
  return (
    <defs>
      {Object.entries(marks).map(([key, path]) =>
        path === undefined ? null : (
          <pattern key={key} id={patternId(key)} width="5" height="5" patternUnits="userSpaceOnUse">
            <path class="category-mark" d={path} />
          </pattern>
        ),
      )}
    </defs>
  );
}

export interface CategoryRectProps {
  category: Category;
  x: string;
  width: string;
  height: number;
}

export function CategoryRect({ category, ...place }: CategoryRectProps) {
  return (
    <>
      <rect class={`category ${category}`} {...place} />
      {marks[category] !== undefined && <rect fill={`url(#${patternId(category)})`} {...place} />}
    </>
  );
}

function patternId(key: string): string {
  return `gauge-${key}`;
}
