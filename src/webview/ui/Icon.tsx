export interface IconProps {
  name: string;
  class?: string;
  /** Of the toolkit's element that it is in. */
  slot?: "start";
}

/** A codicon; its meaning is always in a text beside it. */
export function Icon({ name, class: extra, slot }: IconProps) {
  const classes = `codicon codicon-${name}`;
  return <span class={extra === undefined ? classes : `${classes} ${extra}`} slot={slot} aria-hidden="true" />;
}
