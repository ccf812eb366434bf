export interface IconProps {
  name: string;
  class?: string;
  /** Of the toolkit's element that it stands in. */
  slot?: "start";
}

/** A codicon; its meaning is always said in words beside it. */
export function Icon({ name, class: extra, slot }: IconProps) {
  const classes = `codicon codicon-${name}`;
  return <span class={extra === undefined ? classes : `${classes} ${extra}`} slot={slot} aria-hidden="true" />;
}
