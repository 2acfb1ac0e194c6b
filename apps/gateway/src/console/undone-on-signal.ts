const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const
type Signal = keyof typeof SIGNALS

/** The process, as far as its end by a signal asks. */
export interface Signalled {
  once(signal: Signal, listener: () => void): unknown
  off(signal: Signal, listener: () => void): unknown
  exit(status: number): void
  /** Of root again, if the work was the gateway's at this moment. */
  seteuid?(id: number): void
  getuid?(): number
}

/**
 * Until it is disposed of, a signal that ends this process undoes what must not be left behind, and then ends it. Who is killed
 * otherwise leaves it to the next command.
 */
export function undoneOnSignal(undo: () => Promise<void> | void, own: Signalled = process): Disposable {
  const listeners = Object.entries(SIGNALS).map(([signal, number]) => {
    const listener = (): void => {
      if (own.getuid?.() === 0) own.seteuid?.(0)
      void (async () => undo())()
        .catch(() => undefined)
        .finally(() => own.exit(128 + number))
    }
    return [signal as Signal, listener] as const // A key of the table.
  })
  for (const [signal, listener] of listeners) own.once(signal, listener)
  return {
    [Symbol.dispose]: () => {
      for (const [signal, listener] of listeners) own.off(signal, listener)
    },
  }
}
