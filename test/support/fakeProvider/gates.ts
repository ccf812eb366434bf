/** Points where answers wait. A gate exists as soon as it is named by either side. */
export interface Gates {
  /** Resolves when the gate is released, at once if it already was. */
  pass(name: string): Promise<void>;
  reached(name: string, count: number): Promise<void>;
  release(name: string): void;
}

interface Gate {
  open: boolean;
  arrived: number;
  changed: (() => void)[];
}

export function createGates(): Gates {
  const gates = new Map<string, Gate>();

  function gateOf(name: string): Gate {
    const known = gates.get(name);
    if (known !== undefined) return known;
    const gate: Gate = { open: false, arrived: 0, changed: [] };
    gates.set(name, gate);
    return gate;
  }
  function wake(gate: Gate): void {
    for (const notify of gate.changed.splice(0)) notify();
  }
  async function until(gate: Gate, holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => gate.changed.push(resolve));
  }

  return {
    pass: (name) => {
      const gate = gateOf(name);
      gate.arrived += 1;
      wake(gate);
      return until(gate, () => gate.open);
    },
    reached: (name, count) => {
      const gate = gateOf(name);
      return until(gate, () => gate.arrived >= count);
    },
    release: (name) => {
      const gate = gateOf(name);
      gate.open = true;
      wake(gate);
    },
  };
}
