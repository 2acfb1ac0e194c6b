/**
 * A listener that never throws: an exception would pass through its emitter and end the process with everybody's
 * connections. `onFault` gets it with the arguments of the event, ends the one connection, and must not throw itself.
 */
export function guarded<This, Of extends unknown[]>(
  listener: (this: This, ...of: Of) => void,
  onFault: (error: unknown, ...of: Of) => void,
): (this: This, ...of: Of) => void {
  return function (this: This, ...of: Of): void {
    try {
      listener.apply(this, of)
    } catch (error) {
      onFault(error, ...of)
    }
  }
}
